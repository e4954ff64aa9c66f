import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { growth, LINEAR } from '../../growth';
import { skipBecause } from '../../skip';
import { collect, Scratch, type Collected } from './collect';

/** Real files are read in place where RATIO_DATA names their folder; nothing of them is kept here. */
describe('importers on real files', function () {
  this.timeout(180_000);
  let data = '';

  before(function () {
    data = process.env.RATIO_DATA ?? '';
    if (data === '') skipBecause(this, 'RATIO_DATA does not name the folder of real data');
  });

  const drafts = (extension: RegExp): string[] =>
    readdirSync(join(data, 'drafts'), { recursive: true, encoding: 'utf8' })
      .filter((name) => extension.test(name))
      .map((name) => join(data, 'drafts', name));

  function wellFormed({ papers }: Collected): void {
    for (const { paper, sentences } of papers) {
      assert.match(paper.id, /^\S+$/);
      assert.notEqual(paper.title, '');
      assert.ok(sentences.length > 0);
      for (const { text } of sentences) {
        assert.ok(text.length <= 1000);
        // eslint-disable-next-line no-control-regex -- none may be left
        assert.doesNotMatch(text, /[\0-\x1f\x7f]|<\/?(?:p|i|b|sub|jats:\w+)>|^\s|\s$/);
      }
    }
  }

  const rows = (path: string): string[] =>
    gunzipSync(readFileSync(path)).toString().split('\n').filter(Boolean);

  it('reads every paper of the JSONL', async () => {
    const path = join(data, 'papers-val.jsonl.gz');
    const ids = rows(path).map((line) => (JSON.parse(line) as { id: string }).id);
    assert.ok(ids.length > 1000, `${ids.length} rows`);
    const read = await collect(path);
    assert.deepEqual(
      read.papers.map(({ paper }) => paper.id),
      ids,
    );
    assert.deepEqual(read.issues, []);
    assert.ok(read.papers.every(({ titleOnly }) => !titleOnly));
    wellFormed(read);
  });

  it('parses the rows of a JSONL in time that grows with their number', async () => {
    const all = rows(join(data, 'papers-val.jsonl.gz'));
    const scratch = new Scratch();
    try {
      const n = Math.floor(all.length / 4);
      const files = new Map(
        [n, 4 * n].map((count) => [
          count,
          scratch.write(`${count}.jsonl`, `${all.slice(0, count).join('\n')}\n`),
        ]),
      );
      // Every row is parsed and then left out by its date: what remains is parsing alone.
      const times = await growth(async (count) => {
        const none = await collect(files.get(count) ?? '', { since: '2999' });
        assert.equal(none.papers.length, 0);
      }, n);
      assert.ok(times < LINEAR, `four times the rows take ${times.toFixed(1)} times as long`);
    } finally {
      scratch.remove();
    }
  });

  it('reads full text with its sections', async () => {
    const read = await collect(join(data, 'fulltext.jsonl.gz'));
    assert.ok(read.papers.length >= 1000);
    assert.ok(
      read.papers.some(({ sentences }) => sentences.some(({ section }) => section !== null)),
    );
    wellFormed(read);
  });

  it('reads every bibliography of the drafts', async () => {
    const files = drafts(/\.bib$/);
    assert.ok(files.length >= 7);
    for (const file of files) {
      const read = await collect(file);
      wellFormed(read);
      // Whatever is left out is reported, with its line, and it is little.
      assert.ok(read.issues.every(({ line }) => line !== null));
      assert.ok(read.issues.length <= read.papers.length * 0.1, file);
    }
  });

  it('reads every draft as a note', async () => {
    const files = drafts(/\.(?:tex|md)$/);
    assert.ok(files.length >= 10);
    const ids = new Set<string>();
    for (const file of files) {
      const read = await collect(file);
      assert.equal(read.papers.length, 1, file);
      wellFormed(read);
      ids.add(read.papers[0]?.paper.id ?? '');
    }
    // Chapters stand for the paper that inputs them.
    assert.ok(ids.size < files.length);
  });
});
