/** What reranking costs: 50 passages by themselves, whole moves with it, and the engine's memory. */
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { growWindow } from '../../server/engine/rerank/passages';
import { Reranker } from '../../server/engine/rerank/reranker';
import { seeded } from '../../server/evaluation/random';
import { dataFolder, rows, sentencesOf } from './corpus';
import { Asker, split, type Latency } from './moves';
import { draftQueries, type DraftQuery } from './queries';
import { Session } from './session';
import { quantile } from './statistics';

const PASSAGES = 50;
const PAPERS = 2000;
const SEED = 20251130;
/** Longest wait for the reranker to be loaded, which a first move begins. */
const PATIENCE_MS = 30_000;

export type RerankReport = {
  /** Fifty passages of abstracts, joint encoding and graph, without recall. */
  passages: { count: number; tokens: number; p50: number; p95: number };
  /** Whole moves through the language server. */
  moves: Latency & { reranked: number };
  /** Passages a move that the engine allowed itself on this machine. */
  allowed: number;
  /** What the reranker adds to the engine's resident memory. */
  addedMb: number;
};

async function abstracts(count: number): Promise<string[][]> {
  const found: string[][] = [];
  for await (const row of rows(join(dataFolder(), 'papers-val.jsonl.gz'))) {
    const sentences = sentencesOf(row);
    if (sentences.length > 2) found.push(sentences);
    if (found.length === count) break;
  }
  return found;
}

/** Times windows round random sentences of random abstracts, {@link PASSAGES} a query. */
async function benchPassages(
  stage: string,
  queries: readonly DraftQuery[],
): Promise<RerankReport['passages']> {
  const reranker = await Reranker.load(join(stage, 'models', 'reranker'));
  try {
    const papers = await abstracts(PAPERS);
    const random = seeded(SEED);
    const some = (size: number): number => Math.floor(random() * size);
    const times: number[] = [];
    let tokens = 0;
    for (const { text: query, move } of queries) {
      const asked = reranker.queryTokens({ query, move });
      const passages = Array.from({ length: PASSAGES }, () => {
        const paper = papers[some(papers.length)] ?? [];
        const at = (place: number): number | null =>
          paper[place] === undefined ? null : reranker.tokens(paper[place]);
        const window = growWindow(at, some(paper.length), asked, reranker.config);
        const sentences = paper.slice(window.from, window.to + 1);
        for (const sentence of sentences) tokens += reranker.tokens(sentence) + 1;
        const numbers = sentences.map(() => random());
        return { sentences, cosine: numbers, before: numbers, plain: numbers };
      });
      const started = performance.now();
      await reranker.score({ query, move, passages });
      times.push(performance.now() - started);
    }
    return {
      count: times.length,
      tokens: tokens / times.length / PASSAGES,
      p50: quantile(times, 0.5),
      p95: quantile(times, 0.95),
    };
  } finally {
    await reranker.close();
  }
}

/** Measures `count` queries: their passages by themselves, then as moves on the pools of `home`. */
export async function benchRerank(
  stage: string,
  home: string,
  count: number,
): Promise<RerankReport> {
  const { queries, drafts } = draftQueries(count);
  const passages = await benchPassages(stage, queries);
  const session = await Session.start(stage, home);
  try {
    const plain = await Asker.open(session, drafts, false);
    await plain.askAll(queries.slice(0, 10));
    const memory = async (): Promise<number> =>
      ((await session.status()).engine?.rssBytes ?? NaN) / 2 ** 20;
    const before = await memory();
    const asker = await Asker.open(session, drafts, true);
    await asker.askAll(queries.slice(0, 1));
    const patience = performance.now() + PATIENCE_MS;
    let allowed = 0;
    while (allowed === 0 && performance.now() < patience) {
      await sleep(100);
      const reranker = (await session.status()).engine?.reranker;
      if (reranker?.loaded === true) allowed = reranker.passages;
    }
    if (allowed === 0) throw new Error('The engine did not load its reranker.');
    await asker.askAll(queries.slice(0, 10));
    const timings = await asker.askAll(queries);
    const reranked = timings.filter((timing) => timing.reranked).length;
    const addedMb = (await memory()) - before;
    return { passages, moves: { ...split(timings), reranked }, allowed, addedMb };
  } finally {
    await session.stop();
  }
}
