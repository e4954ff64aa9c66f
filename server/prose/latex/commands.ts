/** What known and unknown control words and symbols leave in the text. */
import {
  groupEnd,
  looksLikeProse,
  rawText,
  readArguments,
  skipBlanks,
  type Frame,
} from './arguments';
import { closeBracket } from './definitions';
import { isLetter } from './document';
import { displayMath, inlineMath, skipUnclosed } from './formulas';
import { SHORTHANDS } from './macros';
import { mathEnd } from './math';
import type { ReaderState } from './state';
import { ACCENTS, SYMBOLS } from './symbols';

const SUBSECTION_OPTION = 'so';

/** An accent and its letter, as one character where Unicode has it; one over no letter is dropped. */
export function accent(reader: ReaderState, frame: Frame, at: number, mark: string): void {
  const { doc } = frame;
  const from = frame.pos;
  const [argument] = readArguments(frame, 'm', true);
  if (!argument) return;
  let base = rawText(argument).trim();
  const word = /^\\([a-zA-Z]+)\s*(?:\{\})?$/.exec(base)?.[1];
  if (word === 'i') base = 'i';
  else if (word === 'j') base = 'j';
  else if (word !== undefined) base = SYMBOLS.get(word) ?? '';
  const first = [...base][0];
  if (first === undefined || !/[\p{L}\p{N}]/u.test(first)) {
    frame.pos = doc.source.charCodeAt(from) === 123 ? frame.pos : from;
    return;
  }
  const text = (first + (ACCENTS.get(mark) ?? '')).normalize('NFC') + base.slice(first.length);
  reader.put(frame, at, frame.pos, text);
}

/** A backslash with one character that is no letter: escaped marks, spaces, math delimiters, accents. */
export function controlSymbol(reader: ReaderState, frame: Frame, at: number): void {
  const { source } = frame.doc;
  const character = source[at + 1] ?? '';
  frame.pos = Math.min(at + 2, frame.to);
  switch (character) {
    case '%':
    case '&':
    case '$':
    case '#':
    case '_':
    case '{':
    case '}':
      reader.put(frame, at, at + 2, character);
      break;
    case '(':
    case '[': {
      const closing = character === '(' ? '\\)' : '\\]';
      const close = mathEnd(frame.doc, closing, at + 2, frame.to);
      if (character === '(' && close >= 0) inlineMath(reader, frame, at + 2, close, close + 2);
      else if (close >= 0) displayMath(reader, frame, at, at + 2, close, close + 2);
      else if (character === '[') skipUnclosed(reader, frame, at, at + 2, '\\[');
      break;
    }
    case '\\': {
      const rest = /\*?(?:[ \t]*\[[^\]\n]{0,20}\])?/y;
      rest.lastIndex = frame.pos;
      if (rest.test(source)) frame.pos = Math.min(rest.lastIndex, frame.to);
      reader.builder.whitespace(reader.origin(frame, at));
      break;
    }
    case ' ':
    case ',':
    case ';':
    case ':':
    case '>':
    case '\n':
    case '\r':
    case '\t':
      reader.builder.whitespace(reader.origin(frame, at));
      break;
    default:
      if (ACCENTS.has(character)) accent(reader, frame, at, character);
    // Others (`\-`, `\/`, `\!`, `\@`) print nothing.
  }
}

/** `\verb` and the like: the text between the delimiters, which no sentence ends in. */
export function inlineCode(reader: ReaderState, frame: Frame, at: number): void {
  const verb = frame.doc.verbs.get(at);
  if (!verb || verb.end > frame.to) return;
  const { builder } = reader;
  frame.pos = verb.end;
  const text = frame.doc.source.slice(verb.from, verb.to);
  builder.inCode(() => {
    if (frame.origin) builder.symbol(text, frame.origin.start, frame.origin.end);
    else builder.run(text, verb.from);
  });
}

/** An address stands as it is: `%` in it is no comment. */
export function address(reader: ReaderState, frame: Frame): void {
  const [argument] = readArguments(frame, 'm', false);
  if (!argument) return;
  const { builder } = reader;
  const { origin } = argument;
  builder.inCode(() => {
    if (origin) builder.symbol(rawText(argument), origin.start, origin.end);
    else builder.run(argument.doc.source.slice(argument.from, argument.to), argument.from);
  });
}

/** `\enquote`: its argument between quotation marks. */
export function enquote(reader: ReaderState, frame: Frame, at: number): void {
  const [, quoted] = readArguments(frame, 'sm', false);
  if (!quoted) return;
  reader.put(frame, at, at + 8, '\u201C');
  // The closing mark has the place of the closing brace.
  const start = frame.origin?.start ?? frame.pos - 1;
  const end = frame.origin?.end ?? frame.pos;
  reader.pushArgument(quoted, () => reader.builder.symbol('\u201D', start, end));
}

/** `\gls`, `\ac` and the like: the short form that the draft defines, else the key. */
export function acronym(reader: ReaderState, frame: Frame, name: string, at: number): void {
  const [, , key] = readArguments(frame, 'som', false);
  if (!key) return;
  const raw = rawText(key).trim();
  const short = reader.definitions.acronyms.get(raw) ?? raw;
  const text = short.replace(/\\[a-zA-Z]+\s*|[{}$]/g, '');
  reader.put(frame, at, frame.pos, /(?:pl|[aA]cf?p)$/.test(name) ? `${text}s` : text);
  const optional = closeBracket(frame.doc, frame.pos, frame.to);
  if (frame.doc.source[frame.pos] === '[' && optional >= 0) frame.pos = optional + 1;
}

/** A heading: its title is read as one, levels under 7 open a section. */
export function headingTitle(reader: ReaderState, frame: Frame, level: number): void {
  reader.builder.endParagraph();
  reader.singleQuotes = 0;
  readArguments(frame, SUBSECTION_OPTION, false);
  const at = skipBlanks(frame.doc, frame.pos, frame.to);
  const close = groupEnd(frame.doc, at, frame.to, true);
  if (close < 0) return;
  const [title] = readArguments(frame, 'm', false);
  if (title) reader.pushArgument(title, () => reader.builder.endHeading(level));
}

/** `\item`: a new paragraph; a label that reads like prose becomes a heading of its own. */
export function listItem(reader: ReaderState, frame: Frame): void {
  reader.paragraphBreak();
  const [label] = readArguments(frame, 'o', false);
  if (label && looksLikeProse(rawText(label))) {
    reader.pushArgument(label, () => reader.builder.endHeading(7));
  }
  if (frame.doc.source[frame.pos] === '<') {
    const overlay = /<[\d\-,+|.a-z:]+>/y;
    overlay.lastIndex = frame.pos;
    if (overlay.test(frame.doc.source)) frame.pos = overlay.lastIndex;
  }
}

/** A citation, with its notes and keys: dropped. */
export function cite(reader: ReaderState, frame: Frame): void {
  const { doc } = frame;
  const { source } = doc;
  if (source[frame.pos] === '*') frame.pos++;
  let groups = 0;
  for (;;) {
    const at = skipBlanks(doc, frame.pos, frame.to);
    const character = at < frame.to ? source[at] : '';
    // A cite takes one group, \cites and the like as many as follow at once.
    if (groups > 0 && at !== frame.pos) break;
    const close =
      character === '['
        ? closeBracket(doc, at, frame.to)
        : character === '{'
          ? groupEnd(doc, at, frame.to)
          : -1;
    if (close < 0) break;
    if (character === '{') groups++;
    frame.pos = close + 1;
  }
  reader.builder.drop(true);
}

/** What prints a bare number, which the word before it may need: "Sec.~\\ref{a}". */
const NUMBER = /^(?:[Rr]ef|eqref|pageref|labelcref|subref|vref|cpageref)\*?$/;

/** A reference to a place: dropped, with the number that it would print. */
export function reference(reader: ReaderState, frame: Frame, name: string): void {
  readArguments(frame, 'som', false);
  reader.builder.drop(true, NUMBER.test(name));
  if (frame.doc.source[frame.pos] === '{') {
    const close = groupEnd(frame.doc, frame.pos, frame.to);
    const text = close < 0 ? ' ' : frame.doc.source.slice(frame.pos + 1, close);
    if (!looksLikeProse(text) && close >= 0) frame.pos = close + 1;
  }
}

/** A macro that prints a fixed `text`. */
export function namedSymbol(
  reader: ReaderState,
  frame: Frame,
  name: string,
  at: number,
  text: string,
): void {
  const { source } = frame.doc;
  const end = frame.pos;
  const shorthand = SHORTHANDS.has(name);
  // A style file's shorthand mostly ends in \xspace: its space stays, its stop is not doubled.
  if (!shorthand) reader.swallow(frame);
  else if (text.endsWith('.') && source[frame.pos] === '.') frame.pos++;
  reader.put(frame, at, end, text);
  if (source.startsWith('{}', frame.pos)) frame.pos += 2;
  if (shorthand && isLetter(source.charCodeAt(frame.pos))) reader.builder.whitespace(end);
}

/** A macro whose arguments are known: those marked `t` in the signature are text, the others are left out. */
export function knownMacro(reader: ReaderState, frame: Frame, signature: string): void {
  if (signature === '') return reader.swallow(frame);
  const found = readArguments(frame, signature, false);
  const kinds = [...signature];
  for (let i = found.length - 1; i >= 0; i--) {
    const argument = found[i];
    if (kinds[i] === 't' && argument) reader.pushArgument(argument);
  }
}

/** An unknown macro leaves its argument when that reads like prose. */
export function unknownMacro(reader: ReaderState, frame: Frame): void {
  const { doc } = frame;
  const { source } = doc;
  if (source[frame.pos] === '*') frame.pos++;
  let close = source[frame.pos] === '[' ? closeBracket(doc, frame.pos, frame.to) : -1;
  if (close >= 0) frame.pos = close + 1;
  let groups = 0;
  for (let at = frame.pos; source[at] === '{' && at < frame.to; at = frame.pos) {
    close = groupEnd(doc, at, frame.to, true);
    if (close < 0) break;
    groups++;
    if (close > at + 1 && looksLikeProse(source.slice(at + 1, Math.min(close, at + 400)))) break;
    if (close > at + 1 && frame.parameters.length > 0) break;
    frame.pos = close + 1;
  }
  if (groups === 0 && close < 0) reader.swallow(frame);
}
