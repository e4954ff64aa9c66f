/** One list of candidates from the dense and the lexical one, and the numbers that rank it. */
import type { Inspiration, Paper } from '../engine';
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
 */
export const FUSION = {
  lexicalWeight: 0.15,
  priorWeight: 0.18,
  /** Candidates taken from each list for a request of `limit` inspirations: at least, times. */
  minCandidates: 150,
  candidatesPerResult: 5,
  maxCandidates: 2000,
};

export function fusedScore(cosine: number, bm25: number, bestBm25: number, prior: number): number {
  const lexical = bestBm25 > 0 ? bm25 / bestBm25 : 0;
  return cosine + FUSION.lexicalWeight * lexical + FUSION.priorWeight * prior;
}

/** Best first; equal scores in a fixed order, so that an answer never depends on chance. */
export function byRank(a: Candidate, b: Candidate): number {
  return (
    b.score - a.score ||
    (a.pool < b.pool ? -1 : a.pool > b.pool ? 1 : 0) ||
    a.sentence.id - b.sentence.id
  );
}
