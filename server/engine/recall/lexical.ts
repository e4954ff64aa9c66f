/** BM25 recall in one pool by FTS5. */
import type { OpenPool } from '../store/pool';
import type { LexicalHit, Years } from '../store/reader';
import { anyOf, chooseTerms, type Term } from './terms';

/** Best matches of a query's terms, best first, among the papers of these years (null: all papers). */
export function lexicalSearch(
  pool: OpenPool,
  terms: Term[],
  limit: number,
  years: Years | null,
): LexicalHit[] {
  const chosen = chooseTerms(terms, (stem) => pool.reader.documentFrequency(stem), pool.sentences);
  return chosen.length === 0 ? [] : pool.reader.lexical(anyOf(chosen), limit, years);
}
