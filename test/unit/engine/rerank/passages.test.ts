import assert from 'node:assert/strict';
import { windowAround } from '../../../../server/engine/rerank/passages';
import { expected } from './support';

const LIMITS = { maxTokens: 160, maxSentences: 12 };

describe('windows round a hit', () => {
  it('are those of the reference', () => {
    const widths = new Set<number>();
    for (const { tokens, hit, query, maxSentences, window } of expected.windows) {
      const { from, to } = windowAround(tokens, hit, query, { maxTokens: 160, maxSentences });
      assert.deepEqual([from, to], window, JSON.stringify({ tokens, hit, query, maxSentences }));
      widths.add(to - from + 1);
    }
    assert.ok(widths.size > 4);
  });

  it('take two sentences after for every one before', () => {
    const tokens = new Array<number>(30).fill(9);
    const room = (sentences: number): number => 2 + 10 + sentences * 10;
    const around = (maxTokens: number): number[] => {
      const { from, to } = windowAround(tokens, 10, 10, { maxTokens, maxSentences: 12 });
      return [from, to];
    };
    assert.deepEqual(
      [1, 2, 3, 4, 5].map((count) => around(room(count))),
      [
        [10, 10],
        [10, 11],
        [10, 12],
        [9, 12],
        [9, 13],
      ],
    );
  });

  it('close a side whose next sentence does not fit, and fill the other', () => {
    assert.deepEqual(windowAround([5, 5, 5, 5, 200, 1], 3, 8, LIMITS), { from: 0, to: 3 });
    assert.deepEqual(windowAround([1, 200, 5, 5, 5], 2, 8, LIMITS), { from: 2, to: 4 });
  });

  it('hold the hit even where nothing else fits, and no more sentences than may be', () => {
    assert.deepEqual(windowAround([3, 900, 3], 1, 64, LIMITS), { from: 1, to: 1 });
    assert.deepEqual(windowAround([7], 0, 8, LIMITS), { from: 0, to: 0 });
    assert.deepEqual(windowAround(new Array<number>(40).fill(1), 20, 8, LIMITS), {
      from: 17,
      to: 28,
    });
  });
});
