import assert from 'node:assert/strict';
import { row, Workspace } from './support';

describe('recall among the papers of some years', function () {
  this.timeout(120_000);
  let workspace: Workspace;
  beforeEach(() => (workspace = new Workspace()));
  afterEach(() => workspace.dispose());

  it('finds all by words, however many others match them better', async () => {
    const engine = await workspace.engine({ upkeep: 'none' });
    const old = Array.from({ length: 100 }, (_, i) =>
      row(
        `old${i}`,
        Array.from({ length: 20 }, (__, j) => `Lamp river glass, river lamp glass ${i} ${j}.`),
        { date: '1999' },
      ),
    );
    const fresh = Array.from({ length: 20 }, (_, i) =>
      row(
        `new${i}`,
        [`Some boats of kind ${i} have one lamp of glass each and carry bread to the town.`],
        {
          date: '2021-03',
        },
      ),
    );
    const undated = row('undated', ['A lamp on glass near the river.'], { date: null });
    const path = workspace.file('a.jsonl', [...old, ...fresh, undated]);
    await engine.addToPool({ pool: 'one', sources: [path] });
    const { inspirations } = await engine.inspire({
      ...{ move: 'address', text: 'A lamp of glass lights the river', pools: null },
      ...{ years: { from: 2020, to: null }, limit: 19 },
    });
    assert.equal(inspirations.length, 19);
    for (const { id, why } of inspirations) {
      assert.ok(id.startsWith('one/new'), id);
      assert.ok(why.lexical, id);
    }
    // Ranks are among the papers of these years.
    assert.ok(inspirations.every(({ why }) => (why.lexical?.rank ?? 0) <= 20));
  });
});
