import assert from 'node:assert/strict';
import { mergeOrder, tabStop } from '../../../client/panel/view/merge';

const merge = (previous: string, incoming: string, pinned = ''): string =>
  mergeOrder([...previous], [...incoming], new Set(pinned)).join('');

describe('order of the cards when a snapshot replaces another', () => {
  it('is the new order when nothing is under the reader', () => {
    assert.equal(merge('abcd', 'dxba'), 'dxba');
    assert.equal(merge('', 'abc'), 'abc');
    assert.equal(merge('abc', ''), '');
  });

  it('keeps a pinned card at its index, the others around it in their new order', () => {
    assert.equal(merge('abcd', 'dcba', 'b'), 'dbca');
    assert.equal(merge('abcd', 'xyzbw', 'b'), 'xbyzw');
    assert.equal(merge('abcd', 'bxyz', 'd'), 'bxydz');
  });

  it('keeps several pinned cards, also at the two ends', () => {
    assert.equal(merge('abcd', 'dcba', 'ad'), 'acbd');
    assert.equal(merge('abcd', 'wxyz', 'bc'), 'wbcxyz');
  });

  it('keeps a pinned card that the new snapshot lacks', () => {
    assert.equal(merge('abcd', 'xyz', 'b'), 'xbyz');
    assert.equal(merge('abcd', '', 'c'), 'c');
  });

  it('closes up when there are fewer cards than before, the pinned ones in order', () => {
    assert.equal(merge('abcdef', 'xf', 'ef'), 'xef');
    assert.equal(merge('abcdef', 'ab', 'e'), 'abe');
  });

  it('takes no notice of pins that were not shown', () => {
    assert.equal(merge('ab', 'zab', 'z'), 'zab');
  });

  it('holds every incoming card and every pinned one exactly once, for all small cases', () => {
    const orders = ['', 'a', 'ab', 'ba', 'abc', 'cab', 'bcad', 'dxya'];
    for (const previous of orders) {
      for (const incoming of orders) {
        for (const pinned of orders) {
          const merged = [...merge(previous, incoming, pinned)];
          const held = [...previous].filter((id) => pinned.includes(id));
          const expected = new Set([...incoming, ...held]);
          assert.deepEqual(new Set(merged), expected);
          assert.equal(merged.length, expected.size);
          // Where there are cards enough to fill the places before it, a pinned card stays put.
          for (const id of held) {
            const index = previous.indexOf(id);
            if (
              index < merged.length &&
              [...incoming].filter((e) => !held.includes(e)).length >= index
            ) {
              assert.equal(merged.indexOf(id), index, `${previous} ${incoming} ${pinned}`);
            }
          }
        }
      }
    }
  });
});

describe('the tab stop', () => {
  it('stays on its card while that is there, else goes to the first', () => {
    assert.equal(tabStop(['a', 'b'], 'b'), 'b');
    assert.equal(tabStop(['a', 'b'], 'x'), 'a');
    assert.equal(tabStop([], 'a'), null);
  });
});
