import { closeBracket } from './definitions';
import { nextBlank, type LatexDocument } from './document';

/** Text that is being read: a part of a document, in the source itself or in a macro's body. */
export interface Frame {
  doc: LatexDocument;
  pos: number;
  to: number;
  /** Source range of the call when the text is a macro's, null for the draft's own text. */
  origin: { start: number; end: number } | null;
  /** What `#1`, `#2`, … stand for. */
  parameters: readonly Argument[];
  onEnd?: () => void;
}

/** An argument: a part of a document, read as the place it was written at would be. */
export interface Argument {
  doc: LatexDocument;
  from: number;
  to: number;
  origin: Frame['origin'];
  parameters: readonly Argument[];
}

/** Longest argument over blank lines; a longer one is taken for a brace that was never closed. */
const LONGEST_ARGUMENT = 20_000;
const LENGTH = /^\s*[-+]?[\d.,]*\s*(?:\\[a-zA-Z]+|pt|em|ex|cm|mm|in|bp|pc|sp|fil+|mu|\*|!|%)*\s*$/;

/** The closing brace of the group at `at` when it closes within `to` and not far off; else -1. */
export function groupEnd(doc: LatexDocument, at: number, to: number, long = false): number {
  if (doc.source.charCodeAt(at) !== 123) return -1;
  const close = doc.closing[at] ?? -1;
  if (close < 0 || close >= to) return -1;
  if (close - at > 200 && nextBlank(doc, at) < close) {
    if (!long || close - at > LONGEST_ARGUMENT) return -1;
  }
  return close;
}

/** Skips white space and comments, but no blank line; gives the new place. */
export function skipBlanks(doc: LatexDocument, from: number, to: number): number {
  const { source } = doc;
  let at = from;
  let lines = 0;
  while (at < to) {
    const code = source.charCodeAt(at);
    if (code === 10) {
      if (++lines > 1) return from;
      at++;
    } else if (code === 32 || code === 9 || code === 13) at++;
    else if (code === 37) {
      const end = source.indexOf('\n', at);
      if (end < 0 || end >= to) return to;
      at = end + 1;
      lines = 0;
    } else return at;
  }
  return lines > 1 ? from : at;
}

/**
 * Reads arguments after a control word by their signature (`s` star, `o` brackets, `m` and `t`
 * braces) and moves the frame past them. A missing optional argument is null; reading ends at the
 * first mandatory one that is missing.
 */
export function readArguments(frame: Frame, signature: string, bare: boolean): (Argument | null)[] {
  const { doc } = frame;
  const found: (Argument | null)[] = [];
  for (const kind of signature) {
    const at = skipBlanks(doc, frame.pos, frame.to);
    const code = at < frame.to ? doc.source.charCodeAt(at) : 0;
    if (kind === 's') {
      if (code === 42) frame.pos = at + 1;
      found.push(null);
    } else if (kind === 'o') {
      const close = code === 91 ? closeBracket(doc, at, frame.to) : -1;
      found.push(close < 0 ? null : argument(frame, at + 1, close));
      if (close >= 0) frame.pos = close + 1;
    } else {
      const close = groupEnd(doc, at, frame.to, true);
      if (close >= 0) {
        found.push(argument(frame, at + 1, close));
        frame.pos = close + 1;
      } else if (bare && at < frame.to && code !== 123 && code !== 125 && code !== 37) {
        const end = tokenEnd(doc, at, frame.to);
        found.push(argument(frame, at, end));
        frame.pos = end;
      } else return found;
    }
  }
  return found;
}

function argument(frame: Frame, from: number, to: number): Argument {
  return { doc: frame.doc, from, to, origin: frame.origin, parameters: frame.parameters };
}

/** End of one token: a control word or symbol, a parameter, or one character. */
function tokenEnd(doc: LatexDocument, at: number, to: number): number {
  const { source } = doc;
  const code = source.charCodeAt(at);
  if (code === 35) return Math.min(at + 2, to);
  if (code === 92) {
    const name = /\\(?:[a-zA-Z]+|[^])/y;
    name.lastIndex = at;
    return name.test(source) ? Math.min(name.lastIndex, to) : to;
  }
  return Math.min(at + (code >= 0xd800 && code < 0xdc00 ? 2 : 1), to);
}

/** Raw text of an argument with its parameters put in. */
export function rawText(argument: Argument, depth = 0): string {
  const text = argument.doc.source.slice(argument.from, argument.to);
  if (argument.parameters.length === 0 || depth > 20) return text;
  return text.replace(/#(\d)/g, (whole, digit: string) => {
    const parameter = argument.parameters[Number(digit) - 1];
    return parameter ? rawText(parameter, depth + 1) : whole;
  });
}

/** Whether an unknown macro's argument reads like prose rather than a key, a length or options. */
export function looksLikeProse(text: string): boolean {
  const trimmed = text.trim();
  if (trimmed === '' || !/\p{L}/u.test(trimmed)) return false;
  if (LENGTH.test(trimmed) || /^[^\s{}]*=/.test(trimmed)) return false;
  return /\s/.test(trimmed) || !/[:/@=#]|[_\d].*[_:]|^\\[a-zA-Z]+$/.test(trimmed);
}
