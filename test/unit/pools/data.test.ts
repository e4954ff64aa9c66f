import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { skipBecause } from '../../skip';
import { collect, type Collected } from './collect';

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

  it('reads every paper of the JSONL, at 20,000 and more a second without the sentences', async () => {
    const path = join(data, 'papers-val.jsonl.gz');
    const read = await collect(path);
    assert.equal(read.papers.length, 10_265);
    assert.deepEqual(read.issues, []);
    assert.ok(read.papers.every(({ titleOnly }) => !titleOnly));
    wellFormed(read);

    // Every row is parsed and then left out by its date: what remains is parsing alone.
    // The best of three, since other work on the machine only ever slows it down.
    let rate = 0;
    for (let run = 0; run < 3; run++) {
      const before = process.cpuUsage();
      const none = await collect(path, { since: '2999' });
      const { user, system } = process.cpuUsage(before);
      assert.equal(none.papers.length, 0);
      rate = Math.max(rate, 10_265 / ((user + system) / 1e6));
    }
    console.log(`      ${Math.round(rate)} papers a second of processor time`);
    assert.ok(rate >= 20_000, `${Math.round(rate)} papers a second`);
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
