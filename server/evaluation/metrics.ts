/**
 * Ranking metrics of one query. `ranked` holds document ids, best first, each once; `relevant` the
 * ids of the documents that answer. Definitions as in trec_eval.
 */

function hits(ranked: readonly string[], relevant: ReadonlySet<string>, k: number): number {
  let count = 0;
  for (let i = 0; i < Math.min(k, ranked.length); i++) {
    if (relevant.has(ranked[i] ?? '')) count++;
  }
  return count;
}

/** Share of the relevant documents that are among the first `k`; 0 where nothing is relevant. */
export function recallAt(
  ranked: readonly string[],
  relevant: ReadonlySet<string>,
  k: number,
): number {
  return relevant.size === 0 ? 0 : hits(ranked, relevant, k) / relevant.size;
}

/** Share of the first `k` places that hold a relevant document; empty places count as misses. */
export function precisionAt(
  ranked: readonly string[],
  relevant: ReadonlySet<string>,
  k: number,
): number {
  return hits(ranked, relevant, k) / k;
}

/** 1 if one of the first `k` is relevant, else 0. */
export function hitAt(ranked: readonly string[], relevant: ReadonlySet<string>, k: number): number {
  return hits(ranked, relevant, k) > 0 ? 1 : 0;
}

/** 1 ÷ rank of the first relevant document among the first `k`; 0 where there is none. */
export function reciprocalRankAt(
  ranked: readonly string[],
  relevant: ReadonlySet<string>,
  k: number,
): number {
  for (let i = 0; i < Math.min(k, ranked.length); i++) {
    if (relevant.has(ranked[i] ?? '')) return 1 / (i + 1);
  }
  return 0;
}

/**
 * Average precision of the first `k`: the sum of the precisions at the relevant documents among them,
 * over the most that there can be, min(relevant, k) (LoG-Reranker, appendix on metrics; trec_eval's
 * `map_cut` divides by all relevant documents instead). 0 where nothing is relevant.
 */
export function averagePrecisionAt(
  ranked: readonly string[],
  relevant: ReadonlySet<string>,
  k: number,
): number {
  let found = 0;
  let sum = 0;
  for (let i = 0; i < Math.min(k, ranked.length); i++) {
    if (relevant.has(ranked[i] ?? '')) sum += ++found / (i + 1);
  }
  return found === 0 ? 0 : sum / Math.min(relevant.size, k);
}

/**
 * Normalised discounted cumulative gain of the first `k` with gains of 0 and 1 and the discount
 * log2(rank + 1) (Järvelin and Kekäläinen, 2002); 0 where nothing is relevant.
 */
export function ndcgAt(
  ranked: readonly string[],
  relevant: ReadonlySet<string>,
  k: number,
): number {
  let gained = 0;
  let ideal = 0;
  for (let i = 0; i < k; i++) {
    const gain = 1 / Math.log2(i + 2);
    if (i < ranked.length && relevant.has(ranked[i] ?? '')) gained += gain;
    if (i < relevant.size) ideal += gain;
  }
  return ideal === 0 ? 0 : gained / ideal;
}

/** What the benchmark reports, in the order of its tables. */
export const METRICS = ['R@1', 'R@10', 'MRR@10', 'MRR@100'] as const;
export type Metric = (typeof METRICS)[number];

/** The benchmark's metrics of one query. */
export function queryMetrics(
  ranked: readonly string[],
  relevant: ReadonlySet<string>,
): Record<Metric, number> {
  return {
    'R@1': recallAt(ranked, relevant, 1),
    'R@10': recallAt(ranked, relevant, 10),
    'MRR@10': reciprocalRankAt(ranked, relevant, 10),
    'MRR@100': reciprocalRankAt(ranked, relevant, 100),
  };
}

/** What the reranking of passages is measured by, in the order of its tables. */
export const PASSAGE_METRICS = ['Recall@10', 'MAP@10', 'nDCG@10'] as const;
export type PassageMetric = (typeof PASSAGE_METRICS)[number];

/** The passage metrics of one query; `MAP@10` is its average precision. */
export function passageMetrics(
  ranked: readonly string[],
  relevant: ReadonlySet<string>,
): Record<PassageMetric, number> {
  return {
    'Recall@10': recallAt(ranked, relevant, 10),
    'MAP@10': averagePrecisionAt(ranked, relevant, 10),
    'nDCG@10': ndcgAt(ranked, relevant, 10),
  };
}
