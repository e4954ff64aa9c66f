/** An engine that is closed while it is at work. */
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { RatioError } from '../../../server/engine/engine';
import { tryLockPool } from '../../../server/engine/store/lock';
import { poolFolder } from '../../../server/engine/store/names';
import { bagEncoder } from './doubles';
import { manyRows, Workspace } from './support';

describe('closing an engine', function () {
  this.timeout(20_000);
  let workspace: Workspace;
  beforeEach(async () => {
    workspace = new Workspace();
    const engine = await workspace.engine({ upkeep: 'none' });
    await engine.addToPool({ pool: 'one', sources: [workspace.file('a.jsonl', manyRows(20, 5))] });
    await engine.close();
  });
  afterEach(() => workspace.dispose());

  it('waits until upkeep has stopped, at the next batch', async () => {
    const next = bagEncoder('next');
    let begun = (): void => undefined;
    const encoding = new Promise<void>((resolve) => (begun = resolve));
    const engine = await workspace.engine({
      upkeep: 'none',
      createEncoder: async () => ({
        ...next,
        encode: async (texts: string[]) => {
          begun();
          await new Promise((resolve) => setTimeout(resolve, 200));
          return next.encode(texts);
        },
      }),
    });
    let ended = false;
    const kept = engine.keepUp().finally(() => (ended = true));
    await encoding;
    await engine.close();
    assert.equal(ended, true);
    await kept;
    assert.ok(next.encoded <= 64, 'no more than a batch');
    const lock = tryLockPool(workspace.home, 'one');
    assert.ok(lock);
    lock.release();
  });

  it('gives up a removal that waits for a move, and leaves the pool as it is', async () => {
    let begun = (): void => undefined;
    const running = new Promise<void>((resolve) => (begun = resolve));
    let go = (): void => undefined;
    const gate = new Promise<void>((resolve) => (go = resolve));
    const engine = await workspace.engine({
      upkeep: 'none',
      stages: [
        {
          name: 'waits',
          run: async (candidates) => {
            begun();
            await gate;
            return candidates;
          },
        },
      ],
    });
    const text = 'The lamp of river holds a wheel of bread and stone';
    const move = engine.inspire({ move: 'address', text, pools: null }).catch(() => undefined);
    await running;
    let ended = false;
    const removal = assert
      .rejects(
        engine.removePool('one'),
        (error) => error instanceof RatioError && error.code === 'cancelled',
      )
      .finally(() => (ended = true));
    await engine.close();
    assert.equal(ended, true);
    await removal;
    assert.ok(existsSync(poolFolder(workspace.home, 'one')));
    go();
    await move;
  });
});
