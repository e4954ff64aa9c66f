import assert from 'node:assert/strict';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { RatioError } from '../../../server/engine/engine';
import {
  forgetStarterRemoved,
  rememberStarterRemoved,
} from '../../../server/engine/import/starter';
import type { LocalEngine } from '../../../server/engine/local';
import { tryLockPool } from '../../../server/engine/store/lock';
import { poolFolder } from '../../../server/engine/store/names';
import { bagEncoder, listeningEncoder } from './doubles';
import { manyRows, row, Workspace } from './support';

const paperOf = async (engine: LocalEngine, id: string) =>
  (await engine.findPaper({ ids: [id], dois: [] }, null)).found;

const code =
  (expected: RatioError['code'], words = /./) =>
  (error: unknown): boolean =>
    error instanceof RatioError && error.code === expected && words.test(error.message);

describe('starter pool', function () {
  this.timeout(20_000);
  let workspace: Workspace;
  beforeEach(() => (workspace = new Workspace()));
  afterEach(() => workspace.dispose());

  const starterRow = (id: string, text: string): string =>
    JSON.stringify({ ...row(id, []), sentences: [{ text, role: 'method' }] });

  it('is built at first start, by one of two engines at once, and the first move waits for it', async () => {
    const starterPool = workspace.file('starter.jsonl', [
      starterRow('s1', 'We bake the bread in a small oven.'),
      starterRow('s2', 'We carve the chair from a single tree.'),
    ]);
    const [one, two] = await Promise.all([
      workspace.engine({ starterPool }),
      workspace.engine({ starterPool }),
    ]);
    const question = {
      move: 'address' as const,
      text: 'How to carve a chair from wood',
      pools: null,
    };
    for (const engine of [one, two]) {
      const { inspirations } = await engine.inspire(question);
      assert.equal(inspirations[0]?.paper.id, 's2');
      assert.equal(inspirations[0]?.role, 'method');
    }
    assert.deepEqual(
      (await one.pools()).map((pool) => [pool.name, pool.sources]),
      [['starter', []]],
    );
  });

  it('follows its file, keeps what the user added to it, and stays removed', async () => {
    let starterPool = workspace.file('starter.jsonl', [starterRow('s1', 'We bake bread.')]);
    const one = await workspace.engine({ starterPool, upkeep: 'none' });
    await one.keepUp();
    await one.addToPool({ pool: 'starter', sources: [workspace.file('a.jsonl', manyRows(2, 2))] });
    starterPool = workspace.file('starter-2.jsonl', [starterRow('s2', 'We carve chairs.')]);
    const two = await workspace.engine({ starterPool, upkeep: 'none' });
    await two.keepUp();
    assert.equal(await paperOf(two, 's1'), null);
    assert.notEqual(await paperOf(two, 's2'), null);
    assert.notEqual(await paperOf(two, 'p1'), null);
    await two.removePool('starter');
    await one.keepUp();
    assert.deepEqual(await one.pools(), []);
    await one.addToPool({ pool: 'starter', sources: [workspace.file('a.jsonl', manyRows(2, 2))] });
    assert.equal((await two.upkeepNeeded()).starter, true);
  });

  it('is not built where it was removed while that waited for another process', async () => {
    const starterPool = workspace.file('starter.jsonl', [starterRow('s1', 'We bake bread.')]);
    const engine = await workspace.engine({ starterPool, upkeep: 'none' });
    const whileWaiting = async (work: () => void): Promise<void> => {
      const lock = tryLockPool(workspace.home, 'starter');
      assert.ok(lock);
      await engine.keepUp({
        onProgress: ({ phase }) => {
          if (phase !== 'waiting') return;
          work();
          lock.release();
        },
      });
    };
    await whileWaiting(() => rememberStarterRemoved(workspace.home));
    assert.deepEqual(await engine.pools(), []);
    forgetStarterRemoved(workspace.home);
    await engine.keepUp();
    assert.equal((await engine.pools())[0]?.papers, 1);
  });

  it('and upkeep make no other pool again that was removed meanwhile', async () => {
    const one = await workspace.engine({ upkeep: 'none' });
    for (const pool of ['big', 'small']) {
      await one.addToPool({ pool, sources: [workspace.file('a.jsonl', manyRows(2, 2))] });
    }
    await one.close();
    const two = await workspace.engine({
      upkeep: 'none',
      createEncoder: async () => bagEncoder('next'),
    });
    await two.keepUp({
      onProgress: ({ pool }) => {
        const other = poolFolder(workspace.home, 'small');
        if (pool === 'big') rmSync(other, { recursive: true, force: true });
      },
    });
    assert.deepEqual(
      (await two.pools()).map(({ name, problem }) => [name, problem]),
      [['big', null]],
    );
  });

  it('is all that the first move waits for, however much else is to be put in order', async () => {
    const starterPool = workspace.file('starter.jsonl', [starterRow('s1', 'We bake bread.')]);
    const one = await workspace.engine({ upkeep: 'none' });
    await one.addToPool({ pool: 'big', sources: [workspace.file('a.jsonl', manyRows(20, 5))] });
    await one.close();
    const next = bagEncoder('next');
    let go = (): void => undefined;
    const gate = new Promise<void>((resolve) => (go = resolve));
    const slow = {
      ...next,
      encode: async (texts: string[]) => {
        // The starter pool has one sentence, the other pool a hundred.
        if (texts.length > 1) await gate;
        return next.encode(texts);
      },
    };
    const two = await workspace.engine({ starterPool, createEncoder: async () => slow });
    const { inspirations } = await two.inspire({
      ...{ move: 'address', text: 'How do we bake bread?', pools: ['starter'], limit: 5 },
      perPaper: 2,
    });
    assert.equal(inspirations[0]?.paper.id, 's1');
    assert.deepEqual((await two.upkeepNeeded()).pools, ['big']);
    go();
  });

  it('makes the starter pool alone where no more is asked for', async () => {
    const starterPool = workspace.file('starter.jsonl', [starterRow('s1', 'We bake bread.')]);
    const one = await workspace.engine({ upkeep: 'none' });
    await one.addToPool({ pool: 'big', sources: [workspace.file('a.jsonl', manyRows(2, 2))] });
    await one.close();
    const two = await workspace.engine({
      starterPool,
      upkeep: 'none',
      createEncoder: async () => bagEncoder('next'),
    });
    await two.keepUp({ starterOnly: true });
    assert.deepEqual(await two.upkeepNeeded(), { starter: false, pools: ['big'] });
    const told: string[] = [];
    await two.prepare(null, { onPool: (pool, why) => told.push(`${pool}: ${why}`) });
    assert.deepEqual(told, ['big: encoder']);
    assert.deepEqual((await two.upkeepNeeded()).pools, []);
  });

  it('answers by words while another process writes to a pool of another encoder', async () => {
    const one = await workspace.engine({ upkeep: 'none' });
    await one.addToPool({ pool: 'big', sources: [workspace.file('a.jsonl', manyRows(2, 2))] });
    await one.close();
    const two = await workspace.engine({
      upkeep: 'none',
      createEncoder: async () => bagEncoder('next'),
    });
    const lock = tryLockPool(workspace.home, 'big');
    assert.ok(lock);
    const faults: string[] = [];
    await two.prepare(['big', '../big'], {
      onFault: (pool, error) => faults.push(`${pool}: ${String(error)}`),
    });
    lock.release();
    assert.equal(faults.length, 1);
    assert.match(faults[0] ?? '', /^big: .*is written to/);
  });

  it('is restored by an update after it was removed, and only then', async () => {
    const starterPool = workspace.file('starter.jsonl', [starterRow('s1', 'We bake bread.')]);
    const engine = await workspace.engine({ starterPool, upkeep: 'none' });
    await engine.keepUp();
    await engine.removePool('starter');
    await engine.keepUp();
    assert.deepEqual(await engine.pools(), []);
    const report = await engine.updatePool('starter');
    assert.deepEqual([report.pool, report.stored, report.cancelled], ['starter', 1, false]);
    assert.notEqual(await paperOf(engine, 's1'), null);
    assert.deepEqual((await engine.updatePool('starter')).stored, 0);
    // It counts as wanted again: a changed file would be followed.
    assert.equal((await engine.upkeepNeeded()).starter, false);
    const without = await workspace.engine({ home: join(workspace.folder, 'other') });
    await assert.rejects(without.updatePool('starter'), code('no-pool', /no pool “starter”/));
  });

  it('is encoded again by itself for another encoder', async () => {
    const starterPool = workspace.file('starter.jsonl', [
      starterRow('s1', 'Therefore, we bake the bread in a small oven.'),
      starterRow('s2', 'We carve the chair from a single tree.'),
    ]);
    const one = await workspace.engine({ starterPool, upkeep: 'none' });
    await one.keepUp();
    assert.equal((await one.pools())[0]?.encoder, 'bag-of-words+t1');
    await one.close();
    const next = listeningEncoder('next');
    const two = await workspace.engine({
      starterPool,
      upkeep: 'none',
      createEncoder: async () => next,
    });
    assert.deepEqual(await two.upkeepNeeded(), { starter: false, pools: ['starter'] });
    await two.keepUp();
    assert.deepEqual(next.documents, [
      'We bake the bread in a small oven.',
      'We carve the chair from a single tree.',
    ]);
    const [info] = await two.pools();
    assert.deepEqual([info?.encoder, info?.problem], ['next+t1', null]);
    assert.deepEqual(await two.upkeepNeeded(), { starter: false, pools: [] });
  });
});
