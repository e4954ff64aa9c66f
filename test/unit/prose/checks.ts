import assert from 'node:assert/strict';
import type { Prose } from '../../../server/prose';

/** What a unit of plain text may stand for in the source beside itself. */
const TRANSLATED = /[\s\u2018\u2019\u201C\u201D\u2013\u2014\u2026]/;

/**
 * Ranges hold: in order, within the source; offsets never fall; each unit is the one at its offset,
 * but for white space, quotes, dashes, what a backslash or `&` begins, and what `macros` wrote.
 */
export function assertRanges(prose: Prose, source: string): void {
  let last = 0;
  for (const sentence of prose.sentences) {
    const { text, start, end, offsets } = sentence;
    assert.equal(offsets.length, text.length);
    assert.ok(start >= last || /[\\#]/.test(source[start] ?? ''), `order at ${start}`);
    last = start;
    assert.ok(start < end && end <= source.length, `range ${start}-${end}`);
    assert.equal(text.trim(), text);
    let before = start;
    for (let i = 0; i < text.length; i++) {
      const offset = offsets[i] ?? -1;
      assert.ok(offset >= before && offset < end, `offset ${offset} of "${text}"`);
      before = offset;
      const unit = text[i] ?? '';
      const there = source[offset] ?? '';
      const same =
        unit === there ||
        TRANSLATED.test(unit) ||
        there === '\\' ||
        there === '&' ||
        // The call of a macro, or what of it came before.
        source.lastIndexOf('\\', offset) >= source.lastIndexOf('\n', offset);
      assert.ok(same, `"${unit}" of "${text}" is "${there}" at ${offset}`);
    }
    const first = /^[\p{L}\p{N}]+/u.exec(text)?.[0];
    const range = source.slice(start, end);
    if (first !== undefined && !/^[\\&]/.test(range)) {
      assert.ok(range.startsWith(first.slice(0, 1)), `"${range.slice(0, 40)}" begins "${first}"`);
    }
    assert.equal(sentence.math.length % 2, 0);
    for (const at of sentence.math) assert.ok(at >= 0 && at <= text.length);
  }
}

/** A random source that repeats itself run by run. */
export function generator(seed: number): (below: number) => number {
  let state = seed % 2147483647 || 1;
  return (below) => {
    state = (state * 48271) % 2147483647;
    return state % below;
  };
}
