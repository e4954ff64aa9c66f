/** When nothing in the pools is close to a text, saying so beats showing noise. */

export const FLOOR = {
  /** Best cosine below which an answer is weak, unless the words agree. */
  cosine: 0.35,
  /** Cosine below which it is weak whatever the words. */
  hopeless: 0.2,
  /** Share of the query's telling stems that the best lexical hit must hold to count. */
  overlap: 0.5,
  /** Single candidates below this cosine are not shown. */
  candidate: 0.15,
};

/**
 * Whether the best candidates are too far from the query to be shown. `overlap` is the share of
 * the query's stems (stop words aside) found in the candidate that has most of them.
 */
export function isWeak(bestCosine: number, overlap: number): boolean {
  if (bestCosine >= FLOOR.cosine) return false;
  return bestCosine < FLOOR.hopeless || overlap < FLOOR.overlap;
}
