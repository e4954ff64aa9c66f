/** One list of candidates from the dense and the lexical one, and the numbers that rank it. */
import type { Inspiration, Move, Paper } from '../engine';
import type { SentenceRow } from '../store/rows';

/** A recalled sentence on its way to becoming an inspiration. */
export type Candidate = {
  pool: string;
  sentence: SentenceRow;
  paper: Paper;
  /** Cosine of sentence and query; null where its vector is of another encoder. */
  cosine: number | null;
  why: Inspiration['why'];
  /** What the candidates are ordered by; each stage may set it anew. */
  score: number;
};

/**
 * Fusion: `score = cosine + lexicalWeight · bm25 / best bm25 + priorWeight · prior`, where prior
 * is the move's, within −1…1. Cosines are exact for every candidate, the lexical-only ones too, so
 * scores of different pools compare.
 *
 * Chosen on 400 pairs a move mined from 50,000 sentences of the validation split
 * (`npx tsx test/bench/fusion.ts` repeats it), by mean MRR@10 over the moves: dense alone 0.166,
 * BM25 alone 0.180, reciprocal rank fusion at most 0.210, this sum without a prior 0.211 at a
 * lexical weight of 0.15, 0.224 at 0.3 and no better beyond (+0.003 at 0.6, 95 % interval −0.003
 * to +0.010). The smallest weight that reaches that is used: a gold of the query's own abstract
 * shares more words with it than other papers do. The prior helps Address (0.150 → 0.235 at 0.2,
 * +0.085 [+0.064, +0.106]); for Broaden and Specify no strength helps and large ones harm, so
 * theirs is what costs nothing. All in all 0.254, +0.030 [+0.021, +0.038] over no prior.
 */
export const FUSION = {
  lexicalWeight: 0.3,
  priorWeight: { address: 0.2, broaden: 0.08, specify: 0.08 } satisfies Record<Move, number>,
  /** Candidates taken from each list for a request of `limit` inspirations: at least, times. */
  minCandidates: 150,
  candidatesPerResult: 5,
  maxCandidates: 2000,
};

/** `prior` comes weighted. */
export function fusedScore(cosine: number, bm25: number, bestBm25: number, prior: number): number {
  const lexical = bestBm25 > 0 ? bm25 / bestBm25 : 0;
  return cosine + FUSION.lexicalWeight * lexical + prior;
}

/** Best first; equal scores in a fixed order, so that an answer never depends on chance. */
export function byRank(a: Candidate, b: Candidate): number {
  return (
    b.score - a.score ||
    (a.pool < b.pool ? -1 : a.pool > b.pool ? 1 : 0) ||
    a.sentence.id - b.sentence.id
  );
}
