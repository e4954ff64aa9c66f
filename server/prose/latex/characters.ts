/** Characters of running text: words, white space, quotes, dashes, comments, parameters. */
import type { Frame } from './arguments';
import { isLetter, lineEnd } from './document';
import type { ReaderState } from './state';

/** ASCII characters that are more than themselves. */
export const SPECIAL = new Uint8Array(128);
for (const character of "\\{}$%~&#^_`'-[]().,;:!? \t\n\r\f\v") {
  SPECIAL[character.charCodeAt(0)] = 1;
}

/** Takes over text that stands for itself, with the single spaces in it, up to what has to be looked at. */
export function plainRun(reader: ReaderState, frame: Frame): void {
  const { source } = frame.doc;
  const from = frame.pos;
  let at = from;
  while (at < frame.to) {
    const code = source.charCodeAt(at);
    if (code < 128 ? SPECIAL[code] === 1 : isWide(code)) {
      // One space between two words is as it will be.
      if (code !== 32 || at === from || SPECIAL[source.charCodeAt(at + 1)] !== 0) break;
      if (at + 1 >= frame.to) break;
    }
    at++;
  }
  if (at === from) {
    reader.builder.whitespace(reader.origin(frame, at));
    frame.pos = at + 1;
    return;
  }
  frame.pos = at;
  const text = source.slice(from, at);
  if (frame.origin) reader.builder.symbol(text, frame.origin.start, frame.origin.end);
  else reader.builder.run(text, from);
}

/** White space: a blank line ends the paragraph, but for one within an argument. */
export function whitespace(reader: ReaderState, frame: Frame, at: number): void {
  const { source } = frame.doc;
  let lines = 0;
  let pos = at;
  for (; pos < frame.to; pos++) {
    const code = source.charCodeAt(pos);
    if (code === 10 || (code === 13 && source.charCodeAt(pos + 1) !== 10)) lines++;
    else if (code !== 32 && code !== 13 && code !== 9 && code !== 11 && code !== 12) break;
  }
  frame.pos = pos;
  if (lines > 1 && !reader.inArgument()) reader.builder.blankLine();
  else reader.builder.whitespace(reader.origin(frame, at));
}

/** A comment ends with its line and takes the next line's indentation with it. */
export function skipComment(reader: ReaderState, frame: Frame, at: number): void {
  const { source } = frame.doc;
  let pos = Math.min(lineEnd(source, at) + 1, frame.to);
  while (pos < frame.to && (source[pos] === ' ' || source[pos] === '\t')) pos++;
  frame.pos = pos;
  const next = source.charCodeAt(pos);
  if (pos < frame.to && (next === 10 || (next === 13 && source.charCodeAt(pos + 1) === 10))) {
    if (reader.inArgument()) reader.builder.whitespace(0);
    else reader.builder.blankLine();
  }
}

/**
 * A backtick or an apostrophe, as the quotation mark that `one` or `two` of them print; a single apostrophe closes
 * only what is open.
 */
export function quoteMark(
  reader: ReaderState,
  frame: Frame,
  at: number,
  mark: string,
  one: string,
  two: string,
): void {
  const { source } = frame.doc;
  if (source[at + 1] === mark && at + 1 < frame.to) {
    frame.pos = at + 2;
    reader.put(frame, at, at + 2, two);
    return;
  }
  if (mark === '`') {
    reader.singleQuotes++;
    reader.put(frame, at, at + 1, one);
    return;
  }
  const letter = /\p{L}/u.test(source[at + 1] ?? '');
  if (reader.singleQuotes > 0 && !letter) {
    reader.singleQuotes--;
    reader.put(frame, at, at + 1, one);
  } else if (reader.builder.droppedSinceText() && source[at + 1] === 's') {
    // "\citet{x}'s": the ending goes with the cite.
    if (!isLetter(source.charCodeAt(at + 2))) frame.pos = at + 2;
  } else reader.put(frame, at, at + 1, "'");
}

/** One to three hyphens: a hyphen, an en dash, an em dash. */
export function dashes(reader: ReaderState, frame: Frame, at: number): void {
  const { source } = frame.doc;
  let to = at + 1;
  while (to < frame.to && to < at + 3 && source[to] === '-') to++;
  frame.pos = to;
  const text = to - at === 3 ? '\u2014' : to - at === 2 ? '\u2013' : '-';
  reader.put(frame, at, to, text);
}

/** `#1` to `#9` in a macro's body: the call's argument is read in its place. */
export function putParameter(reader: ReaderState, frame: Frame, at: number): void {
  const digit = frame.doc.source.charCodeAt(at + 1) - 48;
  if (digit < 1 || digit > 9) return;
  frame.pos = at + 2;
  const argument = frame.parameters[digit - 1];
  if (argument) reader.pushArgument(argument);
}

/** White space beyond ASCII. */
function isWide(code: number): boolean {
  return (
    code === 0xa0 ||
    (code >= 0x2000 && code <= 0x200b) ||
    code === 0x2028 ||
    code === 0x2029 ||
    code === 0x202f ||
    code === 0x3000 ||
    code === 0xfeff
  );
}
