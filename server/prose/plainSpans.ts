/** Spans of a block's plain text: formulas, code and hints about where sentences end. */
import { endsInFullStop } from './abbreviations';
import type { SplitHints } from './splitSentences';

const LETTER = /\p{L}/u;

/** Of spans (start and end in turn), the parts within a range, seen from its start. */
export function clip(spans: readonly number[], start: number, end: number): number[] {
  const clipped: number[] = [];
  for (let i = 0; i + 1 < spans.length; i += 2) {
    const from = Math.max(spans[i] ?? 0, start);
    const to = Math.min(spans[i + 1] ?? 0, end);
    if (from < to) clipped.push(from - start, to - start);
  }
  return clipped;
}

/** A hint by name that holds at the given indices; none where there are none. */
export function hint<Name extends string>(
  name: Name,
  indices: readonly number[],
): Partial<Record<Name, (index: number) => boolean>> {
  if (indices.length === 0) return {};
  const known = new Set(indices);
  const has = { [name]: (index: number) => known.has(index) };
  return has as Record<Name, (index: number) => boolean>;
}

/** Hints for the part of the text that begins at `base`. */
export function behind({ mayOpen, numbered, final }: SplitHints, base: number): SplitHints {
  return {
    ...(mayOpen && { mayOpen: (index: number) => mayOpen(index + base) }),
    ...(numbered && { numbered: (index: number) => numbered(index + base) }),
    ...(final && { final: (index: number) => final(index + base) }),
  };
}

/**
 * The text with a letter that is neither upper nor lower case for all that is whole, but for the
 * stop that ends a formula ("$x = 1.$").
 */
export function masked(text: string, whole: readonly number[], math: readonly number[]): string {
  if (whole.length === 0) return text;
  const formulas = new Set(math.filter((_, i) => i % 2 === 1));
  let out = '';
  let from = 0;
  for (let i = 0; i + 1 < whole.length; i += 2) {
    const start = whole[i] ?? 0;
    const end = whole[i + 1] ?? start;
    const stop = formulas.has(end) && endsInFullStop(text.slice(start, end)) ? 1 : 0;
    out += text.slice(from, start) + '\u00AA'.repeat(end - start - stop) + '.'.repeat(stop);
    from = end;
  }
  return out + text.slice(from);
}

/** Whether there is a letter outside math. */
export function hasLetter(text: string, math: readonly number[]): boolean {
  let from = 0;
  for (let i = 0; i + 1 < math.length; i += 2) {
    if (LETTER.test(text.slice(from, math[i]))) return true;
    from = math[i + 1] ?? text.length;
  }
  return LETTER.test(text.slice(from));
}
