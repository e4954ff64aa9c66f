import assert from 'node:assert/strict';
import { MOVES, type Inspiration, type InspireRequest } from '../../../server/engine/engine';
import { embeddedText, prepareTextForm } from '../../../server/engine/encoder/textForm';
import type { LocalEngine } from '../../../server/engine/local';
import { FUSION, fusedScore, type Features } from '../../../server/engine/recall/fuse';
import { Surroundings } from '../../../server/engine/recall/surroundings';
import { poolDatabase } from '../../../server/engine/store/names';
import { openForReading } from '../../../server/engine/store/database';
import { PoolReader } from '../../../server/engine/store/reader';
import { bagOfWords, listeningEncoder } from './doubles';
import { row, Workspace, type Row } from './support';

const PROBLEM = 'Labels of rare river fish cost far too much';
/** Nearly the query itself: never shown, but it tells what its paper is about. */
const COPY = 'Labels of rare river fish cost far too much.';
const STATED = 'In practice labels of rare river fish cost too much effort.';
const RESTATED = 'Today the labels of rare fish cost far more money than a boat.';
const BETWEEN = 'Divers swim slowly in winter.';
const ANSWER = 'We propose a sampler that asks for few labels of rare fish.';
/** Shares no word with the query or the other papers. */
const FAR_ANSWER = 'Otters propose bold remedies.';

const cosine = (a: string, b: string): number => {
  const other = bagOfWords(b);
  return bagOfWords(a).reduce((sum, x, i) => sum + x * (other[i] ?? 0), 0);
};

describe('recall with context', function () {
  this.timeout(120_000);
  let workspace: Workspace;
  let engine: LocalEngine;
  before(prepareTextForm);
  // The product's weights are for its encoder's cosines; these are for those of bags of words.
  const weights = { ...FUSION.weights.address };
  before(() => Object.assign(FUSION.weights.address, { before: 0.7, bm25: 0.3, prior: 0.2 }));
  after(() => Object.assign(FUSION.weights.address, weights));
  beforeEach(async () => {
    workspace = new Workspace();
    engine = await workspace.engine({ upkeep: 'none' });
  });
  afterEach(() => workspace.dispose());

  const store = async (rows: Row[], pool = 'one'): Promise<void> => {
    await engine.addToPool({ pool, sources: [workspace.file(`${pool}.jsonl`, rows)] });
  };
  const ask = async (request: Partial<InspireRequest> = {}): Promise<Inspiration[]> => {
    const found = await engine.inspire({
      move: 'address',
      text: PROBLEM,
      pools: null,
      limit: 200,
      perPaper: 20,
      ...request,
    });
    return found.inspirations;
  };
  const place = (found: Inspiration[], id: string): number =>
    found.find((inspiration) => inspiration.id === id)?.rank ?? Infinity;
  /** More sentences than the dense list takes, all a little nearer to the query than a far answer. */
  const nearer = (): Row[] =>
    Array.from({ length: 130 }, (_, i) =>
      row(
        `f${i}`,
        [1, 2].map((n) => `Fish of glass ${i} and brick ${n}.`),
      ),
    );
  /** As many as the shortest lists serve. */
  const FEW = { limit: 30 };

  it('ranks an answer two sentences after a matching problem above the problem restated', async () => {
    for (const stated of [COPY, STATED]) {
      await store([
        row('answers', [stated, BETWEEN, ANSWER]),
        row('restates', [RESTATED]),
        row('apart', [BETWEEN, ANSWER.replace('sampler', 'scheme')]),
      ]);
      const found = await ask();
      assert.equal(place(found, 'one/answers#2'), 1);
      // The same answer in a paper that does not state the problem comes after both.
      assert.ok(place(found, 'one/restates#0') < place(found, 'one/apart#1'));
      const context = found[0]?.why.context;
      assert.equal(context?.text, stated);
      const expected = cosine(PROBLEM, embeddedText(stated));
      assert.ok(Math.abs((context?.cosine ?? 0) - expected) < 1e-5);
      assert.equal(place(found, 'one/answers#0') < Infinity, stated !== COPY);
    }
  });

  it('brings in what follows a near sentence although no list holds it', async () => {
    await store([row('answers', [COPY, FAR_ANSWER]), ...nearer()]);
    const found = await ask(FEW);
    const answer = found.find(({ id }) => id === 'one/answers#1');
    assert.deepEqual([answer?.why.dense, answer?.why.lexical], [null, null]);
    assert.equal(answer?.why.context?.text, COPY);
    assert.ok((answer?.why.context?.cosine ?? 0) > 0.99);
    // Not where nothing before it is near.
    await store([row('answers', [BETWEEN, FAR_ANSWER]), ...nearer()]);
    assert.equal(place(await ask(FEW), 'one/answers#1'), Infinity);
  });

  it('finds what states the problem by the plain sentence where the encoder knows moves', async () => {
    const asked = listeningEncoder('moves', {
      queryPrefix: '{move}: ',
      documentPrefix: '',
      contextTemplate: null,
    });
    const encodeOne = asked.encodeOne.bind(asked);
    // As a question of a move the sentence lies among other words than those it is made of.
    asked.encodeOne = (text) =>
      encodeOne(text.startsWith('address: ') ? 'brick and castle moat tower gate wall' : text);
    await engine.close();
    engine = await workspace.engine({ upkeep: 'none', createEncoder: async () => asked });
    // Else a word that all share would be the best match.
    const shares = 'Labels of rare birds cost a castle and its gate.';
    await store([row('answers', [COPY, FAR_ANSWER]), row('shares', [shares]), ...nearer()]);
    const found = await ask(FEW);
    const answer = found.find(({ id }) => id === 'one/answers#1');
    assert.equal(answer?.why.context?.text, COPY);
    assert.ok((answer?.why.context?.cosine ?? 0) > 0.99);
    // The copy is told by the plain sentence too, and left out.
    assert.equal(place(found, 'one/answers#0'), Infinity);
    assert.deepEqual(asked.queries.length, 2);
  });

  it('goes no further than three sentences, and looks four back', async () => {
    const others = ['Rain falls.', 'Wind blows.', 'Snow melts.', 'Ice cracks.', 'Fog lifts.'];
    await store([row('answers', [COPY, ...others]), ...nearer()]);
    const found = await ask(FEW);
    assert.deepEqual(
      [1, 2, 3, 4, 5].map((at) => place(found, `one/answers#${at}`) < Infinity),
      [true, true, true, false, false],
    );
    await store([row('answers', [COPY, ...others])], 'two');
    const near = await ask({ pools: ['two'] });
    const context = (at: number): string | undefined =>
      near.find(({ id }) => id === `two/answers#${at}`)?.why.context?.text;
    assert.equal(context(4), COPY);
    assert.notEqual(context(5), COPY);
  });

  it('respects borders of sections, also of two with one heading', async () => {
    const of = (section: string | null, text: string) => ({ section, text });
    await store([
      row('same', [of('Limits', COPY), of('Limits', FAR_ANSWER)]),
      row('other', [of('Limits', COPY), of('Setup', `${FAR_ANSWER} Setup.`)]),
      row('none', [of(null, COPY), of('Setup', `${FAR_ANSWER} None.`)]),
      row('again', [of('A', COPY), of('B', BETWEEN), of('A', `${FAR_ANSWER} Again.`)]),
      ...nearer(),
    ]);
    const found = await ask(FEW);
    assert.ok(place(found, 'one/same#1') < Infinity);
    for (const id of ['other#1', 'none#1', 'again#2']) {
      assert.equal(place(found, `one/${id}`), Infinity, id);
    }
  });

  it('gives the same answer twice, with an index and without', async () => {
    await store([
      row('answers', [COPY, BETWEEN, ANSWER]),
      row('twin', [COPY, BETWEEN, ANSWER]),
      row('restates', [RESTATED, FAR_ANSWER]),
      ...nearer(),
    ]);
    const first = await ask();
    const key = (found: Inspiration[]): unknown[] =>
      found.map(({ id, why }) => [id, why.context?.text ?? null]);
    assert.deepEqual(await ask(), first);
    const other = await workspace.engine({ upkeep: 'none' });
    const again = await other.inspire({
      move: 'address',
      text: PROBLEM,
      pools: null,
      limit: 200,
      perPaper: 20,
    });
    assert.deepEqual(again.inspirations, first);
    process.env['RATIO_NO_HNSW'] = '1';
    try {
      engine = await workspace.engine({ upkeep: 'none' });
      const exact = await ask();
      assert.deepEqual(key(exact), key(first));
      exact.forEach(({ score }, i) => assert.ok(Math.abs(score - (first[i]?.score ?? 0)) < 1e-5));
    } finally {
      delete process.env['RATIO_NO_HNSW'];
    }
  });

  it('holds years, exclusions, near-copies and the limit a paper for what it brings in', async () => {
    const rows = [
      row('old', [COPY, FAR_ANSWER, 'Beavers try too.', 'Herons agree.'], { date: '1999' }),
      row(
        'new',
        [COPY, 'Otters test it.', 'The labels of rare river fish cost far too much money.'],
        { date: '2021' },
      ),
      ...nearer(),
    ];
    await store(rows);
    const ids = (found: Inspiration[], paper: string): string[] =>
      found.filter((one) => one.paper.id === paper).map(({ id }) => id);
    const years = { from: 2020, to: null };
    assert.deepEqual(ids(await ask({ years }), 'old'), []);
    assert.ok(ids(await ask({ years }), 'new').includes('one/new#1'));
    assert.deepEqual(ids(await ask(), 'old').sort(), ['one/old#1', 'one/old#2', 'one/old#3']);
    assert.equal(ids(await ask({ perPaper: 2 }), 'old').length, 2);
    const exclude = ['otters PROPOSE bold remedies'];
    assert.ok(!ids(await ask({ exclude }), 'old').includes('one/old#1'));
    const text = 'Labels of rare river fish cost far too much money';
    assert.ok(!ids(await ask({ text }), 'new').includes('one/new#2'));
  });

  it('shows a sentence of two papers once, with the context that fits', async () => {
    await store([row('bare', [BETWEEN, FAR_ANSWER]), row('weak', [ANSWER, FAR_ANSWER])]);
    await store([row('told', [COPY, FAR_ANSWER]), ...nearer()], 'two');
    const shown = (await ask()).filter(({ text }) => text === FAR_ANSWER);
    assert.deepEqual(
      shown.map(({ id }) => id),
      ['two/told#1'],
    );
  });

  it('explains by its context only what its context explains better', async () => {
    await store([row('p', [BETWEEN, STATED, ANSWER])]);
    const found = await ask();
    const context = (at: number): unknown =>
      found.find(({ id }) => id === `one/p#${at}`)?.why.context;
    assert.equal(context(1), null);
    assert.deepEqual((context(2) as { text: string }).text, STATED);
  });

  it('answers from a paper that holds only the very query and what follows', async () => {
    await store([row('p', [COPY, FAR_ANSWER])]);
    const found = await engine.inspire({ move: 'address', text: PROBLEM, pools: null });
    assert.deepEqual([found.weak, found.inspirations.map(({ id }) => id)], [false, ['one/p#1']]);
  });

  it('reads places by the paper, each neighbour as often as it is one', async () => {
    await store([row('p', ['A b.', 'C d.', 'E f.', 'G h.']), row('q', ['I j.'])]);
    const database = openForReading(poolDatabase(workspace.home, 'one'));
    assert.ok(database);
    const reader = new PoolReader(database);
    try {
      const around = reader.around([2], 1, 2).sort((a, b) => a.id - b.id);
      assert.deepEqual(
        around.map(({ id, paper, position, section }) => [id, paper, position, section]),
        [
          [1, 1, 0, null],
          [2, 1, 1, null],
          [3, 1, 2, null],
          [4, 1, 3, null],
        ],
      );
      assert.deepEqual(
        reader.around([5], 4, 3).map(({ id }) => id),
        [5],
      );
      assert.deepEqual(reader.around([99], 4, 3), []);
      assert.deepEqual(
        reader
          .around([1, 2], 1, 0)
          .map(({ id }) => id)
          .sort(),
        [1, 1, 2],
      );
    } finally {
      reader.close();
    }
  });
});

describe('surroundings of a sentence', () => {
  const around = new Surroundings([
    { id: 10, paper: 1, position: 0, section: null },
    { id: 11, paper: 1, position: 1, section: 'A' },
    { id: 12, paper: 1, position: 2, section: 'A' },
    { id: 12, paper: 1, position: 2, section: 'A' },
    { id: 14, paper: 1, position: 4, section: 'A' },
    { id: 20, paper: 2, position: 3, section: 'A' },
  ]);
  it('end with their section, their paper, and where a place is missing', () => {
    assert.deepEqual(around.before(12, 4), [11]);
    assert.deepEqual(around.after(11, 3), [12]);
    assert.deepEqual(around.after(10, 3), []);
    assert.deepEqual(around.before(20, 4), []);
    assert.deepEqual(around.before(99, 4), []);
    assert.deepEqual(around.before(12, 0), []);
  });
});

describe('fusion', () => {
  it('is the weighted sum of the features', () => {
    const features: Features = { cosine: 0.5, before: 0.8, bm25: 0.25, prior: -0.5 };
    const weights = { cosine: 1, before: 0.7, bm25: 0.4, prior: 0.2 };
    assert.ok(Math.abs(fusedScore(features, weights) - (0.5 + 0.56 + 0.1 - 0.1)) < 1e-12);
    const none: Features = { cosine: 0, before: 0, bm25: 0, prior: 0 };
    for (const name of Object.keys(none) as (keyof Features)[]) {
      assert.equal(fusedScore({ ...none, [name]: 1 }, weights), weights[name]);
    }
  });
  it('weighs by move, context most for Address', () => {
    for (const move of MOVES) {
      assert.deepEqual(Object.keys(FUSION.weights[move]).sort(), [
        'before',
        'bm25',
        'cosine',
        'prior',
      ]);
      for (const weight of Object.values(FUSION.weights[move])) assert.ok(weight >= 0);
      assert.equal(FUSION.weights[move].cosine, 1);
    }
    const { address, broaden, specify } = FUSION.weights;
    assert.ok(address.before > Math.max(specify.before, broaden.before));
  });
});
