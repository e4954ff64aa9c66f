import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import fs, {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import promises from 'node:fs/promises';
import { join } from 'node:path';
import Database from 'libsql';
import { RatioError } from '../../../server/engine/engine';
import { toNewPaper } from '../../../server/engine/import/content';
import { runImport } from '../../../server/engine/import/import';
import { lockPool, tryLockPool } from '../../../server/engine/store/lock';
import { packageRoot } from '../../../server/paths';
import { skipBecause } from '../../skip';
import { jsonlImporter } from './doubles';
import { manyRows, row, Workspace } from './support';

const isError = (code: RatioError['code'], pattern: RegExp) => (error: unknown) =>
  error instanceof RatioError && error.code === code && pattern.test(error.message);

describe('faults of the world around pools', function () {
  this.timeout(60_000);
  let workspace: Workspace;
  beforeEach(() => (workspace = new Workspace()));
  afterEach(() => workspace.dispose());

  const pools = () => join(workspace.home, 'pools');
  const garbage = (path: string) => writeFileSync(path, Buffer.alloc(6000, 0xa7));
  const starter = () => {
    const texts = ['A lamp lights the river.', 'A wheel turns the mill.'];
    const sentences = texts.map((text) => ({ text, role: 'method' }));
    return workspace.file('starter.jsonl', [JSON.stringify({ ...row('s1', []), sentences })]);
  };

  it('empties a damaged lock file, which still locks', async () => {
    mkdirSync(join(workspace.home, 'locks'), { recursive: true });
    garbage(join(workspace.home, 'locks', 'one.lock'));
    const lock = await lockPool(workspace.home, 'one');
    assert.equal(tryLockPool(workspace.home, 'one'), null);
    lock.release();
  });

  it('says which folder cannot be made when a file stands in its way', async () => {
    writeFileSync(workspace.home, 'a file');
    const engine = await workspace.engine({ starterPool: starter(), upkeep: 'none' });
    const file = workspace.file('a.jsonl', manyRows(2, 2));
    const refusal = isError('disk', /data folder cannot be written/);
    await assert.rejects(engine.addToPool({ pool: 'one', sources: [file] }), refusal);
    await assert.rejects(engine.keepUp(), refusal);
    assert.deepEqual(await engine.pools(), []);
  });

  it('tells a move why there is no pool', async () => {
    writeFileSync(workspace.home, 'a file');
    const engine = await workspace.engine({ starterPool: starter() });
    await assert.rejects(
      engine.inspire({ move: 'address', text: 'A lamp lights the river.', pools: null }),
      isError('disk', /data folder cannot be written/),
    );
  });

  it('puts the other pools in order where one cannot be, and says so', async () => {
    const engine = await workspace.engine({ upkeep: 'none' });
    const file = workspace.file('a.jsonl', manyRows(150, 2));
    await engine.addToPool({ pool: 'good', sources: [file] });
    rmSync(join(pools(), 'good', 'index.json'));
    rmSync(join(pools(), 'good', 'index.hnsw'));
    const broken = join(workspace.folder, 'no-starter.jsonl');
    mkdirSync(broken);
    const second = await workspace.engine({ upkeep: 'none', starterPool: broken });
    await assert.rejects(second.keepUp());
    assert.ok(existsSync(join(pools(), 'good', 'index.hnsw')));
  });

  it('does not wait for a pool that another process writes to', async () => {
    const engine = await workspace.engine({ upkeep: 'none' });
    const file = workspace.file('a.jsonl', manyRows(150, 2));
    await engine.addToPool({ pool: 'busy', sources: [file] });
    rmSync(join(pools(), 'busy', 'index.json'));
    const lock = await lockPool(workspace.home, 'busy');
    try {
      const second = await workspace.engine({ upkeep: 'none' });
      const kept = await Promise.race([
        second.keepUp().then(() => true),
        new Promise((resolve) => setTimeout(() => resolve(false), 5000)),
      ]);
      assert.equal(kept, true);
    } finally {
      lock.release();
    }
  });

  it('deletes what a killed removal has left', async () => {
    const left = join(pools(), '.removed-old-1-1');
    mkdirSync(left, { recursive: true });
    writeFileSync(join(left, 'pool.db'), 'x');
    const engine = await workspace.engine({ upkeep: 'none' });
    await engine.keepUp();
    assert.deepEqual(readdirSync(pools()), []);
  });

  it('removes a pool also where its files cannot be deleted yet', async () => {
    const engine = await workspace.engine({ upkeep: 'none' });
    await engine.addToPool({ pool: 'one', sources: [workspace.file('a.jsonl', manyRows(2, 2))] });
    const { rm } = promises;
    promises.rm = () => Promise.reject(Object.assign(new Error('busy'), { code: 'EBUSY' }));
    try {
      await engine.removePool('one');
    } finally {
      promises.rm = rm;
    }
    assert.deepEqual([await engine.pools(), readdirSync(pools()).length], [[], 1]);
    await engine.keepUp();
    assert.deepEqual(readdirSync(pools()), []);
  });

  it('notes a removal of the starter pool before it is gone, and not where it stays', async () => {
    const engine = await workspace.engine({ upkeep: 'none', starterPool: starter() });
    await engine.keepUp();
    const mark = join(workspace.home, 'starter-removed');
    const { renameSync: rename } = fs;
    fs.renameSync = () => {
      assert.ok(existsSync(mark));
      throw Object.assign(new Error('in use'), { code: 'EBUSY' });
    };
    try {
      await assert.rejects(engine.removePool('starter'), isError('pool-busy', /in use/));
    } finally {
      fs.renameSync = rename;
    }
    assert.equal(existsSync(mark), false);
    await engine.removePool('starter');
    assert.ok(existsSync(mark));
  });

  it('builds a damaged starter pool again and sets the damaged one aside', async () => {
    const starterPool = starter();
    const engine = await workspace.engine({ upkeep: 'none', starterPool });
    await engine.keepUp();
    await engine.close();
    garbage(join(pools(), 'starter', 'pool.db'));
    rmSync(join(pools(), 'starter', 'pool.db-wal'), { force: true });
    const second = await workspace.engine({ upkeep: 'none', starterPool });
    await second.keepUp();
    assert.deepEqual(
      (await second.pools()).map(({ name, sentences, problem }) => [name, sentences, problem]),
      [['starter', 2, null]],
    );
    const aside = readdirSync(pools()).find((name) => name.startsWith('.damaged-starter-'));
    assert.ok(aside);
    assert.equal(readFileSync(join(pools(), aside, 'pool.db'))[0], 0xa7);
  });

  it('does not take an index for that of an older copy of its database', async () => {
    const engine = await workspace.engine({ upkeep: 'none' });
    const first = workspace.file('first.jsonl', manyRows(200, 2, 'old'));
    await engine.addToPool({ pool: 'one', sources: [first] });
    await engine.close();
    cpSync(join(pools(), 'one'), join(workspace.folder, 'backup'), { recursive: true });
    const grown = await workspace.engine({ upkeep: 'none' });
    const second = workspace.file('second.jsonl', manyRows(150, 2, 'gone'));
    await grown.addToPool({ pool: 'one', sources: [second] });
    await grown.close();
    // The database goes back to the copy; the index stays. Then as many other sentences come.
    for (const name of readdirSync(join(pools(), 'one')).filter((it) => it.startsWith('pool.db'))) {
      rmSync(join(pools(), 'one', name));
    }
    cpSync(join(workspace.folder, 'backup', 'pool.db'), join(pools(), 'one', 'pool.db'));
    const restored = await workspace.engine({ upkeep: 'none' });
    const third = workspace.file('third.jsonl', [
      ...manyRows(149, 2, 'new'),
      row('kiln', ['Potters fire a kiln with oak.', 'Bakers fire an oven with birch.']),
    ]);
    await restored.addToPool({ pool: 'one', sources: [third] });
    const { inspirations } = await restored.inspire({
      move: 'address',
      text: 'Potters heat a kiln with oak wood',
      pools: ['one'],
    });
    const [best] = inspirations;
    assert.equal(best?.paper.id, 'kiln');
    assert.equal(best.why.dense?.rank, 1);
  });

  it('reads a pool from a folder that may only be read', async function () {
    // A superuser may write anywhere: the reader then runs as another user.
    const superuser = process.getuid?.() === 0;
    if (process.platform === 'win32') skipBecause(this, 'Windows has no such permissions');
    const engine = await workspace.engine({ upkeep: 'none' });
    const file = workspace.file('a.jsonl', manyRows(30, 2));
    await engine.addToPool({ pool: 'one', sources: [file] });
    await engine.close();
    const folder = join(pools(), 'one');
    const database = new Database(join(folder, 'pool.db'));
    database.pragma('wal_checkpoint(TRUNCATE)');
    database.close();
    for (const end of ['-wal', '-shm']) rmSync(join(folder, `pool.db${end}`), { force: true });
    for (const path of [workspace.folder, workspace.home, pools()]) chmodSync(path, 0o755);
    for (const name of readdirSync(folder)) chmodSync(join(folder, name), 0o444);
    chmodSync(folder, 0o555);
    const program = `
      const { openForReading } = require('./server/engine/store/database');
      const database = openForReading(${JSON.stringify(join(folder, 'pool.db'))});
      console.log(database.prepare('SELECT COUNT(*) AS n FROM sentences').get([]).n);`;
    try {
      const { stdout, stderr } = spawnSync(
        process.execPath,
        ['--require', 'tsx/cjs', '-e', program],
        { cwd: packageRoot(), encoding: 'utf8', ...(superuser && { uid: 65534, gid: 65534 }) },
      );
      assert.equal(stdout.trim(), '60', stderr);
    } finally {
      chmodSync(folder, 0o755);
    }
  });

  it('refuses a pipe as a source instead of waiting for it', async function () {
    if (process.platform === 'win32') skipBecause(this, 'Windows has no named pipes in folders');
    const pipe = join(workspace.folder, 'pipe.jsonl');
    execFileSync('mkfifo', [pipe]);
    const engine = await workspace.engine({ upkeep: 'none' });
    const report = await engine.addToPool({ pool: 'one', sources: [pipe] });
    assert.match(report.issues[0]?.message ?? '', /neither a file nor a folder/);
  });

  it('stops listing a folder when it is cancelled', async () => {
    const folder = join(workspace.folder, 'many');
    mkdirSync(folder);
    for (let i = 0; i < 300; i++) writeFileSync(join(folder, `${i}.txt`), 'x');
    const abort = new AbortController();
    let looked = 0;
    const report = await runImport(
      {
        home: workspace.home,
        encoder: async () => workspace.encoder,
        importers: [
          {
            ...jsonlImporter,
            accepts: () => {
              if (++looked === 10) abort.abort();
              return false;
            },
          },
        ],
      },
      {
        pool: 'one',
        sources: [{ path: folder, categories: [], since: null, until: null }],
        removeGone: false,
      },
      { signal: abort.signal },
    );
    assert.equal(report.cancelled, true);
    assert.equal(looked, 10);
  });

  it('says what failed although it was cancelled at the same time', async () => {
    const abort = new AbortController();
    const encode = async (): Promise<never> => {
      abort.abort();
      throw Object.assign(new Error('database or disk is full'), { code: 'SQLITE_FULL' });
    };
    const path = workspace.file('a.jsonl', manyRows(2, 2));
    const failing = runImport(
      {
        home: workspace.home,
        encoder: async () => ({ ...workspace.encoder, encode }),
        importers: [jsonlImporter],
      },
      {
        pool: 'one',
        sources: [{ path, categories: [], since: null, until: null }],
        removeGone: false,
      },
      { signal: abort.signal },
    );
    await assert.rejects(failing, isError('disk', /disk is full/));
  });

  it('ends a move on the pool that it began with when another takes its place', async function () {
    if (process.platform === 'win32')
      skipBecause(this, 'Windows renames no folder with open files');
    const folder = join(pools(), 'one');
    const old = join(workspace.folder, 'old');
    const engine = await workspace.engine({
      upkeep: 'none',
      stages: [
        {
          name: 'replaces the pool',
          run: async (candidates) => {
            renameSync(folder, old);
            cpSync(old, folder, { recursive: true });
            assert.equal((await engine.pools())[0]?.problem, null);
            return candidates;
          },
        },
      ],
    });
    const file = workspace.file('a.jsonl', manyRows(20, 2));
    await engine.addToPool({ pool: 'one', sources: [file] });
    const question = {
      move: 'address' as const,
      text: 'The lamp of river holds a wheel of bread and stone',
      pools: ['one'],
    };
    const undisturbed = await workspace.engine({ upkeep: 'none' });
    const expected = (await undisturbed.inspire(question)).inspirations.map(({ id }) => id);
    assert.ok(expected.length > 5);
    await undisturbed.close();
    const answer = await engine.inspire(question);
    assert.deepEqual([answer.final, answer.reranked, answer.notices], [true, true, []]);
    assert.deepEqual(
      answer.inspirations.map(({ id }) => id),
      expected,
    );
  });

  it('cuts fields that are absurdly long and drops what forges output', () => {
    const long = 'word '.repeat(100_000);
    const stored = toNewPaper({
      paper: {
        id: `\u001b[2J${'i'.repeat(5000)}`,
        title: long,
        authors: ['\u202eevil', long],
        date: null,
        venue: long,
        url: `https://example.org/${'u'.repeat(9000)}`,
        doi: null,
      },
      sentences: [{ text: long, role: null, section: null }],
      titleOnly: true,
    });
    assert.ok(stored);
    const { paper, sentences } = stored;
    assert.ok(paper.id.length < 400 && paper.title.length <= 1000);
    assert.ok((paper.venue?.length ?? 0) <= 500 && paper.url === null);
    assert.equal(paper.authors[0], 'evil');
    assert.ok((sentences[0]?.text.length ?? Infinity) <= 2000);
    const shown = JSON.stringify(stored);
    assert.ok(!shown.includes('\\u001b') && !shown.includes('\u202e'));
    const other = toNewPaper({
      paper: { ...paper, id: `\u001b[2J${'i'.repeat(5001)}` },
      sentences: [{ text: 'A sentence.', role: null, section: null }],
      titleOnly: false,
    });
    assert.notEqual(other?.paper.id, paper.id);
  });
});
