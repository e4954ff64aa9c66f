/** Reranks what a retriever found for a benchmark's pairs, through passages of whole papers. */
import { throwIfCancelled } from '../../engine/errors';
import { askedMove } from '../../mining/pairMoves';
import type { EncodeOptions } from '../dense/vectors';
import type { EvaluationEncoder } from '../encoder';
import { ownPlaces } from '../own';
import { DEPTH, type Ranking } from '../rank';
import type { Pair, Split } from '../split';
import { tokenCounter, windowInput, type SentenceReranker, type Stage } from './joint';
import { readListed, shownSections, type ListedPaper, type ListedSentence } from './papers';
import { questionVectors, SentenceVectors } from './vectors';
import { passagesAround, type PlacedHit } from './windows';

export type RerankedPair = {
  ranking: Ranking;
  /** How many passages there were. */
  passages: number;
  /** Whether the gold is in one of them: what reranking can reach at most. */
  reached: boolean;
  milliseconds: number;
};

export type MoveRerankOptions = EncodeOptions & {
  stage: Stage;
  /** Passages a query at most. */
  depth: number;
  /** The `papers.jsonl` with the papers of the pool. */
  papers: string;
  cache: string | null;
  encoderFor: (pair: Pair) => EvaluationEncoder;
};

/**
 * Papers whose passages may be shown: those of the best sentences, `depth` of them a query, and one
 * more for the query's own, of which nothing that was recalled may be left to show.
 */
function papersWanted(split: Split, retrieved: readonly Ranking[], depth: number): Set<string> {
  const wanted = new Set<string>();
  for (const { places } of retrieved) {
    const own = new Set<string>();
    for (const place of places) {
      if (own.size > depth) break;
      own.add(split.pool[place]?.paper ?? '');
    }
    for (const paper of own) wanted.add(paper);
  }
  return wanted;
}

/** What a pair's recalled sentences stand in, best first; sentences that are not shown left out. */
export function* placedHits(
  split: Pick<Split, 'pool'>,
  pair: Pair,
  places: readonly number[],
  papers: ReadonlyMap<string, ListedPaper>,
): Generator<PlacedHit> {
  const recalled = new Set(places.map((place) => split.pool[place]?.id ?? ''));
  const shown = new Map<string, ListedSentence[][]>();
  for (const place of places) {
    const hit = split.pool[place];
    if (!hit) continue;
    let sections = shown.get(hit.paper);
    if (!sections) {
      const paper = papers.get(hit.paper);
      const listed = paper?.sections.some((each) => each.some(({ id }) => id === hit.id));
      // A sentence whose paper is not listed is a passage by itself.
      if (!paper || !listed) {
        yield { section: [{ id: hit.id, text: hit.text }], at: 0 };
        continue;
      }
      shown.set(hit.paper, (sections = shownSections(paper, pair, hit.id, recalled)));
    }
    for (const section of sections) {
      const at = section.findIndex(({ id }) => id === hit.id);
      if (at >= 0) yield { section, at };
    }
  }
}

/** Reranked sentences of the pool first, then the rest as the retriever had it. */
export function merged(scores: ReadonlyMap<number, number>, retrieved: Ranking): Ranking {
  const reranked = [...scores].sort(([a, x], [b, y]) => y - x || a - b);
  const places = reranked.map(([place]) => place);
  const values = reranked.map(([, score]) => score);
  let last = values.at(-1) ?? 0;
  for (const place of retrieved.places) {
    if (scores.has(place)) continue;
    places.push(place);
    values.push(--last);
  }
  const length = Math.max(DEPTH, retrieved.places.length);
  return { places: places.slice(0, length), scores: values.slice(0, length) };
}

/**
 * Reranks every pair's retrieved sentences. All sentences of a query's passages are scored; those in
 * the pool are ranked, the others were shown for what they say about them.
 */
export async function rerankMoves(
  split: Split,
  retrieved: readonly Ranking[],
  reranker: SentenceReranker,
  { stage, depth, papers: path, cache, encoderFor, signal, onProgress }: MoveRerankOptions,
  onRanked: (done: number, total: number) => void = () => undefined,
): Promise<RerankedPair[]> {
  const papers = await readListed(path, papersWanted(split, retrieved, depth));
  const texts = new Set<string>();
  for (const { sections } of papers.values()) {
    for (const section of sections) for (const { text } of section) texts.add(text);
  }
  const own = ownPlaces(split.pairs, split.pool);
  const results: RerankedPair[] = [];
  const tokens = tokenCounter(reranker);
  const groups = new Map<EvaluationEncoder, number[]>();
  split.pairs.forEach((pair, i) => {
    const encoder = encoderFor(pair);
    const group = groups.get(encoder);
    if (group) group.push(i);
    else groups.set(encoder, [i]);
  });
  let done = 0;
  for (const [encoder, places] of groups) {
    const vectors = new SentenceVectors(encoder, cache);
    const hit = new Set([...texts, ...poolTexts(split, retrieved)]);
    // In the blocks in which dense retrieval has kept the vectors of the pool.
    await vectors.add(
      split.pool.map(({ text }) => text),
      { kept: hit, signal, onProgress },
    );
    await vectors.add(texts, { signal, onProgress });
    const pairs = places.flatMap((place) => split.pairs[place] ?? []);
    const questions = await questionVectors(
      encoder,
      pairs.map((pair) => ({ move: askedMove(pair.move), text: pair.query })),
      cache,
      { signal },
    );
    const plain = await questionVectors(
      encoder,
      pairs.map((pair) => ({ move: 'none', text: pair.query })),
      cache,
      { signal },
    );
    for (const [i, place] of places.entries()) {
      await new Promise((resolve) => setImmediate(resolve));
      throwIfCancelled(signal);
      const pair = split.pairs[place];
      const ranking = retrieved[place];
      const question = questions[i];
      const asked = plain[i];
      if (!pair || !ranking || !question || !asked) continue;
      const started = performance.now();
      const asks = { query: pair.query, move: askedMove(pair.move) };
      const passages = passagesAround(
        placedHits(split, pair, ranking.places, papers),
        tokens,
        reranker.queryTokens(asks),
        reranker.config,
        depth,
      );
      const scored = await reranker.score(
        {
          ...asks,
          passages: passages.map((passage) =>
            windowInput(
              passage.map(({ text }) => text),
              vectors,
              { question, plain: asked },
            ),
          ),
        },
        { stage, signal },
      );
      const scores = new Map<number, number>();
      for (const { passage, sentence, score } of scored) {
        const at = split.places.get(passages[passage]?.[sentence]?.id ?? '');
        if (at !== undefined && !own[place]?.has(at)) scores.set(at, score);
      }
      results[place] = {
        ranking: merged(scores, ranking),
        passages: passages.length,
        reached: scores.has(split.places.get(pair.goldId) ?? -1),
        milliseconds: performance.now() - started,
      };
      onRanked(++done, split.pairs.length);
    }
  }
  return results;
}

/** Texts of what was retrieved: a sentence that its paper does not list is shown by itself. */
function* poolTexts(split: Split, retrieved: readonly Ranking[]): Generator<string> {
  for (const { places } of retrieved) {
    for (const place of places) yield split.pool[place]?.text ?? '';
  }
}
