import assert from 'node:assert/strict';
import { existsSync, mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { RatioError, type ImportProgress } from '../../../server/engine/engine';
import type { SentenceEncoder } from '../../../server/engine/encoder-kind';
import { vectorKind } from '../../../server/engine/encoder/text-form';
import { removeGone } from '../../../server/engine/import/removal';
import type { Importer } from '../../../server/engine/import/source';
import { loadHnsw } from '../../../server/engine/index/hnsw';
import { readStamp } from '../../../server/engine/index/stamp';
import type { LocalEngine } from '../../../server/engine/local';
import { openForWriting } from '../../../server/engine/store/database';
import { tryLockPool } from '../../../server/engine/store/lock';
import { poolDatabase, poolFolder } from '../../../server/engine/store/names';
import { PoolWriter } from '../../../server/engine/store/writer';
import { importers } from '../../../server/pools';
import { skipBecause } from '../../skip';
import { bagEncoder, jsonlImporter, listeningEncoder } from './doubles';
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

  it('removes on update what its sources no longer hold, and only then', async () => {
    const path = workspace.file('a.jsonl', manyRows(10, 2));
    await add(path);
    workspace.file('a.jsonl', manyRows(10, 2).slice(0, 7));
    assert.equal((await add(path)).removed, 0);
    assert.equal((await engine.updatePool('one')).removed, 3);
    assert.equal((await engine.pools())[0]?.papers, 7);
    assert.equal(await paperOf(engine, 'p9'), null);
  });

  it('keeps everything of a source that cannot be read', async () => {
    const path = workspace.file('a.jsonl', manyRows(10, 2));
    await add(path);
    rmSync(path);
    const report = await engine.updatePool('one');
    assert.equal(report.removed, 0);
    assert.match(report.issues[0]?.message ?? '', /kept/);
    assert.equal((await engine.pools())[0]?.papers, 10);
  });

  it('keeps what may hide in a broken entry, and says so', async () => {
    const path = workspace.file('a.jsonl', manyRows(4, 2));
    await add(path);
    workspace.file('a.jsonl', [...manyRows(4, 2).slice(0, 2), '{broken']);
    const report = await engine.updatePool('one');
    assert.equal(report.removed, 0);
    assert.equal(report.issueCount, 2);
    assert.equal(report.issues[0]?.line, 3);
    assert.match(report.issues[1]?.message ?? '', /2 papers .* kept/);
  });

  it('drops the papers of a file that left a folder', async () => {
    const folder = join(workspace.folder, 'papers');
    mkdirSync(folder);
    workspace.file('papers/a.jsonl', manyRows(3, 2, 'a'));
    workspace.file('papers/b.jsonl', manyRows(3, 2, 'b'));
    writeFileSync(join(folder, 'notes.xyz'), 'not a paper');
    const report = await add(folder);
    assert.deepEqual([report.stored, report.issueCount], [6, 0]);
    rmSync(join(folder, 'b.jsonl'));
    assert.equal((await engine.updatePool('one')).removed, 3);
  });

  it('reads files behind links in a folder, but no folders and nothing that is gone', async function () {
    const folder = join(workspace.folder, 'papers');
    const elsewhere = join(workspace.folder, 'elsewhere');
    for (const each of [folder, elsewhere]) mkdirSync(each);
    workspace.file('papers/a.jsonl', manyRows(3, 2, 'a'));
    const target = workspace.file('elsewhere/b.jsonl', manyRows(3, 2, 'b'));
    try {
      symlinkSync(target, join(folder, 'b.jsonl'));
      symlinkSync(elsewhere, join(folder, 'sub'));
      symlinkSync(folder, join(folder, 'round'));
      symlinkSync(join(elsewhere, 'none.jsonl'), join(folder, 'none.jsonl'));
    } catch {
      skipBecause(this, 'no right to make symbolic links');
    }
    const report = await add(folder);
    assert.deepEqual([report.read, report.stored, report.issueCount], [6, 6, 0]);
  });

  it('keeps the papers of a folder that is empty all at once, and says so', async () => {
    const folder = join(workspace.folder, 'drive');
    mkdirSync(folder);
    workspace.file('drive/a.jsonl', manyRows(3, 2));
    await add(folder);
    renameSync(folder, `${folder}-away`);
    mkdirSync(folder);
    const report = await engine.updatePool('one');
    assert.equal(report.removed, 0);
    assert.equal((await engine.pools())[0]?.papers, 3);
    const told = report.issues.find(({ message }) => message.includes('are kept'));
    assert.equal(told?.source, folder);
    assert.match(told?.message ?? '', /papers \(3\) .*not connected.* remove the pool/);
    // With some other file in it the folder is there, and its papers are gone.
    workspace.file('drive/figure.png', ['no paper']);
    assert.equal((await engine.updatePool('one')).removed, 3);
  });

  it('keeps what a link led to while that is away, and removes the rest that is gone', async function () {
    const folder = join(workspace.folder, 'papers');
    const elsewhere = join(workspace.folder, 'elsewhere');
    for (const each of [folder, elsewhere]) mkdirSync(each);
    workspace.file('papers/a.jsonl', manyRows(3, 2, 'a'));
    const link = join(folder, 'b.jsonl');
    try {
      symlinkSync(workspace.file('elsewhere/b.jsonl', manyRows(4, 2, 'b')), link);
    } catch {
      skipBecause(this, 'no right to make symbolic links');
    }
    assert.equal((await add(folder)).stored, 7);
    renameSync(elsewhere, `${elsewhere}-away`);
    workspace.file('papers/a.jsonl', manyRows(2, 2, 'a'));
    const report = await engine.updatePool('one');
    assert.equal(report.removed, 1);
    assert.deepEqual(
      report.issues.map(({ source }) => source),
      [link],
    );
    assert.match(report.issues[0]?.message ?? '', /4 papers .* are kept, .*could not be reached/);
    rmSync(link);
    assert.equal((await engine.updatePool('one')).removed, 4);
  });

  it('removes what left a file that was read completely in another encoding', async () => {
    await engine.close();
    engine = await workspace.engine({ upkeep: 'none', importers });
    const entry = (name: string): string => `@article{${name}, title = {Über ${name} und Größe}}\n`;
    const path = join(workspace.folder, 'a.bib');
    const write = (...names: string[]): void =>
      writeFileSync(path, Buffer.from(names.map(entry).join(''), 'latin1'));
    write('stones', 'rivers', 'wheels');
    assert.equal((await add(path)).stored, 3);
    write('stones', 'wheels');
    const report = await engine.updatePool('one');
    assert.equal(report.removed, 1);
    assert.deepEqual(
      report.issues.map(({ message }) => /is not UTF-8/.test(message)),
      [true],
    );
  });

  it('removes notes whose last sentence was deleted', async () => {
    await engine.close();
    engine = await workspace.engine({ upkeep: 'none', importers });
    const path = join(workspace.folder, 'notes.md');
    writeFileSync(path, '# Notes\n\nThe river turns the wheel of the mill.\n');
    assert.equal((await add(path)).stored, 1);
    writeFileSync(path, '# Notes\n');
    assert.equal((await engine.updatePool('one')).removed, 1);
  });

  it('keeps one paper of two files, and the abstract rather than the bare title', async () => {
    const full = row('p', ['A sentence of the abstract.']);
    const bare = { ...row('p', ['Title of p']), titleOnly: true };
    const a = workspace.file('a.jsonl', [full]);
    const b = workspace.file('b.jsonl', [bare]);
    await add(a);
    assert.deepEqual([(await add(b)).unchanged, (await engine.pools())[0]?.titleOnly], [1, 0]);
    // Both files again: nothing changes, and nothing goes while one of them holds the paper.
    const again = await engine.updatePool('one');
    assert.deepEqual([again.stored, again.removed, again.unchanged], [0, 0, 2]);
    workspace.file('a.jsonl', []);
    assert.equal((await engine.updatePool('one')).removed, 0);
    workspace.file('b.jsonl', []);
    assert.equal((await engine.updatePool('one')).removed, 1);
  });

  it('does not flip between two files that differ', async () => {
    const a = workspace.file('a.jsonl', [row('p', ['The first wording of it.'])]);
    const b = workspace.file('b.jsonl', [row('p', ['The second wording of it.'])]);
    await add(a);
    assert.equal((await add(b)).stored, 1);
    const encoded = workspace.encoder.encoded;
    assert.equal((await engine.updatePool('one')).stored, 0);
    assert.equal(workspace.encoder.encoded, encoded);
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

  it('goes on after a file that breaks off', async () => {
    const broken: Importer = {
      name: 'breaks off',
      accepts: (path) => path.endsWith('.broken'),
      async *read(path, options, report, signal) {
        yield* jsonlImporter.read(path, options, report, signal);
        throw new Error('unexpected end');
      },
    };
    await engine.close();
    engine = await workspace.engine({ upkeep: 'none', importers: [broken, jsonlImporter] });
    mkdirSync(join(workspace.folder, 'in'));
    workspace.file('in/a.broken', manyRows(2, 2, 'a'));
    workspace.file('in/b.jsonl', manyRows(2, 2, 'b'));
    const report = await add(join(workspace.folder, 'in'));
    assert.equal(report.stored, 4);
    assert.match(report.issues[0]?.message ?? '', /to its end: unexpected end/);
    workspace.file('in/a.broken', manyRows(1, 2, 'a'));
    assert.equal((await engine.updatePool('one')).removed, 0);
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

describe('starter pool', function () {
  this.timeout(20_000);
  let workspace: Workspace;
  beforeEach(() => (workspace = new Workspace()));
  afterEach(() => workspace.dispose());

  const starterRow = (id: string, text: string): string =>
    JSON.stringify({ ...row(id, []), sentences: [{ text, role: 'method' }] });

  it('is built at first start, by one of two engines at once, and the first move waits for it', async () => {
    const starterPool = workspace.file('starter.jsonl', [
      starterRow('s1', 'We bake the bread in a small oven.'),
      starterRow('s2', 'We carve the chair from a single tree.'),
    ]);
    const [one, two] = await Promise.all([
      workspace.engine({ starterPool }),
      workspace.engine({ starterPool }),
    ]);
    const question = {
      move: 'address' as const,
      text: 'How to carve a chair from wood',
      pools: null,
    };
    for (const engine of [one, two]) {
      const { inspirations } = await engine.inspire(question);
      assert.equal(inspirations[0]?.paper.id, 's2');
      assert.equal(inspirations[0]?.role, 'method');
    }
    assert.deepEqual(
      (await one.pools()).map((pool) => [pool.name, pool.sources]),
      [['starter', []]],
    );
  });

  it('follows its file, keeps what the user added to it, and stays removed', async () => {
    let starterPool = workspace.file('starter.jsonl', [starterRow('s1', 'We bake bread.')]);
    const one = await workspace.engine({ starterPool, upkeep: 'none' });
    await one.keepUp();
    await one.addToPool({ pool: 'starter', sources: [workspace.file('a.jsonl', manyRows(2, 2))] });
    starterPool = workspace.file('starter-2.jsonl', [starterRow('s2', 'We carve chairs.')]);
    const two = await workspace.engine({ starterPool, upkeep: 'none' });
    await two.keepUp();
    assert.equal(await paperOf(two, 's1'), null);
    assert.notEqual(await paperOf(two, 's2'), null);
    assert.notEqual(await paperOf(two, 'p1'), null);
    await two.removePool('starter');
    await one.keepUp();
    assert.deepEqual(await one.pools(), []);
    await one.addToPool({ pool: 'starter', sources: [workspace.file('a.jsonl', manyRows(2, 2))] });
    assert.equal((await two.upkeepNeeded()).starter, true);
  });

  it('is all that the first move waits for, however much else is to be put in order', async () => {
    const starterPool = workspace.file('starter.jsonl', [starterRow('s1', 'We bake bread.')]);
    const one = await workspace.engine({ upkeep: 'none' });
    await one.addToPool({ pool: 'big', sources: [workspace.file('a.jsonl', manyRows(20, 5))] });
    await one.close();
    const next = bagEncoder('next');
    let go = (): void => undefined;
    const gate = new Promise<void>((resolve) => (go = resolve));
    const slow = {
      ...next,
      encode: async (texts: string[]) => {
        // The starter pool has one sentence, the other pool a hundred.
        if (texts.length > 1) await gate;
        return next.encode(texts);
      },
    };
    const two = await workspace.engine({ starterPool, createEncoder: async () => slow });
    const { inspirations } = await two.inspire({
      ...{ move: 'address', text: 'How do we bake bread?', pools: ['starter'], limit: 5 },
      perPaper: 2,
    });
    assert.equal(inspirations[0]?.paper.id, 's1');
    assert.deepEqual((await two.upkeepNeeded()).pools, ['big']);
    go();
  });

  it('makes the starter pool alone where no more is asked for', async () => {
    const starterPool = workspace.file('starter.jsonl', [starterRow('s1', 'We bake bread.')]);
    const one = await workspace.engine({ upkeep: 'none' });
    await one.addToPool({ pool: 'big', sources: [workspace.file('a.jsonl', manyRows(2, 2))] });
    await one.close();
    const two = await workspace.engine({
      starterPool,
      upkeep: 'none',
      createEncoder: async () => bagEncoder('next'),
    });
    await two.keepUp({ starterOnly: true });
    assert.deepEqual(await two.upkeepNeeded(), { starter: false, pools: ['big'] });
    const told: string[] = [];
    await two.prepare(null, { onPool: (pool, why) => told.push(`${pool}: ${why}`) });
    assert.deepEqual(told, ['big: encoder']);
    assert.deepEqual((await two.upkeepNeeded()).pools, []);
  });

  it('answers by words while another process writes to a pool of another encoder', async () => {
    const one = await workspace.engine({ upkeep: 'none' });
    await one.addToPool({ pool: 'big', sources: [workspace.file('a.jsonl', manyRows(2, 2))] });
    await one.close();
    const two = await workspace.engine({
      upkeep: 'none',
      createEncoder: async () => bagEncoder('next'),
    });
    const lock = tryLockPool(workspace.home, 'big');
    assert.ok(lock);
    const faults: string[] = [];
    await two.prepare(['big', '../big'], {
      onFault: (pool, error) => faults.push(`${pool}: ${String(error)}`),
    });
    lock.release();
    assert.equal(faults.length, 1);
    assert.match(faults[0] ?? '', /^big: .*is written to/);
  });

  it('is restored by an update after it was removed, and only then', async () => {
    const starterPool = workspace.file('starter.jsonl', [starterRow('s1', 'We bake bread.')]);
    const engine = await workspace.engine({ starterPool, upkeep: 'none' });
    await engine.keepUp();
    await engine.removePool('starter');
    await engine.keepUp();
    assert.deepEqual(await engine.pools(), []);
    const report = await engine.updatePool('starter');
    assert.deepEqual([report.pool, report.stored, report.cancelled], ['starter', 1, false]);
    assert.notEqual(await paperOf(engine, 's1'), null);
    assert.deepEqual((await engine.updatePool('starter')).stored, 0);
    // It counts as wanted again: a changed file would be followed.
    assert.equal((await engine.upkeepNeeded()).starter, false);
    const without = await workspace.engine({ home: join(workspace.folder, 'other') });
    await assert.rejects(without.updatePool('starter'), code('no-pool', /no pool “starter”/));
  });

  it('is encoded again by itself for another encoder', async () => {
    const starterPool = workspace.file('starter.jsonl', [
      starterRow('s1', 'Therefore, we bake the bread in a small oven.'),
      starterRow('s2', 'We carve the chair from a single tree.'),
    ]);
    const one = await workspace.engine({ starterPool, upkeep: 'none' });
    await one.keepUp();
    assert.equal((await one.pools())[0]?.encoder, 'bag-of-words+t1');
    await one.close();
    const next = listeningEncoder('next');
    const two = await workspace.engine({
      starterPool,
      upkeep: 'none',
      createEncoder: async () => next,
    });
    assert.deepEqual(await two.upkeepNeeded(), { starter: false, pools: ['starter'] });
    await two.keepUp();
    assert.deepEqual(next.documents, [
      'We bake the bread in a small oven.',
      'We carve the chair from a single tree.',
    ]);
    const [info] = await two.pools();
    assert.deepEqual([info?.encoder, info?.problem], ['next+t1', null]);
    assert.deepEqual(await two.upkeepNeeded(), { starter: false, pools: [] });
  });
});
