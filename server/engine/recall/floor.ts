/** When nothing in the pools is close to a text, saying so beats showing noise. */

/**
 * How close the pools come to a query: the likeness of what is most like it, as plain sentences,
 * plus a weight times the share of its stems that occur in the pools at all. The encoder is trained
 * to tell papers apart, and puts a sentence on cooking no further from them than one on their topic:
 * what the sentence talks about tells more.
 *
 * What is nearest among many is nearer, and many know more words, so the floor grows with the
 * logarithm of how many sentences are searched. Chosen on the validation split
 * (`npx tsx test/bench/floor.ts` repeats it) so that of 600 sentences of abstracts outside the pool
 * and of 199 sentences of drafts most pass: 96 and 94 % among 1,041 sentences, 99.7 and 93 % among
 * 8,000. Of 60 sentences on cooking, sport, law and daily life 73 and 68 % are stopped.
 */
export const FLOOR = {
  /** Closeness among 1,000 sentences below which an answer is weak, unless the words agree; … */
  closeness: 0.6,
  /** … and how much higher that is for every tenfold of sentences. */
  perDecade: 0.17,
  /** Weight of the share of known stems. */
  known: 0.5,
  /** Likeness below which an answer is weak whatever the words. */
  hopeless: 0.15,
  /** Share of the query's telling stems that the best lexical hit must hold to count. */
  overlap: 0.5,
  /** Single candidates below this cosine are not shown, … */
  candidate: 0.15,
  /** … unless a sentence shortly before them has at least this one. */
  context: 0.3,
};

/** Sizes beyond which the floor no longer changes: no smaller or larger pools were measured. */
const MEASURED = { least: 100, most: 8000 };

/** Closeness below which an answer from this many sentences is weak, unless the words agree. */
export function floorFor(sentences: number): number {
  const size = Math.max(MEASURED.least, Math.min(MEASURED.most, sentences));
  return FLOOR.closeness + FLOOR.perDecade * Math.log10(size / 1000);
}

/** Shares of a query's stems, stop words aside, 0…1. */
export type SharedStems = {
  /** Found in the lexical hit that has most of them. */
  overlap: number;
  /** Found in some sentence of the pools. */
  known: number;
};

/**
 * Whether the best candidates are too far from the query to be shown. `likeness` is that of the
 * candidate, or of a sentence shortly before one, that is most like the query; where there are no
 * vectors to compare (null) the words alone decide. `sentences`: how many were searched.
 */
export function isWeak(
  likeness: number | null,
  { overlap, known }: SharedStems,
  sentences: number,
): boolean {
  if (likeness === null) return overlap < FLOOR.overlap;
  if (likeness + FLOOR.known * known >= floorFor(sentences)) return false;
  return likeness < FLOOR.hopeless || overlap < FLOOR.overlap;
}
