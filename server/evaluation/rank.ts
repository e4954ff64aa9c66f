/** Ranks a split's pool for its queries, and keeps what the tables and analyses are made of. */
import type { Move } from '../engine/engine';
import { askedMove, type PairMove } from '../mining/pairMoves';
import type { Units } from './context';
import type { EncodeOptions } from './dense/vectors';
import { queryMetrics, type Metric } from './metrics';
import { ownPlaces } from './own';
import type { Query, Retriever } from './retrievers';
import type { Split } from './split';
import { topK } from './topk';
import type { Qrels, Run } from './trec';

/** Documents a query that are ranked: as deep as the deepest metric looks. */
export const DEPTH = 100;

export type RankOptions = EncodeOptions & {
  depth?: number;
  /** Asks every query with this move instead of its own. */
  move?: Move;
};

/** One query's ranking: places in the pool, best first, and their scores. */
export type Ranking = { places: number[]; scores: number[] };

/** Rankings of a split's pairs, in their order. */
export type Rankings = {
  /** Over the whole pool. */
  shared: Ranking[];
  /** Over the golds of the query's own set alone (oracle filtering). */
  oracle: Ranking[];
};

/** Ranks a split's pool for all of its pairs, their own sentences left out. */
export async function rankPairs(
  split: Split,
  units: Units,
  retriever: Retriever,
  { depth = DEPTH, move, signal, onProgress }: RankOptions = {},
): Promise<Rankings> {
  const own = ownPlaces(split.pairs, split.pool);
  const queries: Query[] = split.pairs.map((pair, i) => ({
    text: pair.query,
    move: move ?? askedMove(pair.move),
    own: new Set([...(own[i] ?? []), ...units.replaced(i)]),
  }));
  const rankings: Rankings = { shared: [], oracle: [] };
  const scores = new Float32Array(units.documents);
  await retriever.eachRow(
    queries,
    (i, row) => {
      const pair = split.pairs[i];
      const composed = units.compose(i, row, scores);
      const rank = (among?: readonly number[]): Ranking => {
        const limits = { skip: own[i] ?? new Set<number>(), above: retriever.above };
        const places = topK(composed, depth, { ...limits, among });
        return { places, scores: places.map((place) => composed[place] ?? 0) };
      };
      rankings.shared[i] = rank();
      rankings.oracle[i] = rank(pair ? split.golds.get(pair.move) : []);
    },
    { signal, onProgress },
  );
  return rankings;
}

/** A ranking's documents by their ids. */
export function rankedIds(split: Split, ranking: Ranking | undefined): string[] {
  return (ranking?.places ?? []).map((place) => split.pool[place]?.id ?? '');
}

export type PairMetrics = Record<Metric, number>;

/** Metrics of every pair, in the split's order. */
export function pairMetrics(split: Split, rankings: readonly Ranking[]): PairMetrics[] {
  return split.pairs.map((pair, i) =>
    queryMetrics(rankedIds(split, rankings[i]), new Set([pair.goldId])),
  );
}

/** Places of a split's pairs by their set, in the order in which sets first appear. */
export function bySet(split: Split): Map<PairMove, number[]> {
  const sets = new Map<PairMove, number[]>();
  split.pairs.forEach(({ move }, i) => {
    const places = sets.get(move);
    if (places) places.push(i);
    else sets.set(move, [i]);
  });
  return sets;
}

/** Rankings, in the order of the split's pairs, as a run: documents are sentence ids. */
export function toRun(split: Split, rankings: readonly Ranking[], system: string): Run {
  return {
    system,
    rankings: new Map(
      split.pairs.map((pair, i) => [
        pair.id,
        (rankings[i]?.places ?? []).map((place, rank) => ({
          id: split.pool[place]?.id ?? '',
          score: rankings[i]?.scores[rank] ?? 0,
        })),
      ]),
    ),
  };
}

/** The gold of every pair, and the set it belongs to. */
export function toQrels({ pairs }: Split): Qrels {
  return {
    relevant: new Map(pairs.map((pair) => [pair.id, new Set([pair.goldId])])),
    sets: new Map(pairs.map((pair) => [pair.id, pair.move])),
  };
}
