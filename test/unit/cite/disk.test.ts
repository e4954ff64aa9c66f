import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { applyEdits, describeEdits } from '../../../server/cite/apply';
import { computeCitation } from '../../../server/cite/cite';
import { decode, DiskFiles, encode, refuseUnread, writeEdits } from '../../../server/cite/disk';
import { skipBecause } from '../../skip';
import { edits, MemoryFiles, paper } from './helpers';

describe('applying edits', () => {
  it('counts offsets in the text before', () => {
    const list = [
      { start: 4, end: 4, newText: 'X' },
      { start: 0, end: 1, newText: '' },
      { start: 5, end: 6, newText: 'YZ' },
    ];
    assert.equal(applyEdits('abcdef', list), 'bcdXeYZ');
  });
  it('refuses edits that overlap or leave the text', () => {
    const edit = (start: number, end: number) => ({ start, end, newText: '' });
    assert.throws(() => applyEdits('abc', [edit(0, 2), edit(1, 3)]), /overlaps/);
    assert.throws(() => applyEdits('abc', [edit(2, 4)]), /leaves/);
    assert.throws(() => applyEdits('abc', [edit(2, 1)]), RangeError);
  });
});

describe('describing edits', () => {
  const file = Array.from({ length: 20 }, (_, i) => `line ${i + 1}`).join('\n') + '\n';
  const at = (line: number) => file.indexOf(`line ${line}\n`);

  it('shows changed lines with three around them', () => {
    const diff = describeEdits(
      [{ path: 'a.tex', edits: [{ start: at(10) + 4, end: at(10) + 4, newText: '~' }] }],
      new MemoryFiles({ 'a.tex': file }),
    );
    assert.equal(
      diff,
      '--- a.tex\n+++ a.tex\n@@ -7,7 +7,7 @@\n line 7\n line 8\n line 9\n-line 10\n+line~ 10\n line 11\n line 12\n line 13\n',
    );
  });

  const cases: [string, string, { start: number; end: number; newText: string }[]][] = [
    ['one change', file, [{ start: at(10), end: at(10), newText: 'new\n' }]],
    [
      'two near ones',
      file,
      [
        { start: at(4), end: at(5), newText: '' },
        { start: at(9), end: at(9), newText: 'x\ny\n' },
      ],
    ],
    [
      'two far ones',
      file,
      [
        { start: 0, end: 4, newText: 'L' },
        { start: at(18), end: at(19), newText: 'z\n' },
      ],
    ],
    ['at the end', file, [{ start: file.length, end: file.length, newText: '\n@misc{a}\n' }]],
    ['behind a missing line end', 'a\nb', [{ start: 3, end: 3, newText: '\nc\n' }]],
    ['up to a missing line end', 'a\nb\n', [{ start: 2, end: 4, newText: 'c' }]],
    [
      'two on one line',
      'a b c\n',
      [
        { start: 1, end: 1, newText: '!' },
        { start: 3, end: 3, newText: '!' },
      ],
    ],
    ['into an empty file', '', [{ start: 0, end: 0, newText: 'a\nb\n' }]],
  ];
  for (const [name, before, list] of cases) {
    it(`is what patch takes: ${name}`, function () {
      const folder = mkdtempSync(join(tmpdir(), 'ratio-diff-'));
      try {
        writeFileSync(join(folder, 'f'), before);
        const diff = describeEdits([{ path: 'f', edits: list }], new MemoryFiles({ f: before }));
        try {
          execFileSync('patch', ['-s', 'f'], { cwd: folder, input: diff });
        } catch (error) {
          if (error instanceof Error && 'code' in error && error.code === 'ENOENT') {
            skipBecause(this, 'no patch program here');
          }
          throw error;
        }
        assert.equal(readFileSync(join(folder, 'f'), 'utf8'), applyEdits(before, list));
      } finally {
        rmSync(folder, { recursive: true });
      }
    });
  }

  it('shows a new file as such', () => {
    const diff = describeEdits(
      [{ path: 'n.bib', create: true, edits: [{ start: 0, end: 0, newText: 'a\n' }] }],
      new MemoryFiles({}),
    );
    assert.equal(diff, '--- /dev/null\n+++ n.bib\n@@ -0,0 +1,1 @@\n+a\n');
  });
});

describe('files on disk', () => {
  let folder: string;
  beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'ratio-cite-'))));
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  function citeOnDisk(
    draftText: string,
    more: Parameters<typeof paper>[0] = {},
  ): { files: DiskFiles; list: ReturnType<typeof edits> } {
    const path = join(folder, 'draft.tex');
    writeFileSync(path, draftText);
    const files = new DiskFiles();
    const text = files.read(path) ?? '';
    const start = text.indexOf('Ships');
    const result = computeCitation({
      draft: { path, text, format: 'latex' },
      sentence: { start, end: text.indexOf('.', start) + 1 },
      paper: paper(more),
      files,
    });
    return { files, list: edits(result) };
  }

  it('writes both, keeps modes and leaves nothing behind', () => {
    writeFileSync(join(folder, 'r.bib'), '@misc{a, title={A}}\r\n');
    chmodSync(join(folder, 'r.bib'), 0o640);
    const { files, list } = citeOnDisk('Ships need light.\r\n');
    writeEdits(list.edits, files);
    assert.equal(
      readFileSync(join(folder, 'draft.tex'), 'utf8'),
      `Ships need light~\\cite{${list.key}}.\r\n`,
    );
    const bib = readFileSync(join(folder, 'r.bib'), 'utf8');
    assert.ok(bib.startsWith('@misc{a, title={A}}\r\n\r\n@article{'));
    assert.doesNotMatch(bib, /(?<!\r)\n/);
    if (process.platform !== 'win32')
      assert.equal(statSync(join(folder, 'r.bib')).mode & 0o777, 0o640);
    assert.deepEqual(readdirSync(folder).sort(), ['draft.tex', 'r.bib']);
  });

  it('makes the new file and its folder', () => {
    const { files, list } = citeOnDisk('Ships need light.\\bibliography{lib/new}');
    assert.equal(list.bibCreated, true);
    writeEdits(list.edits, files);
    assert.match(readFileSync(join(folder, 'lib', 'new.bib'), 'utf8'), /^@article/);
  });

  it('keeps Latin-1, and writes what it cannot hold as TeX', () => {
    const old = Buffer.from('@misc{a, title={Caf\xe9}}\n', 'latin1');
    writeFileSync(join(folder, 'r.bib'), old);
    const { files, list } = citeOnDisk('Ships need light.', { authors: ['Łukasz Ångström 港'] });
    writeEdits(list.edits, files);
    const now = readFileSync(join(folder, 'r.bib'));
    assert.ok(now.subarray(0, old.length).equals(old));
    assert.ok(now.subarray(old.length).every((byte) => byte < 128));
    assert.match(now.toString('latin1'), /\{\\L\}ukasz/);
  });

  it('keeps byte order marks and UTF-16', () => {
    writeFileSync(join(folder, 'r.bib'), '\ufeff@misc{a, title={A}}', 'utf16le');
    const { files, list } = citeOnDisk('\ufeffShips need light.');
    writeEdits(list.edits, files);
    assert.ok(
      readFileSync(join(folder, 'r.bib'))
        .toString('utf16le')
        .startsWith('\ufeff@misc{a, title={A}}\n\n@article'),
    );
    assert.ok(
      readFileSync(join(folder, 'draft.tex'), 'utf8').startsWith('\ufeffShips need light~'),
    );
  });

  it('keeps UTF-16 with the high byte first', () => {
    const old = Buffer.from('\ufeff@misc{a, title={Café}}', 'utf16le').swap16();
    writeFileSync(join(folder, 'r.bib'), old);
    const { files, list } = citeOnDisk('Ships need light.');
    writeEdits(list.edits, files);
    const now = readFileSync(join(folder, 'r.bib'));
    assert.ok(now.subarray(0, old.length).equals(old));
    assert.match(now.swap16().toString('utf16le'), /Café\}\}\n\n@article/);
  });

  it('writes nothing into UTF-16 that is cut off', () => {
    const old = Buffer.from([...Buffer.from('\ufeff@misc{a}', 'utf16le').swap16(), 0x00]);
    writeFileSync(join(folder, 'r.bib'), old);
    const { files, list } = citeOnDisk('Ships need light.');
    assert.throws(() => writeEdits(list.edits, files), /r\.bib is damaged/);
    assert.ok(readFileSync(join(folder, 'r.bib')).equals(old));
    assert.deepEqual(readdirSync(folder).sort(), ['draft.tex', 'r.bib']);
  });

  it('decodes so that the bytes come back', () => {
    for (const bytes of [
      Buffer.from([0xef, 0xbb, 0xbf, 0x61]),
      Buffer.from([0x61, 0xff, 0xe9]),
      Buffer.from('é港'),
      Buffer.from([0xff, 0xfe, 0xe9, 0x00]),
      Buffer.from([0xfe, 0xff, 0x00, 0xe9]),
    ]) {
      const { text, encoding } = decode(bytes);
      assert.ok(encode(text, encoding).equals(bytes));
    }
  });

  it('writes through a symbolic link', function () {
    mkdirSync(join(folder, 'real'));
    writeFileSync(join(folder, 'real', 'r.bib'), '@misc{a, title={A}}\n');
    try {
      symlinkSync(join(folder, 'real', 'r.bib'), join(folder, 'r.bib'));
    } catch {
      skipBecause(this, 'no right to make symbolic links');
    }
    const { files, list } = citeOnDisk('Ships need light.');
    writeEdits(list.edits, files);
    assert.ok(lstatSync(join(folder, 'r.bib')).isSymbolicLink());
    assert.match(readFileSync(join(folder, 'real', 'r.bib'), 'utf8'), /@article/);
  });

  it('writes nothing where a file was changed meanwhile', () => {
    writeFileSync(join(folder, 'r.bib'), '@misc{a, title={A}}\n');
    const { files, list } = citeOnDisk('Ships need light.');
    writeFileSync(join(folder, 'draft.tex'), 'Ships need more light.');
    assert.throws(() => writeEdits(list.edits, files), /draft\.tex was changed/);
    assert.equal(readFileSync(join(folder, 'r.bib'), 'utf8'), '@misc{a, title={A}}\n');
    assert.deepEqual(readdirSync(folder).sort(), ['draft.tex', 'r.bib']);
  });

  it('writes nothing where a file appeared meanwhile', () => {
    const { files, list } = citeOnDisk('Ships need light.\\bibliography{new}');
    writeFileSync(join(folder, 'new.bib'), 'precious');
    assert.throws(() => writeEdits(list.edits, files), /changed while/);
    assert.equal(readFileSync(join(folder, 'new.bib'), 'utf8'), 'precious');
  });

  const draftOfBig = 'Ships need light.\\bibliography{big}';

  it('never replaces a file that is too large to be read', () => {
    const path = join(folder, 'big.bib');
    writeFileSync(path, '@misc{a, title={A}}\n');
    truncateSync(path, 64 * 1024 * 1024 + 1);
    const { files, list } = citeOnDisk(draftOfBig);
    assert.throws(
      () => writeEdits(list.edits, files),
      /big\.bib is too large .*nothing was written/,
    );
    assert.equal(statSync(path).size, 64 * 1024 * 1024 + 1);
    assert.equal(readFileSync(join(folder, 'draft.tex'), 'utf8'), draftOfBig);
    assert.deepEqual(readdirSync(folder).sort(), ['big.bib', 'draft.tex']);
  });

  it('never replaces a link that leads nowhere, or a folder', function () {
    mkdirSync(join(folder, 'folder.bib'));
    assert.throws(() => refuseUnread(join(folder, 'folder.bib')), /cannot be read/);
    assert.doesNotThrow(() => refuseUnread(join(folder, 'none.bib')));
    assert.doesNotThrow(() => refuseUnread(join(folder, 'none', 'none.bib')));
    try {
      symlinkSync(join(folder, 'gone.bib'), join(folder, 'big.bib'));
    } catch {
      skipBecause(this, 'no right to make symbolic links');
    }
    const { files, list } = citeOnDisk(draftOfBig);
    assert.throws(() => writeEdits(list.edits, files), /big\.bib .*cannot be read/);
    assert.ok(lstatSync(join(folder, 'big.bib')).isSymbolicLink());
    assert.equal(readFileSync(join(folder, 'draft.tex'), 'utf8'), draftOfBig);
  });

  it('says what is wrong where it cannot write', () => {
    const { files, list } = citeOnDisk('Ships need light.\\bibliography{draft.tex/new}');
    assert.throws(
      () => writeEdits(list.edits, files),
      /Cannot write the citation: .*(?:ENOTDIR|EEXIST|ENOENT)/,
    );
    assert.equal(
      readFileSync(join(folder, 'draft.tex'), 'utf8'),
      'Ships need light.\\bibliography{draft.tex/new}',
    );
    assert.deepEqual(readdirSync(folder), ['draft.tex']);
  });
});
