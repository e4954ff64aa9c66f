import assert from 'node:assert/strict';
import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { RatioError, type ImportProgress } from '../../../server/engine/engine';
import type { SentenceEncoder } from '../../../server/engine/encoderKind';
import { vectorKind } from '../../../server/engine/encoder/textForm';
import { removeGone } from '../../../server/engine/import/removal';
import { loadHnsw } from '../../../server/engine/index/hnsw';
import { readStamp } from '../../../server/engine/index/stamp';
import type { LocalEngine } from '../../../server/engine/local';
import { openForWriting } from '../../../server/engine/store/database';
import { tryLockPool } from '../../../server/engine/store/lock';
import { poolDatabase, poolFolder } from '../../../server/engine/store/names';
import { PoolWriter } from '../../../server/engine/store/writer';
import { skipBecause } from '../../skip';
import { bagEncoder } from './doubles';
import { manyRows, row, Workspace } from './support';

const paperOf = async (engine: LocalEngine, id: string) =>
  (await engine.findPaper({ ids: [id], dois: [] }, null)).found;

const code =
  (expected: RatioError['code'], words = /./) =>
  (error: unknown): boolean =>
    error instanceof RatioError && error.code === expected && words.test(error.message);

describe('import into a pool', function () {
  this.timeout(20_000);
  let workspace: Workspace;
  let engine: LocalEngine;
  beforeEach(async () => {
    workspace = new Workspace();
    engine = await workspace.engine({ upkeep: 'none' });
  });
  afterEach(() => workspace.dispose());

  const add = (path: string, pool = 'one'): ReturnType<LocalEngine['addToPool']> =>
    engine.addToPool({ pool, sources: [path] });

  it('stores papers once: what is unchanged is not encoded again', async () => {
    const path = workspace.file('a.jsonl', manyRows(30, 4));
    const first = await add(path);
    assert.deepEqual([first.read, first.stored, first.sentences], [30, 30, 120]);
    assert.equal(workspace.encoder.encoded, 120);
    const second = await add(path);
    assert.deepEqual([second.stored, second.unchanged], [0, 30]);
    assert.equal(workspace.encoder.encoded, 120);
    const info = (await engine.pools())[0];
    assert.deepEqual([info?.papers, info?.sentences, info?.sources], [30, 120, [path]]);
  });

  it('encodes only what is new in a changed paper', async () => {
    const path = workspace.file('a.jsonl', [row('p', ['One old sentence.', 'Another old one.'])]);
    await add(path);
    workspace.file('a.jsonl', [
      row('p', ['One old sentence.', 'A brand new one.'], { doi: '10.1/x' }),
    ]);
    const report = await engine.updatePool('one');
    assert.deepEqual([report.stored, report.unchanged, report.removed], [1, 0, 0]);
    assert.equal(workspace.encoder.encoded, 3);
    const found = await paperOf(engine, 'p');
    assert.equal(found?.paper.doi, '10.1/x');
    assert.equal((await engine.pools())[0]?.sentences, 2);
  });

  it('reports progress that grows, and ends', async () => {
    const path = workspace.file('a.jsonl', manyRows(200, 5));
    const seen: ImportProgress[] = [];
    await engine.addToPool(
      { pool: 'one', sources: [path] },
      { onProgress: (progress) => seen.push(progress) },
    );
    const reading = seen.filter((progress) => progress.phase === 'reading' && progress.fraction);
    const fractions = reading.map((progress) => progress.fraction ?? 0);
    assert.ok(fractions.length > 0);
    assert.deepEqual(
      fractions,
      [...fractions].sort((x, y) => x - y),
    );
    assert.deepEqual([seen.at(-1)?.phase, seen.at(-1)?.fraction], ['done', 1]);
  });

  it('stops when cancelled, keeps what was stored, and goes on from there', async () => {
    const path = workspace.file('a.jsonl', manyRows(300, 4));
    const abort = new AbortController();
    const report = await engine.addToPool(
      { pool: 'one', sources: [path] },
      { signal: abort.signal, onProgress: ({ stored }) => stored > 20 && abort.abort() },
    );
    assert.equal(report.cancelled, true);
    assert.ok(report.stored > 20 && report.stored < 300);
    assert.equal((await engine.pools())[0]?.papers, report.stored);
    const rest = await add(path);
    assert.equal(rest.stored, 300 - report.stored);
    assert.equal(rest.unchanged, report.stored);
    assert.equal(workspace.encoder.encoded >= 1200, true);
  });

  it('waits for another writer, and can be cancelled meanwhile', async () => {
    const path = workspace.file('a.jsonl', manyRows(3, 2));
    const lock = tryLockPool(workspace.home, 'one');
    const abort = new AbortController();
    const phases: string[] = [];
    const waiting = engine.addToPool(
      { pool: 'one', sources: [path] },
      {
        signal: abort.signal,
        onProgress: ({ phase }) => {
          phases.push(phase);
          abort.abort();
        },
      },
    );
    assert.equal((await waiting).cancelled, true);
    assert.deepEqual(phases, ['waiting']);
    lock?.release();
    assert.equal((await add(path)).stored, 3);
  });

  it('makes no pool again that was removed while an update waited for it', async () => {
    await add(workspace.file('a.jsonl', manyRows(3, 2)));
    const lock = tryLockPool(workspace.home, 'one');
    const updating = engine.updatePool('one', {
      onProgress: ({ phase }) => {
        if (phase !== 'waiting') return;
        rmSync(poolFolder(workspace.home, 'one'), { recursive: true });
        lock?.release();
      },
    });
    await assert.rejects(updating, code('no-pool', /no pool “one” any more/));
    assert.equal(existsSync(poolFolder(workspace.home, 'one')), false);
  });

  it('says what is wrong with a request', async () => {
    const path = workspace.file('a.jsonl', manyRows(1, 1));
    await assert.rejects(add(path, 'naïve name'), code('bad-input', /1 to 64 letters/));
    await assert.rejects(add(join(workspace.folder, 'nowhere')), code('not-found', /nowhere/));
    await assert.rejects(add('relative.jsonl'), code('bad-input', /absolute/));
    await assert.rejects(
      engine.addToPool({ pool: 'one', sources: [path], since: 'yesterday' }),
      code('bad-input', /YYYY/),
    );
    await assert.rejects(engine.updatePool('none'), code('no-pool', /no pool “none”/));
    await assert.rejects(engine.removePool('none'), code('no-pool'));
    await add(path, 'Mine');
    await assert.rejects(add(path, 'mine'), code('bad-input', /“Mine”/));
    const report = await add(workspace.file('a.xyz', ['?']), 'Mine');
    assert.match(report.issues[0]?.message ?? '', /No importer takes/);
  });

  it('can be cancelled while it removes, a page at a time', async () => {
    const abort = new AbortController();
    const pages: number[] = [];
    let transactions = 0;
    const writer = {
      originsAfter: (_source: string, after: number) =>
        Array.from({ length: 3 }, (_, i) => ({ key: after + i + 1, paper: 1, file: 'a' })),
      transaction: (work: () => void) => (transactions++, work()),
      removeOrigin: (key: number) => key % 3 !== 0,
      setMeta: () => undefined,
    } as unknown as PoolWriter;
    const state = { source: 'a', readable: true, empty: false, doubtful: new Map() };
    const removing = removeGone(writer, [state], new Set(), {
      report: () => undefined,
      onPage: (removed) => pages.push(removed) === 2 && abort.abort(),
      signal: abort.signal,
    });
    await assert.rejects(removing, code('cancelled'));
    assert.deepEqual([pages, transactions], [[2, 2], 2]);
  });

  it('looks for vectors of other encoders only where there were any', async () => {
    await add(workspace.file('a.jsonl', manyRows(3, 2)));
    const database = openForWriting(poolDatabase(workspace.home, 'one'));
    const asked: string[] = [];
    const prepare = database.prepare.bind(database);
    database.prepare = ((sql: string) => {
      asked.push(sql);
      return prepare(sql);
    }) as typeof database.prepare;
    const writer = new PoolWriter(database);
    const scans = (): number => asked.filter((sql) => sql.includes('vectors')).length;
    const key = writer.encoderKey(vectorKind(workspace.encoder).id);
    assert.deepEqual([writer.countForeign(key), scans()], [0, 0]);
    assert.deepEqual([writer.countForeign(writer.encoderKey('next')), scans()], [6, 1]);
    writer.close();
  });

  it('indexes while it encodes again, what is encoded again', async function () {
    const { module, reason } = loadHnsw();
    if (!module) skipBecause(this, String(reason));
    this.timeout(60_000);
    const small = (id: string, encode: () => void): SentenceEncoder => ({
      ...bagEncoder(id),
      dimensions: 2,
      encode: (texts) => {
        encode();
        return Promise.resolve(texts.map((_, i) => Float32Array.of(Math.cos(i), Math.sin(i))));
      },
    });
    await engine.close();
    process.env['RATIO_NO_HNSW'] = '1';
    try {
      const first = small('first', () => undefined);
      engine = await workspace.engine({ upkeep: 'none', createEncoder: async () => first });
      await add(workspace.file('a.jsonl', manyRows(81, 100)));
      await engine.close();
    } finally {
      delete process.env['RATIO_NO_HNSW'];
    }
    const abort = new AbortController();
    let batches = 0;
    const next = small('next', () => ++batches > 125 && abort.abort());
    engine = await workspace.engine({ upkeep: 'none', createEncoder: async () => next });
    assert.equal((await engine.updatePool('one', { signal: abort.signal })).cancelled, true);
    const { encoder, covered, count } = readStamp(poolFolder(workspace.home, 'one')) ?? {};
    assert.deepEqual([encoder, covered, count], ['next+t1', 8000, 8000]);
  });

  it('removes a pool as a whole, but not under a running import', async () => {
    await add(workspace.file('a.jsonl', manyRows(3, 2)));
    const lock = tryLockPool(workspace.home, 'one');
    await assert.rejects(engine.removePool('one'), code('pool-busy', /import/));
    lock?.release();
    await engine.removePool('one');
    assert.deepEqual(await engine.pools(), []);
    assert.equal(existsSync(join(workspace.home, 'pools', 'one')), false);
  });

  describe('and the dates of its papers', () => {
    const datesOf = async (...dates: (string | null)[]) => {
      const rows = dates.map((date, i) => row(`d${i}`, [`Sentence number ${i}.`], { date }));
      await engine.addToPool({ pool: 'one', sources: [workspace.file('d.jsonl', rows)] });
      return engine.paperDates('one');
    };

    it('are the oldest and the newest, however exact, and how many have none', async () => {
      assert.deepEqual(await datesOf('2020-05-01', null, '1999', '2020-11', null), {
        oldest: '1999',
        newest: '2020-11',
        undated: 2,
      });
    });

    it('are unknown where no paper has one, and null for no pool', async () => {
      assert.deepEqual(await datesOf(null), { oldest: null, newest: null, undated: 1 });
      assert.equal(await engine.paperDates('nowhere'), null);
    });
  });
});
