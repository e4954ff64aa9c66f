import assert from 'node:assert/strict';
import {
  copyFileSync,
  existsSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { tailWhileImporting } from '../../../server/engine/import/indexing';
import { ExactIndex } from '../../../server/engine/index/exact';
import { tailWorthIndexing, updateIndex } from '../../../server/engine/index/build';
import { HnswIndex, loadHnsw } from '../../../server/engine/index/hnsw';
import { fileChecksum, readStamp } from '../../../server/engine/index/stamp';
import type { LocalEngine } from '../../../server/engine/local';
import { vectorKind } from '../../../server/engine/encoder/textForm';
import { openForReading, openForWriting } from '../../../server/engine/store/database';
import { OpenPool } from '../../../server/engine/store/pool';
import { PoolReader } from '../../../server/engine/store/reader';
import { PoolWriter } from '../../../server/engine/store/writer';
import { poolDatabase, poolFolder } from '../../../server/engine/store/names';
import { skipBecause } from '../../skip';
import { bagEncoder, bagOfWords } from './doubles';
import { manyRows, row, Workspace } from './support';

/** Clustered random unit vectors, the same at every run. */
function vectors(n: number, dimensions: number): Float32Array[] {
  let state = 7;
  const random = (): number => {
    state = (Math.imul(state, 1103515245) + 12345) >>> 0;
    return state / 2 ** 32 - 0.5;
  };
  const centres = Array.from({ length: 20 }, () => Array.from({ length: dimensions }, random));
  return Array.from({ length: n }, (_, i) => {
    const centre = centres[i % centres.length] ?? [];
    const vector = Float32Array.from(centre, (value) => value + random());
    const norm = Math.hypot(...vector);
    return vector.map((value) => value / norm);
  });
}

describe('exact index', () => {
  const all = vectors(500, 32);
  const index = new ExactIndex(32);
  index.add(all.map((vector, i) => ({ id: i + 1, vector })));
  const query = all[17] ?? new Float32Array(32);

  it('finds the nearest in order', () => {
    const expected = all
      .map((vector, i) => ({
        id: i + 1,
        score: vector.reduce((s, v, j) => s + v * (query[j] ?? 0), 0),
      }))
      .sort((a, b) => b.score - a.score)
      .slice(0, 12);
    const hits = index.search(query, 12);
    assert.deepEqual(
      hits.map((hit) => hit.id),
      expected.map((hit) => hit.id),
    );
    hits.forEach((hit, i) => assert.ok(Math.abs(hit.score - (expected[i]?.score ?? 0)) < 1e-5));
  });

  it('keeps to a filter, and to what is newer', () => {
    const even = index.search(query, 50, (id) => id % 2 === 0);
    assert.equal(even.length, 50);
    assert.ok(even.every((hit) => hit.id % 2 === 0));
    const rest = index.after(490);
    assert.equal(rest.size, 10);
    const newer = rest.search(query, 50).map((hit) => hit.id);
    assert.deepEqual(
      newer.sort((a, b) => a - b),
      Array.from({ length: 10 }, (_, i) => 491 + i),
    );
  });

  it('drops what is not kept, unless it lacks some of it', () => {
    const some = new ExactIndex(32);
    some.add(all.slice(0, 100).map((vector, i) => ({ id: 2 * i, vector })));
    const kept = [0, 4, 6, 34, 198];
    assert.equal(some.keep([...kept, 199]), false);
    assert.equal(some.size, 100);
    assert.equal(some.keep(kept), true);
    const hits = some.search(query, 50);
    assert.deepEqual(
      hits.map((hit) => hit.id).sort((a, b) => a - b),
      kept,
    );
    // Vectors went with their rowids: 34 is the query's own.
    assert.equal(hits[0]?.id, 34);
    assert.ok(Math.abs((hits[0]?.score ?? 0) - 1) < 1e-5);
    some.add([{ id: 300, vector: query }]);
    assert.equal(some.lastId, 300);
    assert.equal(some.size, 6);
  });

  it('refuses vectors of another length', () => {
    assert.throws(() => index.add([{ id: 1000, vector: new Float32Array(31) }]), /31 dimensions/);
  });
});

describe('HNSW index', () => {
  it('agrees with exact search', function () {
    const { module, reason } = loadHnsw();
    if (!module) skipBecause(this, String(reason));
    const all = vectors(2000, 64);
    const exact = new ExactIndex(64);
    exact.add(all.map((vector, id) => ({ id: id + 1, vector })));
    const graph = HnswIndex.create(module, 64, all.length);
    all.forEach((vector, id) => graph.add(id + 1, vector));
    let found = 0;
    for (const query of all.slice(0, 50)) {
      const near = new Set(exact.search(query, 10).map((hit) => hit.id));
      found += graph.search(query, 10).filter((hit) => near.has(hit.id)).length;
    }
    assert.ok(found >= 490, `${found} of 500`);
  });

  it('holds nothing once it is freed', function () {
    const { module, reason } = loadHnsw();
    if (!module) skipBecause(this, String(reason));
    const graph = HnswIndex.create(module, 4, 8);
    vectors(8, 4).forEach((vector, id) => graph.add(id + 1, vector));
    graph.free();
    assert.equal(graph.size, 0);
    assert.deepEqual(graph.search(Float32Array.of(1, 0, 0, 0), 3), []);
  });

  it('is written anew for half a percent of new sentences, between 200 and 4,000', () => {
    assert.deepEqual(
      [0, 300, 40_000, 200_000, 800_000, 5_000_000].map(tailWorthIndexing),
      [200, 200, 200, 1000, 4000, 4000],
    );
  });

  it('is extended while importing once half as much waits, at the latest 50,000', () => {
    assert.deepEqual(
      [0, 16_000, 40_000, 100_000, 1_000_000].map(tailWhileImporting),
      [8000, 8000, 20_000, 50_000, 50_000],
    );
  });

  it('is left out where it cannot be loaded, with the reason', () => {
    process.env['RATIO_NO_HNSW'] = '1';
    try {
      const { module, reason } = loadHnsw();
      assert.equal(module, null);
      assert.match(reason ?? '', /exact/);
    } finally {
      delete process.env['RATIO_NO_HNSW'];
    }
  });
});

describe('index of a pool', function () {
  this.timeout(20_000);
  let workspace: Workspace;
  let engine: LocalEngine;
  let folder: string;
  const question = {
    move: 'address' as const,
    text: 'The lamp of river holds a wheel of bread and stone',
    pools: ['one'],
  };
  const ids = async (from: LocalEngine): Promise<string[]> =>
    (await from.inspire(question)).inspirations.map((inspiration) => inspiration.id);

  beforeEach(async () => {
    workspace = new Workspace();
    engine = await workspace.engine({ upkeep: 'none' });
    await engine.addToPool({ pool: 'one', sources: [workspace.file('a.jsonl', manyRows(60, 5))] });
    folder = poolFolder(workspace.home, 'one');
  });
  afterEach(() => workspace.dispose());

  it('is built at the end of an import, and newer sentences are found before it is extended', async () => {
    assert.equal((await engine.pools())[0]?.index, 'hnsw');
    const extra = row('new', ['A lamp near the river holds some wheel, and stone too.']);
    await engine.addToPool({ pool: 'one', sources: [workspace.file('b.jsonl', [extra])] });
    assert.equal((await engine.pools())[0]?.unindexed, 1);
    const { inspirations } = await engine.inspire({ ...question, limit: 200 });
    assert.ok(inspirations.some(({ id }) => id === 'one/new#0'));
  });

  it('extends the file once enough is new', async () => {
    const before = readStamp(folder);
    await engine.addToPool({
      pool: 'one',
      sources: [workspace.file('b.jsonl', manyRows(50, 5, 'q'))],
    });
    const after = readStamp(folder);
    assert.equal(before?.count, 300);
    assert.equal(after?.count, 550);
    assert.equal((await engine.pools())[0]?.unindexed, 0);
  });

  it('is built anew when more than a fifth of it is stale', async () => {
    const kept = manyRows(60, 5).slice(0, 40);
    const path = workspace.file('a.jsonl', kept);
    await engine.updatePool('one');
    assert.ok(path);
    assert.equal(readStamp(folder)?.count, 200);
  });

  const damages: [string, () => void][] = [
    ['cut short', () => truncateSync(join(folder, 'index.hnsw'), 1000)],
    ['gone', () => rmSync(join(folder, 'index.hnsw'))],
    [
      'changed by one byte',
      () => {
        const bytes = readFileSync(join(folder, 'index.hnsw'));
        bytes[5000] = (bytes[5000] ?? 0) ^ 1;
        writeFileSync(join(folder, 'index.hnsw'), bytes);
      },
    ],
    ['without a stamp', () => rmSync(join(folder, 'index.json'))],
    ['with a broken stamp', () => writeFileSync(join(folder, 'index.json'), '{"format":1')],
  ];
  for (const [name, damage] of damages) {
    it(`gives the same answers with an index file that is ${name}, and repairs it`, async () => {
      const expected = await ids(engine);
      assert.ok(expected.length > 0);
      await engine.close();
      const bytes = readFileSync(join(folder, 'index.hnsw'));
      damage();
      const other = await workspace.engine({ upkeep: 'none' });
      assert.deepEqual(await ids(other), expected);
      assert.deepEqual((await other.upkeepNeeded()).pools, ['one']);
      await other.keepUp();
      assert.equal(readFileSync(join(folder, 'index.hnsw')).length, bytes.length);
      assert.deepEqual((await other.upkeepNeeded()).pools, []);
      assert.deepEqual(await ids(other), expected);
    });
  }

  it('builds a file anew that matches its stamp but cannot be loaded', async () => {
    const expected = await ids(engine);
    await engine.close();
    const file = join(folder, 'index.hnsw');
    const whole = readFileSync(file).length;
    truncateSync(file, 100_000);
    assert.equal(readStamp(folder)?.checked, true);
    const stamp = { ...readStamp(folder), ...(await fileChecksum(file)), checked: undefined };
    writeFileSync(join(folder, 'index.json'), JSON.stringify(stamp));
    const other = await workspace.engine({ upkeep: 'none' });
    assert.deepEqual(await ids(other), expected);
    assert.deepEqual((await other.upkeepNeeded()).pools, ['one']);
    await other.keepUp();
    assert.equal(readFileSync(file).length, whole);
    assert.deepEqual((await other.upkeepNeeded()).pools, []);
    assert.deepEqual(await ids(other), expected);
  });

  it('puts no file in place that cannot be read back', async () => {
    const before = readFileSync(join(folder, 'index.json'), 'utf8');
    const { write } = HnswIndex.prototype;
    HnswIndex.prototype.write = async function (path) {
      await write.call(this, path);
      truncateSync(path, 100_000);
    };
    const source = workspace.file('b.jsonl', manyRows(50, 5, 'q'));
    try {
      await assert.rejects(
        engine.addToPool({ pool: 'one', sources: [source] }),
        /could not be read back .* the disk may be full/,
      );
    } finally {
      HnswIndex.prototype.write = write;
    }
    assert.equal(readFileSync(join(folder, 'index.json'), 'utf8'), before);
    assert.equal((await engine.pools())[0]?.unindexed, 250);
    await engine.updatePool('one');
    assert.equal(readStamp(folder)?.count, 550);
  });

  it('is taken away where it is of another encoder and the pool is small', async () => {
    const rows = manyRows(30, 5, 's');
    await engine.addToPool({ pool: 'small', sources: [workspace.file('s.jsonl', rows)] });
    const small = poolFolder(workspace.home, 'small');
    const stamp = { ...readStamp(folder), encoder: 'another', covered: 150 };
    writeFileSync(join(small, 'index.json'), JSON.stringify(stamp));
    copyFileSync(join(folder, 'index.hnsw'), join(small, 'index.hnsw'));
    const asked = { ...question, pools: ['small'] };
    assert.ok((await engine.inspire(asked)).inspirations.length > 0);
    assert.deepEqual((await engine.upkeepNeeded()).pools, ['small']);
    await engine.keepUp();
    assert.ok((await engine.inspire(asked)).inspirations.length > 0);
    assert.deepEqual((await engine.upkeepNeeded()).pools, []);
    assert.equal(existsSync(join(small, 'index.hnsw')), false);
  });

  it('serves exactly without hnswlib-node, and the status says so', async () => {
    const expected = await ids(engine);
    await engine.close();
    process.env['RATIO_NO_HNSW'] = '1';
    try {
      const other = await workspace.engine();
      assert.deepEqual(await ids(other), expected);
      const status = await other.status();
      assert.equal(status.index.kind, 'exact');
      assert.match(status.index.reason ?? '', /search is exact/);
      assert.equal(status.pools[0]?.index, 'exact');
      await other.addToPool({
        pool: 'two',
        sources: [workspace.file('c.jsonl', manyRows(50, 5, 'q'))],
      });
      assert.equal((await other.pools())[1]?.sentences, 250);
    } finally {
      delete process.env['RATIO_NO_HNSW'];
    }
  });

  it('encodes again for another encoder, with progress, and never mixes vectors', async () => {
    await engine.close();
    const next = bagEncoder('another');
    const other = await workspace.engine({ upkeep: 'none', createEncoder: async () => next });
    const before = await other.inspire(question);
    assert.ok(before.inspirations.length > 0);
    assert.ok(before.inspirations.every((inspiration) => inspiration.why.dense === null));
    assert.match(before.notices.join(), /another encoder/);
    const phases = new Set<string>();
    await other.keepUp({ onProgress: (progress) => phases.add(progress.phase) });
    assert.ok(phases.has('encoding'));
    assert.equal(next.encoded, 300);
    assert.equal(readStamp(folder)?.encoder, 'another+t1');
    assert.equal((await other.pools())[0]?.encoder, 'another+t1');
    const after = await other.inspire(question);
    assert.ok(after.inspirations.some((inspiration) => inspiration.why.dense !== null));
    assert.equal((await other.pools())[0]?.problem, null);
  });

  it('takes in no sentence beyond the last one encoded again', async () => {
    await engine.close();
    const next = vectorKind(bagEncoder('next'));
    const path = poolDatabase(workspace.home, 'one');
    const writer = new PoolWriter(openForWriting(path));
    const key = writer.encoderKey(next.id);
    writer.transaction(() => {
      for (const id of Array.from({ length: 300 }, (_, i) => i + 1)) {
        // Some beyond it were encoded by this encoder before.
        if (id <= 250 || id > 280) writer.replaceVector(id, key, bagOfWords(`word ${id}`));
      }
    });
    const database = openForReading(path);
    assert.ok(database);
    const reader = new PoolReader(database);
    try {
      assert.equal(await updateIndex(reader, folder, next, { last: 250 }), true);
      const { encoder, covered, count } = readStamp(folder) ?? {};
      assert.deepEqual([encoder, covered, count], [next.id, 250, 250]);
      assert.equal(await updateIndex(reader, folder, next, { last: 260 }), false);
    } finally {
      reader.close();
      writer.close();
    }
  });

  it('gives every graph free that it replaced, wrote or read back', async () => {
    const made = new Set<HnswIndex>();
    const { read, create } = HnswIndex;
    const { free } = HnswIndex.prototype;
    HnswIndex.read = async (...given) => {
      const graph = await read(...given);
      made.add(graph);
      return graph;
    };
    HnswIndex.create = (...given) => {
      const graph = create(...given);
      made.add(graph);
      return graph;
    };
    HnswIndex.prototype.free = function () {
      made.delete(this);
      free.call(this);
    };
    try {
      assert.ok((await ids(engine)).length > 0);
      assert.equal(made.size, 1);
      const [first] = made;
      const rows = workspace.file('b.jsonl', manyRows(40, 5, 'q'));
      await engine.addToPool({ pool: 'one', sources: [rows] });
      assert.deepEqual([...made], [first]);
      await engine.pools();
      while (first && made.has(first)) await nextTurn();
      assert.equal(made.size, 1);
      await engine.close();
      assert.equal(made.size, 0);
    } finally {
      Object.assign(HnswIndex, { read, create });
      HnswIndex.prototype.free = free;
    }
  });

  it('is not waited for where there is none', async () => {
    const rows = workspace.file('s.jsonl', manyRows(3, 2, 's'));
    await engine.addToPool({ pool: 'small', sources: [rows] });
    const pool = OpenPool.open(workspace.home, 'small', vectorKind(workspace.encoder));
    assert.ok(pool);
    let open = false;
    const opening = pool.refresh().then(() => (open = true));
    await nextTurn();
    const atOnce = open;
    await opening;
    assert.deepEqual([atOnce, pool.index.size, pool.index.fault], [true, 6, null]);
    pool.close();
  });

  it('leaves no temporary files of killed builds behind', async () => {
    copyFileSync(join(folder, 'index.hnsw'), join(folder, 'index.12345.tmp'));
    await engine.addToPool({
      pool: 'one',
      sources: [workspace.file('b.jsonl', manyRows(50, 5, 'q'))],
    });
    assert.throws(() => readFileSync(join(folder, 'index.12345.tmp')), /ENOENT/);
  });
});
