import type { Prose, ProseHeading, ProseSentence } from './prose';

/** What a selection holds as plain text. */
export interface TakenSelection {
  text: string;
  /** Source range of the text that was taken. */
  start: number;
  end: number;
  /** The sentences it touches, in order; none when only a title was selected. */
  sentences: ProseSentence[];
}

const WORD = /[\p{L}\p{M}\p{N}_\u00AD]/u;
const LETTER = /\p{L}/u;

/**
 * Plain text of exactly the selected part of a draft. A selection that touches a part of a word
 * takes the whole word. Null when it holds no prose: nothing, a figure, math or a comment only.
 *
 * @param start first selected source offset
 * @param end offset after the last; an empty selection holds nothing
 */
export function takeSelection(prose: Prose, start: number, end: number): TakenSelection | null {
  const from = Math.min(start, end);
  const to = Math.max(start, end);
  if (from === to) return null;
  const parts = prose.sentences.flatMap((sentence) => part(sentence, from, to) ?? []);
  const texts = parts.length > 0 ? parts : prose.headings.flatMap((h) => part(h, from, to) ?? []);
  const first = texts[0];
  const last = texts.at(-1);
  if (!first || !last || !texts.some((taken) => taken.prose)) return null;
  return {
    text: texts.map((taken) => taken.text).join(' '),
    start: first.start,
    end: Math.max(...texts.map((taken) => taken.end)),
    sentences: texts.flatMap((taken) => ('section' in taken.of ? [taken.of] : [])),
  };
}

interface Part {
  of: ProseSentence | ProseHeading;
  text: string;
  start: number;
  end: number;
  /** Whether there is a letter outside math. */
  prose: boolean;
}

function part(of: ProseSentence | ProseHeading, from: number, to: number): Part | null {
  if (of.end <= from || of.start >= to) return null;
  const { text, offsets } = of;
  let first = lowerBound(offsets, from);
  let last = lowerBound(offsets, to);
  if (first >= last) return null;
  while (last > first && /\s/.test(text[last - 1] ?? '')) last--;
  while (first < last && /\s/.test(text[first] ?? '')) first++;
  if (first >= last) return null;
  if (isWord(text, first)) while (first > 0 && isWord(text, first - 1)) first--;
  if (isWord(text, last - 1)) while (last < text.length && isWord(text, last)) last++;
  const taken = text.slice(first, last);
  return {
    of,
    text: taken,
    start: offsets[first] ?? of.start,
    end: last === text.length ? of.end : (offsets[last - 1] ?? 0) + 1,
    prose: hasProse(of, first, last),
  };
}

function isWord(text: string, index: number): boolean {
  const unit = text[index] ?? '';
  const code = unit.charCodeAt(0);
  // Halves of a pair belong together.
  return WORD.test(unit) || (code >= 0xd800 && code < 0xe000);
}

function hasProse(of: ProseSentence | ProseHeading, first: number, last: number): boolean {
  for (let i = first; i < last; i++) {
    if (!LETTER.test(of.text[i] ?? '')) continue;
    let math = false;
    for (let k = 0; k + 1 < of.math.length; k += 2) {
      if (i >= (of.math[k] ?? 0) && i < (of.math[k + 1] ?? 0)) math = true;
    }
    if (!math) return true;
  }
  return false;
}

/** First index whose offset is not below `value`. */
function lowerBound(offsets: Uint32Array, value: number): number {
  let low = 0;
  let high = offsets.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((offsets[middle] ?? 0) < value) low = middle + 1;
    else high = middle;
  }
  return low;
}
