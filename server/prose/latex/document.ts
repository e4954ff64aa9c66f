import { COMMENT_LIKE, VERBATIM } from './environments';

/** A control word of the source: `\name` at `start`, `end` after its name. */
interface ControlWord {
  name: string;
  start: number;
  end: number;
}

/** Where an environment's body and its end stand. */
export interface EnvironmentRange {
  name: string;
  bodyStart: number;
  bodyEnd: number;
  end: number;
}

/** LaTeX source with what a reader needs to jump in it, found in one linear pass. */
export interface LatexDocument {
  source: string;
  /** Index of the brace that closes the one at an index, else -1. */
  closing: Int32Array;
  /** Starts of blank lines, ascending. */
  blanks: number[];
  /** Control words outside comments and verbatim text that later passes look at. */
  words: ControlWord[];
  /** `\begin` offsets with a matching end; filled by matchEnvironments. */
  environments: Map<number, EnvironmentRange>;
  /** Ends of definitions by their starts. */
  definitions: Map<number, number>;
  /** Ends of the inline verbatim text (`\verb|…|`) that begins at an offset. */
  verbs: Map<number, { from: number; to: number; end: number }>;
  /** After `\begin{document}`, or 0. */
  bodyStart: number;
  hasDocument: boolean;
}

const WATCHED =
  /^(?:begin|end|(?:re|provide)?newcommand|new|providecommand|renewcommand|DeclareRobustCommand|[gex]?def|let|(?:New|Renew|Provide|Declare)DocumentCommand|(?:re)?newenvironment|NewDocumentEnvironment|newtheorem|newacronym|DeclareAcronym|acro|newglossaryentry|title|abstract|input|include|subfile|import|subimport|if[a-zA-Z]*|else|fi|excludecomment)$/;
const BEGIN_NAME = /[ \t]*\{([^{}\\\n]{1,60})\}/y;
const BLANK_LINE = /[ \t]*(?:\r\n|\n|\r)/y;

/** Scans LaTeX source. Never throws; unclosed groups and environments are simply not matched. */
export function scanLatex(source: string): LatexDocument {
  const closing = new Int32Array(source.length).fill(-1);
  const doc: LatexDocument = {
    source,
    closing,
    blanks: [],
    words: [],
    environments: new Map(),
    definitions: new Map(),
    verbs: new Map(),
    bodyStart: 0,
    hasDocument: false,
  };
  const open: number[] = [];
  const absent = new Set<string>();
  let at = 0;
  while (at < source.length) {
    switch (source.charCodeAt(at)) {
      case 92: // backslash
        at = control(doc, at, absent);
        break;
      case 123: // {
        open.push(at++);
        break;
      case 125: {
        // }
        const begin = open.pop();
        if (begin !== undefined) closing[begin] = at;
        at++;
        break;
      }
      case 37: // %
        at = lineEnd(source, at);
        break;
      case 13:
      case 10: {
        at += source.charCodeAt(at) === 13 && source.charCodeAt(at + 1) === 10 ? 2 : 1;
        BLANK_LINE.lastIndex = at;
        if (BLANK_LINE.test(source)) doc.blanks.push(at);
        break;
      }
      default:
        at++;
    }
  }
  return doc;
}

function control(doc: LatexDocument, at: number, absent: Set<string>): number {
  const { source } = doc;
  let end = at + 1;
  while (isLetter(source.charCodeAt(end))) end++;
  if (end === at + 1) return Math.min(at + 2, source.length);
  const name = source.slice(at + 1, end);
  switch (name) {
    case 'verb':
    case 'lstinline':
    case 'mintinline':
      return verb(doc, name, at, end);
    case 'url':
    case 'path':
    case 'nolinkurl':
    case 'href':
      return address(doc, end);
    case 'begin': {
      doc.words.push({ name, start: at, end });
      BEGIN_NAME.lastIndex = end;
      const match = BEGIN_NAME.exec(source);
      const environment = match?.[1];
      if (environment === undefined) return end;
      const after = BEGIN_NAME.lastIndex;
      if (environment === 'document' && !doc.hasDocument) {
        doc.bodyStart = after;
        doc.hasDocument = true;
      }
      if (VERBATIM.has(environment) || COMMENT_LIKE.has(environment)) {
        const close = `\\end{${environment}}`;
        const found = absent.has(close) ? -1 : source.indexOf(close, after);
        if (found < 0) {
          absent.add(close);
          return after;
        }
        doc.words.pop();
        doc.environments.set(at, {
          name: environment,
          bodyStart: after,
          bodyEnd: found,
          end: found + close.length,
        });
        return found + close.length;
      }
      return end;
    }
    default:
      if (WATCHED.test(name)) doc.words.push({ name, start: at, end });
      return end;
  }
}

/** `\verb|…|`, `\lstinline[…]{…}`, `\mintinline{…}|…|`: to the delimiter, on the same line. */
function verb(doc: LatexDocument, name: string, start: number, end: number): number {
  const { source } = doc;
  let at = end;
  if (name === 'verb' && source[at] === '*') at++;
  if (name !== 'verb' && source[at] === '[') at = source.indexOf(']', at) + 1 || at;
  if (name === 'mintinline' && source[at] === '{') at = source.indexOf('}', at) + 1 || at;
  const delimiter = source[at];
  if (delimiter === undefined || /[\sa-zA-Z*]/.test(delimiter)) return end;
  const stop = lineEnd(source, at);
  const line = source.slice(at + 1, stop);
  const length = delimiter === '{' ? balanced(line) : line.indexOf(delimiter);
  if (length < 0) return end;
  const to = at + 1 + length;
  doc.verbs.set(start, { from: at + 1, to, end: to + 1 });
  return to + 1;
}

/** In an address `%` and `#` are plain: its group is matched by hand, on one line. */
function address(doc: LatexDocument, end: number): number {
  const { source } = doc;
  if (source[end] !== '{') return end;
  const length = balanced(source.slice(end + 1, lineEnd(source, end)));
  if (length < 0) return end;
  doc.closing[end] = end + 1 + length;
  return end + 2 + length;
}

/** Length of the text before the brace that closes, or -1. */
function balanced(text: string): number {
  let depth = 0;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code === 123) depth++;
    else if (code === 125 && depth-- === 0) return i;
  }
  return -1;
}

/**
 * Matches `\begin` and `\end` outside the given ranges (definitions), each end to the nearest
 * begin of its name that is still open.
 */
export function matchEnvironments(
  doc: LatexDocument,
  outside: readonly { start: number; end: number }[],
): void {
  const open: { name: string; start: number; bodyStart: number }[] = [];
  const count = new Map<string, number>();
  let range = 0;
  for (const word of doc.words) {
    if (word.name !== 'begin' && word.name !== 'end') continue;
    while ((outside[range]?.end ?? Infinity) <= word.start) range++;
    if ((outside[range]?.start ?? Infinity) <= word.start) continue;
    BEGIN_NAME.lastIndex = word.end;
    const name = BEGIN_NAME.exec(doc.source)?.[1];
    if (name === undefined) continue;
    const after = BEGIN_NAME.lastIndex;
    if (word.name === 'begin') {
      open.push({ name, start: word.start, bodyStart: after });
      count.set(name, (count.get(name) ?? 0) + 1);
      continue;
    }
    if ((count.get(name) ?? 0) === 0) continue;
    for (let top = open.pop(); top; top = open.pop()) {
      count.set(top.name, (count.get(top.name) ?? 1) - 1);
      if (top.name !== name) continue;
      doc.environments.set(top.start, {
        name,
        bodyStart: top.bodyStart,
        bodyEnd: word.start,
        end: after,
      });
      break;
    }
  }
}

/** Start of the first blank line after an offset, or the source's length. */
export function nextBlank(doc: LatexDocument, at: number): number {
  const { blanks } = doc;
  let low = 0;
  let high = blanks.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((blanks[middle] ?? 0) <= at) low = middle + 1;
    else high = middle;
  }
  return blanks[low] ?? doc.source.length;
}

/** Index of the line's end (its newline or the source's end). */
export function lineEnd(source: string, at: number): number {
  const found = source.indexOf('\n', at);
  return found < 0 ? source.length : found;
}

/** Whether a character code can be part of a macro's name: an ASCII letter. */
export function isLetter(code: number): boolean {
  return (code >= 97 && code <= 122) || (code >= 65 && code <= 90);
}
