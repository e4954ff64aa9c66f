/** One reranking of a file of queries and passages, from the file to a report. */
import { throwIfCancelled } from '../../engine/errors';
import { RatioError } from '../../engine/engine';
import { loadReranker } from '../../engine/loadReranker';
import type { Reranker } from '../../engine/rerank/reranker';
import { mean, RESAMPLES } from '../bootstrap';
import { openEncoder } from '../encoder';
import { tellForeign, type ProgressOptions } from '../evaluate';
import { readRun, writeQrels, writeRun, type Run } from '../trec';
import { addedTo, type Added } from './added';
import { golds, readRerank, type RerankQuery, type Selection } from './input';
import {
  checkRun,
  comparePassages,
  rankPassages,
  scorePassages,
  type PassageComparison,
  type PassageScores,
} from './measure';
import {
  bySentences,
  byReranker,
  byWords,
  encodeQueries,
  fileOrder,
  isStage,
  type PassageScorer,
  type RerankModel,
  wholeWeight,
} from './scorers';

export type RerankOptions = Selection & {
  input: string;
  model: RerankModel;
  /** Folder of the encoder; for `dense`, `local` and `log`. */
  encoder: string;
  device: string;
  /** Folder of the reranker; for `local` and `log`. */
  reranker: string;
  /** Folder of kept vectors; null keeps none. */
  cache: string | null;
  run?: string | undefined;
  qrels?: string | undefined;
  /** Runs on the same file to compare with. */
  against: readonly string[];
  seed: number;
  resamples?: number | undefined;
};

export type RerankReport = {
  input: string;
  model: RerankModel;
  encoder: string | null;
  reranker: string | null;
  /** What `log` adds to the reranker's own score; null for other models. */
  added: Added | null;
  queries: number;
  /** Queries without a gold passage: they are in the run and in no figure. */
  withoutGold: number;
  passages: number;
  /** Windows a query that the reranker saw; null without it. */
  windows: number | null;
  /** Milliseconds a query, encoding aside. */
  milliseconds: number;
  seed: number;
  resamples: number;
  sets: Map<string, PassageScores>;
  against: {
    run: string;
    system: string;
    /** Queries that it lacks; they count as ones without an answer. */
    missing: number;
    sets: Map<string, PassageComparison>;
  }[];
};

type Opened = {
  score: PassageScorer;
  encoder: string | null;
  reranker: string | null;
  added: Added | null;
  windows: number[];
  close(): Promise<void>;
};

/** Opens what the model needs, and encodes what it starts from. */
async function open(
  { model, encoder: folder, device, reranker: rerankerFolder, cache }: RerankOptions,
  queries: readonly RerankQuery[],
  { signal, onProgress, onNotice }: ProgressOptions,
): Promise<Opened> {
  const windows: number[] = [];
  const close = (): Promise<void> => Promise.resolve();
  const plain = { encoder: null, reranker: null, added: null, windows, close };
  if (model === 'none') return { ...plain, score: fileOrder };
  if (model === 'bm25') return { ...plain, score: byWords };
  // Opened first, so that missing files are told before minutes of encoding.
  let reranker: Reranker | null = null;
  if (isStage(model)) reranker = await loadReranker(rerankerFolder);
  try {
    const encoder = await openEncoder(folder, device);
    try {
      if (reranker) tellForeign(reranker.config.encoder, [encoder.model.id], onNotice);
      const encoded = await encodeQueries(encoder, queries, cache, {
        signal,
        whole: reranker !== null && isStage(model) && wholeWeight(reranker, model) > 0,
        onProgress: (done, total) => onProgress?.('encoding sentences', done, total),
      });
      const score =
        reranker && isStage(model)
          ? byReranker(encoded, reranker, model, (count) => windows.push(count))
          : bySentences(encoded);
      return {
        score,
        encoder: encoder.model.id,
        reranker: reranker?.config.id ?? null,
        added: reranker && model === 'log' ? addedTo(reranker.config) : null,
        windows,
        close: async () => reranker?.close(),
      };
    } finally {
      await encoder.model.close();
    }
  } catch (error) {
    await reranker?.close();
    throw error;
  }
}

/** Ranks, measures, compares, and writes the run and the qrels that are asked for. */
export async function rerankFile(
  options: RerankOptions,
  progress: ProgressOptions = {},
): Promise<RerankReport> {
  const { input, model, seed } = options;
  const { signal, onProgress } = progress;
  const bootstrap = { seed, resamples: options.resamples ?? RESAMPLES };
  onProgress?.('reading', null, null);
  const queries = await readRerank(input, options);
  const others: { path: string; run: Run; missing: number }[] = [];
  for (const path of options.against) {
    const run = await readRun(path);
    others.push({ path, run, missing: checkRun(run, path, queries) });
  }
  const withoutGold = queries.filter((query) => golds(query).size === 0).length;
  if (withoutGold === queries.length) {
    throw new RatioError('bad-input', `No query of ${input} has a gold passage to be measured by.`);
  }
  throwIfCancelled(signal);
  const opened = await open(options, queries, progress);
  try {
    const run: Run = { system: model, rankings: new Map() };
    const spent: number[] = [];
    for (const [place, query] of queries.entries()) {
      onProgress?.('ranking', place, queries.length);
      await new Promise((resolve) => setImmediate(resolve));
      throwIfCancelled(signal);
      const started = performance.now();
      const scores = await opened.score(query, place, signal);
      spent.push(performance.now() - started);
      run.rankings.set(query.id, rankPassages(scores));
    }
    if (options.run !== undefined) await writeRun(options.run, run);
    if (options.qrels !== undefined) {
      await writeQrels(options.qrels, {
        relevant: new Map(queries.map((query) => [query.id, golds(query)])),
        sets: new Map(queries.map(({ id, dataset }) => [id, dataset.replace(/\s+/g, '_')])),
      });
    }
    return {
      input,
      model,
      encoder: opened.encoder,
      reranker: opened.reranker,
      added: opened.added,
      queries: queries.length,
      withoutGold,
      passages: queries.reduce((sum, { candidates }) => sum + candidates.length, 0),
      windows: opened.windows.length === 0 ? null : mean(opened.windows),
      milliseconds: mean(spent),
      ...bootstrap,
      sets: scorePassages(run, queries, bootstrap),
      against: others.map(({ path, run: other, missing }) => ({
        run: path,
        system: other.system,
        missing,
        sets: comparePassages(run, other, queries, bootstrap),
      })),
    };
  } finally {
    await opened.close();
  }
}
