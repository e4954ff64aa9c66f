/** Which control word is which. */
import { readArguments, type Frame } from './arguments';
import {
  accent,
  acronym,
  address,
  cite,
  controlSymbol,
  enquote,
  headingTitle,
  inlineCode,
  knownMacro,
  listItem,
  namedSymbol,
  reference,
  unknownMacro,
} from './commands';
import { controlName } from './definitions';
import { expand, xspace } from './expansion';
import { ensureMath } from './formulas';
import {
  ACRONYM,
  CITE,
  HEADINGS,
  LATE_SIGNATURES,
  NOTES,
  REFERENCE,
  SHORTHANDS,
  SIGNATURES,
} from './macros';
import { QUANTITY, quantity } from './quantities';
import { beginEnvironment, endEnvironment } from './regions';
import type { ReaderState } from './state';
import { ACCENTS, BREAKS, SPACES, SYMBOLS } from './symbols';

/** Notes of authors to each other: however defined, no prose of the draft. */
const ASIDES = new Set(['todo', 'fixme', 'missingfigure']);
const CONDITIONAL = /^if[a-zA-Z]*$/;

/** A backslash and what it calls: a control symbol, a macro of the draft, a known or an unknown one. */
export function readControl(reader: ReaderState, frame: Frame, at: number): void {
  const { source } = frame.doc;
  // `@` is part of a name only in style code, which is macros' bodies.
  const name = controlName(source, at, frame.origin !== null);
  if (name === '') {
    controlSymbol(reader, frame, at);
    return;
  }
  const end = at + 1 + name.length;
  frame.pos = end;
  controlWord(reader, frame, name, at, 0);
}

function controlWord(
  reader: ReaderState,
  frame: Frame,
  name: string,
  at: number,
  depth: number,
): void {
  const { builder } = reader;
  const definition = frame.doc.definitions.get(at);
  if (definition !== undefined) {
    frame.pos = Math.min(definition, frame.to);
    return;
  }
  if (name === 'begin') return beginEnvironment(reader, frame, at);
  if (name === 'end') return endEnvironment(reader, frame);
  if (name === 'item') return listItem(reader, frame);
  if (name === 'verb' || name === 'lstinline' || name === 'mintinline') {
    return inlineCode(reader, frame, at);
  }
  const heading = HEADINGS.get(name);
  if (heading !== undefined) return headingTitle(reader, frame, heading);
  const note = NOTES.get(name);
  if (note !== undefined) {
    readArguments(frame, note, false);
    return builder.drop(false);
  }
  const macro = reader.definitions.macros.get(name);
  if (macro?.aside) {
    readArguments(frame, macro.signature, true);
    return builder.drop(false);
  }
  if (macro && (macro.fresh ? !ASIDES.has(name) : !SIGNATURES.has(name) && !SYMBOLS.has(name))) {
    return expand(reader, frame, name, at, macro);
  }
  const alias = reader.definitions.aliases.get(name);
  if (alias !== undefined && depth < 10) return controlWord(reader, frame, alias, at, depth + 1);
  if (CITE.test(name)) return cite(reader, frame);
  if (ACCENTS.has(name)) return accent(reader, frame, at, name);
  const symbol = SYMBOLS.get(name) ?? SHORTHANDS.get(name);
  if (symbol !== undefined) return namedSymbol(reader, frame, name, at, symbol);
  if (SPACES.has(name)) builder.whitespace(reader.origin(frame, at));
  if (BREAKS.has(name)) reader.paragraphBreak();
  if (name === 'xspace') return xspace(reader, at);
  if (name === 'url' || name === 'path' || name === 'nolinkurl') return address(reader, frame);
  if (name === 'enquote') return enquote(reader, frame, at);
  if (name === 'ensuremath') return ensureMath(reader, frame);
  if (ACRONYM.test(name)) return acronym(reader, frame, name, at);
  if (CONDITIONAL.test(name)) return conditional(reader, frame, name);
  if (name === 'else') return skipConditional(reader, frame, false);
  if (name === 'fi') return reader.swallow(frame);
  const amount = QUANTITY.get(name);
  if (amount !== undefined) return quantity(reader, frame, at, amount);
  const signature = SIGNATURES.get(name) ?? LATE_SIGNATURES.get(name);
  if (signature !== undefined) return knownMacro(reader, frame, signature);
  if (REFERENCE.test(name)) return reference(reader, frame, name);
  unknownMacro(reader, frame);
}

/** `\iffalse … \fi` is a comment; of other conditionals the first branch is read. */
function conditional(reader: ReaderState, frame: Frame, name: string): void {
  reader.swallow(frame);
  if (name === 'iffalse') skipConditional(reader, frame, true);
}

/** On to the `\fi` (or `\else`) that belongs to the branch; none: nothing is skipped. */
function skipConditional(reader: ReaderState, frame: Frame, stopAtElse: boolean): void {
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
      return reader.swallow(frame);
    }
    depth--;
  }
  reader.swallow(frame);
}
