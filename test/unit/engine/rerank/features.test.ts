import assert from 'node:assert/strict';
import { bestBefore, lexicalFeatures } from '../../../../server/engine/rerank/features';
import { closeTo, expected } from './support';

describe('features of sentences', () => {
  it('share words as BM25S tells', () => {
    const { bm25, passageBm25 } = lexicalFeatures(expected.query, expected.passages);
    let told = 0;
    expected.lexical.bm25.forEach((row, p) => {
      assert.equal(bm25[p]?.length, row.length);
      row.forEach((score, s) => {
        assert.ok(closeTo(bm25[p]?.[s], score, 1e-5), `passage ${p}, sentence ${s}`);
        if (score > 0) told++;
      });
      assert.ok(closeTo(passageBm25[p], expected.lexical.passageBm25[p] ?? NaN, 1e-5));
    });
    assert.ok(told > 5);
    assert.equal(Math.max(...bm25.flat()), 1);
    assert.equal(Math.max(...passageBm25), 1);
  });

  it('are 0 where no word is shared or there is none', () => {
    assert.deepEqual(lexicalFeatures('zebra', [['One fish.', 'Two.'], ['Three.']]), {
      bm25: [[0, 0], [0]],
      passageBm25: [0, 0],
    });
    assert.deepEqual(lexicalFeatures('', [['']]), { bm25: [[0]], passageBm25: [0] });
    assert.deepEqual(lexicalFeatures('fish', []), { bm25: [], passageBm25: [] });
    assert.deepEqual(lexicalFeatures('fish', [[], ['A fish.']]), {
      bm25: [[], [1]],
      passageBm25: [0, 1],
    });
  });

  it('know the best match among the four before', () => {
    assert.deepEqual(bestBefore([0.9, 0.1, -0.2, 0.3, 0.2, 0.5]), [0, 0.9, 0.9, 0.9, 0.9, 0.3]);
    assert.deepEqual(bestBefore([-0.5, 0.2]), [0, 0]);
  });
});
