import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, rmSync, truncateSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadKernel } from '../../../server/evaluation/dense/kernel';
import { Matrix } from '../../../server/evaluation/dense/matrix';
import { eachVector, vectorsOf } from '../../../server/evaluation/dense/vectors';
import { fillTemplate } from '../../../server/evaluation/encoder';
import { encoderFolders } from '../../../server/evaluation/encoders';
import { bareUnits } from '../../../server/evaluation/context';
import { makeRetriever, type Encoders } from '../../../server/evaluation/retrievers';
import { seeded } from '../../../server/evaluation/random';
import { FUSION } from '../../../server/engine/recall/fuse';
import { bagEncoder } from '../engine/doubles';

const random = seeded(9);
const vector = (length: number): Float32Array =>
  Float32Array.from({ length }, () => random() - 0.5);

describe('dot products', () => {
  it('run in WebAssembly here', () => {
    assert.ok(loadKernel(1000));
    assert.equal(loadKernel(5 * 2 ** 32), null);
  });

  for (const [rows, dimensions, queries] of [
    [1, 1, 1],
    [7, 6, 5],
    [300, 384, 50],
    [256, 33, 97],
  ] as const) {
    it(`agree with plain loops: ${rows} rows of ${dimensions}, ${queries} queries`, () => {
      const fast = new Matrix(rows, dimensions);
      const plain = new Matrix(rows, dimensions, { simd: false });
      const vectors = Array.from({ length: rows }, () => vector(dimensions));
      vectors.forEach((own, i) => {
        fast.set(i, own);
        plain.set(i, own);
      });
      const asked = Array.from({ length: queries }, () => vector(dimensions));
      const made: number[][] = [];
      fast.eachRow(asked, (i, scores) => (made[i] = [...scores]));
      let compared = 0;
      plain.eachRow(asked, (i, scores) => {
        assert.equal(made[i]?.length, rows);
        scores.forEach((score, row) => {
          assert.ok(Math.abs((made[i]?.[row] ?? NaN) - score) < 1e-5);
          compared++;
        });
      });
      assert.equal(compared, rows * queries);
    });
  }

  it('give equal vectors equal scores, wherever they stand', () => {
    const matrix = new Matrix(1000, 384);
    const own = vector(384);
    for (let i = 0; i < 1000; i++) matrix.set(i, own);
    matrix.eachRow([vector(384)], (_, scores) => assert.equal(new Set(scores).size, 1));
  });

  it('refuse vectors of another length, and take no rows', () => {
    assert.throws(() => new Matrix(2, 4).set(0, [1, 2]), /2 numbers instead of 4/);
    let rows = 0;
    new Matrix(0, 4).eachRow([vector(4)], (_, scores) => (rows += 1 + scores.length));
    assert.equal(rows, 1);
  });
});

describe('kept vectors', () => {
  let folder: string;
  beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'ratio-vectors-'))));
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  it('are encoded once, told apart by weights and texts, and made anew when a file is cut', async () => {
    const encoder = bagEncoder();
    const cache = { folder: join(folder, 'deep'), revision: 'r1' };
    const first = await vectorsOf(encoder, ['tide', 'ferry'], cache);
    assert.equal(encoder.encoded, 2);
    assert.deepEqual(await vectorsOf(encoder, ['tide', 'ferry'], cache), first);
    assert.equal(encoder.encoded, 2);
    await vectorsOf(encoder, ['tid', 'eferry'], cache);
    await vectorsOf(encoder, ['tide', 'ferry'], { ...cache, revision: 'r2' });
    assert.equal(encoder.encoded, 6);
    for (const name of readdirSync(cache.folder)) truncateSync(join(cache.folder, name), 40);
    assert.deepEqual(await vectorsOf(encoder, ['tide', 'ferry'], cache), first);
    assert.equal(encoder.encoded, 8);
  });

  it('are not kept without a folder, and stop when cancelled', async () => {
    const encoder = bagEncoder();
    const none = { folder: null, revision: 'r' };
    await vectorsOf(encoder, ['tide'], none);
    await vectorsOf(encoder, ['tide'], none);
    assert.equal(encoder.encoded, 2);
    const signal = AbortSignal.abort();
    await assert.rejects(
      eachVector(encoder, ['a'], none, () => undefined, { signal }),
      /Cancelled/,
    );
  });
});

describe('text for an encoder', () => {
  it('fills a template once, braces in the text left alone', () => {
    assert.equal(
      fillTemplate('{title} | {before} | {text}')({ title: '{text}', before: '$&', text: 'x' }),
      '{text} | $& | x',
    );
  });

  it('comes from one folder, or one a move', () => {
    assert.deepEqual(encoderFolders([], 'own'), { address: 'own', broaden: 'own', specify: 'own' });
    assert.equal(encoderFolders(['a', 'broaden=b'], 'own').broaden, 'b');
    assert.throws(() => encoderFolders(['a', 'b'], 'own'), /one --encoder DIR/);
    assert.throws(() => encoderFolders(['address=a'], 'own'), /no encoder for broaden and specify/);
  });
});

describe('dense and hybrid retrieval', () => {
  const texts = ['tides delay ferries', 'kelp grows', 'a ferry waits', 'pots are lost'];
  const encoders = (): Encoders & { used: string[] } => {
    const used: string[] = [];
    const make = (name: string) => {
      const model = bagEncoder(name);
      return {
        model: {
          ...model,
          encode: (asked: string[]) => {
            used.push(...asked.map((text) => `${name} ${text}`));
            return model.encode(asked);
          },
        },
        prompts: { queryPrefix: '{move}: ', documentPrefix: 'd: ', files: {} },
        revision: name,
        template: null,
      };
    };
    const own = { one: make('one'), other: make('other') };
    return {
      used,
      cache: null,
      forMove: (move) => (move === 'specify' ? own.other : own.one),
    };
  };

  it('give each move its encoder and prefix, and rows in the order of the queries', async () => {
    const given = encoders();
    const retriever = makeRetriever('dense', bareUnits(texts), given);
    const best: number[] = [];
    await retriever.eachRow(
      [
        { text: 'kelp grows', move: 'address' },
        { text: 'pots are lost', move: 'specify' },
        { text: 'tides delay ferries', move: 'broaden' },
      ],
      (i, row) => (best[i] = row.indexOf(Math.max(...row))),
    );
    assert.deepEqual(best, [1, 3, 0]);
    assert.ok(given.used.includes('one address: kelp grows'));
    assert.ok(given.used.includes('one d: kelp grows'));
    assert.ok(given.used.includes('other specify: pots are lost'));
    assert.equal(given.used.filter((text) => text === 'one d: kelp grows').length, 1);
  });

  it('fuse cosine and BM25 as the product does', async () => {
    const query = [{ text: 'ferries', move: 'address' as const }];
    const rows: Record<string, number[]> = {};
    for (const name of ['dense', 'bm25', 'hybrid'] as const) {
      const retriever = makeRetriever(name, bareUnits(texts), encoders());
      await retriever.eachRow(query, (_, row) => (rows[name] = [...row]));
    }
    const best = Math.max(...(rows['bm25'] ?? []));
    rows['hybrid']?.forEach((score, i) => {
      const expected =
        (rows['dense']?.[i] ?? 0) + (FUSION.weights.address.bm25 * (rows['bm25']?.[i] ?? 0)) / best;
      assert.ok(Math.abs(score - expected) < 1e-6);
    });
  });

  it("fuse by the best BM25 beside the query's own sentence", async () => {
    const all = [...texts, 'ferries, ferries'];
    const row = async (own: ReadonlySet<number>): Promise<number[]> => {
      const made: number[] = [];
      const query = [{ text: 'ferries', move: 'address' as const, own }];
      const retriever = makeRetriever('hybrid', bareUnits(all), encoders());
      await retriever.eachRow(query, (_, scores) => made.push(...scores));
      return made;
    };
    const shared = await row(new Set());
    const apart = await row(new Set([4]));
    assert.ok((apart[0] ?? 0) > (shared[0] ?? 0));
    assert.equal(apart[1], shared[1]);
  });
});
