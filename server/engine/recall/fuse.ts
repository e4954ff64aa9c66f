/** One list of candidates from the dense and the lexical one, and the numbers that rank it. */
import type { Inspiration, Move, Paper } from '../engine';
import type { SentenceRow } from '../store/rows';

/** What ranks a candidate: a score is their weighted sum. */
export type Features = {
  /** Of query and sentence, exact; 0 where the sentence has no vector of the present encoder. */
  cosine: number;
  /**
   * Best likeness of the query, as a plain sentence, to the sentences before it in its section, at
   * least 0: how well its paper states what the query does, see `context.ts`.
   */
  before: number;
  /** BM25 over the best BM25 of all candidates, 0…1. */
  bm25: number;
  /** The move's prior by role and cues, −1…1, see `prior.ts`. */
  prior: number;
};
export type Weights = Record<keyof Features, number>;

/** A sentence of another paper that says much the same as a candidate. */
export type RelatedSentence = { pool: string; sentence: SentenceRow; paper: Paper; cosine: number };

/** A recalled sentence on its way to becoming an inspiration. */
export type Candidate = {
  pool: string;
  sentence: SentenceRow;
  paper: Paper;
  /** Cosine of sentence and query; null where its vector is of another encoder. */
  cosine: number | null;
  /** Its likeness to the query as a plain sentence; null likewise. */
  alike: number | null;
  features: Features;
  why: Pick<Inspiration['why'], 'dense' | 'lexical'>;
  /** The sentence before it that explains why it is here, by its rowid; null where it does itself. */
  context: { id: number; cosine: number } | null;
  /** Its relatives, most similar first; only a reranker knows them. */
  relatives?: RelatedSentence[];
  /** What the candidates are ordered by; each stage may set it anew. */
  score: number;
};

/**
 * Fusion: the score is the sum of the features, weighted by move. All of them are on one scale in
 * every pool, so scores of different pools compare. BM25 is divided by the best of the query's other
 * sentences, so that copies of the query take no part.
 *
 * Fitted on triples of query and sentence of another paper that language models labelled as making the
 * move or not (models/training/labels.jsonl): logistic regression on differences within a query,
 * cross-validated by query, then rounded; BM25's weight also by refinding on the validation
 * benchmark, whose best are 0.15 to 0.2 as well. models/training/README.md, "Recall's weights", has
 * the command and the figures. Context helps Address alone: where a paper states the problem, the
 * response stands further on.
 */
export const FUSION = {
  weights: {
    address: { cosine: 1, before: 0.4, bm25: 0.15, prior: 0.1 },
    broaden: { cosine: 1, before: 0, bm25: 0.2, prior: 0.2 },
    specify: { cosine: 1, before: 0, bm25: 0.15, prior: 0.1 },
  } satisfies Record<Move, Weights>,
  /** How many of the nearest sentences, over all pools, bring those that follow them … */
  expandFrom: 60,
  /** … in their section, up to this many each. */
  after: 3,
  /** Sentences before a candidate in its section that are its context. */
  before: 4,
  /**
   * Candidates taken from each list for a request of `limit` inspirations: at least, times. Up to 50
   * inspirations the lists are the same, so that showing more moves nothing that is shown.
   */
  minCandidates: 150,
  candidatesPerResult: 3,
  maxCandidates: 2000,
};

/** The score of a candidate: linear in its features. */
export function fusedScore(features: Features, weights: Weights): number {
  let score = 0;
  for (const name of Object.keys(weights) as (keyof Weights)[]) {
    score += weights[name] * features[name];
  }
  return score;
}

/** Best first; equal scores in a fixed order, so that an answer never depends on chance. */
export function byRank(a: Candidate, b: Candidate): number {
  return (
    b.score - a.score ||
    (a.pool < b.pool ? -1 : a.pool > b.pool ? 1 : 0) ||
    a.sentence.id - b.sentence.id
  );
}
