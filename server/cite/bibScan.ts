/**
 * Entries of a BibTeX or BibLaTeX file with the exact place of everything in them. A damaged entry
 * hides nothing else: an entry that is never closed ends where the next one starts on its line.
 * (@retorquere/bibtex-parser reads such files more deeply, but gives no places and needs a second
 * for what is scanned here in milliseconds.)
 */

export interface BibField {
  /** As written. */
  name: string;
  nameStart: number;
  nameEnd: number;
  /** Where the = stands. */
  equals: number;
  valueStart: number;
  valueEnd: number;
  /** Value without delimiters, `@string` names resolved where they are known. */
  value: string;
  delimiter: '{' | '"' | 'bare' | 'joined';
}

export interface BibEntry {
  /** As written, without the @. */
  type: string;
  key: string;
  /** From the @ to behind the closing brace. */
  start: number;
  end: number;
  fields: BibField[];
  /** False where the closing brace is missing. */
  closed: boolean;
}

export interface BibScan {
  text: string;
  entries: BibEntry[];
  /** Keys of every entry, those behind a % included: a new key must avoid them all. */
  keys: string[];
  /** Ends of `@comment`, `@string` and `@preamble` blocks. */
  blocks: { type: string; start: number; end: number }[];
}

const HEAD = /@[ \t]*([a-zA-Z]+)\s*([{(])/g;
/** An entry's first line, as a sign that the one before was never closed. */
const NEXT_ENTRY = /\n[ \t]*@[ \t]*[a-zA-Z]+[ \t]*[{(]\s*[^\s,{}()="#]+[ \t]*(?:,|\r?\n)/g;

const KEY = /[^\s,{}="]*/y;
const BLANKS = /[ \t\ufeff]*/y;
const NAME = /[^\s,{}()="#%]*/y;
const BARE = /[^\s,{}"#]*/y;
const BARE_IN_PARENTHESES = /[^\s,{}()"#]*/y;

function matchEnd(sticky: RegExp, text: string, from: number): number {
  sticky.lastIndex = from;
  return from + (sticky.exec(text)?.[0].length ?? 0);
}

const isSpace = (code: number) => code === 32 || (code >= 9 && code <= 13) || code === 0xfeff;

/** Scans a whole file. Never throws; time is linear in the length of the text. */
export function scanBib(text: string): BibScan {
  const scan: BibScan = { text, entries: [], keys: [], blocks: [] };
  const strings = new Map<string, string>();
  const head = new RegExp(HEAD);
  const onCommentLine = commentLines(text);
  let limit = -1;
  for (let match = head.exec(text); match; match = head.exec(text)) {
    const [whole, type = '', open] = match;
    const start = match.index;
    const inside = start + whole.length;
    const kind = type.toLowerCase();
    if (limit < inside) limit = nextEntry(text, inside);
    if (kind === 'comment') {
      const end = closing(text, inside, text.length, open === '(' ? ')' : '}');
      scan.blocks.push({ type: kind, start, end: end < 0 ? inside : end + 1 });
      if (end >= 0) head.lastIndex = end + 1;
    } else if (kind === 'preamble') {
      const end = closing(text, inside, limit, open === '(' ? ')' : '}');
      scan.blocks.push({ type: kind, start, end: end < 0 ? inside : end + 1 });
      if (end >= 0) head.lastIndex = end + 1;
    } else if (onCommentLine(start)) {
      const key = kind === 'string' ? '' : readKey(text, inside, limit).key;
      if (key) scan.keys.push(key);
    } else if (kind === 'string') {
      const { fields, end } = readFields(text, inside, limit, open === '(' ? ')' : '}', strings);
      for (const field of fields) strings.set(field.name.toLowerCase(), field.value);
      scan.blocks.push({ type: kind, start, end });
      head.lastIndex = end;
    } else {
      const { key, end: keyEnd } = readKey(text, inside, limit);
      const body = readFields(text, keyEnd, limit, open === '(' ? ')' : '}', strings);
      scan.entries.push({
        type,
        key,
        start,
        end: body.end,
        fields: body.fields,
        closed: body.closed,
      });
      if (key) scan.keys.push(key);
      head.lastIndex = body.end;
    }
  }
  return scan;
}

/** Says of places, asked for in ascending order, whether their line starts with a %. */
function commentLines(text: string): (at: number) => boolean {
  let commented = false;
  let next = 0;
  return (at) => {
    while (next <= at) {
      const first = matchEnd(BLANKS, text, next);
      commented = text[first] === '%';
      const end = text.indexOf('\n', next);
      next = end < 0 ? text.length + 1 : end + 1;
    }
    return commented;
  };
}

function nextEntry(text: string, from: number): number {
  NEXT_ENTRY.lastIndex = from;
  const match = NEXT_ENTRY.exec(text);
  return match ? match.index + 1 : text.length;
}

/** Place of the closing delimiter of a block whose inside starts at `from`, or -1. */
function closing(text: string, from: number, limit: number, close: ')' | '}'): number {
  let depth = 0;
  for (let i = from; i < limit; i++) {
    const char = text[i];
    if (char === '{') depth++;
    else if (char === '}') {
      if (depth === 0) return close === '}' ? i : -1;
      depth--;
    } else if (char === ')' && close === ')' && depth === 0) return i;
  }
  return -1;
}

function readKey(text: string, from: number, limit: number): { key: string; end: number } {
  let i = from;
  while (i < limit && isSpace(text.charCodeAt(i))) i++;
  const start = i;
  i = Math.min(limit, matchEnd(KEY, text, i));
  const key = text.slice(start, i);
  let next = i;
  while (next < limit && isSpace(text.charCodeAt(next))) next++;
  // "@article{ title = {…}": the key was forgotten.
  if (text[next] === '=') return { key: '', end: start };
  return { key, end: i };
}

/** Skips white space, commas and, between fields, lines behind a %. */
function skipBetween(text: string, from: number, limit: number): number {
  let i = from;
  for (;;) {
    while (i < limit && (isSpace(text.charCodeAt(i)) || text[i] === ',')) i++;
    if (text[i] !== '%') return i;
    while (i < limit && text[i] !== '\n') i++;
  }
}

function readFields(
  text: string,
  from: number,
  limit: number,
  close: ')' | '}',
  strings: Map<string, string>,
): { fields: BibField[]; end: number; closed: boolean } {
  const fields: BibField[] = [];
  let i = from;
  for (;;) {
    i = skipBetween(text, i, limit);
    if (i >= limit) return { fields, end: trimmed(text, from, limit), closed: false };
    if (text[i] === close) return { fields, end: i + 1, closed: true };
    const nameStart = i;
    i = Math.min(limit, matchEnd(NAME, text, i));
    const nameEnd = i;
    while (i < limit && isSpace(text.charCodeAt(i))) i++;
    if (nameEnd === nameStart || text[i] !== '=') {
      // Not a field: pass over it, braces and all, so that the closing brace is not lost.
      if (text[i] === '{') i = afterBraces(text, i, limit);
      else if (i === nameStart) i++;
      if (i < 0) return { fields, end: trimmed(text, from, limit), closed: false };
      continue;
    }
    const equals = i++;
    while (i < limit && isSpace(text.charCodeAt(i))) i++;
    const value = readValue(text, i, limit, close, strings);
    fields.push({
      name: text.slice(nameStart, nameEnd),
      nameStart,
      nameEnd,
      equals,
      valueStart: i,
      valueEnd: value.end,
      value: value.value,
      delimiter: value.delimiter,
    });
    if (!value.complete) return { fields, end: trimmed(text, from, limit), closed: false };
    i = value.end;
  }
}

/** End of an unclosed entry: the last thing that is not white space before the next one. */
function trimmed(text: string, from: number, limit: number): number {
  let end = limit;
  while (end > from && isSpace(text.charCodeAt(end - 1))) end--;
  return end;
}

function afterBraces(text: string, open: number, limit: number): number {
  let depth = 0;
  for (let i = open; i < limit; i++) {
    const code = text.charCodeAt(i);
    if (code === 123) depth++;
    else if (code === 125 && --depth === 0) return i + 1;
  }
  return -1;
}

function afterQuote(text: string, open: number, limit: number): number {
  let depth = 0;
  for (let i = open + 1; i < limit; i++) {
    const code = text.charCodeAt(i);
    if (code === 123) depth++;
    else if (code === 125) {
      if (--depth < 0) return -1;
    } else if (code === 34 && depth === 0) return i + 1;
  }
  return -1;
}

interface Value {
  value: string;
  end: number;
  delimiter: BibField['delimiter'];
  complete: boolean;
}

function readValue(
  text: string,
  from: number,
  limit: number,
  close: ')' | '}',
  strings: Map<string, string>,
): Value {
  const parts: string[] = [];
  let delimiter: BibField['delimiter'] = 'bare';
  let i = from;
  for (let pieces = 1; ; pieces++) {
    const char = text[i];
    if (char === '{' || char === '"') {
      const end = char === '{' ? afterBraces(text, i, limit) : afterQuote(text, i, limit);
      if (end < 0) {
        parts.push(text.slice(i + 1, limit));
        return {
          value: parts.join(''),
          end: trimmed(text, from, limit),
          delimiter: char,
          complete: false,
        };
      }
      parts.push(text.slice(i + 1, end - 1));
      if (pieces === 1) delimiter = char;
      i = end;
    } else {
      const start = i;
      i = Math.min(limit, matchEnd(close === ')' ? BARE_IN_PARENTHESES : BARE, text, i));
      const name = text.slice(start, i);
      parts.push(strings.get(name.toLowerCase()) ?? name);
    }
    let next = i;
    while (next < limit && isSpace(text.charCodeAt(next))) next++;
    if (text[next] !== '#') return { value: parts.join(''), end: i, delimiter, complete: true };
    delimiter = 'joined';
    i = next + 1;
    while (i < limit && isSpace(text.charCodeAt(i))) i++;
  }
}

/** Value of the first of these fields (lower-case names) that an entry has. */
export function fieldOf(entry: BibEntry, ...names: string[]): string | null {
  for (const name of names) {
    const field = entry.fields.find((each) => each.name.toLowerCase() === name);
    if (field) return field.value;
  }
  return null;
}
