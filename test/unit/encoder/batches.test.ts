import assert from 'node:assert/strict';
import { batches, TOKENS_A_RUN } from '../../../server/engine/encoder/batches';

describe('encoder: batches', () => {
  const lengths = Array.from({ length: 1000 }, (_, i) => 2 + ((i * 7919) % 255));

  it('holds every text once', () => {
    const seen = batches(lengths, 32).flat();
    assert.equal(seen.length, 1000);
    assert.equal(new Set(seen).size, 1000);
  });

  it('keeps to the rows and the padded tokens', () => {
    for (const rows of [1, 5, 32]) {
      for (const group of batches(lengths, rows)) {
        const width = Math.max(...group.map((i) => lengths[i] ?? NaN));
        assert.ok(group.length <= rows);
        assert.ok(group.length === 1 || group.length * width <= TOKENS_A_RUN);
      }
    }
  });

  it('wastes less than a twentieth on padding where texts are many', () => {
    const padded = batches(lengths, 32).reduce(
      (sum, group) => sum + group.length * Math.max(...group.map((i) => lengths[i] ?? NaN)),
      0,
    );
    const real = lengths.reduce((a, b) => a + b, 0);
    assert.ok(padded < real * 1.05, `${padded} for ${real}`);
  });

  it('makes nothing of nothing, and one of a text beyond the limit', () => {
    assert.deepEqual(batches([], 32), []);
    assert.deepEqual(batches([TOKENS_A_RUN * 2], 32), [[0]]);
  });
});
