/** The terminal command in a world that is not kind to it: full disks, closed pipes, odd files. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import {
  closeSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import Database from 'libsql';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { packageRoot } from '../../server/paths';
import { paperRows } from './engineSupport';
import { bundleTerminal } from '../bundle';
import { skipBecause } from '../skip';

describe('the terminal command', function () {
  this.timeout(120_000);
  let cli: string;
  let folder: string;

  before(async () => {
    cli = await bundleTerminal('cli.js');
  });
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'ratio-terminal-'));
    // No test here is about the starter pool, which takes seconds to build.
    mkdirSync(join(folder, 'home'));
    writeFileSync(join(folder, 'home', 'starter-removed'), '');
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }));

  const file = (name: string, content: string | Buffer): string => {
    const path = join(folder, name);
    writeFileSync(path, content);
    return path;
  };
  const papers = (): string =>
    file(
      'papers.jsonl',
      paperRows(20, 3)
        .map((row) => JSON.stringify(row))
        .join('\n'),
    );
  const environment = () => ({ ...process.env, RATIO_HOME: join(folder, 'home') });
  const ratio = (args: string[], stdout: 'pipe' | number = 'pipe', program = cli) =>
    spawnSync(process.execPath, [program, ...args], {
      env: environment(),
      encoding: 'utf8',
      stdio: ['ignore', stdout, 'pipe'],
    });

  it('fails when its result cannot be written', function () {
    if (!existsSync('/dev/full')) skipBecause(this, 'no /dev/full here');
    const full = openSync('/dev/full', 'w');
    try {
      const { status, stderr } = ratio(['pool', 'list', '--json'], full);
      assert.equal(status, 1, stderr);
      assert.match(stderr, /could not be written/);
    } finally {
      closeSync(full);
    }
  });

  it('imports to the end although no one reads its messages', function () {
    if (process.platform === 'win32') skipBecause(this, 'needs a POSIX shell');
    const bad = file('bad.jsonl', '{"title"\n');
    const code = join(folder, 'code');
    const command = 'code="$1"; shift; { "$@"; echo $? > "$code"; } 2>&1 >/dev/null | true';
    const words = [process.execPath, cli, 'pool', 'add', 'one', papers(), bad];
    spawnSync('sh', ['-c', command, 'sh', code, ...words], { env: environment() });
    assert.equal(readFileSync(code, 'utf8').trim(), '0');
    const { stdout } = ratio(['pool', 'add', 'one', papers(), '--json']);
    assert.equal((JSON.parse(stdout) as { unchanged: number }).unchanged, 20);
  });

  it('says by its exit code that nothing could be read', () => {
    const { status, stderr } = ratio(['pool', 'add', 'one', file('empty.jsonl', '')]);
    assert.equal(status, 1);
    assert.match(stderr, /is empty: nothing to index[^]*No paper could be read/);
  });

  it('reads drafts as citing does, whatever their encoding, and refuses binary ones', () => {
    ratio(['pool', 'add', 'one', papers()]);
    const ask = (path: string) =>
      ratio(['query', '--move', 'address', '--json', '--at', `${path}:1`]);
    const taken = (path: string) => (JSON.parse(ask(path).stdout) as { query: string }).query;
    const text = 'Les modèles échouent sur ces données.';
    assert.equal(taken(file('latin.tex', Buffer.from(text, 'latin1'))), text);
    assert.equal(taken(file('wide.tex', Buffer.from(`\ufeff${text}`, 'utf16le'))), text);
    const { status, stderr } = ask(file('binary.tex', Buffer.from([0, 200, 201, 0, 255])));
    assert.equal(status, 2);
    assert.match(stderr, /no text but binary data/);
  });

  it('encodes again what an older encoder encoded before it answers', () => {
    ratio(['pool', 'add', 'one', papers()]);
    const db = new Database(join(folder, 'home', 'pools', 'one', 'pool.db'));
    db.exec("UPDATE encoders SET id = 'an-older-one'");
    db.close();
    const ask = ['query', 'We train a model that lowers cost.', '--move', 'address', '--json'];
    type Answer = { inspirations: { why: { dense: number | null } }[] };
    const first = ratio(ask);
    assert.equal(first.status, 0, first.stderr);
    assert.match(first.stderr, /"one" was encoded by another encoder; encoding it again/);
    assert.doesNotMatch(first.stderr, /only its words/);
    const { inspirations } = JSON.parse(first.stdout) as Answer;
    assert.ok(inspirations.length > 0, first.stdout);
    assert.ok(inspirations.every((inspiration) => inspiration.why.dense !== null));
    assert.doesNotMatch(ratio(ask).stderr, /another encoder/);
  });

  const library = (): void => {
    assert.equal(ratio(['pool', 'add', 'one', papers()]).status, 0);
  };
  const looks = (): string[][] => {
    const draft = file('draft.tex', 'Labels are noisy.\n\\bibliography{refs}\n');
    return [
      ['pool', 'list'],
      ['pool', 'show', 'one'],
      ['cite', '--dry-run', '--at', `${draft}:1`, 'p3'],
    ];
  };

  it('looks at pools and cites from them without encoding them again', () => {
    library();
    const path = join(folder, 'home', 'pools', 'one', 'pool.db');
    const change = new Database(path);
    change.exec("UPDATE encoders SET id = 'an-older-one'");
    change.close();
    for (const words of looks()) {
      const { status, stdout, stderr } = ratio(words);
      assert.deepEqual([status, stderr], [0, ''], words.join(' '));
      assert.match(stdout, /one|p 3/);
    }
    const db = new Database(path);
    const ids = db.prepare('SELECT id FROM encoders').all([]);
    db.close();
    assert.deepEqual(ids, [{ id: 'an-older-one' }]);
  });

  it('says that it makes the pool that ships', () => {
    rmSync(join(folder, 'home', 'starter-removed'));
    const { status, stdout, stderr } = ratio(['pool', 'list']);
    assert.equal(status, 0, stderr);
    assert.match(stderr, /^ratio: .*"starter"/);
    assert.match(stdout, /starter +\d+ papers/);
  });

  it('looks at pools and cites although the pool that ships cannot be made', () => {
    library();
    rmSync(join(folder, 'home', 'starter-removed'));
    rmSync(join(folder, 'home', 'locks'), { recursive: true });
    writeFileSync(join(folder, 'home', 'locks'), 'no folder');
    for (const words of looks()) {
      const { status, stdout, stderr } = ratio(words);
      assert.equal(status, 0, stderr);
      assert.match(stdout, /one|p 3/);
      // To show another pool it is not needed.
      if (words[1] !== 'show') assert.match(stderr, /"starter" could not be/);
    }
  });

  it('removes a pool although there is no encoder', () => {
    ratio(['pool', 'add', 'one', papers()]);
    const bare = join(folder, 'package');
    mkdirSync(join(bare, 'dist'), { recursive: true });
    writeFileSync(join(bare, 'package.json'), '{"name": "ratio", "version": "0.0.0"}');
    symlinkSync(join(packageRoot(), 'node_modules'), join(bare, 'node_modules'), 'junction');
    const program = join(bare, 'dist', 'cli.js');
    copyFileSync(cli, program);
    const list = ratio(['pool', 'list'], 'pipe', program);
    assert.match(list.stderr, /config\.json is missing/);
    const gone = ratio(['pool', 'remove', 'one'], 'pipe', program);
    assert.equal(gone.status, 0, gone.stderr);
    assert.ok(!existsSync(join(folder, 'home', 'pools', 'one')));
  });
});
