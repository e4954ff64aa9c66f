/** Math: inline as its source, displays left out but for the mark that ends them. */
import { rawText, readArguments, type Argument, type Frame } from './arguments';
import { nextBlank, type LatexDocument } from './document';
import { displayMark, dollarEnd, mathEnd } from './math';
import type { ReaderState } from './state';

/** Math between dollars, inline or displayed; a dollar that nothing closes is text. */
export function dollarMath(reader: ReaderState, frame: Frame, at: number): void {
  const { doc } = frame;
  if (doc.source[at + 1] === '$' && at + 1 < frame.to) {
    const close = mathEnd(doc, '$$', at + 2, frame.to);
    if (close >= 0) displayMath(reader, frame, at, at + 2, close, close + 2);
    else skipUnclosed(reader, frame, at, at + 2, '$$');
    return;
  }
  const close = dollarEnd(doc, at + 1, frame.to);
  if (close < 0) reader.put(frame, at, at + 1, '$');
  else inlineMath(reader, frame, at + 1, close, close + 1);
}

/** A formula in a sentence: its source from `from` to `to` becomes text, reading goes on at `end`. */
export function inlineMath(
  reader: ReaderState,
  frame: Frame,
  from: number,
  to: number,
  end: number,
): void {
  frame.pos = end;
  mathText(reader, frame.doc, from, to, frame.origin, frame.parameters);
}

/** Source of a formula, white space collapsed and comments left out. */
function mathText(
  reader: ReaderState,
  doc: LatexDocument,
  from: number,
  to: number,
  origin: Frame['origin'],
  parameters: readonly Argument[],
): void {
  const { builder } = reader;
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

/**
 * A displayed formula, which begins at `at`: left out but for the mark that ends its sentence; reading goes on at `end`.
 */
export function displayMath(
  reader: ReaderState,
  frame: Frame,
  at: number,
  from: number,
  to: number,
  end: number,
): void {
  const [mark, markAt] = displayMark(frame.doc.source, from, to);
  frame.pos = end;
  reader.builder.display(frame.origin ? '' : mark, frame.origin ? at : markAt);
}

/** Display math that is never closed: its paragraph is left out. */
export function skipUnclosed(
  reader: ReaderState,
  frame: Frame,
  at: number,
  from: number,
  opening: string,
): void {
  reader.problem(frame, at, `${opening} is never closed; the rest of its paragraph was left out`);
  frame.pos = Math.min(frame.to, Math.max(from, nextBlank(frame.doc, from)));
  reader.builder.display('', at);
}

/** `\ensuremath`: its argument as a formula. */
export function ensureMath(reader: ReaderState, frame: Frame): void {
  const [formula] = readArguments(frame, 'm', false);
  if (!formula) return;
  mathText(reader, formula.doc, formula.from, formula.to, formula.origin, formula.parameters);
}
