/** The paper's analyses of a retriever: where its gains come from, and where they do not. */
import { jaccard } from '../engine/recall/text';
import type { PairMove } from '../mining/pairMoves';
import { estimates, mean, type BootstrapOptions, type Estimate } from './bootstrap';
import { METRICS, type Metric } from './metrics';
import { bySet, type PairMetrics, type Ranking } from './rank';
import type { Split } from './split';
import { terms } from './words';

export type Scores = { queries: number } & Record<Metric, Estimate>;

/** Means of the metrics over some pairs, with intervals. */
export function scoresOf(
  metrics: readonly PairMetrics[],
  places: readonly number[],
  options: BootstrapOptions = {},
): Scores {
  const columns = METRICS.map((metric) =>
    Float64Array.from(places, (place) => metrics[place]?.[metric] ?? 0),
  );
  const made = estimates(columns, options);
  const none = { value: NaN, low: NaN, high: NaN };
  return {
    queries: places.length,
    'R@1': made[0] ?? none,
    'R@10': made[1] ?? none,
    'MRR@10': made[2] ?? none,
    'MRR@100': made[3] ?? none,
  };
}

export type MarkerScores = { set: PairMove; marker: string; scores: Scores };

/** Results a marker, the most frequent first: one marker must not carry a set's result. */
export function markerScores(
  split: Split,
  metrics: readonly PairMetrics[],
  options: BootstrapOptions = {},
): MarkerScores[] {
  return [...bySet(split)].flatMap(([set, places]) => {
    const markers = new Map<string, number[]>();
    for (const place of places) {
      const marker = split.pairs[place]?.marker ?? '';
      const own = markers.get(marker);
      if (own) own.push(place);
      else markers.set(marker, [place]);
    }
    return [...markers]
      .map(([marker, own]) => ({ set, marker, scores: scoresOf(metrics, own, options) }))
      .sort((a, b) => b.scores.queries - a.scores.queries || (a.marker < b.marker ? -1 : 1));
  });
}

/** Depths at which overlap is measured. */
const DEPTHS = [1, 3, 5, 10] as const;

/**
 * Lexical overlap: Jaccard over stemmed content words (the paper's appendix F.1), means over a
 * set's queries. A retriever that only finds the query's own words again overlaps more with the
 * query than the golds do.
 */
export type OverlapScores = {
  set: PairMove;
  queries: number;
  /** Query with its gold. */
  queryGold: number;
  /** Query with the first k results, mean over them, by k. */
  queryResults: Record<`${(typeof DEPTHS)[number]}`, number>;
  /** Gold with the first k results (the gold itself left out), by k. */
  goldResults: Record<`${(typeof DEPTHS)[number]}`, number>;
  /** Spearman's correlation of rank (1–10) and overlap with the query, over all results. */
  rankCorrelation: number;
};

/** Ranks from 1, equal values sharing their mean rank. */
export function meanRanks(values: readonly number[]): number[] {
  const order = [...values.keys()].sort((a, b) => (values[a] ?? 0) - (values[b] ?? 0));
  const ranks = new Array<number>(values.length);
  for (let from = 0; from < order.length;) {
    let to = from + 1;
    while (to < order.length && values[order[to] ?? 0] === values[order[from] ?? 0]) to++;
    for (let i = from; i < to; i++) ranks[order[i] ?? 0] = (from + 1 + to) / 2;
    from = to;
  }
  return ranks;
}

/** Spearman's rank correlation; NaN where one side does not vary. */
export function spearman(a: readonly number[], b: readonly number[]): number {
  const x = meanRanks(a);
  const y = meanRanks(b);
  const mx = mean(x);
  const my = mean(y);
  let xy = 0;
  let xx = 0;
  let yy = 0;
  x.forEach((value, i) => {
    const dx = value - mx;
    const dy = (y[i] ?? 0) - my;
    xy += dx * dy;
    xx += dx * dx;
    yy += dy * dy;
  });
  return xx === 0 || yy === 0 ? NaN : xy / Math.sqrt(xx * yy);
}

/**
 * Lexical overlap of queries with their golds, and of both with what was ranked, by set.
 * `rankings` are in the order of the split's pairs; their first ten places are looked at.
 */
export function overlapScores(split: Split, rankings: readonly Ranking[]): OverlapScores[] {
  const words = new Map<number, Set<string>>();
  const wordsOf = (place: number): Set<string> => {
    let known = words.get(place);
    if (!known) words.set(place, (known = new Set(terms(split.pool[place]?.text ?? ''))));
    return known;
  };
  return [...bySet(split)].map(([set, places]) => {
    const queryGold: number[] = [];
    const withQuery: Record<string, number[]> = {};
    const withGold: Record<string, number[]> = {};
    const ranks: number[] = [];
    const overlaps: number[] = [];
    for (const depth of DEPTHS) {
      withQuery[depth] = [];
      withGold[depth] = [];
    }
    for (const place of places) {
      const pair = split.pairs[place];
      if (!pair) continue;
      const query = new Set(terms(pair.query));
      const goldPlace = split.places.get(pair.goldId) ?? -1;
      const gold = wordsOf(goldPlace);
      queryGold.push(jaccard(query, gold));
      const results = (rankings[place]?.places ?? []).slice(0, 10);
      const ofQuery = results.map((result) => jaccard(query, wordsOf(result)));
      ofQuery.forEach((value, i) => {
        ranks.push(i + 1);
        overlaps.push(value);
      });
      for (const depth of DEPTHS) {
        if (results.length === 0) continue;
        withQuery[depth]?.push(mean(ofQuery.slice(0, depth)));
        const others = results.slice(0, depth).filter((result) => result !== goldPlace);
        if (others.length > 0) {
          withGold[depth]?.push(mean(others.map((result) => jaccard(gold, wordsOf(result)))));
        }
      }
    }
    const means = (values: Record<string, number[]>): OverlapScores['queryResults'] => ({
      1: mean(values[1] ?? []),
      3: mean(values[3] ?? []),
      5: mean(values[5] ?? []),
      10: mean(values[10] ?? []),
    });
    return {
      set,
      queries: places.length,
      queryGold: mean(queryGold),
      queryResults: means(withQuery),
      goldResults: means(withGold),
      rankCorrelation: spearman(ranks, overlaps),
    };
  });
}
