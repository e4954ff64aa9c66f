import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  hitAt,
  METRICS,
  precisionAt,
  queryMetrics,
  recallAt,
  reciprocalRankAt,
} from '../../../server/evaluation/metrics';
import { topK } from '../../../server/evaluation/topk';

type Reference = {
  run: Record<string, string>;
  qrels: Record<string, string>;
  trecEval: Record<string, Record<string, number>>;
  ranx: Record<string, number>;
};

const reference = JSON.parse(
  readFileSync(join(__dirname, 'fixtures', 'metrics.json'), 'utf8'),
) as Reference;

const near = (actual: number, expected: number | undefined, what: string): void => {
  assert.ok(Math.abs(actual - (expected ?? NaN)) < 1e-9, `${what}: ${actual} is not ${expected}`);
};

describe('metrics', () => {
  const queries = Object.entries(reference.run).map(([id, ranked]) => ({
    id,
    ranked: ranked.split(' '),
    relevant: new Set((reference.qrels[id] ?? '').split(' ')),
  }));

  it('agree with trec_eval on every query', () => {
    assert.equal(queries.length, 30);
    for (const { id, ranked, relevant } of queries) {
      const expected = reference.trecEval[id];
      const made = queryMetrics(ranked, relevant);
      for (const metric of METRICS) near(made[metric], expected?.[metric], `${id} ${metric}`);
      near(precisionAt(ranked, relevant, 5), expected?.['P@5'], `${id} P@5`);
      near(precisionAt(ranked, relevant, 10), expected?.['P@10'], `${id} P@10`);
      near(hitAt(ranked, relevant, 5), expected?.['HR@5'], `${id} HR@5`);
      near(hitAt(ranked, relevant, 10), expected?.['HR@10'], `${id} HR@10`);
    }
  });

  it('agree with ranx on the mean', () => {
    const mean = (value: (ranked: string[], relevant: Set<string>) => number): number =>
      queries.reduce((sum, { ranked, relevant }) => sum + value(ranked, relevant), 0) /
      queries.length;
    const { ranx } = reference;
    near(
      mean((r, g) => recallAt(r, g, 1)),
      ranx['recall@1'],
      'R@1',
    );
    near(
      mean((r, g) => recallAt(r, g, 10)),
      ranx['recall@10'],
      'R@10',
    );
    near(
      mean((r, g) => reciprocalRankAt(r, g, 10)),
      ranx['mrr@10'],
      'MRR@10',
    );
    near(
      mean((r, g) => reciprocalRankAt(r, g, 100)),
      ranx['mrr@100'],
      'MRR@100',
    );
    near(
      mean((r, g) => precisionAt(r, g, 5)),
      ranx['precision@5'],
      'P@5',
    );
    near(
      mean((r, g) => hitAt(r, g, 10)),
      ranx['hit_rate@10'],
      'HR@10',
    );
  });

  it('count a short or empty ranking as one with misses', () => {
    assert.equal(precisionAt(['a'], new Set(['a']), 5), 0.2);
    assert.deepEqual(queryMetrics([], new Set(['a'])), {
      'R@1': 0,
      'R@10': 0,
      'MRR@10': 0,
      'MRR@100': 0,
    });
    assert.equal(recallAt(['a'], new Set(), 1), 0);
  });
});

describe('topK', () => {
  it('orders equal scores by place, whatever the depth', () => {
    const scores = [1, 3, 2, 3, 3, 0, 2];
    const sorted = [1, 3, 4, 2, 6, 0, 5];
    for (let k = 0; k <= 8; k++) assert.deepEqual(topK(scores, k), sorted.slice(0, k));
  });

  it('agrees with sorting on many random rows with ties', () => {
    let state = 7;
    const next = (): number => (state = (state * 48271) % 2147483647);
    for (let round = 0; round < 200; round++) {
      const scores = Float32Array.from({ length: 1 + (next() % 60) }, () => next() % 9);
      const k = next() % 20;
      const expected = [...scores.keys()]
        .sort((a, b) => (scores[b] ?? 0) - (scores[a] ?? 0) || a - b)
        .slice(0, k);
      assert.deepEqual(topK(scores, k), expected);
    }
  });

  it('leaves out what is skipped, not among those asked for, too low, or no number', () => {
    const scores = [5, NaN, 4, -Infinity, 0, 3];
    assert.deepEqual(topK(scores, 9), [0, 2, 5, 4]);
    assert.deepEqual(topK(scores, 9, { skip: new Set([0]) }), [2, 5, 4]);
    assert.deepEqual(topK(scores, 9, { among: [1, 4, 5] }), [5, 4]);
    assert.deepEqual(topK(scores, 9, { above: 0 }), [0, 2, 5]);
  });
});
