/** What an import and an update make of files, folders and links that come, change and go. */
import assert from 'node:assert/strict';
import { mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Importer } from '../../../server/engine/import/source';
import type { LocalEngine } from '../../../server/engine/local';
import { openForWriting } from '../../../server/engine/store/database';
import { poolDatabase } from '../../../server/engine/store/names';
import { importers } from '../../../server/pools';
import { skipBecause } from '../../skip';
import { jsonlImporter } from './doubles';
import { manyRows, row, Workspace } from './support';

const paperOf = async (engine: LocalEngine, id: string) =>
  (await engine.findPaper({ ids: [id], dois: [] }, null)).found;

describe('sources of a pool', function () {
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

  it('keeps the abstract where another file that gave the same one gives a bare title now', async () => {
    const full = row('p', ['A sentence of the abstract.']);
    await add(workspace.file('a.jsonl', [full]));
    await add(workspace.file('b.jsonl', [full]));
    workspace.file('a.jsonl', [{ ...row('p', ['Title of p']), titleOnly: true }]);
    const kept = await engine.updatePool('one');
    assert.deepEqual([kept.stored, (await engine.pools())[0]?.titleOnly], [0, 0]);
    // No file gives it any more.
    workspace.file('b.jsonl', []);
    assert.equal((await engine.updatePool('one')).stored, 1);
    assert.equal((await engine.pools())[0]?.titleOnly, 1);
  });

  describe('with several entries of one paper in a file', () => {
    const wording = (text: string) => row('p', [text]);
    const bare = { ...row('p', ['Title of p']), titleOnly: true };
    const first = 'The first wording of the mill.';
    const second = 'The second wording of the mill.';
    const texts = async (): Promise<string[]> => {
      const asked = { move: 'address' as const, text: 'A wording of the mill', pools: null };
      return (await engine.inspire(asked)).inspirations.map(({ text }) => text);
    };

    it('stores none of them again while nothing changes', async () => {
      await add(workspace.file('a.jsonl', [wording(first), wording(second), wording(first)]));
      const { encoded } = workspace.encoder;
      for (let i = 0; i < 2; i++) {
        const again = await engine.updatePool('one');
        assert.deepEqual([again.stored, again.unchanged, again.removed], [0, 3, 0]);
      }
      assert.equal(workspace.encoder.encoded, encoded);
    });

    it('keeps the abstract of one that another has not', async () => {
      await add(workspace.file('a.jsonl', [wording(first), bare]));
      assert.deepEqual(await texts(), [first]);
      assert.equal((await engine.updatePool('one')).stored, 0);
      assert.deepEqual(await texts(), [first]);
      workspace.file('a.jsonl', [bare]);
      await engine.updatePool('one');
      assert.equal((await engine.pools())[0]?.titleOnly, 1);
      workspace.file('a.jsonl', []);
      assert.equal((await engine.updatePool('one')).removed, 1);
    });

    it('stores what the others say once the one whose text it had is gone', async () => {
      await add(workspace.file('a.jsonl', [wording(first), wording(second)]));
      assert.deepEqual(await texts(), [second]);
      workspace.file('a.jsonl', [wording(first)]);
      const report = await engine.updatePool('one');
      assert.deepEqual([report.stored, report.unchanged, report.removed], [1, 0, 0]);
      assert.deepEqual(await texts(), [first]);
      assert.equal((await engine.updatePool('one')).stored, 0);
    });

    it('reads the file again for a later one of them', async () => {
      await add(workspace.file('a.jsonl', [bare, wording(first)]));
      await add(workspace.file('b.jsonl', [wording(second)]));
      workspace.file('b.jsonl', []);
      await engine.updatePool('one');
      assert.deepEqual(await texts(), [first]);
    });

    it('keeps them all where the file could not be read to its end', async () => {
      await add(workspace.file('a.jsonl', [wording(first), wording(second)]));
      workspace.file('a.jsonl', ['{']);
      const report = await engine.updatePool('one');
      assert.equal(report.removed, 0);
      assert.match(report.issues[1]?.message ?? '', /^1 paper that it no longer shows is kept/);
      assert.deepEqual(await texts(), [second]);
    });
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

  it('stores what another file says once the one whose text it had no longer holds the paper', async () => {
    const text = async (): Promise<string | undefined> => {
      const asked = { move: 'address' as const, text: 'A wording of the mill', pools: null };
      const { inspirations } = await engine.inspire(asked);
      return inspirations.find(({ paper }) => paper.id === 'p')?.text;
    };
    const other = row('q', ['Another paper on the mill.']);
    const a = workspace.file('a.jsonl', [row('p', ['The first wording of the mill.']), other]);
    const b = workspace.file('b.jsonl', [row('p', ['The second wording of the mill.'])]);
    await add(a);
    await add(b);
    assert.equal(await text(), 'The second wording of the mill.');
    workspace.file('b.jsonl', []);
    const report = await engine.updatePool('one');
    assert.equal(await text(), 'The first wording of the mill.');
    assert.deepEqual(
      [report.read, report.stored, report.unchanged, report.removed, report.issueCount],
      [2, 1, 1, 0, 0],
    );
    assert.equal((await engine.pools())[0]?.papers, 2);
    assert.equal((await engine.updatePool('one')).stored, 0);
    // A bare title, where no abstract is left.
    const bare = { ...row('p', ['Title of the mill']), titleOnly: true };
    assert.equal((await add(workspace.file('c.jsonl', [bare]))).unchanged, 1);
    workspace.file('a.jsonl', [other]);
    assert.equal((await engine.updatePool('one')).stored, 1);
    assert.equal(await text(), 'Title of the mill');
    assert.equal((await engine.pools())[0]?.titleOnly, 1);
  });

  it('tells what is wrong with a file once, also where it is read once more', async () => {
    const a = workspace.file('a.jsonl', [row('p', ['The first wording of it.']), '{']);
    await add(a);
    await add(workspace.file('b.jsonl', [row('p', ['The second wording of it.'])]));
    workspace.file('b.jsonl', []);
    const report = await engine.updatePool('one');
    assert.deepEqual([report.read, report.stored, report.issueCount], [1, 1, 1]);
  });

  it('stores one of two texts that are left, and keeps to it', async () => {
    for (const [name, text] of [
      ['a', 'The first wording of it.'],
      ['b', 'The second wording of it.'],
      ['c', 'The third wording of it.'],
    ] as const) {
      await add(workspace.file(`${name}.jsonl`, [row('p', [text])]));
    }
    workspace.file('c.jsonl', []);
    const report = await engine.updatePool('one');
    assert.deepEqual([report.stored, report.unchanged, report.removed], [1, 1, 0]);
    const again = await engine.updatePool('one');
    assert.deepEqual([again.stored, again.unchanged], [0, 2]);
  });

  it('stores it at the next update where that was cut short', async () => {
    await add(workspace.file('a.jsonl', [row('p', ['The first wording of it.'])]));
    await add(workspace.file('b.jsonl', [row('p', ['The second wording of it.'])]));
    await engine.close();
    const database = openForWriting(poolDatabase(workspace.home, 'one'));
    database.exec("DELETE FROM origins WHERE file LIKE '%b.jsonl'");
    database.close();
    workspace.file('b.jsonl', []);
    engine = await workspace.engine({ upkeep: 'none' });
    assert.equal((await engine.updatePool('one')).stored, 1);
    assert.equal((await engine.updatePool('one')).stored, 0);
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
});
