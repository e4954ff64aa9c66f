/** Where in a sentence a citation goes: a new one, or a key into one that is there. */
import { endsInFullStop } from '../prose/abbreviations';
import type { Cite, Token, TokenKind, Window } from './tokens';

export interface Place {
  /** Offset for a new citation: before the sentence's final punctuation. */
  at: number;
  /** A citation at the sentence's end that takes the key instead. */
  adjacent: Cite | null;
  /** Every key that the sentence cites already. */
  keys: Set<string>;
}

const SKIPPED = new Set<TokenKind>(['space', 'note', 'silent', 'display']);
const isParenthetical = (token: Token | undefined) =>
  token?.kind === 'cite' && !token.cite?.textual;

/** Finds the place for a citation in the sentence that `window` names. */
export function findPlace(text: string, tokens: readonly Token[], window: Window): Place {
  let first = tokens.findIndex((token) => token.end > window.start);
  if (first < 0) first = 0;
  let last = tokens.findLastIndex((token) => token.start < window.end);
  // A group that opened in the sentence closes in it.
  while (tokens[last + 1]?.kind === 'close' && (tokens[last + 1]?.opener ?? -1) >= window.start)
    last++;

  const kind = (i: number) => (i >= first ? tokens[i]?.kind : undefined);
  const behind: Cite[] = [];
  const before: Cite[] = [];
  const skipBack = (from: number, found: Cite[]) => {
    let i = from;
    for (; i >= first; i--) {
      const token = tokens[i];
      if (!token || !(SKIPPED.has(token.kind) || isParenthetical(token))) break;
      if (token.cite) found.push(token.cite);
    }
    return i;
  };

  const content = skipBack(last, behind);
  // Closing quotes and brackets may stand behind the final punctuation: "… word.''"
  let punct = content;
  while (['closer', 'close', 'space', 'note', 'silent'].includes(kind(punct) ?? '')) punct--;
  const punctuated = kind(punct) === 'punct';
  const ended = punctuated || endsInStop(text, tokens[content]);
  let word = punctuated ? punct : content;
  while (kind(word) === 'punct') word--;
  word = skipBack(word, before);
  if (before.length === 0 && (kind(word) === 'closer' || kind(word) === 'close')) {
    // "(see \citealp{a})" and "\emph{… \cite{a}}": the citation is the last thing inside.
    let inner = word;
    while (['closer', 'close', 'space'].includes(kind(inner) ?? '')) inner--;
    const token = inner >= first ? tokens[inner] : undefined;
    if (token?.cite && isParenthetical(token)) before.push(token.cite);
  }
  if (!punctuated) before.push(...behind.splice(0));
  const after = [...behind, ...citesBehind(text, tokens, last, ended)];

  const keys = new Set(after.flatMap((cite) => cite.keys));
  for (const token of tokens.slice(first, last + 1)) {
    for (const key of token.cite?.keys ?? []) keys.add(key);
  }
  // Nothing but formulas or citations: behind the last of them.
  const lastSolid = tokens.slice(first, last + 1).findLast((token) => token.kind !== 'space');
  const at = word >= first ? (tokens[word]?.end ?? window.end) : (lastSolid?.end ?? window.end);
  return { at, adjacent: before[0] ?? after[0] ?? null, keys };
}

/** Whether a formula holds the sentence's full stop: "… is $x = 1.$". */
function endsInStop(text: string, token: Token | undefined): boolean {
  if (token?.kind !== 'content') return false;
  const formula = /^(?:\$|\\\()([\s\S]*)(?:\$|\\\))$/.exec(text.slice(token.start, token.end))?.[1];
  return formula !== undefined && endsInFullStop(formula);
}

/** Citations that follow a sentence but belong to it: "… word.~\cite{a} Next …". */
function citesBehind(
  text: string,
  tokens: readonly Token[],
  last: number,
  punctuated: boolean,
): Cite[] {
  let spaced = false;
  let ended = punctuated;
  let i = last + 1;
  for (; i < tokens.length; i++) {
    const token = tokens[i];
    if (!token) break;
    if (token.kind === 'space') spaced ||= /\s/.test(text.slice(token.start, token.end));
    else if (token.kind === 'punct' && !ended) ended = true;
    else if (token.kind === 'closer' || token.kind === 'close') {
      if (spaced) return [];
    } else if (token.kind !== 'note' && token.kind !== 'silent') break;
  }
  const found = tokens[i];
  if (!found?.cite || !isParenthetical(found)) return [];
  if (ended && spaced) {
    // Behind a space it may open the next sentence ("\cite{a} shows …").
    const next = tokens
      .slice(i + 1)
      .find((token) => token.kind !== 'space' && !isParenthetical(token));
    const opensSentence =
      next === undefined || !/^(?:\p{Ll}|[,;:])/u.test(text.slice(next.start, next.start + 2));
    if (!opensSentence) return [];
  }
  const cites = [found.cite];
  for (let j = i + 1; isParenthetical(tokens[j]); j++) {
    const cite = tokens[j]?.cite;
    if (cite) cites.push(cite);
  }
  return cites.reverse();
}
