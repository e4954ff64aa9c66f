/** What a draft's source is made of, as far as placing a citation needs it. */

/** A citation in the source that can take one more key. */
export interface Cite {
  /** Part of the running text ("Smith (2020)"): nothing is added to it. */
  textual: boolean;
  keys: string[];
  /** Where another key goes, and how it is written there. */
  insertAt: number;
  append: (key: string) => string;
}

export type TokenKind =
  /** Words, formulas, references: what a citation stands behind. */
  | 'content'
  /** White space, ties and comments. */
  | 'space'
  /** Footnotes and remarks. */
  | 'note'
  /** Commands that print nothing. */
  | 'silent'
  /** Displayed formulas, figures, tables. */
  | 'display'
  | 'cite'
  | 'open'
  | 'close'
  /** Closing quotes, brackets and emphasis marks. */
  | 'closer'
  | 'punct';

export interface Token {
  kind: TokenKind;
  start: number;
  end: number;
  cite?: Cite;
  /** Of a `close`: where its group opens; -1 where it does not open here. */
  opener?: number;
}

/** A stretch of source and, in it, the sentence that is to cite. */
export interface Window {
  from: number;
  to: number;
  start: number;
  end: number;
}

export const PUNCTUATION = /[.!?:;,\u2026\u3002\uff01\uff1f\uff0c\uff1b\uff1a]/;
export const CLOSERS = /[)\]'"\u201d\u2019\u00bb\u203a\u300d\u300f\uff09]/;

/** The paragraph around a sentence, white space at the sentence's ends left out. */
export function windowAround(text: string, sentence: { start: number; end: number }): Window {
  let start = Math.max(0, Math.min(sentence.start, sentence.end, text.length));
  let end = Math.min(text.length, Math.max(sentence.start, sentence.end, 0));
  while (end > start && /\s/.test(text.charAt(end - 1))) end--;
  while (start < end && /\s/.test(text.charAt(start))) start++;
  let from = 0;
  // The last blank line before the sentence.
  for (let line = text.lastIndexOf('\n', start - 1); line > 0;) {
    const before = text.lastIndexOf('\n', line - 1);
    if (text.slice(before + 1, line).trim() === '') {
      from = line + 1;
      break;
    }
    line = before;
  }
  if (start === 0) from = 0;
  const blank = /\r?\n[ \t>]*\r?\n/g;
  blank.lastIndex = end;
  const to = blank.exec(text)?.index ?? text.length;
  return { from: Math.min(from, start), to: Math.max(to, end), start, end };
}
