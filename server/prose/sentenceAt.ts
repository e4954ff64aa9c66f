import type { Prose, ProseSentence } from './prose';

/**
 * The sentence that covers a source offset (an offset right after its end counts too); else the
 * nearest of the paragraph or of the line around it; null where there is none.
 *
 * @param source where given, "the same line" is known too, beside the same paragraph
 */
export function sentenceAt(prose: Prose, offset: number, source?: string): ProseSentence | null {
  const { sentences } = prose;
  const index = lastStartingBy(sentences, offset);
  const before = index >= 0 ? sentences[index] : undefined;
  const after = sentences[index + 1];
  // A sentence whose text a macro wrote may begin where the one before it still goes on.
  for (let i = index; i >= 0 && i > index - 4; i--) {
    const sentence = sentences[i];
    if (sentence && offset < sentence.end) return sentence;
  }
  if (before && offset <= before.end) return before;
  if (before && after && before.paragraph === after.paragraph) {
    return offset - before.end <= after.start - offset ? before : after;
  }
  return nearestOfLine(before, after, offset, source);
}

/** Beside a paragraph: what stands on the same line, or touches but for a mark or two. */
function nearestOfLine(
  before: ProseSentence | undefined,
  after: ProseSentence | undefined,
  offset: number,
  source: string | undefined,
): ProseSentence | null {
  const left = before ? offset - before.end : Infinity;
  const right = after ? after.start - offset : Infinity;
  const order = left <= right ? [before, after] : [after, before];
  for (const sentence of order) {
    if (!sentence) continue;
    const distance = sentence === before ? left : right;
    if (source === undefined) {
      if (distance <= LINE_GUESS) return sentence;
      continue;
    }
    const from = Math.min(offset, sentence === before ? sentence.end : offset);
    const to = sentence === before ? offset : sentence.start;
    if (!/[\r\n]/.test(source.slice(from, to))) return sentence;
  }
  return null;
}

/** Without the source: so near is taken for the same line (a list mark, a command, a brace). */
const LINE_GUESS = 40;

/** Index of the last sentence that starts at or before an offset; -1 if none. */
function lastStartingBy(sentences: readonly { start: number }[], offset: number): number {
  let low = 0;
  let high = sentences.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((sentences[middle]?.start ?? 0) <= offset) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}

/**
 * The sentence at a line and column, both counted from 1 (columns in UTF-16 units). Without a
 * column: the first sentence that starts on the line, else the one that covers it. Null where the
 * line holds no prose or is not there.
 */
export function sentenceAtLine(
  prose: Prose,
  source: string,
  line: number,
  column?: number,
): ProseSentence | null {
  const range = lineRange(source, line);
  if (!range) return null;
  const [start, end] = range;
  if (column !== undefined) {
    return sentenceAt(prose, Math.min(start + Math.max(1, column) - 1, end), source);
  }
  const index = lastStartingBy(prose.sentences, start - 1);
  const next = prose.sentences[index + 1];
  if (next && next.start <= end) return next;
  for (let i = index; i >= 0 && i > index - 4; i--) {
    const sentence = prose.sentences[i];
    if (sentence && sentence.end > start) return sentence;
  }
  return null;
}

/** Start and end (before its line end) of a line; null beyond the last. */
function lineRange(source: string, line: number): [number, number] | null {
  if (!Number.isInteger(line) || line < 1) return null;
  const breaks = /\r\n|\n|\r/g;
  let start = 0;
  for (let number = 1; ; number++) {
    const match = breaks.exec(source);
    if (number === line) return [start, match ? match.index : source.length];
    if (!match) return null;
    start = match.index + match[0].length;
  }
}
