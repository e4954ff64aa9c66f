import type { PlainBuilder } from '../plainBuilder';
import type { Prose } from '../prose';
import {
  groupEnd,
  looksLikeProse,
  rawText,
  readArguments,
  skipBlanks,
  type Argument,
  type Frame,
} from './arguments';
import { closeBracket, controlName, type Definitions } from './definitions';
import {
  isLetter,
  lineEnd,
  nextBlank,
  type EnvironmentRange,
  type LatexDocument,
} from './document';
import { ARGUMENTS, COMMENT_LIKE, DISPLAY, DROPPED, VERBATIM } from './environments';
import { ACRONYM, CITE, HEADINGS, NOTES, REFERENCE, SHORTHANDS, SIGNATURES } from './macros';
import { displayMark, dollarEnd, mathEnd } from './math';
import { ACCENTS, BREAKS, SPACES, SYMBOLS } from './symbols';

/** Depth of macros in macros; a deeper one is taken for endless. */
const DEEPEST = 100;
/** Calls of the draft's macros that are expanded in one document. */
const MOST_CALLS = 100_000;
const SPECIAL = new Uint8Array(128);
for (const character of "\\{}$%~&#^_`'-[]().,;:!? \t\n\r\f\v") {
  SPECIAL[character.charCodeAt(0)] = 1;
}
const LISTS = new Set([
  'itemize',
  'enumerate',
  'description',
  'compactitem',
  'compactenum',
  'list',
]);
/** Notes of authors to each other: however defined, no prose of the draft. */
const ASIDES = new Set(['todo', 'fixme', 'missingfigure']);
const CONDITIONAL = /^if[a-zA-Z]*$/;
const SUBSECTION_OPTION = 'so';

/**
 * Reads LaTeX as TeX's own mouth does: character by character, macros replaced as they come, so
 * that one pass in linear time also reads a broken draft. What is text goes to the builder.
 */
export class LatexReader {
  private readonly frames: Frame[] = [];
  private calls = 0;
  private singleQuotes = 0;
  private done = false;

  constructor(
    private readonly builder: PlainBuilder,
    private readonly definitions: Definitions,
    private readonly prose: Pick<Prose, 'problems'>,
  ) {}

  /** Reads a part of a document to its end. */
  read(doc: LatexDocument, from: number, to: number): void {
    this.done = false;
    this.frames.push({ doc, pos: from, to, origin: null, parameters: [] });
    for (let frame = this.frames.at(-1); frame; frame = this.frames.at(-1)) {
      if (this.done || frame.pos >= frame.to) {
        this.frames.pop();
        frame.onEnd?.();
      } else this.step(frame);
    }
  }

  private step(frame: Frame): void {
    const { source } = frame.doc;
    const at = frame.pos;
    const code = source.charCodeAt(at);
    if (code > 127 || SPECIAL[code] === 0) {
      this.plainRun(frame);
      return;
    }
    frame.pos = at + 1;
    switch (code) {
      case 92:
        this.control(frame, at);
        break;
      case 123: // { and }: what they group is read as it comes
      case 125:
        break;
      case 36:
        this.dollar(frame, at);
        break;
      case 37:
        this.comment(frame, at);
        break;
      case 126: // ~
      case 38: // &
        this.builder.whitespace(this.origin(frame, at));
        break;
      case 35:
        this.parameter(frame, at);
        break;
      case 96: // `
        this.quote(frame, at, '`', '\u2018', '\u201C');
        break;
      case 39: // '
        this.quote(frame, at, "'", '\u2019', '\u201D');
        break;
      case 45:
        this.dashes(frame, at);
        break;
      case 41:
      case 93:
        this.builder.close(code === 41 ? ')' : ']', this.origin(frame, at));
        break;
      case 46: // . , ; : ! ?
      case 44:
      case 59:
      case 58:
      case 33:
      case 63:
        this.put(frame, at, at + 1, source[at] ?? '', true);
        break;
      case 32:
      case 9:
      case 10:
      case 11:
      case 12:
      case 13:
        this.space(frame, at);
        break;
      default: // ( [ ^ _
        this.put(frame, at, at + 1, source[at] ?? '');
    }
  }

  private plainRun(frame: Frame): void {
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
      this.builder.whitespace(this.origin(frame, at));
      frame.pos = at + 1;
      return;
    }
    frame.pos = at;
    const text = source.slice(from, at);
    if (frame.origin) this.builder.symbol(text, frame.origin.start, frame.origin.end);
    else this.builder.run(text, from);
  }

  /** Adds text that the source range stands for; within a macro's body, the call's range. */
  private put(frame: Frame, from: number, to: number, text: string, punctuation = false): void {
    const start = frame.origin?.start ?? from;
    const end = frame.origin?.end ?? to;
    if (punctuation) this.builder.punctuation(text, start, end);
    else this.builder.symbol(text, start, end);
  }

  private origin(frame: Frame, at: number): number {
    return frame.origin?.start ?? at;
  }

  private space(frame: Frame, at: number): void {
    const { source } = frame.doc;
    let lines = 0;
    let pos = at;
    for (; pos < frame.to; pos++) {
      const code = source.charCodeAt(pos);
      if (code === 10 || (code === 13 && source.charCodeAt(pos + 1) !== 10)) lines++;
      else if (code !== 32 && code !== 13 && code !== 9 && code !== 11 && code !== 12) break;
    }
    frame.pos = pos;
    if (lines > 1 && !this.inArgument()) this.builder.blankLine();
    else this.builder.whitespace(this.origin(frame, at));
  }

  /** Whether a heading or label is being read: a blank line does not end it. */
  private inArgument(): boolean {
    return this.frames.some((frame) => frame.onEnd !== undefined);
  }

  private paragraphBreak(): void {
    if (this.inArgument()) this.builder.whitespace(0);
    else this.builder.endParagraph();
    this.singleQuotes = 0;
  }

  /** A comment ends with its line and takes the next line's indentation with it. */
  private comment(frame: Frame, at: number): void {
    const { source } = frame.doc;
    let pos = Math.min(lineEnd(source, at) + 1, frame.to);
    while (pos < frame.to && (source[pos] === ' ' || source[pos] === '\t')) pos++;
    frame.pos = pos;
    const next = source.charCodeAt(pos);
    if (pos < frame.to && (next === 10 || (next === 13 && source.charCodeAt(pos + 1) === 10))) {
      if (this.inArgument()) this.builder.whitespace(0);
      else this.builder.blankLine();
    }
  }

  private quote(frame: Frame, at: number, mark: string, one: string, two: string): void {
    const { source } = frame.doc;
    if (source[at + 1] === mark && at + 1 < frame.to) {
      frame.pos = at + 2;
      this.put(frame, at, at + 2, two);
      return;
    }
    if (mark === '`') {
      this.singleQuotes++;
      this.put(frame, at, at + 1, one);
      return;
    }
    const letter = /\p{L}/u.test(source[at + 1] ?? '');
    if (this.singleQuotes > 0 && !letter) {
      this.singleQuotes--;
      this.put(frame, at, at + 1, one);
    } else if (this.builder.droppedSinceText() && source[at + 1] === 's') {
      // "\citet{x}'s": the ending goes with the cite.
      if (!isLetter(source.charCodeAt(at + 2))) frame.pos = at + 2;
    } else this.put(frame, at, at + 1, "'");
  }

  private dashes(frame: Frame, at: number): void {
    const { source } = frame.doc;
    let to = at + 1;
    while (to < frame.to && to < at + 3 && source[to] === '-') to++;
    frame.pos = to;
    const text = to - at === 3 ? '\u2014' : to - at === 2 ? '\u2013' : '-';
    this.put(frame, at, to, text);
  }

  private parameter(frame: Frame, at: number): void {
    const digit = frame.doc.source.charCodeAt(at + 1) - 48;
    if (digit < 1 || digit > 9) return;
    frame.pos = at + 2;
    const argument = frame.parameters[digit - 1];
    if (argument) this.pushArgument(argument);
  }

  private pushArgument(argument: Argument, onEnd?: () => void): void {
    if (this.frames.length > DEEPEST * 2) {
      onEnd?.();
      return;
    }
    const frame: Frame = {
      doc: argument.doc,
      pos: argument.from,
      to: argument.to,
      origin: argument.origin,
      parameters: argument.parameters,
    };
    if (onEnd) frame.onEnd = onEnd;
    this.frames.push(frame);
  }

  // --- Math -----------------------------------------------------------------------------------

  private dollar(frame: Frame, at: number): void {
    const { doc } = frame;
    if (doc.source[at + 1] === '$' && at + 1 < frame.to) {
      const close = mathEnd(doc, '$$', at + 2, frame.to);
      if (close >= 0) this.display(frame, at, at + 2, close, close + 2);
      else this.unclosed(frame, at, at + 2, '$$');
      return;
    }
    const close = dollarEnd(doc, at + 1, frame.to);
    if (close < 0) this.put(frame, at, at + 1, '$');
    else this.inlineMath(frame, at + 1, close, close + 1);
  }

  private inlineMath(frame: Frame, from: number, to: number, end: number): void {
    frame.pos = end;
    this.mathText(frame.doc, from, to, frame.origin, frame.parameters);
  }

  /** Source of a formula, white space collapsed and comments left out. */
  private mathText(
    doc: LatexDocument,
    from: number,
    to: number,
    origin: Frame['origin'],
    parameters: readonly Argument[],
  ): void {
    const { builder } = this;
    if (origin) {
      const text = rawText({ doc, from, to, origin, parameters }).replace(/\s+/g, ' ').trim();
      if (text !== '') builder.inMath(() => builder.symbol(text, origin.start, origin.end));
      return;
    }
    const pattern = /(?:[^\s%\\]|\\[^])+|%[^\n]*/g;
    const text = doc.source.slice(from, to);
    if (text.trim() === '') return;
    builder.inMath(() => {
      for (const match of text.matchAll(pattern)) {
        if (match[0].startsWith('%')) continue;
        const word = match[0].trimEnd();
        builder.run(word, from + match.index);
        if (match.index + match[0].length < text.trimEnd().length) {
          builder.whitespace(from + match.index + word.length);
        }
      }
    });
  }

  private display(frame: Frame, at: number, from: number, to: number, end: number): void {
    const [mark, markAt] = displayMark(frame.doc.source, from, to);
    frame.pos = end;
    this.builder.display(frame.origin ? '' : mark, frame.origin ? at : markAt);
  }

  /** Display math that is never closed: its paragraph is left out. */
  private unclosed(frame: Frame, at: number, from: number, opening: string): void {
    this.problem(frame, at, `${opening} is never closed; the rest of its paragraph was left out`);
    frame.pos = Math.min(frame.to, Math.max(from, nextBlank(frame.doc, from)));
    this.builder.display('', at);
  }

  // --- Control words and symbols --------------------------------------------------------------

  private control(frame: Frame, at: number): void {
    const { source } = frame.doc;
    // `@` is part of a name only in style code, which is macros' bodies.
    const name = controlName(source, at, frame.origin !== null);
    if (name === '') {
      this.symbol(frame, at);
      return;
    }
    const end = at + 1 + name.length;
    frame.pos = end;
    this.word(frame, name, at, 0);
  }

  private symbol(frame: Frame, at: number): void {
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
        this.put(frame, at, at + 2, character);
        break;
      case '(':
      case '[': {
        const closing = character === '(' ? '\\)' : '\\]';
        const close = mathEnd(frame.doc, closing, at + 2, frame.to);
        if (character === '(' && close >= 0) this.inlineMath(frame, at + 2, close, close + 2);
        else if (close >= 0) this.display(frame, at, at + 2, close, close + 2);
        else if (character === '[') this.unclosed(frame, at, at + 2, '\\[');
        break;
      }
      case '\\': {
        const rest = /\*?(?:[ \t]*\[[^\]\n]{0,20}\])?/y;
        rest.lastIndex = frame.pos;
        if (rest.test(source)) frame.pos = Math.min(rest.lastIndex, frame.to);
        this.builder.whitespace(this.origin(frame, at));
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
        this.builder.whitespace(this.origin(frame, at));
        break;
      default:
        if (ACCENTS.has(character)) this.accent(frame, at, character);
      // Others (`\-`, `\/`, `\!`, `\@`) print nothing.
    }
  }

  private accent(frame: Frame, at: number, mark: string): void {
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
    this.put(frame, at, frame.pos, text);
  }

  private word(frame: Frame, name: string, at: number, depth: number): void {
    const { builder } = this;
    const definition = frame.doc.definitions.get(at);
    if (definition !== undefined) {
      frame.pos = Math.min(definition, frame.to);
      return;
    }
    if (name === 'begin') return this.begin(frame, at);
    if (name === 'end') return this.end(frame);
    if (name === 'item') return this.item(frame);
    if (name === 'verb' || name === 'lstinline' || name === 'mintinline') {
      return this.verb(frame, at);
    }
    const heading = HEADINGS.get(name);
    if (heading !== undefined) return this.heading(frame, heading);
    const note = NOTES.get(name);
    if (note !== undefined) {
      readArguments(frame, note, false);
      return builder.drop(false);
    }
    const macro = this.definitions.macros.get(name);
    if (macro && (macro.fresh ? !ASIDES.has(name) : !SIGNATURES.has(name) && !SYMBOLS.has(name))) {
      return this.expand(frame, name, at, macro);
    }
    const alias = this.definitions.aliases.get(name);
    if (alias !== undefined && depth < 10) return this.word(frame, alias, at, depth + 1);
    if (CITE.test(name)) return this.cite(frame);
    if (ACCENTS.has(name)) return this.accent(frame, at, name);
    const symbol = SYMBOLS.get(name) ?? SHORTHANDS.get(name);
    if (symbol !== undefined) return this.named(frame, name, at, symbol);
    if (SPACES.has(name)) builder.whitespace(this.origin(frame, at));
    if (BREAKS.has(name)) this.paragraphBreak();
    if (name === 'xspace') return this.xspace(at);
    if (name === 'url' || name === 'path' || name === 'nolinkurl') return this.address(frame);
    if (name === 'enquote') return this.enquote(frame, at);
    if (name === 'ensuremath') return this.ensureMath(frame);
    if (ACRONYM.test(name)) return this.acronym(frame, name, at);
    if (CONDITIONAL.test(name)) return this.conditional(frame, name);
    if (name === 'else') return this.skipConditional(frame, false);
    if (name === 'fi') return this.swallow(frame);
    const signature = SIGNATURES.get(name);
    if (signature !== undefined) return this.known(frame, signature);
    if (REFERENCE.test(name)) return this.reference(frame);
    this.unknown(frame);
  }

  /** White space after a control word is no text. */
  private swallow(frame: Frame): void {
    frame.pos = skipBlanks(frame.doc, frame.pos, frame.to);
  }

  private named(frame: Frame, name: string, at: number, text: string): void {
    const { source } = frame.doc;
    const end = frame.pos;
    const shorthand = SHORTHANDS.has(name);
    // A style file's shorthand mostly ends in \xspace: its space stays, its stop is not doubled.
    if (!shorthand) this.swallow(frame);
    else if (text.endsWith('.') && source[frame.pos] === '.') frame.pos++;
    this.put(frame, at, end, text);
    if (source.startsWith('{}', frame.pos)) frame.pos += 2;
    if (shorthand && isLetter(source.charCodeAt(frame.pos))) this.builder.whitespace(end);
  }

  private known(frame: Frame, signature: string): void {
    if (signature === '') return this.swallow(frame);
    const found = readArguments(frame, signature, false);
    const kinds = [...signature];
    for (let i = found.length - 1; i >= 0; i--) {
      const argument = found[i];
      if (kinds[i] === 't' && argument) this.pushArgument(argument);
    }
  }

  /** An unknown macro leaves its argument when that reads like prose. */
  private unknown(frame: Frame): void {
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
    if (groups === 0 && close < 0) this.swallow(frame);
  }

  private cite(frame: Frame): void {
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
    this.builder.drop(true);
  }

  private reference(frame: Frame): void {
    readArguments(frame, 'som', false);
    this.builder.drop(true);
    if (frame.doc.source[frame.pos] === '{') {
      const close = groupEnd(frame.doc, frame.pos, frame.to);
      const text = close < 0 ? ' ' : frame.doc.source.slice(frame.pos + 1, close);
      if (!looksLikeProse(text) && close >= 0) frame.pos = close + 1;
    }
  }

  private expand(
    frame: Frame,
    name: string,
    at: number,
    macro: NonNullable<ReturnType<Definitions['macros']['get']>>,
  ): void {
    if (macro.opens !== null && this.isLeftOut(macro.opens)) {
      return this.skipAliased(frame, at, macro.opens);
    }
    if (this.frames.length > DEEPEST || ++this.calls > MOST_CALLS) {
      this.problem(frame, at, `\\${name} calls itself or too many macros; it was left out`);
      return;
    }
    const parameters: Argument[] = [];
    const found = readArguments(frame, macro.signature, true);
    [...macro.signature].forEach((kind, index) => {
      const empty: Argument = { ...macroPart(macro, macro.from, macro.from), origin: null };
      const fallback = kind === 'o' && macro.fallback;
      parameters.push(
        found[index] ??
          (fallback
            ? {
                ...macroPart(macro, fallback.from, fallback.to),
                origin: frame.origin ?? here(at, frame.pos),
              }
            : empty),
      );
    });
    const origin = frame.origin ?? here(at, frame.pos);
    if (macro.signature === '') this.swallow(frame);
    this.frames.push({
      doc: macro.doc,
      pos: macro.from,
      to: macro.to,
      origin,
      parameters,
    });
  }

  /** A macro that opens an environment that is left out: on to the macro or `\end` that closes it. */
  private skipAliased(frame: Frame, at: number, environment: string): void {
    const { doc } = frame;
    const closers = [`\\end{${environment}}`];
    for (const [name, macro] of this.definitions.macros) {
      if (macro.closes === environment) closers.push(`\\${name}`);
    }
    const limit = Math.min(frame.to, nextBlank(doc, frame.pos) + 4000);
    const text = doc.source.slice(frame.pos, limit);
    let best = -1;
    let length = 0;
    for (const closer of closers) {
      let found = text.indexOf(closer);
      while (
        found >= 0 &&
        isLetter(text.charCodeAt(found + closer.length)) &&
        !closer.endsWith('}')
      ) {
        found = text.indexOf(closer, found + 1);
      }
      if (found >= 0 && (best < 0 || found < best)) {
        best = found;
        length = closer.length;
      }
    }
    if (best < 0) return this.unclosed(frame, at, frame.pos, `\\begin{${environment}}`);
    const from = frame.pos;
    this.display(frame, at, from, from + best, from + best + length);
  }

  private verb(frame: Frame, at: number): void {
    const verb = frame.doc.verbs.get(at);
    if (!verb || verb.end > frame.to) return;
    const { builder } = this;
    frame.pos = verb.end;
    const text = frame.doc.source.slice(verb.from, verb.to);
    builder.inCode(() => {
      if (frame.origin) builder.symbol(text, frame.origin.start, frame.origin.end);
      else builder.run(text, verb.from);
    });
  }

  private heading(frame: Frame, level: number): void {
    this.builder.endParagraph();
    this.singleQuotes = 0;
    readArguments(frame, SUBSECTION_OPTION, false);
    const at = skipBlanks(frame.doc, frame.pos, frame.to);
    const close = groupEnd(frame.doc, at, frame.to, true);
    if (close < 0) return;
    const [title] = readArguments(frame, 'm', false);
    if (title) this.pushArgument(title, () => this.builder.endHeading(level));
  }

  private item(frame: Frame): void {
    this.paragraphBreak();
    const [label] = readArguments(frame, 'o', false);
    if (label && looksLikeProse(rawText(label))) {
      this.pushArgument(label, () => this.builder.endHeading(7));
    }
    if (frame.doc.source[frame.pos] === '<') {
      const overlay = /<[\d\-,+|.a-z:]+>/y;
      overlay.lastIndex = frame.pos;
      if (overlay.test(frame.doc.source)) frame.pos = overlay.lastIndex;
    }
  }

  private xspace(at: number): void {
    const outer = this.frames.findLast(
      (frame) => frame.origin === null && frame.onEnd === undefined,
    );
    const next = outer ?? this.frames[0];
    if (!next) return;
    const { source } = next.doc;
    const swallowed = /\s/.test(source[next.pos - 1] ?? '');
    const character = source[next.pos] ?? '';
    if (/[\p{L}\p{N}]/u.test(character) || (swallowed && !/[.,;:!?)\]}'/-]/.test(character))) {
      this.builder.whitespace(next.pos > 0 ? next.pos - 1 : at);
    }
  }

  /** An address stands as it is: `%` in it is no comment. */
  private address(frame: Frame): void {
    const [argument] = readArguments(frame, 'm', false);
    if (!argument) return;
    const { builder } = this;
    const { origin } = argument;
    builder.inCode(() => {
      if (origin) builder.symbol(rawText(argument), origin.start, origin.end);
      else builder.run(argument.doc.source.slice(argument.from, argument.to), argument.from);
    });
  }

  private enquote(frame: Frame, at: number): void {
    const [, quoted] = readArguments(frame, 'sm', false);
    if (!quoted) return;
    this.put(frame, at, at + 8, '\u201C');
    // The closing mark has the place of the closing brace.
    const start = frame.origin?.start ?? frame.pos - 1;
    const end = frame.origin?.end ?? frame.pos;
    this.pushArgument(quoted, () => this.builder.symbol('\u201D', start, end));
  }

  private ensureMath(frame: Frame): void {
    const [formula] = readArguments(frame, 'm', false);
    if (!formula) return;
    this.mathText(formula.doc, formula.from, formula.to, formula.origin, formula.parameters);
  }

  private acronym(frame: Frame, name: string, at: number): void {
    const [, , key] = readArguments(frame, 'som', false);
    if (!key) return;
    const raw = rawText(key).trim();
    const short = this.definitions.acronyms.get(raw) ?? raw;
    const text = short.replace(/\\[a-zA-Z]+\s*|[{}$]/g, '');
    this.put(frame, at, frame.pos, /(?:pl|[aA]cf?p)$/.test(name) ? `${text}s` : text);
    const optional = closeBracket(frame.doc, frame.pos, frame.to);
    if (frame.doc.source[frame.pos] === '[' && optional >= 0) frame.pos = optional + 1;
  }

  // --- Conditionals ---------------------------------------------------------------------------

  /** `\iffalse … \fi` is a comment; of other conditionals the first branch is read. */
  private conditional(frame: Frame, name: string): void {
    this.swallow(frame);
    if (name === 'iffalse') this.skipConditional(frame, true);
  }

  /** On to the `\fi` (or `\else`) that belongs to the branch; none: nothing is skipped. */
  private skipConditional(frame: Frame, stopAtElse: boolean): void {
    const pattern = /\\(?:(if[a-zA-Z]*)|(else)|(fi))(?![a-zA-Z])|(?<!\\)%[^\n]*/g;
    pattern.lastIndex = frame.pos;
    const { source } = frame.doc;
    let depth = 0;
    for (let hit = pattern.exec(source); hit && hit.index < frame.to; hit = pattern.exec(source)) {
      if (hit[1] !== undefined && hit[1] !== 'iff' && hit[1] !== 'ifthenelse') depth++;
      const ends = hit[3] !== undefined || (stopAtElse && hit[2] !== undefined && depth === 0);
      if (!ends) continue;
      if (depth === 0) {
        frame.pos = Math.min(pattern.lastIndex, frame.to);
        return this.swallow(frame);
      }
      depth--;
    }
    this.swallow(frame);
  }

  // --- Environments ---------------------------------------------------------------------------

  private isLeftOut(name: string): boolean {
    const base = name.replace(/\*$/, '');
    return DROPPED.has(base) || DISPLAY.has(base);
  }

  private begin(frame: Frame, at: number): void {
    const { doc } = frame;
    const pattern = /[ \t]*\{([^{}\\\n]{1,60})\}/y;
    pattern.lastIndex = frame.pos;
    const written = pattern.exec(doc.source)?.[1];
    if (written === undefined || pattern.lastIndex > frame.to) return;
    frame.pos = pattern.lastIndex;
    const range = doc.environments.get(at);
    let name = written;
    for (let depth = 0; depth < 5 && !this.isKnown(name); depth++) {
      const wrapped = this.definitions.environments.get(name);
      if (wrapped === undefined) break;
      name = wrapped;
    }
    const base = name.replace(/\*$/, '');
    if (name === 'math' && range)
      return this.inlineMath(frame, range.bodyStart, range.bodyEnd, range.end);
    if (COMMENT_LIKE.has(base) && range) {
      frame.pos = Math.min(range.end, frame.to);
      return;
    }
    if (VERBATIM.has(name) || this.isLeftOut(name)) {
      return this.leaveOut(frame, at, base, range);
    }
    if (base !== 'math') this.openEnvironment(frame, written, base);
  }

  private isKnown(name: string): boolean {
    return this.isLeftOut(name) || VERBATIM.has(name) || name.replace(/\*$/, '') in ARGUMENTS;
  }

  private leaveOut(
    frame: Frame,
    at: number,
    base: string,
    range: EnvironmentRange | undefined,
  ): void {
    if (!range && frame.origin) {
      // Within a macro's body environments are not matched beforehand.
      const close = `\\end{${base}}`;
      const found = frame.doc.source.indexOf(close, frame.pos);
      if (found >= 0 && found < frame.to) {
        this.builder.display('', frame.origin.start);
        frame.pos = found + close.length;
        return;
      }
    }
    if (!range || range.end > frame.to) {
      return this.unclosed(frame, at, frame.pos, `\\begin{${base}}`);
    }
    if (DISPLAY.has(base)) {
      return this.display(frame, at, range.bodyStart, range.bodyEnd, range.end);
    }
    frame.pos = range.end;
    // A float may stand in the middle of a sentence; a listing or a table ends it or is a part of it.
    if (/figure|table|algorithm$|algorithm2e|wrap|SC/.test(base)) {
      this.builder.whitespace(this.origin(frame, at));
    } else this.builder.display('', this.origin(frame, at));
  }

  private openEnvironment(frame: Frame, written: string, base: string): void {
    const { doc } = frame;
    this.paragraphBreak();
    const signature = ARGUMENTS[base];
    if (signature !== undefined) {
      readArguments(frame, signature, false);
      return;
    }
    const [option] = readArguments(frame, 'o', false);
    if (written === 'frame') {
      const [title] = readArguments(frame, 'm', false);
      if (title) this.pushArgument(title, () => this.builder.endHeading(3));
      return;
    }
    while (doc.source[frame.pos] === '{') {
      const close = groupEnd(doc, frame.pos, frame.to);
      if (close < 0 || looksLikeProse(doc.source.slice(frame.pos + 1, close))) break;
      frame.pos = close + 1;
    }
    // A theorem's name: "[Convergence]".
    if (
      option &&
      !LISTS.has(base) &&
      looksLikeProse(rawText(option)) &&
      !rawText(option).includes('=')
    ) {
      this.pushArgument(option, () => this.builder.endHeading(7));
    }
  }

  private end(frame: Frame): void {
    const pattern = /[ \t]*\{([^{}\\\n]{1,60})\}/y;
    pattern.lastIndex = frame.pos;
    const name = pattern.exec(frame.doc.source)?.[1];
    if (name === undefined) return;
    frame.pos = Math.min(pattern.lastIndex, frame.to);
    if (name === 'document') {
      this.done = true;
      return;
    }
    if (name !== 'math' && !this.isLeftOut(name)) this.paragraphBreak();
  }

  private problem(frame: Frame, at: number, message: string): void {
    if (this.prose.problems.length < 100) {
      this.prose.problems.push({ message, start: this.origin(frame, at) });
    }
  }
}

function macroPart(
  macro: { doc: LatexDocument },
  from: number,
  to: number,
): Pick<Argument, 'doc' | 'from' | 'to' | 'parameters'> {
  return { doc: macro.doc, from, to, parameters: [] };
}

function here(start: number, end: number): { start: number; end: number } {
  return { start, end };
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
