/** A baseline over a pool of the data folder leaves out what the product leaves out. */
import assert from 'node:assert/strict';
import { openJudgePool } from '../../../server/evaluation/judge/pool';
import { baselineRun } from '../../../server/evaluation/judge/run';
import { bagEncoder } from '../engine/doubles';
import { row, Workspace } from '../engine/support';

const TITLE = 'How tides and boats go together in winter';
const QUERY = {
  id: 'a1',
  move: 'address' as const,
  text: 'Tide tide tide tide boat boat boat boat late.',
};

describe('baselines of a judging', function () {
  this.timeout(60_000);
  let workspace: Workspace;
  beforeEach(() => (workspace = new Workspace()));
  afterEach(() => workspace.dispose());

  const run = async (rows: ReturnType<typeof row>[], product = true): Promise<string[]> => {
    const engine = await workspace.engine({ upkeep: 'none' });
    await engine.addToPool({ pool: 'sea', sources: [workspace.file('a.jsonl', rows)] });
    await engine.close();
    const pool = openJudgePool('sea', workspace.home);
    try {
      const { rankings } = await baselineRun(await pool.load(), [QUERY], null, {
        ...{ retriever: 'bm25', context: null, top: 10, perPaper: 1 },
        product: product ? bagEncoder() : undefined,
      });
      return (rankings.get('a1') ?? []).map(({ id }) => id).sort();
    } finally {
      pool.close();
    }
  };

  it('count a paper once by its title, else by its DOI, however it is named', async () => {
    const found = await run([
      row('preprint', ['The boat waits for water.'], { title: TITLE }),
      row('published', ['A boat is moored at night.'], { title: `${TITLE}.`, doi: '10.1/a' }),
      row('short', ['Some boat has no crew today.'], { title: 'Boats', doi: '10.1/B' }),
      row('short-too', ['No boat is out there now.'], { title: 'Boats!', doi: '10.1/b' }),
      row('other', ['Every boat needs a harbour.'], { title: 'Boats' }),
    ]);
    assert.deepEqual(
      found.map((id) => id.split('-')[0]?.replace(/#.*/, '').replace('published', 'preprint')),
      ['other', 'preprint', 'short'],
    );
  });

  it('leave out near-copies of the query by the vectors of the pool', async () => {
    // The same words but one, and often: few words are shared by sets of words.
    const rows = [
      row('copy', ['Tide tide tide tide boat boat boat boat soon.']),
      row('apart', ['The boat waits for high water.']),
    ];
    assert.deepEqual(await run(rows), ['apart#0']);
    assert.deepEqual(await run(rows, false), ['apart#0', 'copy#0']);
  });
});
