import assert from 'node:assert/strict';
import { poolsState } from '../../../server/engine/store/poolsState';
import { row, Workspace } from './support';

describe('the state of the pools by their files', () => {
  let workspace: Workspace;
  beforeEach(() => (workspace = new Workspace()));
  afterEach(() => workspace.dispose());

  it('is another after every write, and the same without one', async () => {
    const seen = [poolsState(workspace.home)];
    const changes = async (work: () => Promise<unknown>): Promise<void> => {
      await work();
      const now = poolsState(workspace.home);
      assert.ok(!seen.includes(now), `${seen.length}: ${now}`);
      seen.push(now);
    };
    const writer = await workspace.engine({ upkeep: 'none' });
    const reader = await workspace.engine({ upkeep: 'none' });
    const path = workspace.file('a.jsonl', [row('a', ['A lamp beside a river needs glass.'])]);
    await changes(() => writer.addToPool({ pool: 'one', sources: [path] }));
    const ask = { move: 'address' as const, text: 'A lamp on the river', pools: null };
    await reader.inspire(ask);
    const before = poolsState(workspace.home);
    seen.push(before);
    await reader.inspire(ask);
    assert.equal(poolsState(workspace.home), before);
    workspace.file('a.jsonl', [row('a', ['A lamp beside a river needs bread.'])]);
    await changes(() => writer.updatePool('one'));
    await changes(() => writer.addToPool({ pool: 'two', sources: [path] }));
    await changes(() => writer.removePool('one'));
  });
});
