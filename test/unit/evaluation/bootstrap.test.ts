import assert from 'node:assert/strict';
import { estimate, estimates, mean, paired } from '../../../server/evaluation/bootstrap';
import { meanRanks, spearman } from '../../../server/evaluation/analyses';
import { sample, seeded, shuffled } from '../../../server/evaluation/random';

const random = seeded(11);
const values = Array.from({ length: 400 }, () => (random() < 0.3 ? 1 : 0));

describe('bootstrap', () => {
  it('gives the same interval for the same seed and another for another', () => {
    const ranks = Array.from({ length: 90 }, (_, i) => 1 / (1 + ((i * 7) % 13)));
    assert.deepEqual(estimate(ranks, { seed: 4 }), estimate(ranks, { seed: 4 }));
    assert.notDeepEqual(estimate(ranks, { seed: 4 }), estimate(ranks, { seed: 5 }));
  });

  it('is near the normal interval of a share', () => {
    const { value, low, high } = estimate(values, { resamples: 4000 });
    const error = 1.96 * Math.sqrt((value * (1 - value)) / values.length);
    assert.equal(value, mean(values));
    assert.ok(Math.abs(low - (value - error)) < 0.008, `${low}`);
    assert.ok(Math.abs(high - (value + error)) < 0.008, `${high}`);
  });

  it('gives a constant no width, several columns their own, and nothing for no queries', () => {
    assert.deepEqual(estimate([2, 2, 2]), { value: 2, low: 2, high: 2 });
    const [first, second] = estimates([values, values.map((value) => value + 1)]);
    assert.equal((second?.low ?? 0) - (first?.low ?? 0), 1);
    assert.ok(Number.isNaN(estimate([]).value));
  });

  it('pairs the queries of two systems', () => {
    const better = values.map((value) => value + 0.1);
    const { a, b, difference, ratio } = paired(better, values);
    assert.ok(Math.abs(a - b - 0.1) < 1e-12);
    // The systems differ by the same on every query, so only the ratio is uncertain.
    assert.ok(difference.high - difference.low < 1e-9);
    assert.ok(ratio.low > 1 && ratio.low < ratio.value && ratio.value < ratio.high);
    assert.throws(() => paired([1], [1, 2]), RangeError);
  });

  it('has an infinite ratio over nothing, and no preference where both have nothing', () => {
    assert.equal(paired([1, 1], [0, 0]).ratio.value, Infinity);
    const { ratio, difference } = paired([0, 0], [0, 0]);
    assert.deepEqual([ratio.low, ratio.high, difference.value], [1, 1, 0]);
  });
});

describe('chance', () => {
  it('is the same for the same seed and keeps every value', () => {
    const items = [...Array(50).keys()];
    assert.deepEqual(shuffled(items, seeded(2)), shuffled(items, seeded(2)));
    assert.notDeepEqual(shuffled(items, seeded(2)), items);
    assert.deepEqual(
      shuffled(items, seeded(2)).sort((a, b) => a - b),
      items,
    );
  });

  it('samples in order and takes all when there are few', () => {
    const drawn = sample([...Array(50).keys()], 10, seeded(3));
    assert.equal(new Set(drawn).size, 10);
    assert.deepEqual(
      drawn,
      [...drawn].sort((a, b) => a - b),
    );
    assert.deepEqual(sample([5, 1], 9, seeded(3)), [5, 1]);
  });
});

describe('rank correlation', () => {
  it('shares ranks between equal values', () => {
    assert.deepEqual(meanRanks([10, 20, 10, 5]), [2.5, 4, 2.5, 1]);
  });

  it('is 1, −1, the value by hand, and undefined where nothing varies', () => {
    assert.equal(spearman([1, 2, 3], [10, 20, 90]), 1);
    assert.equal(spearman([1, 2, 3], [3, 2, 1]), -1);
    // Ranks 1 2 3 4 and 1 3 2 4: 1 − 6 · 2 / (4 · 15).
    assert.ok(Math.abs(spearman([1, 2, 3, 4], [1, 3, 2, 4]) - 0.8) < 1e-12);
    assert.ok(Number.isNaN(spearman([1, 2], [3, 3])));
  });
});
