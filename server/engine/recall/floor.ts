/** When nothing in the pools is close to a text, saying so beats showing noise. */

/**
 * Chosen on the val split: against a pool of 8,000 abstract sentences, 150 sentences of other
 * abstracts had a best cosine of 0.42 to 0.80 (median 0.58), 30 everyday sentences (recipes,
 * weather, sport) one of 0.17 to 0.41 (median 0.26) with at most a fifth of their stems in one hit.
 */
export const FLOOR = {
  /** Best cosine below which an answer is weak, unless the words agree. */
  cosine: 0.38,
  /** Cosine below which it is weak whatever the words. */
  hopeless: 0.22,
  /** Share of the query's telling stems that the best lexical hit must hold to count. */
  overlap: 0.5,
  /** Single candidates below this cosine are not shown. */
  candidate: 0.15,
};

/**
 * Whether the best candidates are too far from the query to be shown. `overlap` is the share of
 * the query's stems (stop words aside) found in the candidate that has most of them. Where there
 * are no vectors to compare (`bestCosine` null), the words alone decide.
 */
export function isWeak(bestCosine: number | null, overlap: number): boolean {
  if (bestCosine === null) return overlap < FLOOR.overlap;
  if (bestCosine >= FLOOR.cosine) return false;
  return bestCosine < FLOOR.hopeless || overlap < FLOOR.overlap;
}
