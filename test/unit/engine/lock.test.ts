import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { RatioError } from '../../../server/engine/engine';
import { lockPool, tryLockPool } from '../../../server/engine/store/lock';
import { Workspace } from './support';

describe('writer lock of a pool', function () {
  this.timeout(20_000);
  let workspace: Workspace;
  beforeEach(() => (workspace = new Workspace()));
  afterEach(() => workspace.dispose());

  it('lets the second writer wait until the first is done', async () => {
    const first = await lockPool(workspace.home, 'one');
    let waits = 0;
    const second = lockPool(workspace.home, 'one', { onWait: () => waits++ });
    await new Promise((resolve) => setTimeout(resolve, 250));
    assert.equal(waits, 1);
    assert.equal(tryLockPool(workspace.home, 'one'), null);
    first.release();
    (await second).release();
  });

  it('does not hold up writers of another pool', async () => {
    const one = await lockPool(workspace.home, 'one');
    const two = await lockPool(workspace.home, 'two');
    one.release();
    two.release();
  });

  it('can be cancelled while it waits', async () => {
    const first = await lockPool(workspace.home, 'one');
    const abort = new AbortController();
    const second = lockPool(workspace.home, 'one', { signal: abort.signal });
    abort.abort();
    await assert.rejects(
      second,
      (error) => error instanceof RatioError && error.code === 'cancelled',
    );
    first.release();
  });

  it('goes with the process that holds it', () => {
    const script = `
      const { tryLockPool } = require(${JSON.stringify(require.resolve('../../../server/engine/store/lock'))});
      if (!tryLockPool(${JSON.stringify(workspace.home)}, 'one')) process.exit(3);
      process.kill(process.pid, 'SIGKILL');`;
    assert.throws(
      () => execFileSync(process.execPath, ['--require', 'tsx/cjs', '-e', script]),
      (error: { signal?: string }) => error.signal === 'SIGKILL',
    );
    const lock = tryLockPool(workspace.home, 'one');
    assert.ok(lock);
    lock.release();
  });
});
