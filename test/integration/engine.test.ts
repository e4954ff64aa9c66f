import assert from 'node:assert/strict';
import { existsSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { RatioError, type Snapshot } from '../../server/engine/engine';
import { loadHnsw } from '../../server/engine/index/hnsw';
import { createEngine } from '../../server/engine/local';
import { importers } from '../../server/pools';
import { skipBecause } from '../skip';
import { checkPool, modelFolder, paperRows, Scene, sleep, until } from './engineSupport';

const EACH = 3;
const question = {
  move: 'address' as const,
  text: 'Labels are noisy and cost too much',
  pools: null,
};

const ids = ({ inspirations }: Snapshot): string[] => inspirations.map(({ id }) => id);

/** Three small papers with sentences that a real encoder can tell apart. */
const papers = [
  {
    id: 'noise',
    title: 'Learning with wrong labels',
    date: '2021',
    sentences: [
      { text: 'Annotators often give wrong labels to training images.' },
      { text: 'We propose a loss that down-weights examples whose labels are probably wrong.' },
    ],
  },
  {
    id: 'bread',
    title: 'Sourdough',
    date: '2019',
    sentences: [{ text: 'Sourdough rises slowly because wild yeast is less active.' }],
  },
  {
    id: 'graphs',
    title: 'Deep graph networks',
    date: '2020',
    sentences: [{ text: 'Node features become alike when many graph layers are stacked.' }],
  },
];

describe('engine process', function () {
  this.timeout(120_000);
  let scene: Scene;
  beforeEach(() => (scene = new Scene()));
  afterEach(() => scene.dispose());

  it('imports, answers and lists with the encoder that ships', async () => {
    const client = await scene.client();
    const states: string[] = [];
    client.onState(({ state }) => states.push(state));
    await client.start();
    const report = await client.addToPool({
      pool: 'mine',
      sources: [scene.file('papers.jsonl', papers)],
    });
    assert.deepEqual([report.stored, report.sentences, report.issueCount], [3, 4, 0]);
    const text = 'Crowd workers make mistakes when they label pictures.';
    const snapshots: Snapshot[] = [];
    const final = await client.inspire(
      { move: 'address', text, pools: null },
      { onSnapshot: (snapshot) => snapshots.push(snapshot) },
    );
    assert.equal(final.inspirations[0]?.paper.id, 'noise');
    const response = final.inspirations.find(({ id }) => id === 'mine/noise#1');
    assert.match(response?.before ?? '', /Annotators/);
    // The prior: by Address the response gains on the problem, by Broaden it does not.
    const lead = ({ inspirations }: Snapshot): number => {
      const score = (id: string): number => inspirations.find((i) => i.id === id)?.score ?? NaN;
      return score('mine/noise#1') - score('mine/noise#0');
    };
    const broader = await client.inspire({ move: 'broaden', text, pools: null });
    assert.ok(lead(final) > lead(broader));
    assert.deepEqual(snapshots.at(-1), final);
    const status = await client.status();
    assert.deepEqual([status.pools[0]?.name, status.pools[0]?.papers], ['mine', 3]);
    assert.equal(status.device.active, 'cpu');
    assert.equal(status.pid, client.pid);
    assert.deepEqual(
      states.filter((state, i) => state !== states[i - 1]),
      ['starting', 'ready', 'importing', 'ready'],
    );
    const weak = await client.inspire({
      move: 'broaden',
      text: 'The harbour master repainted seventeen lighthouse railings in October.',
      pools: null,
    });
    assert.deepEqual([weak.weak, weak.inspirations.length], [true, 0]);
  });

  it('answers moves during an import, and finds what was just stored', async () => {
    const client = await scene.client();
    await client.addToPool({ pool: 'mine', sources: [scene.file('papers.jsonl', papers)] });
    const path = scene.file('many.jsonl', paperRows(300, EACH));
    let stored = 0;
    let during = 0;
    let running = true;
    const importing = client
      .addToPool(
        { pool: 'mine', sources: [path] },
        { onProgress: (progress) => (stored = progress.stored) },
      )
      .finally(() => (running = false));
    await until(() => stored > 0 || !running, 60_000, 'the first papers');
    while (running) {
      const { inspirations } = await client.inspire({
        ...question,
        text: 'A parser that lowers bias',
      });
      assert.ok(inspirations.some(({ paper }) => paper.id.startsWith('p')));
      during++;
      // Moves go before imports: without a pause an import of low priority hardly gets on.
      await sleep(200);
    }
    const report = await importing;
    assert.equal(report.stored, 300);
    assert.ok(during > 0);
  });

  it('takes imports of two windows and a terminal at once', async () => {
    const [one, two] = await Promise.all([scene.client(), scene.client()]);
    const terminal = await createEngine({
      home: scene.home,
      modelDir: modelFolder(),
      device: 'cpu',
      importers,
    });
    try {
      const engines = [one, two, terminal];
      const shared = engines.map((engine, i) =>
        engine.addToPool({
          pool: 'shared',
          sources: [scene.file(`s${i}.jsonl`, paperRows(30, EACH, `s${i}x`))],
        }),
      );
      const own = engines.map((engine, i) =>
        engine.addToPool({
          pool: `own${i}`,
          sources: [scene.file(`o${i}.jsonl`, paperRows(20, EACH, `o${i}x`))],
        }),
      );
      for (const report of await Promise.all([...shared, ...own])) {
        assert.ok(report.stored === 30 || report.stored === 20);
        assert.equal(report.issueCount, 0);
      }
      assert.equal(checkPool(scene.home, 'shared', EACH).papers, 90);
      for (const i of [0, 1, 2]) assert.equal(checkPool(scene.home, `own${i}`, EACH).papers, 20);
      for (const engine of engines) {
        const infos = await engine.pools();
        assert.deepEqual(
          infos.map(({ name }) => name),
          ['own0', 'own1', 'own2', 'shared'],
        );
      }
    } finally {
      await terminal.close();
    }
  });

  it('cancels an import and a move', async () => {
    const client = await scene.client();
    const path = scene.file('many.jsonl', paperRows(3000, EACH));
    const abort = new AbortController();
    const report = await client.addToPool(
      { pool: 'one', sources: [path] },
      { signal: abort.signal, onProgress: ({ stored }) => stored > 0 && abort.abort() },
    );
    assert.equal(report.cancelled, true);
    assert.equal(checkPool(scene.home, 'one', EACH).papers, report.stored);
    const stop = new AbortController();
    const move = client.inspire(question, { signal: stop.signal });
    stop.abort();
    await assert.rejects(
      move,
      (error) => error instanceof RatioError && error.code === 'cancelled',
    );
  });

  it('builds the starter pool in the import process before the first answer', async () => {
    const starterPool = scene.file(
      'starter.jsonl',
      papers.map((paper) => ({
        authors: [],
        venue: null,
        url: null,
        doi: null,
        ...paper,
        sentences: paper.sentences.map(({ text }) => ({ text, role: 'method' })),
      })),
    );
    const builders = new Set<number | undefined>();
    const client = await scene.client({
      starterPool,
      onUpkeep: () => builders.add(client.importPid),
    });
    const { inspirations } = await client.inspire({
      ...question,
      text: 'Crowd workers make mistakes when they label pictures.',
    });
    assert.equal(inspirations[0]?.pool, 'starter');
    assert.equal(builders.size, 1);
    const [builder] = builders;
    assert.ok(builder !== undefined && builder !== client.pid);
  });

  it('repairs a damaged index file by itself', async function () {
    const { module, reason } = loadHnsw();
    if (!module) skipBecause(this, String(reason));
    const first = await scene.client();
    const path = scene.file('many.jsonl', paperRows(100, EACH));
    await first.addToPool({ pool: 'one', sources: [path] });
    const expected = ids(await first.inspire(question));
    assert.ok(expected.length > 0);
    await first.close();
    const index = join(scene.home, 'pools', 'one', 'index.hnsw');
    assert.ok(existsSync(index), 'a pool of 300 sentences has an index file');
    writeFileSync(index, 'no index');
    const second = await scene.client();
    assert.deepEqual(ids(await second.inspire(question)), expected);
    await until(() => second.state.state === 'ready', 30_000, 'the repair');
    assert.equal((await second.pools())[0]?.index, 'hnsw');
    assert.deepEqual(ids(await second.inspire(question)), expected);
  });

  it('removes a pool that it has open', async () => {
    const client = await scene.client();
    await client.addToPool({ pool: 'one', sources: [scene.file('papers.jsonl', papers)] });
    await client.pools();
    await client.removePool('one');
    assert.deepEqual(await client.pools(), []);
    assert.equal(existsSync(join(scene.home, 'pools', 'one')), false);
  });

  it('stops when idle and starts again when asked', async () => {
    const client = await scene.client({ idleMs: 300 });
    await client.start();
    const { pid } = client;
    await until(() => client.pid === undefined, 10_000, 'the idle process to stop');
    await until(() => client.state.state === 'stopped', 10_000, 'the state to say so');
    assert.deepEqual(await client.pools(), []);
    assert.notEqual(client.pid, pid);
  });

  it('says that the model is missing, and serves once it is there', async () => {
    const modelDir = join(scene.folder, 'no-model');
    const client = await scene.client({ modelDir });
    await assert.rejects(
      client.inspire(question),
      (error) => error instanceof RatioError && error.code === 'model-missing',
    );
    assert.equal(client.state.state, 'failed');
    assert.ok(client.state.problem);
    // Windows lets anyone make a junction.
    symlinkSync(modelFolder(), modelDir, 'junction');
    await client.addToPool({ pool: 'mine', sources: [scene.file('papers.jsonl', papers)] });
    assert.ok(ids(await client.inspire(question)).includes('mine/noise#1'));
    assert.deepEqual([client.state.state, client.state.problem], ['ready', null]);
  });
});
