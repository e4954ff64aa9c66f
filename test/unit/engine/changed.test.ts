import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { vectorKind } from '../../../server/engine/encoder/textForm';
import { updateIndex } from '../../../server/engine/index/build';
import { loadHnsw } from '../../../server/engine/index/hnsw';
import { readStamp } from '../../../server/engine/index/stamp';
import type { LocalEngine } from '../../../server/engine/local';
import { openForWriting } from '../../../server/engine/store/database';
import { poolDatabase, poolFolder } from '../../../server/engine/store/names';
import { OpenPool } from '../../../server/engine/store/pool';
import { OpenPools } from '../../../server/engine/store/pools';
import { PoolWriter } from '../../../server/engine/store/writer';
import { importers } from '../../../server/pools';
import { skipBecause } from '../../skip';
import { bagEncoder, bagOfWords, jsonlImporter } from './doubles';
import { manyRows, row, Workspace } from './support';

const QUERY = bagOfWords('The lamp of river holds a wheel of bread and stone');

/** Rowids that a search finds and those of the sentences that the pool has, both in order. */
function foundAndLive(pool: OpenPool, k: number): { found: number[]; live: number[] } {
  const ids = (rows: { id: number }[]): number[] => rows.map(({ id }) => id).sort((a, b) => a - b);
  return {
    found: ids(pool.index.search(QUERY, k)),
    live: ids(pool.reader.vectorsAfter(pool.reader.encoder() ?? '', 0, 10_000)),
  };
}

describe('dense search while papers change', function () {
  this.timeout(60_000);
  let workspace: Workspace;
  let engine: LocalEngine;
  let reading: OpenPools;
  beforeEach(async () => {
    workspace = new Workspace();
    engine = await workspace.engine({
      upkeep: 'none',
      importers: [jsonlImporter, ...importers],
    });
    reading = new OpenPools(workspace.home, vectorKind(workspace.encoder));
  });
  afterEach(async () => {
    reading.close();
    await workspace.dispose();
  });

  const look = async (k: number, from = reading): Promise<{ found: number[]; live: number[] }> => {
    const both = await from.read('one', (pool) => foundAndLive(pool, k));
    assert.ok(both);
    return both;
  };

  it('finds every sentence of notes that are written on, and none that they no longer hold', async () => {
    const notes = join(workspace.folder, 'notes.md');
    const write = (last: string): void => {
      const lines = Array.from({ length: 39 }, (_, i) => `The river lamp lights wheel ${i}.`);
      writeFileSync(notes, `# Notes\n\n${[...lines, last].join('\n')}\n`);
    };
    write('The first wording of it.');
    const rows = workspace.file('a.jsonl', manyRows(20, 5));
    await engine.addToPool({ pool: 'one', sources: [rows, notes] });
    assert.equal((await look(150)).live.length, 140);
    for (let i = 0; i < 20; i++) {
      write(`The wording number ${i} of it.`);
      assert.equal((await engine.updatePool('one')).stored, 1);
      const { found, live } = await look(150);
      assert.equal(live.length, 140);
      assert.deepEqual(found, live);
    }
  });

  it('counts sentences without reading papers', async () => {
    await engine.addToPool({
      pool: 'one',
      sources: [workspace.file('a.jsonl', [row('p', ['A.'])])],
    });
    const pool = OpenPool.open(workspace.home, 'one', vectorKind(workspace.encoder));
    assert.ok(pool);
    const { counts } = pool.reader;
    pool.reader.counts = () => assert.fail('papers are read');
    try {
      await pool.refresh();
      assert.equal(pool.sentences, 1);
      assert.equal(
        await updateIndex(pool.reader, pool.folder, vectorKind(workspace.encoder)),
        false,
      );
    } finally {
      pool.reader.counts = counts;
      pool.close();
    }
  });

  it('finds no sentence that only the index file still holds', async function () {
    const { module, reason } = loadHnsw();
    if (!module) skipBecause(this, String(reason));
    const rows = manyRows(100, 3);
    workspace.file('a.jsonl', rows);
    await engine.addToPool({ pool: 'one', sources: [join(workspace.folder, 'a.jsonl')] });
    assert.equal((await look(300)).found.length, 300);
    // Nineteen of a hundred: one more than a fifth, and the file would be built anew.
    const changed = rows.map((each, i) => (i < 19 ? { ...each, date: '2021' } : each));
    workspace.file('a.jsonl', changed);
    assert.equal((await engine.updatePool('one')).stored, 19);
    assert.equal(readStamp(poolFolder(workspace.home, 'one'))?.count, 300);
    const later = new OpenPools(workspace.home, vectorKind(workspace.encoder));
    try {
      for (const pools of [reading, later]) {
        const { found, live } = await look(300, pools);
        assert.deepEqual(found, live);
        assert.equal((await look(150, pools)).found.length, 150);
        const kept = new Set(live);
        assert.ok((await look(150, pools)).found.every((id) => kept.has(id)));
        assert.deepEqual(await pools.read('one', ({ index }) => [index.kind, index.size]), [
          'hnsw',
          300,
        ]);
      }
    } finally {
      later.close();
    }
  });

  it('finds what was encoded again up to the first that waits, and tells whether any does', async () => {
    const texts = Array.from({ length: 60 }, (_, i) => `The river lamp lights wheel ${i}.`);
    const file = workspace.file('a.jsonl', [row('p', texts)]);
    await engine.addToPool({ pool: 'one', sources: [file] });
    const next = vectorKind(bagEncoder('next'));
    const writer = new PoolWriter(openForWriting(poolDatabase(workspace.home, 'one')));
    const other = new OpenPools(workspace.home, next);
    try {
      const encodeAgain = (from: number, to: number): void =>
        writer.transaction(() => {
          const key = writer.encoderKey(next.id);
          for (let id = from; id <= to; id++) writer.replaceVector(id, key, QUERY);
        });
      const state = (): Promise<[number, boolean] | null> =>
        other.read('one', ({ index, foreign }) => [index.size, foreign]);
      assert.deepEqual(await state(), [0, true]);
      // By an encoder that was in use before another one began to encode again, oldest first.
      encodeAgain(31, 60);
      assert.deepEqual(await state(), [0, true]);
      encodeAgain(1, 10);
      assert.deepEqual(await state(), [10, true]);
      encodeAgain(11, 29);
      assert.deepEqual(await state(), [29, true]);
      encodeAgain(30, 30);
      assert.deepEqual(await state(), [60, false]);
      // As encoding a pool again ends.
      writer.transaction(() => writer.forgetOtherEncoders(writer.encoderKey(next.id)));
      assert.deepEqual(await state(), [60, false]);
      const { found, live } = await look(150, other);
      assert.deepEqual(found, live);
    } finally {
      other.close();
      writer.close();
    }
  });
});
