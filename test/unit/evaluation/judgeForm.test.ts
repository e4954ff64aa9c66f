import assert from 'node:assert/strict';
import { embeddedText } from '../../../server/engine/encoder/textForm';
import type { ContextMode } from '../../../server/evaluation/context';
import type { OpenEncoders } from '../../../server/evaluation/encoders';
import { openJudgePool } from '../../../server/evaluation/judge/pool';
import { baselineRun } from '../../../server/evaluation/judge/run';
import type { Run } from '../../../server/evaluation/trec';
import { listeningEncoder } from '../engine/doubles';
import { row, Workspace } from '../engine/support';

const QUERY = 'However, fog hides the harbour buoys.';
const SENTENCES = [
  'Fog is common in spring.',
  'To address this issue, we ring bells near the harbour buoys.',
  'Moreover, gulls sleep on the pier.',
];

describe('baselines of the judged sentences', function () {
  this.timeout(20_000);
  let workspace: Workspace;
  beforeEach(async () => {
    workspace = new Workspace();
    const engine = await workspace.engine();
    await engine.addToPool({
      pool: 'coast',
      sources: [workspace.file('coast.jsonl', [row('p1', SENTENCES)])],
    });
  });
  afterEach(() => workspace.dispose());

  /** A run, and the texts that the encoder was asked for, queries and documents alike. */
  async function runWith(
    id: string,
    context: ContextMode | null,
  ): Promise<{ run: Run; encoded: string[] }> {
    const model = listeningEncoder(id);
    const prompts = { queryPrefix: '', documentPrefix: '', files: {} };
    const encoders: OpenEncoders = {
      forMove: () => ({ model, prompts, revision: id, template: null }),
      cache: null,
      ids: { address: id, broaden: id, specify: id },
      told: false,
      close: () => Promise.resolve(),
    };
    const pool = openJudgePool('coast', workspace.home);
    try {
      const run = await baselineRun(
        await pool.load(),
        [{ id: 'q', move: 'address', text: QUERY }],
        encoders,
        { retriever: 'dense', context, top: 10, perPaper: 10 },
      );
      return { run, encoded: model.documents };
    } finally {
      pool.close();
    }
  }

  const query = embeddedText(QUERY);
  const forms = SENTENCES.map(embeddedText);

  before(() => {
    assert.notEqual(query, QUERY, 'the form of the query differs');
    assert.notEqual(forms[1], SENTENCES[1], 'the form of a sentence differs');
  });

  it('take the vectors that the pool keeps for its encoder', async () => {
    const { encoded } = await runWith(workspace.encoder.id, null);
    assert.deepEqual(encoded, [query]);
    const combined = await runWith(workspace.encoder.id, 'combine');
    assert.deepEqual(combined.encoded, ['Title of p1', query]);
  });

  it('encode what another encoder lacks in the form of the pool', async () => {
    const { encoded, run } = await runWith('other', null);
    assert.deepEqual(encoded, [...forms, query]);
    // The same encoder under another name: the pool's own vectors give the same scores.
    const stored = await runWith(workspace.encoder.id, null);
    const scores = ({ rankings }: Run): unknown =>
      rankings.get('q')?.map((ranked) => [ranked.id, ranked.score.toFixed(5)]);
    assert.deepEqual(scores(run), scores(stored.run));
    assert.equal(run.rankings.get('q')?.[0]?.id, 'p1#1');
  });

  it('put sentences in that form into their context', async () => {
    const { encoded } = await runWith(workspace.encoder.id, 'concat');
    assert.ok(encoded.includes(query));
    assert.ok(encoded.includes(`Title of p1. ${SENTENCES[0]} ${forms[1]}`), encoded.join('\n'));
  });
});
