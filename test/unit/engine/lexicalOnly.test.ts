import assert from 'node:assert/strict';
import { bagEncoder } from './doubles';
import { row, Workspace } from './support';

describe('a pool that is searched by words alone', function () {
  this.timeout(60_000);
  let workspace: Workspace;
  beforeEach(() => (workspace = new Workspace()));
  afterEach(() => workspace.dispose());

  it('is looked through further where one paper fills the list', async () => {
    const engine = await workspace.engine({ upkeep: 'none' });
    const path = workspace.file('a.jsonl', [
      row(
        'long',
        Array.from({ length: 200 }, (_, i) => `A lamp on the river shone ${i} times.`),
      ),
      ...Array.from({ length: 30 }, (_, i) =>
        row(`p${i}`, [`Some say that a lamp may stand beside the water of river ${i} at night.`]),
      ),
    ]);
    await engine.addToPool({ pool: 'one', sources: [path] });
    const words = await workspace.engine({
      upkeep: 'none',
      createEncoder: async () => bagEncoder('another'),
    });
    const found = await words.inspire({
      ...{ move: 'address', text: 'A lamp on the river', pools: null, limit: 10 },
    });
    assert.match(found.notices.join(), /encoded by another encoder/);
    assert.deepEqual([found.inspirations.length, found.more], [10, true]);
  });
});
