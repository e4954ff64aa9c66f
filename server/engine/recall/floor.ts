/** When nothing in the pools is close to a text, saying so beats showing noise. */

/**
 * The nearest of many sentences is nearer than that of few, so the floor grows with the logarithm
 * of how many are searched. Chosen on the validation split (`npx tsx test/bench/floor.ts` repeats
 * it) so that at least 95 % of 600 sentences of abstracts outside the pool pass. Among 1,045,
 * 8,000 and 50,000 sentences there pass 99, 99.8 and 100 %, of 199 sentences of drafts 93, 92.5
 * and 94 %; of 60 sentences on cooking, sport, law and daily life 97, 92 and 93 % are stopped.
 */
export const FLOOR = {
  /** Best cosine among 1,000 sentences below which an answer is weak, unless the words agree; … */
  cosine: 0.3,
  /** … and how much higher that is for every tenfold of sentences. */
  perDecade: 0.07,
  /** Best cosine below which an answer is weak whatever the words. */
  hopeless: 0.2,
  /** Share of the query's telling stems that the best lexical hit must hold to count. */
  overlap: 0.5,
  /** Single candidates below this cosine are not shown. */
  candidate: 0.15,
};

/** Sizes beyond which the floor no longer changes: no smaller or larger pools were measured. */
const MEASURED = { least: 100, most: 100_000 };

/** Best cosine below which an answer from this many sentences is weak, unless the words agree. */
export function floorFor(sentences: number): number {
  const size = Math.max(MEASURED.least, Math.min(MEASURED.most, sentences));
  return FLOOR.cosine + FLOOR.perDecade * Math.log10(size / 1000);
}

/**
 * Whether the best candidates are too far from the query to be shown. `overlap` is the share of
 * the query's stems (stop words aside) found in the candidate that has most of them, `sentences`
 * how many were searched. Where there are no vectors to compare (`bestCosine` null), the words
 * alone decide.
 */
export function isWeak(bestCosine: number | null, overlap: number, sentences: number): boolean {
  if (bestCosine === null) return overlap < FLOOR.overlap;
  if (bestCosine >= floorFor(sentences)) return false;
  return bestCosine < FLOOR.hopeless || overlap < FLOOR.overlap;
}
