/** Markdown source as tokens, and Pandoc's citations in it. */
import { readCite } from './latexCites';
import { CLOSERS, PUNCTUATION, type Cite, type Token, type TokenKind, type Window } from './tokens';

/** A citation key as Pandoc reads it: `@key`, punctuation inside but not at its end, or `@{key}`. */
const KEY =
  /(?<![\p{L}\p{N}@\\])-?@(?:\{([^{}\s]+)\}|([\p{L}\p{N}_](?:[\p{L}\p{N}_]|[:.#$%&\-+?<>~/](?=[\p{L}\p{N}_]))*))/gu;

/** Keys by which Quarto and pandoc-crossref refer to figures, tables, sections and the like. */
const CROSS_REFERENCE =
  /^(?:fig|tbl|tab|lst|sec|eq|thm|lem|cor|prp|cnj|def|exm|exr|sol|rem|alg|nte|tip|wrn|imp|cau)[-:]/i;

/** Keys cited in a piece of Markdown. */
export function markdownKeys(text: string): string[] {
  return [...text.matchAll(KEY)].map((match) => match[1] ?? match[2] ?? '');
}

/** A key as it is cited: in braces where Pandoc would not read it whole otherwise. */
export function markdownKey(key: string): string {
  const plain = [...`@${key}`.matchAll(KEY)][0];
  return plain?.[2] === key ? `@${key}` : `@{${key}}`;
}

/** A citation where there was none, with the space before it. */
export const newMarkdownCite = (key: string) => ` [${markdownKey(key)}]`;

/** Splits a window into tokens that cover it without gaps. Never throws. */
export function markdownTokens(text: string, window: Window): Token[] {
  const { from, to } = window;
  const tokens: Token[] = [];
  let i = from;
  const push = (kind: TokenKind, end: number, cite?: Cite) => {
    tokens.push({ kind, start: i, end, ...(cite ? { cite } : {}) });
    i = end;
  };
  const holdsSentence = (end: number) => i < window.start && end >= window.end;
  const match = (sticky: RegExp): RegExpExecArray | null => {
    sticky.lastIndex = i;
    const found = sticky.exec(text);
    return found && found[0].length > 0 && i + found[0].length <= to ? found : null;
  };

  while (i < to) {
    const found =
      piece('space', /\s+|<!--[\s\S]*?-->/y) ??
      piece('content', /(`+)(?!`)[\s\S]*?[^`]\1(?!`)/y) ??
      piece('display', /\$\$[\s\S]*?\$\$/y) ??
      piece('content', /\$(?!\s)[^$\n]*?(?:\n[^$\n]+?)?[^\s$\\]\$(?!\d)/y);
    if (found) continue;
    const char = text.charAt(i);
    if (char === '\\') backslash();
    else if (char === '<') {
      const tag = match(/<\/[a-zA-Z][^<>]*>/y);
      const other = tag ? null : match(/<[a-zA-Z!][^<>\s]*(?:\s[^<>]*)?>/y);
      if (tag) push('closer', i + tag[0].length);
      else
        push(
          other && !/^<[a-z]+:/i.test(other[0]) ? 'silent' : 'content',
          i + (other?.[0].length ?? 1),
        );
    } else if (char === '[' || (char === '^' && text[i + 1] === '[')) bracket();
    else if (char === '{') {
      const attributes = match(/\{[.#:][^{}\n]*\}/y);
      push(attributes ? 'silent' : 'content', i + (attributes?.[0].length ?? 1));
    } else if (/[*_~]/.test(char)) emphasis();
    else if (match(/-?@/y)) inText();
    else if (PUNCTUATION.test(char)) push('punct', i + 1);
    else if (CLOSERS.test(char)) push('closer', i + 1);
    else push('content', i + (match(/[\p{L}\p{N}\p{M}]+/uy)?.[0].length ?? 1));
  }
  return tokens;

  function piece(kind: TokenKind, sticky: RegExp): true | null {
    const found = match(sticky);
    if (!found || holdsSentence(i + found[0].length)) return null;
    push(kind, i + found[0].length);
    return true;
  }

  function backslash(): void {
    const cite = readCite(text, i, to);
    if (cite) return push('cite', cite.end, cite.cite);
    const next = text.charAt(i + 1);
    push(next === '\n' || next === '\r' ? 'space' : 'content', Math.min(to, i + 2));
  }

  function emphasis(): void {
    const run = match(/([*_~])\1*/y);
    const end = i + (run?.[0].length ?? 1);
    // A run behind a word or punctuation closes; one before a word opens, or is a letter's part.
    const closes =
      i > from && !/\s/.test(text.charAt(i - 1)) && !/[\p{L}\p{N}]/u.test(text.charAt(end));
    push(closes ? 'closer' : 'content', end);
  }

  function inText(): void {
    const pattern = new RegExp(KEY.source, 'uy');
    pattern.lastIndex = i;
    const found = pattern.exec(text);
    if (!found || i + found[0].length > to) return push('content', i + 1);
    const keys = [found[1] ?? found[2] ?? ''];
    push('cite', i + found[0].length, { textual: true, keys, insertAt: i, append: () => '' });
  }

  function bracket(): void {
    const note = text[i] === '^';
    const open = note ? i + 1 : i;
    const close = bracketEnd(text, open, to);
    if (close < 0) return push('content', open + 1);
    const inside = text.slice(open + 1, close - 1);
    if (note || inside.startsWith('^')) {
      // A footnote's definition starts its line: the sentence may be its text.
      const definition = !note && text[close] === ':';
      return push(
        definition ? 'silent' : holdsSentence(close) ? 'content' : 'note',
        holdsSentence(close) ? open + 1 : close,
      );
    }
    const behind = text.charAt(close);
    if (behind === '(' || behind === '[') {
      const linkEnd =
        behind === '(' ? parenthesisEnd(text, close, to) : bracketEnd(text, close, to);
      const second = text.slice(close + 1, Math.max(close + 1, linkEnd - 1));
      if (
        linkEnd > 0 &&
        !holdsSentence(linkEnd) &&
        !(behind === '[' && /^-?@|[\s;]-?@/.test(second))
      ) {
        return push('content', linkEnd);
      }
    }
    const keys = markdownKeys(inside);
    if (keys.length === 0 || holdsSentence(close)) return push('content', i + 1);
    if (keys.some((key) => CROSS_REFERENCE.test(key))) return push('content', close);
    const last = open + 1 + inside.replace(/[\s;]+$/, '').length;
    push('cite', close, {
      textual: false,
      keys,
      insertAt: last,
      append: (key) => `; ${markdownKey(key)}`,
    });
  }
}

function bracketEnd(text: string, open: number, to: number): number {
  let depth = 0;
  for (let i = open; i < to; i++) {
    const char = text[i];
    if (char === '\\') i++;
    else if (char === '[') depth++;
    else if (char === ']' && --depth === 0) return i + 1;
  }
  return -1;
}

function parenthesisEnd(text: string, open: number, to: number): number {
  let depth = 0;
  for (let i = open; i < to; i++) {
    const char = text[i];
    if (char === '\\') i++;
    else if (char === '(') depth++;
    else if (char === ')' && --depth === 0) return i + 1;
  }
  return -1;
}
