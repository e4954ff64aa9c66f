/** Macros of the draft, put in where they are called. */
import { readArguments, type Argument, type Frame } from './arguments';
import type { Definitions } from './definitions';
import { isLetter, nextBlank, type LatexDocument } from './document';
import { displayMath, skipUnclosed } from './formulas';
import { isLeftOut } from './regions';
import { DEEPEST, type ReaderState } from './state';

/** Calls of the draft's macros that are expanded in one document. */
const MOST_CALLS = 100_000;

/**
 * Reads a call of the draft's own macro: its body in its place, whose text has the range of the call. What calls
 * itself without end is left out, and told as a problem.
 */
export function expand(
  reader: ReaderState,
  frame: Frame,
  name: string,
  at: number,
  macro: NonNullable<ReturnType<Definitions['macros']['get']>>,
): void {
  if (macro.opens !== null && isLeftOut(macro.opens)) {
    return skipAliased(reader, frame, at, macro.opens);
  }
  if (reader.frames.length > DEEPEST || ++reader.calls > MOST_CALLS) {
    reader.problem(frame, at, `\\${name} calls itself or too many macros; it was left out`);
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
  if (macro.signature === '') reader.swallow(frame);
  reader.frames.push({
    doc: macro.doc,
    pos: macro.from,
    to: macro.to,
    origin,
    parameters,
  });
}

/** A macro that opens an environment that is left out: on to the macro or `\end` that closes it. */
function skipAliased(reader: ReaderState, frame: Frame, at: number, environment: string): void {
  const { doc } = frame;
  const closers = [`\\end{${environment}}`];
  for (const [name, macro] of reader.definitions.macros) {
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
  if (best < 0) return skipUnclosed(reader, frame, at, frame.pos, `\\begin{${environment}}`);
  const from = frame.pos;
  displayMath(reader, frame, at, from, from + best, from + best + length);
}

/** `\xspace`: a space, unless what follows the call brings a mark or a space of its own. */
export function xspace(reader: ReaderState, at: number): void {
  const outer = reader.frames.findLast(
    (frame) => frame.origin === null && frame.onEnd === undefined,
  );
  const next = outer ?? reader.frames[0];
  if (!next) return;
  const { source } = next.doc;
  const swallowed = /\s/.test(source[next.pos - 1] ?? '');
  const character = source[next.pos] ?? '';
  if (/[\p{L}\p{N}]/u.test(character) || (swallowed && !/[.,;:!?)\]}'/-]/.test(character))) {
    reader.builder.whitespace(next.pos > 0 ? next.pos - 1 : at);
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
