/** What the reranker is told of a sentence besides its text: the retriever's view and shared words. */
import { Bm25 } from './bm25';

/**
 * - `cosine`: of the move's question and the sentence, by the retriever.
 * - `before`: best cosine of the plain query with the up to {@link BEFORE} sentences before it in
 *   its passage, at least 0.
 * - `bm25`: of query and sentence, over the best among all sentences of the query's passages, 0…1.
 * - `passageBm25`: the same with passages as documents, one value for all sentences of a passage.
 */
export type SentenceFeatures = [cosine: number, before: number, bm25: number, passageBm25: number];

/** Names of {@link SentenceFeatures}, in order, as a reranker's `config.json` gives them. */
export const FEATURES = ['cosine', 'before', 'bm25', 'passageBm25'] as const;

/** Sentences before one in its passage that are its context. */
export const BEFORE = 4;

/** Of each sentence of a passage: the best likeness of those before it; see {@link SentenceFeatures}. */
export function bestBefore(likenesses: readonly number[]): number[] {
  return likenesses.map((_, i) => Math.max(0, ...likenesses.slice(Math.max(0, i - BEFORE), i)));
}

/**
 * BM25 of a query with the sentences and with the passages of its candidates, whose statistics are
 * those of these very sentences (and passages), each over the best: 0…1, all 0 where no word is
 * shared.
 */
export function lexicalFeatures(
  query: string,
  passages: readonly (readonly string[])[],
): { bm25: number[][]; passageBm25: number[] } {
  const bySentence = overBest(query, passages.flat());
  let place = 0;
  return {
    bm25: passages.map((passage) => bySentence.slice(place, (place += passage.length))),
    passageBm25: overBest(
      query,
      passages.map((passage) => passage.join(' ')),
    ),
  };
}

/** {@link FEATURES} of all sentences of a query's passages, one row each, in input order. */
export function featureRows(
  query: string,
  passages: readonly { sentences: string[]; cosine: number[]; before: number[] }[],
): Float32Array {
  const { bm25, passageBm25 } = lexicalFeatures(
    query,
    passages.map(({ sentences }) => sentences),
  );
  const rows = passages.flatMap(({ sentences, cosine, before }, p) =>
    sentences.flatMap((_, s): SentenceFeatures => [
      cosine[s] ?? 0,
      before[s] ?? 0,
      bm25[p]?.[s] ?? 0,
      passageBm25[p] ?? 0,
    ]),
  );
  return Float32Array.from(rows);
}

function overBest(query: string, texts: readonly string[]): number[] {
  const scores = [...Bm25.build(texts).scores(query)];
  const best = scores.reduce((most, score) => Math.max(most, score), 0);
  return best === 0 ? scores : scores.map((score) => score / best);
}
