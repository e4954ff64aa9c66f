import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import type { Inspiration, InspireRequest } from '../../../server/engine/engine';
import { prepareTextForm } from '../../../server/engine/encoder/textForm';
import { lexicalFeatures } from '../../../server/engine/rerank/features';
import type { RerankInput } from '../../../server/engine/rerank/reranker';
import { RerankStage, type Scorer } from '../../../server/engine/rerank/stage';
import { RerankerFolder } from './rerank/support';
import { manyRows, row, Workspace, type Row } from './support';

const PROBLEM = 'Labels of rare river fish cost far too much money for any small museum';
const COPY = 'However, labels of rare river fish cost far too much money for any small museum.';

/** Keeps what it was asked. */
function listening(): Scorer & { inputs: RerankInput[] } {
  const folder = new RerankerFolder();
  const config = JSON.parse(readFileSync(folder.file('config.json'), 'utf8')) as Scorer['config'];
  folder.dispose();
  const inputs: RerankInput[] = [];
  return {
    config,
    inputs,
    tokens: (text) => text.split(' ').length,
    queryTokens: ({ query }) => query.split(' ').length,
    score: async (input) => {
      inputs.push(input);
      return input.passages.flatMap(({ sentences }, passage) =>
        sentences.map((_, sentence) => ({
          ...{ passage, sentence, score: 0, local: 0, relatives: [] },
          roles: [0.1, 0.1, 0.8] as [number, number, number],
        })),
      );
    },
  };
}

describe('a copy of the query in another paper', function () {
  this.timeout(60_000);
  before(prepareTextForm);

  const answers = [
    row('a', ['We ask divers for labels of rare river fish.', 'Some fish of a river are rare.']),
    row('b', ['A museum of small means buys few labels.', 'Its money is short.']),
    row('c', ['Rain falls.', 'The cost of labels grows with the river.', 'Wind blows.']),
    ...manyRows(100, 3),
  ];
  const copied = (...sentences: string[]): Row => row('copied', sentences, { date: '1990' });
  const workspaces: Workspace[] = [];
  after(async () => {
    for (const workspace of workspaces) await workspace.dispose();
  });

  const ask = async (
    rows: Row[],
    years: InspireRequest['years'] = { from: null, to: null },
  ): Promise<{ found: Inspiration[]; input: RerankInput }> => {
    const workspace = new Workspace();
    workspaces.push(workspace);
    const scorer = listening();
    const stage = new RerankStage(scorer, { passages: 50, took: () => undefined });
    const engine = await workspace.engine({ upkeep: 'none', stages: [stage] });
    await engine.addToPool({ pool: 'one', sources: [workspace.file('one.jsonl', rows)] });
    const request = { move: 'address' as const, text: PROBLEM, pools: null, years };
    const recalled = await engine.inspire({ ...request, limit: 200, perPaper: 20, rerank: false });
    await engine.inspire({ ...request, limit: 200, perPaper: 20 });
    const [input] = scorer.inputs;
    assert.ok(input);
    return { found: recalled.inspirations, input };
  };
  const scores = (found: Inspiration[]): Map<string, number> =>
    new Map(found.map(({ id, score }) => [id, score]));
  const lexical = ({ query, passages }: RerankInput): ReturnType<typeof lexicalFeatures> =>
    lexicalFeatures(
      query,
      passages.map(({ sentences }) => sentences),
    );

  it('changes the score of no other', async () => {
    // The statistics of words are the pool's, so the copy is there both times.
    const rows = [...answers, copied(COPY)];
    const without = scores((await ask(rows, { from: 2000, to: null })).found);
    const found = scores((await ask(rows)).found);
    assert.ok(without.size > 4);
    assert.deepEqual([...found], [...without]);
    // And by no more than what one more sentence changes in them.
    for (const [id, score] of scores((await ask(answers)).found)) {
      assert.ok(Math.abs(score - (found.get(id) ?? 0)) < 0.02, id);
    }
  });

  it('is not read by the reranker, nor counted in what it is told of words', async () => {
    const told = 'Otters propose bold remedies for labels of fish.';
    const plain = await ask([...answers, copied('Owls hoot.', told)]);
    const { found, input } = await ask([...answers, copied('Owls hoot.', COPY, told)]);
    assert.deepEqual(
      input.passages.map(({ sentences }) => sentences).sort(),
      plain.input.passages.map(({ sentences }) => sentences).sort(),
    );
    const best = (all: RerankInput): number[] => lexical(all).bm25.flat().sort();
    assert.deepEqual(best(input), best(plain.input));
    assert.equal(Math.max(...lexical(input).bm25.flat()), 1);
    // What it says of the paper still counts in recall.
    assert.equal(found.find(({ id }) => id === 'one/copied#2')?.why.context?.text, COPY);
  });
});
