import assert from 'node:assert/strict';
import { join } from 'node:path';
import { readFileSync, truncateSync, writeFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Snapshot } from '../../../../server/engine/engine';
import { prepareTextForm } from '../../../../server/engine/encoder/textForm';
import type { LocalEngine } from '../../../../server/engine/local';
import { BackgroundReranker } from '../../../../server/engine/rerank/background';
import { TOLD } from '../../../../server/engine/rerank/order';
import { Reranker } from '../../../../server/engine/rerank/reranker';
import { RerankStage } from '../../../../server/engine/rerank/stage';
import { manyRows, row, Workspace } from '../support';
import { RerankerFolder } from './support';

describe('an engine with a reranker', function () {
  this.timeout(60_000);
  let workspace: Workspace;
  let folder: RerankerFolder;
  let log: string[];
  before(prepareTextForm);
  beforeEach(() => {
    workspace = new Workspace();
    folder = new RerankerFolder();
    log = [];
  });
  afterEach(async () => {
    await workspace.dispose();
    folder.dispose();
  });

  const open = async (rerankerDir: string | undefined): Promise<LocalEngine> => {
    const engine = await workspace.engine({
      ...{ upkeep: 'none', rerankerDir },
      log: (line) => log.push(line),
    });
    await engine.addToPool({
      pool: 'one',
      sources: [
        workspace.file('one.jsonl', [
          row('a', [
            'A lamp beside the river needs glass.',
            'We polish it with sand.',
            'It shines.',
          ]),
          row('b', ['Every lamp near this river is broken.', 'A new wick repairs it.']),
          ...manyRows(30, 4),
        ]),
      ],
    });
    return engine;
  };
  const ask = async (engine: LocalEngine, rerank?: boolean): Promise<Snapshot[]> => {
    const snapshots: Snapshot[] = [];
    await engine.inspire(
      { move: 'address', text: 'A lamp on the river', pools: null, rerank },
      { onSnapshot: (snapshot) => snapshots.push(snapshot) },
    );
    return snapshots;
  };
  const order = (snapshot: Snapshot | undefined): string[] =>
    snapshot?.inspirations.map(({ id }) => id) ?? [];

  it('answers first by recall, then refined, the same at every run', async () => {
    const engine = await open(folder.path);
    await engine.loadReranker();
    const { reranker } = await engine.status();
    assert.equal(reranker?.loaded, true);
    assert.ok((reranker?.passages ?? 0) >= 10 && (reranker?.passages ?? 99) <= 50);
    const [first, final, ...more] = await ask(engine);
    assert.deepEqual(more, []);
    assert.deepEqual([first?.final, first?.reranked], [false, false]);
    assert.deepEqual([final?.final, final?.reranked, final?.notices], [true, true, []]);
    assert.notDeepEqual(order(first), order(final));
    const scores = final?.inspirations.map(({ score }) => score) ?? [];
    assert.deepEqual(
      scores,
      [...scores].sort((a, b) => b - a),
    );
    assert.ok(final?.inspirations.every(({ relatives }) => Array.isArray(relatives)));
    assert.ok(first?.inspirations.every(({ relatives }) => relatives === undefined));
    assert.deepEqual(order((await ask(engine))[1]), order(final));
    const [, plain] = await ask(engine, false);
    assert.deepEqual([plain?.reranked, order(plain)], [false, order(first)]);
  });

  it('is loaded by the first move that asks for it, which is refined already', async () => {
    const engine = await open(folder.path);
    assert.equal((await ask(engine, false))[1]?.reranked, false);
    assert.equal((await engine.status()).reranker?.loaded, false);
    const [first, final] = await ask(engine);
    assert.deepEqual([first?.reranked, final?.reranked, final?.notices], [false, true, []]);
    assert.equal((await engine.status()).reranker?.loaded, true);
    assert.deepEqual(log, []);
  });

  it('that takes long to be loaded does not hold up the answer', async () => {
    const reranker = new BackgroundReranker(
      folder.path,
      (line) => log.push(line),
      () => sleep(200, 'other-1'),
      20,
    );
    const started = performance.now();
    assert.deepEqual(await reranker.stages(), []);
    assert.ok(performance.now() - started < 5000);
    await reranker.close();
  });

  it('says where there is no reranker, and that only in its status', async () => {
    const absent = join(folder.path, 'none');
    const engine = await open(absent);
    await engine.loadReranker();
    const { reranker } = await engine.status();
    assert.equal(reranker?.loaded, false);
    assert.ok(reranker?.reason?.includes(absent));
    const [, final] = await ask(engine);
    assert.deepEqual([final?.reranked, final?.notices, log], [false, [], []]);
    const without = await open(undefined);
    assert.equal((await without.status()).reranker, undefined);
  });

  it('works on with a broken one, which status and log tell', async () => {
    truncateSync(folder.file('global.onnx'), 99);
    const engine = await open(folder.path);
    await engine.loadReranker();
    const { reranker } = await engine.status();
    assert.equal(reranker?.loaded, false);
    assert.match(reranker?.reason ?? '', /global\.onnx has 99 bytes/);
    assert.match(log.join(), /global\.onnx/);
    const [, final] = await ask(engine);
    assert.deepEqual([final?.reranked, final?.notices], [false, []]);
  });

  it('is left out with an encoder that it was not trained with, which its status tells', async () => {
    const config = JSON.parse(readFileSync(folder.file('config.json'), 'utf8')) as object;
    writeFileSync(folder.file('config.json'), JSON.stringify({ ...config, encoder: 'other-1' }));
    const engine = await open(folder.path);
    await engine.loadReranker();
    const { reranker } = await engine.status();
    assert.equal(reranker?.loaded, false);
    assert.match(reranker?.reason ?? '', /trained with the encoder other-1/);
    assert.equal((await ask(engine))[1]?.reranked, false);
  });

  it('keeps the reason of a failed move until one succeeds', async () => {
    const engine = await open(folder.path);
    await engine.loadReranker();
    const { run } = RerankStage.prototype;
    RerankStage.prototype.run = () => Promise.reject(new Error('no luck'));
    try {
      const [, final] = await ask(engine);
      assert.equal(final?.reranked, false);
    } finally {
      RerankStage.prototype.run = run;
    }
    assert.match((await engine.status()).reranker?.reason ?? '', /no luck/);
    assert.match(log.join(), /no luck/);
    assert.equal((await ask(engine))[1]?.reranked, true);
    assert.doesNotMatch((await engine.status()).reranker?.reason ?? '', /no luck/);
  });

  it('tells in its status where the learned order is missing', async () => {
    const reasonOf = async (): Promise<string | null> => {
      const reranker = new BackgroundReranker(
        folder.path,
        (line) => log.push(line),
        () => Promise.resolve(workspace.encoder.id),
      );
      await reranker.load();
      const { loaded, reason } = reranker.status;
      await reranker.close();
      assert.equal(loaded, true);
      return reason;
    };
    const reason = (await reasonOf()) ?? '';
    assert.match(reason, /order\.json is missing in .*global score.*Install/);
    assert.ok(reason.includes(folder.path));
    const none = { told: TOLD.map(() => 0), hidden: Array.from({ length: 16 }, () => 0) };
    const moves = { address: none, broaden: none, specify: none };
    const order = { reranker: 'tiny', names: TOLD, moves };
    writeFileSync(folder.file('order.json'), JSON.stringify(order));
    assert.equal(await reasonOf(), null);
    assert.deepEqual(log, []);
  });

  it('is closed also while it is being loaded', async () => {
    const engine = await open(folder.path);
    const { close } = Reranker.prototype;
    let closed = 0;
    Reranker.prototype.close = function () {
      closed++;
      return close.call(this);
    };
    try {
      const loading = engine.loadReranker();
      await engine.close();
      assert.equal(closed, 1, 'what was loaded is closed');
      await loading;
      assert.deepEqual(log, []);
    } finally {
      Reranker.prototype.close = close;
    }
  });
});
