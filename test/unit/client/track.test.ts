import assert from 'node:assert/strict';
import { isFinished, shiftSpan, swallows, type Change, type Span } from '../../../client/track';

const span: Span = { start: 10, end: 20 };
const change = (offset: number, length: number, inserted: number): Change => ({
  offset,
  length,
  inserted,
});

describe('shiftSpan', () => {
  it('moves with text inserted before it', () => {
    assert.deepEqual(shiftSpan(span, change(3, 0, 5)), { start: 15, end: 25 });
  });
  it('moves with text inserted right before its first character', () => {
    assert.deepEqual(shiftSpan(span, change(10, 0, 4)), { start: 14, end: 24 });
  });
  it('takes what is typed at its end, unless the sentence is finished', () => {
    assert.deepEqual(shiftSpan(span, change(20, 0, 4)), { start: 10, end: 24 });
    assert.deepEqual(shiftSpan(span, change(20, 0, 4), true), span);
    // A citation goes before the final mark.
    assert.deepEqual(shiftSpan(span, change(19, 0, 4), true), { start: 10, end: 24 });
    for (const text of ['It fails.', 'Does it?”', 'It fails (often!).', 'So … it ends…', '{It.}']) {
      assert.ok(isFinished(text), text);
    }
    for (const text of ['It fails', 'It fails on e.g. two', 'It fails,']) {
      assert.ok(!isFinished(text), text);
    }
  });
  it('stays when text after it changes', () => {
    assert.deepEqual(shiftSpan(span, change(21, 3, 9)), span);
  });
  it('grows with text typed inside it', () => {
    assert.deepEqual(shiftSpan(span, change(15, 0, 3)), { start: 10, end: 23 });
  });
  it('grows with text typed at its end, as a citation is', () => {
    assert.deepEqual(shiftSpan(span, change(20, 0, 6)), { start: 10, end: 26 });
  });
  it('shrinks when part of it is deleted', () => {
    assert.deepEqual(shiftSpan(span, change(12, 4, 0)), { start: 10, end: 16 });
  });
  it('keeps what is left when its beginning is deleted with text before it', () => {
    assert.deepEqual(shiftSpan(span, change(5, 8, 0)), { start: 5, end: 12 });
  });
  it('keeps what is left when its end is deleted with text after it', () => {
    assert.deepEqual(shiftSpan(span, change(15, 10, 0)), { start: 10, end: 15 });
  });
  it('collapses to its place when all of it is deleted', () => {
    assert.deepEqual(shiftSpan(span, change(5, 30, 0)), { start: 5, end: 5 });
  });
  it('covers its own replacement', () => {
    assert.deepEqual(shiftSpan(span, change(10, 10, 4)), { start: 10, end: 14 });
  });
  it('never ends before it starts and always keeps text that was not touched', () => {
    for (let offset = 0; offset < 30; offset += 1) {
      for (let length = 0; length < 15; length += 1) {
        for (const inserted of [0, 1, 7]) {
          const after = shiftSpan(span, change(offset, length, inserted));
          assert.ok(after.start >= 0 && after.start <= after.end);
          const touched = offset < span.end && offset + length > span.start;
          const inside = length === 0 && offset >= span.start && offset <= span.end;
          if (!touched && !inside) assert.equal(after.end - after.start, 10);
        }
      }
    }
  });
});

describe('swallows', () => {
  for (const [name, told, expected] of [
    ['what covers it with text on both sides', change(5, 30, 40), true],
    ['what covers it with text before it', change(8, 12, 0), true],
    ['what covers it with text after it', change(10, 11, 3), true],
    ['its own replacement', change(10, 10, 4), false],
    ['a part', change(12, 4, 0), false],
    ['what ends in it', change(5, 8, 0), false],
    ['text typed in it', change(12, 0, 9), false],
  ] as const) {
    it(`${expected ? 'takes' : 'leaves'} ${name}`, () => {
      assert.equal(swallows(told, span), expected);
    });
  }
});
