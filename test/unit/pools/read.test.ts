import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { RatioError } from '../../../server/engine/engine';
import { jsonl } from '../../../server/pools/jsonl';
import { collect, importerOf, nth, Scratch } from './collect';

const row = (title: string, extra: object = {}) =>
  JSON.stringify({ title, abstract: 'This row has one sentence.', ...extra });
const isBadInput = (pattern: RegExp) => (error: unknown) =>
  error instanceof RatioError && error.code === 'bad-input' && pattern.test(error.message);

describe('reading source files', function () {
  this.timeout(30_000);
  let scratch: Scratch;
  beforeEach(() => (scratch = new Scratch()));
  afterEach(() => scratch.remove());

  it('reads gzipped lines, of several members too', async () => {
    const members = [gzipSync(`${row('One')}\n`), gzipSync(`${row('Two')}\n${row('Three')}`)];
    const path = scratch.write('rows.jsonl.gz', Buffer.concat(members));
    const { papers, issues, bytes } = await collect(path);
    assert.deepEqual(
      papers.map(({ paper }) => paper.title),
      ['One', 'Two', 'Three'],
    );
    assert.deepEqual(issues, []);
    assert.equal(bytes, Buffer.concat(members).length);
  });

  it('keeps every paper before the break of a truncated gzip and reports the break', async () => {
    // Incompressible notes, so that the break lies far behind the first rows.
    const rows = Array.from({ length: 4000 }, (_, i) =>
      row(`Row ${i}`, { note: randomBytes(300).toString('hex') }),
    );
    const packed = gzipSync(rows.join('\n'));
    const path = scratch.write('rows.jsonl.gz', packed.subarray(0, packed.length * 0.9));
    const { papers, issues } = await collect(path);
    assert.ok(papers.length > 3500 && papers.length < 3700, `${papers.length} papers`);
    assert.equal(issues.length, 1);
    assert.equal(issues[0]?.line, papers.length + 1);
    assert.match(issues[0]?.message ?? '', /breaks off here.*Download/);
  });

  it('throws for a gzip that is damaged from the start', async () => {
    const path = scratch.write('x.jsonl.gz', Buffer.from('1f8b0800ffffffffffffffffffff', 'hex'));
    await assert.rejects(collect(path, {}, jsonl), isBadInput(/cannot be unpacked/));
  });

  it('reads plain text that is only called .gz', async () => {
    const path = scratch.write('rows.jsonl.gz', row('Not packed at all'));
    assert.equal(nth(await collect(path)).paper.title, 'Not packed at all');
  });

  it('takes UTF-8 with a mark, and UTF-16 of both ends, cut anywhere', async () => {
    const text = `${row('Größe 𝔸')}\n${`${row('Ünder 𝔹'.repeat(9))}\n`.repeat(4000)}`;
    const little = Buffer.from(`\ufeff${text}`, 'utf16le');
    const files = [
      scratch.write('eight.jsonl', `\ufeff${text}`),
      scratch.write('little.jsonl', little),
      scratch.write('big.jsonl', Buffer.from(little).swap16()),
    ];
    for (const path of files) {
      const { papers, issues } = await collect(path);
      assert.equal(papers.length, 4001, path);
      assert.equal(papers[0]?.paper.title, 'Größe 𝔸');
      assert.equal(papers[3999]?.paper.title, 'Ünder 𝔹'.repeat(9));
      assert.deepEqual(issues, []);
    }
  });

  it('falls back to Windows-1252 for lines that are not UTF-8, and says so once', async () => {
    const path = scratch.write(
      'rows.jsonl',
      Buffer.concat([
        Buffer.from(`${row('Größe')}\n`, 'utf8'),
        Buffer.from(`${row('Caf\u00e9 \u0093quoted\u0094')}\n${row('Na\u00efve')}\n`, 'latin1'),
      ]),
    );
    const { papers, issues } = await collect(path);
    assert.deepEqual(
      papers.map(({ paper }) => paper.title),
      ['Größe', 'Café “quoted”', 'Naïve'],
    );
    assert.equal(issues.length, 1);
    assert.equal(issues[0]?.line, 2);
    assert.match(issues[0]?.message ?? '', /not UTF-8.*Windows-1252/);
  });

  it('counts lines right over CRLF and blank lines', async () => {
    const path = scratch.write('rows.jsonl', `${row('A')}\r\n\r\n\r\nbad\r\n${row('B')}\r\n`);
    const { papers, issues } = await collect(path);
    assert.equal(papers.length, 2);
    assert.equal(issues[0]?.line, 4);
  });

  for (const name of ['a.jsonl', 'a.bib', 'a.csljson', 'a.md', 'a.tex']) {
    it(`tells that ${name} is empty`, async () => {
      const path = scratch.write(name, '');
      await assert.rejects(collect(path), isBadInput(/is empty/));
    });
  }

  it('tells of a file that is not there and of a folder', async () => {
    await assert.rejects(
      collect(join(scratch.folder, 'no.jsonl'), {}, jsonl),
      (error) => error instanceof RatioError && error.code === 'not-found',
    );
    await assert.rejects(collect(scratch.folder, {}, jsonl), isBadInput(/is a folder/));
  });

  it('takes no file of another kind', () => {
    for (const name of ['x.txt', 'x.pdf', 'x.json', 'x.csv', 'x']) {
      assert.equal(importerOf(scratch.write(name, 'Plain words, and nothing more.')), undefined);
    }
  });
});
