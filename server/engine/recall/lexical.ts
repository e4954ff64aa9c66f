/** BM25 recall in one pool by FTS5. */
import type { OpenPool } from '../store/pool';
import type { LexicalHit } from '../store/reader';
import { anyOf, chooseTerms, type Term } from './terms';

/** The `limit` best matches of a query's more telling terms, best first; none where the pool has none of its words. */
export function lexicalSearch(pool: OpenPool, terms: Term[], limit: number): LexicalHit[] {
  const chosen = chooseTerms(terms, (stem) => pool.reader.documentFrequency(stem), pool.sentences);
  return chosen.length === 0 ? [] : pool.reader.lexical(anyOf(chosen), limit);
}
