/**
 * Words as the lexical baselines see them: the tokens and stop words of BM25S's English tokeniser
 * (Lù, 2024) and Porter's stemmer (1980).
 */
import { stemmer } from 'stemmer';

/** BM25S's English stop words, which are Lucene's: 33 function words, dropped before stemming. */
export const STOP_WORDS: ReadonlySet<string> = new Set(
  `a an and are as at be but by for if in into is it no not of on or such that the their then there
  these they this to was will with`.split(/\s+/),
);

/** Runs of at least two letters, digits or underscores, in lower case. */
export function tokens(text: string): string[] {
  return text.toLowerCase().match(/[\p{L}\p{N}_]{2,}/gu) ?? [];
}

const stems = new Map<string, string>();
/** Forgets the stems at this size: a corpus has far fewer distinct words than strings. */
const STEMS_KEPT = 500_000;

function stem(word: string): string {
  let known = stems.get(word);
  if (known === undefined) {
    if (stems.size >= STEMS_KEPT) stems.clear();
    stems.set(word, (known = stemmer(word)));
  }
  return known;
}

/** Stems of a text's content words, in order, repeated as often as they stand there. */
export function terms(text: string): string[] {
  const result: string[] = [];
  for (const token of tokens(text)) if (!STOP_WORDS.has(token)) result.push(stem(token));
  return result;
}
