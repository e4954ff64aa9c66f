/** Environments: left out, read with or without their arguments, or display math. */
import { groupEnd, looksLikeProse, rawText, readArguments, type Frame } from './arguments';
import type { EnvironmentRange } from './document';
import { ARGUMENTS, COMMENT_LIKE, DISPLAY, DROPPED, VERBATIM } from './environments';
import { displayMath, inlineMath, skipUnclosed } from './formulas';
import type { ReaderState } from './state';

const LISTS = new Set([
  'itemize',
  'enumerate',
  'description',
  'compactitem',
  'compactenum',
  'list',
]);

/** `\begin{…}`: opens an environment, or leaves it out as a whole (figures, tables, display math, code). */
export function beginEnvironment(reader: ReaderState, frame: Frame, at: number): void {
  const { doc } = frame;
  const pattern = /[ \t]*\{([^{}\\\n]{1,60})\}/y;
  pattern.lastIndex = frame.pos;
  const written = pattern.exec(doc.source)?.[1];
  if (written === undefined || pattern.lastIndex > frame.to) return;
  frame.pos = pattern.lastIndex;
  const range = doc.environments.get(at);
  let name = written;
  for (let depth = 0; depth < 5 && !isKnown(name); depth++) {
    const wrapped = reader.definitions.environments.get(name);
    if (wrapped === undefined) break;
    name = wrapped;
  }
  const base = name.replace(/\*$/, '');
  if (name === 'math' && range)
    return inlineMath(reader, frame, range.bodyStart, range.bodyEnd, range.end);
  if (COMMENT_LIKE.has(base) && range) {
    frame.pos = Math.min(range.end, frame.to);
    return;
  }
  if (VERBATIM.has(name) || isLeftOut(name)) {
    return leaveOut(reader, frame, at, base, range);
  }
  if (base !== 'math') openEnvironment(reader, frame, written, base);
}

/** Whether the text of an environment of this name is no prose. */
export function isLeftOut(name: string): boolean {
  const base = name.replace(/\*$/, '');
  return DROPPED.has(base) || DISPLAY.has(base);
}

function isKnown(name: string): boolean {
  return isLeftOut(name) || VERBATIM.has(name) || name.replace(/\*$/, '') in ARGUMENTS;
}

function leaveOut(
  reader: ReaderState,
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
      reader.builder.display('', frame.origin.start);
      frame.pos = found + close.length;
      return;
    }
  }
  if (!range || range.end > frame.to) {
    return skipUnclosed(reader, frame, at, frame.pos, `\\begin{${base}}`);
  }
  if (DISPLAY.has(base)) {
    return displayMath(reader, frame, at, range.bodyStart, range.bodyEnd, range.end);
  }
  frame.pos = range.end;
  // A float may stand in the middle of a sentence; a listing or a table ends it or is a part of it.
  if (/figure|table|algorithm$|algorithm2e|wrap|SC/.test(base)) {
    reader.builder.whitespace(reader.origin(frame, at));
  } else reader.builder.display('', reader.origin(frame, at));
}

function openEnvironment(reader: ReaderState, frame: Frame, written: string, base: string): void {
  const { doc } = frame;
  reader.paragraphBreak();
  const signature = ARGUMENTS[base];
  if (signature !== undefined) {
    readArguments(frame, signature, false);
    return;
  }
  const [option] = readArguments(frame, 'o', false);
  if (written === 'frame') {
    const [title] = readArguments(frame, 'm', false);
    if (title) reader.pushArgument(title, () => reader.builder.endHeading(3));
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
    reader.pushArgument(option, () => reader.builder.endHeading(7));
  }
}

/** `\end{…}`: ends the paragraph, and the draft with `document`. */
export function endEnvironment(reader: ReaderState, frame: Frame): void {
  const pattern = /[ \t]*\{([^{}\\\n]{1,60})\}/y;
  pattern.lastIndex = frame.pos;
  const name = pattern.exec(frame.doc.source)?.[1];
  if (name === undefined) return;
  frame.pos = Math.min(pattern.lastIndex, frame.to);
  if (name === 'document') {
    reader.done = true;
    return;
  }
  if (name !== 'math' && !isLeftOut(name)) reader.paragraphBreak();
}
