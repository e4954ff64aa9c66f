import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import {
  RatioError,
  type Inspiration,
  type InspireRequest,
} from '../../../../server/engine/engine';
import { prepareTextForm } from '../../../../server/engine/encoder/textForm';
import type { LocalEngine } from '../../../../server/engine/local';
import type { Candidate } from '../../../../server/engine/recall/fuse';
import type { StageContext } from '../../../../server/engine/recall/stage';
import { Pace } from '../../../../server/engine/rerank/pace';
import type { RerankInput } from '../../../../server/engine/rerank/reranker';
import { RerankStage, type Scorer } from '../../../../server/engine/rerank/stage';
import { poolDatabase } from '../../../../server/engine/store/names';
import { openForWriting } from '../../../../server/engine/store/database';
import { row, Workspace, type Row } from '../support';
import { RerankerFolder } from './support';

const PROBLEM = 'Labels of rare river fish cost far too much';
const COPY = 'Labels of rare river fish cost far too much.';
const STATED = 'In practice labels of rare river fish cost too much effort.';
const FAR = 'Otters propose bold remedies.';
const OTHER = 'Boats drift along the shore at noon.';

type Double = Scorer & { inputs: RerankInput[] };

/** A scorer that gives what it is told by a sentence's text, and keeps what it was asked. */
function double(
  scoreOf: (text: string) => number,
  more: { links?: [string, string][]; roles?: [number, number, number] } = {},
): Double {
  const folder = new RerankerFolder();
  const config = JSON.parse(readFileSync(folder.file('config.json'), 'utf8')) as Scorer['config'];
  folder.dispose();
  const inputs: RerankInput[] = [];
  return {
    config,
    inputs,
    tokens: (text) => text.split(' ').length,
    queryTokens: ({ query }) => query.split(' ').length,
    score: async (input, { signal } = {}) => {
      inputs.push(input);
      await new Promise((resolve) => setImmediate(resolve));
      if (signal?.aborted) throw new RatioError('cancelled', 'Cancelled.');
      const places = input.passages.flatMap(({ sentences }, passage) =>
        sentences.map((text, sentence) => ({ passage, sentence, text })),
      );
      return places.map(({ text, ...place }) => ({
        ...place,
        score: scoreOf(text),
        local: 0,
        roles: more.roles ?? [0.1, 0.1, 0.8],
        relatives: places
          .filter((other) => more.links?.some(([a, b]) => a === text && b === other.text))
          .map((other) => ({ passage: other.passage, sentence: other.sentence, cosine: 0.9 })),
      }));
    },
  };
}

/** A pace that does not change. */
const fixed = (passages: number) => ({ passages, took: () => undefined });

describe('reranking as a stage', function () {
  this.timeout(60_000);
  let workspace: Workspace;
  let engine: LocalEngine;
  before(prepareTextForm);
  beforeEach(() => (workspace = new Workspace()));
  afterEach(() => workspace.dispose());

  const open = async (scorer: Scorer, rows: Row[], passages = 50): Promise<void> => {
    engine = await workspace.engine({
      upkeep: 'none',
      stages: [new RerankStage(scorer, fixed(passages))],
    });
    await engine.addToPool({ pool: 'one', sources: [workspace.file('one.jsonl', rows)] });
  };
  const ask = async (request: Partial<InspireRequest> = {}): Promise<Inspiration[]> => {
    const snapshot = await engine.inspire({
      ...{ move: 'address', text: PROBLEM, pools: null, limit: 200, perPaper: 20 },
      ...request,
    });
    assert.ok(snapshot.reranked);
    return snapshot.inspirations;
  };
  const ids = (found: Inspiration[]): string[] => found.map(({ id }) => id);

  it('says how much of a long text the order goes by, and nothing of a short one', async () => {
    const scorer = double((text) => text.length / 1000);
    scorer.config.maxQueryTokens = 12;
    await open(scorer, [row('answers', [STATED, OTHER])]);
    const notices = async (text: string): Promise<string[]> =>
      (await engine.inspire({ move: 'address', text, pools: null, limit: 20, perPaper: 20 }))
        .notices;
    assert.deepEqual(await notices(PROBLEM), []);
    // Twelve tokens, the move's among them.
    assert.deepEqual(await notices(`${PROBLEM}, which few can pay for many years`), [
      'The order goes by the first 11 words of your text. To have the rest read, move from a part of it.',
    ]);
  });

  it('orders every sentence of the passages by its score, what recall did not hold too', async () => {
    // Longer than what recall brings along after a near sentence.
    const far = [OTHER, 'Stones lie still.', 'Ropes are wet.', 'Gulls cry.', FAR];
    const scorer = double((text) => (text === FAR ? 9 : text.length / 1000));
    await open(scorer, [row('answers', [STATED, ...far])]);
    const found = await ask();
    assert.equal(found[0]?.id, 'one/answers#5');
    assert.equal(found.length, 6);
    assert.deepEqual([found[0]?.why.dense, found[0]?.why.lexical], [null, null]);
    assert.equal(found[0]?.before, 'Gulls cry.');
    assert.ok(found.every(({ score }, i) => score <= (found[i - 1]?.score ?? Infinity)));
    const [input] = scorer.inputs;
    assert.equal(input?.move, 'address');
    assert.equal(input?.query, PROBLEM);
    const [passage] = input?.passages ?? [];
    assert.deepEqual(passage?.sentences, [STATED, ...far]);
    assert.ok((passage?.cosine[0] ?? 0) > 0.6);
    assert.equal(passage?.before[0], 0);
    assert.equal(passage?.before[4], passage?.cosine[0]);
    // The sentence that states the problem is more than four before it.
    assert.ok((passage?.before[5] ?? 1) < (passage?.cosine[0] ?? 0));
  });

  it('reads a paper once that two pools hold, and shows its sentences once', async () => {
    const sentences = [STATED, OTHER, FAR];
    const held = (id: string): Row => ({
      ...row(id, sentences),
      title: 'On the Cost of Labels for Rare River Fish',
    });
    const seen: [Candidate[], StageContext][] = [];
    const listen = async (candidates: Candidate[], context: StageContext) => {
      seen.push([candidates, context]);
      return candidates;
    };
    engine = await workspace.engine({ upkeep: 'none', stages: [{ name: 'listen', run: listen }] });
    for (const [pool, id] of [
      ['one', 'a'],
      ['two', 'b'],
    ] as const) {
      await engine.addToPool({ pool, sources: [workspace.file(`${pool}.jsonl`, [held(id)])] });
    }
    for (const pools of [['one'], ['two'], null]) {
      await engine.inspire({ move: 'address', text: PROBLEM, pools, limit: 9, perPaper: 9 });
    }
    const [[first], [second], [, context]] = seen as [
      (typeof seen)[0],
      (typeof seen)[0],
      (typeof seen)[0],
    ];
    // Recall keeps one copy of each sentence; here now the one pool's, now the other's.
    const mixed = first.map((one, i) => {
      const other = second.find(({ sentence }) => sentence.text === one.sentence.text);
      return i % 2 === 1 && other ? other : one;
    });
    assert.deepEqual(new Set(mixed.map(({ pool }) => pool)), new Set(['one', 'two']));
    for (const most of [1, 50]) {
      const scorer = double((text) => text.length);
      const told = await new RerankStage(scorer, fixed(most)).run(mixed, context);
      const read = scorer.inputs[0]?.passages.flatMap((passage) => passage.sentences) ?? [];
      assert.deepEqual(read, sentences);
      assert.deepEqual(
        told.map(({ sentence }) => sentence.text).sort(),
        [...sentences].sort(),
        `${most} passages`,
      );
    }
  });

  it('reads as many passages as before when the same is asked again', async () => {
    const scorer = double((text) => text.length);
    const pace = { passages: 3, took: () => undefined };
    engine = await workspace.engine({ upkeep: 'none', stages: [new RerankStage(scorer, pace)] });
    const rows = Array.from({ length: 8 }, (_, i) => row(`p${i}`, [`${STATED} Case ${i}.`]));
    await engine.addToPool({ pool: 'one', sources: [workspace.file('one.jsonl', rows)] });
    await ask({ limit: 2 });
    pace.passages = 1;
    await ask({ limit: 4 });
    await ask({ text: 'Labels of rare birds cost too much' });
    // As in a trail, from which a reader comes back.
    await ask({ limit: 6 });
    assert.deepEqual(
      scorer.inputs.map(({ passages }) => passages.length),
      [3, 3, 1, 3],
    );
  });

  it('ends before its pools are removed', async () => {
    let go = (): void => undefined;
    const gate = new Promise<void>((resolve) => (go = resolve));
    const scorer = double((text) => text.length);
    const slow: Scorer = {
      ...scorer,
      score: async (...given) => {
        await gate;
        return scorer.score(...given);
      },
    };
    await open(slow, [row('a', [STATED, OTHER])]);
    const answer = ask();
    await new Promise((resolve) => setTimeout(resolve, 50));
    const removed = engine.removePool('one');
    go();
    assert.deepEqual((await answer).map(({ text }) => text).sort(), [OTHER, STATED].sort());
    await removed;
    assert.deepEqual(await engine.pools(), []);
  });

  it('gives the reranker sentences without their opening markers and shows them whole', async () => {
    const scorer = double((text) => text.length);
    const marked = 'However, labels of rare fish cost too much.';
    await open(scorer, [row('a', [marked])]);
    const [first] = await ask();
    assert.deepEqual(scorer.inputs[0]?.passages[0]?.sentences, [
      'Labels of rare fish cost too much.',
    ]);
    assert.equal(first?.text, marked);
  });

  it('keeps windows within a section, apart from each other, and to the number that there may be', async () => {
    const scorer = double(() => 1);
    const section = (text: string, name: string): Row['sentences'][number] => ({
      text,
      section: name,
    });
    const sections = [
      section('Labels of fish are dear here.', 'one'),
      section(STATED, 'two'),
      section('Rivers run.', 'two'),
      section('Labels of rare fish are dear.', 'three'),
    ];
    const long = (unit: string): Row =>
      row(
        unit,
        Array.from({ length: 18 }, (_, i) => `Labels of rare fish cost ${i} ${unit}.`),
      );
    await open(scorer, [row('sections', sections), long('coins'), long('pounds')]);
    await ask();
    const passages = scorer.inputs[0]?.passages.map(({ sentences }) => sentences) ?? [];
    assert.ok(passages.some((sentences) => sentences.join() === [STATED, 'Rivers run.'].join()));
    const all = passages.flat();
    assert.equal(new Set(all).size, all.length);
    assert.ok(passages.every((sentences) => sentences.length <= 12));
    assert.ok(passages.length > 4);
    await engine.close();
    const few = double(() => 1);
    engine = await workspace.engine({ upkeep: 'none', stages: [new RerankStage(few, fixed(2))] });
    const found = await ask();
    assert.equal(few.inputs[0]?.passages.length, 2);
    // Those of no passage follow, in recall's order.
    const recalled = await engine.inspire({
      ...{ move: 'address', text: PROBLEM, pools: null, limit: 200, perPaper: 20 },
      rerank: false,
    });
    assert.equal(recalled.reranked, false);
    const held = new Set(few.inputs[0]?.passages.flatMap(({ sentences }) => sentences));
    const rest = (list: Inspiration[]): string[] =>
      list.filter(({ text }) => !held.has(text)).map(({ id }) => id);
    assert.ok(rest(found).length > 5);
    assert.deepEqual(rest(found), rest(recalled.inspirations));
    assert.deepEqual(ids(found).slice(-rest(found).length), rest(found));
    assert.ok(found.every(({ score }, i) => score <= (found[i - 1]?.score ?? Infinity)));
  });

  it('shows no sentence of the draft, no copy of the query, and the same sentence once', async () => {
    const scorer = double((text) => (text === FAR ? 2 : 1), {
      links: [
        [STATED, COPY],
        [STATED, FAR],
      ],
    });
    await open(scorer, [
      row('a', [COPY, STATED, 'It rains.']),
      row('b', ['Labels of rare fish cost much.', 'It rains.', FAR]),
    ]);
    const found = await ask({ exclude: [FAR] });
    assert.deepEqual([...ids(found)].sort(), ['one/a#1', 'one/a#2', 'one/b#0']);
    // Nor as a relative.
    assert.deepEqual(found.find(({ id }) => id === 'one/a#1')?.relatives, []);
    assert.equal((await ask())[0]?.id, 'one/b#2');
  });

  it('tells two relatives of other papers, each in other words', async () => {
    const twin = 'In practice the labels of rare river fish cost too much effort.';
    const close = 'Rare fish are labelled at great cost.';
    const closer = 'Labels of fish are dear to every group.';
    const third = 'Money for labels of rare fish is short.';
    const scorer = double(() => 1, {
      links: [twin, OTHER, close, closer, third].map((text) => [STATED, text]),
    });
    await open(scorer, [
      row('a', [STATED, OTHER]),
      row('b', [twin]),
      row('c', [close]),
      row('d', [closer]),
      row('e', [third]),
    ]);
    const found = await ask();
    const relatives = found.find(({ text }) => text === STATED)?.relatives ?? [];
    assert.equal(relatives.length, 2);
    for (const relative of relatives) {
      assert.ok([close, closer, third].includes(relative.text), relative.text);
      assert.equal(relative.cosine, 0.9);
      assert.match(relative.id, /^one\/[cde]#0$/);
      assert.equal(relative.paper.title, `Title of ${relative.paper.id}`);
    }
    assert.notEqual(relatives[0]?.id, relatives[1]?.id);
  });

  it('keeps the role that the pool knows', async () => {
    const scorer = double(() => 1, { roles: [0.1, 0.7, 0.2] });
    const given = { text: 'Labels of fish cost a lot.', section: null, role: 'background' };
    await open(scorer, [row('a', [STATED, given])]);
    const roles = new Map((await ask()).map(({ id, role }) => [id, role]));
    assert.equal(roles.get('one/a#1'), 'background');
    assert.deepEqual([...roles.keys()].sort(), ['one/a#0', 'one/a#1']);
    const known = await engine
      .inspire({ move: 'address', text: PROBLEM, pools: null, rerank: false })
      .then(({ inspirations }) => inspirations.map(({ id, role }) => [id, role]));
    assert.deepEqual(Object.fromEntries(roles), Object.fromEntries(known));
  });

  it('works on pools whose vectors are of another encoder', async () => {
    const scorer = double(() => 1);
    await open(scorer, [row('a', [STATED, OTHER])]);
    await engine.close();
    const database = openForWriting(poolDatabase(workspace.home, 'one'));
    database.exec("UPDATE encoders SET id = 'another'");
    database.close();
    engine = await workspace.engine({
      upkeep: 'none',
      stages: [new RerankStage(scorer, fixed(50))],
    });
    assert.deepEqual(ids(await ask()).sort(), ['one/a#0', 'one/a#1']);
    assert.deepEqual(scorer.inputs.at(-1)?.passages[0]?.cosine, [0, 0]);
  });

  it('keeps recall’s order, with a notice, when it fails, and ends when it is cancelled', async () => {
    const failing: Scorer = {
      ...double(() => 1),
      score: () => Promise.reject(new Error('no luck')),
    };
    await open(failing, [row('a', [STATED, OTHER]), row('b', ['Labels of rare fish cost much.'])]);
    const request = { move: 'address' as const, text: PROBLEM, pools: null };
    const sent: string[][] = [];
    const final = await engine.inspire(request, {
      onSnapshot: ({ inspirations }) => sent.push(ids(inspirations)),
    });
    assert.deepEqual(sent[0], sent[1]);
    assert.ok(final.final && !final.reranked);
    assert.match(final.notices.join(), /could not be refined.*no luck/);
    await engine.close();

    const controller = new AbortController();
    const scorer = double(() => 1);
    engine = await workspace.engine({
      upkeep: 'none',
      stages: [new RerankStage(scorer, fixed(50))],
    });
    const moving = engine.inspire(request, {
      signal: controller.signal,
      onSnapshot: ({ final: last }) => {
        assert.ok(!last);
        controller.abort();
      },
    });
    await assert.rejects(
      moving,
      (error: unknown) => error instanceof RatioError && error.code === 'cancelled',
    );
  });

  it('does not run where nothing was found', async () => {
    const scorer = double(() => 1);
    await open(scorer, [row('a', [STATED])]);
    const { inspirations, reranked } = await engine.inspire({
      move: 'address',
      text: 'zebra xylophone quartz',
      pools: null,
    });
    assert.deepEqual([inspirations.length, reranked, scorer.inputs.length], [0, false, 0]);
  });
});

describe('the pace of reranking', () => {
  it('lets a slow machine read fewer passages, never fewer than ten', async () => {
    // Milliseconds of a batch of four passages, and how many passages that allows.
    for (const [each, passages] of [
      [4, 50],
      [100, 23],
      [1000, 10],
    ]) {
      let time = 0;
      const scorer = double(() => 0);
      const timed: Scorer = {
        ...scorer,
        score: (input, options) => {
          time += each ?? 0;
          return scorer.score(input, options);
        },
      };
      assert.equal((await Pace.of(timed, () => time)).passages, passages);
      assert.equal(scorer.inputs[1]?.passages.length, 4);
    }
  });

  it('follows the time that moves take, both ways', () => {
    const pace = new Pace(50, 50);
    for (let i = 0; i < 20; i++) pace.took(pace.passages, 120 + 29 * pace.passages);
    assert.ok(Math.abs(pace.passages - 20) <= 1, `${pace.passages} passages of 29 ms each`);
    pace.took(2, 60_000);
    assert.ok(pace.passages >= 19, 'a handful of passages tells nothing');
    for (let i = 0; i < 30; i++) pace.took(pace.passages, 120 + 8 * pace.passages);
    assert.equal(pace.passages, 50);
    for (let i = 0; i < 30; i++) pace.took(pace.passages, 60_000);
    assert.equal(pace.passages, 10);
  });
});
