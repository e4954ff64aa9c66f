import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { collect, FIXTURES, importerOf, nth, Scratch, texts } from './collect';

const SNAPSHOT = join(FIXTURES, 'arxiv-snapshot.json');

describe('arXiv importer', function () {
  this.timeout(30_000);
  it('reads a row: accents, joined lines, math, first version, journal', async () => {
    assert.equal(importerOf(SNAPSHOT)?.name, 'arXiv metadata');
    const clock = nth(await collect(SNAPSHOT));
    assert.deepEqual(clock.paper, {
      id: 'arxiv:0704.0009',
      title: 'A title that is broken over lines',
      authors: ['J. Novák', 'M. Očko Jr.'],
      date: '2007-04-02',
      venue: 'J. Imag. Phys. 12 (2008) 34',
      url: 'https://arxiv.org/abs/0704.0009',
      doi: '10.1000/xyz123',
    });
    assert.deepEqual(texts(clock), [
      'We study a Gödel clock whose period grows as \\alpha^2 n for all n>3.',
      'It loses 5% of its ticks, cf. the pendulum of.',
      '“Slow” clocks lose none.',
    ]);
  });

  it('reads old ids and rows without parsed authors', async () => {
    const boxes = nth(await collect(SNAPSHOT), 1);
    assert.equal(boxes.paper.id, 'arxiv:hep-th/9901001');
    assert.equal(boxes.paper.url, 'https://arxiv.org/abs/hep-th/9901001');
    assert.equal(boxes.paper.doi, '10.48550/arXiv.hep-th/9901001');
    assert.deepEqual(boxes.paper.authors, ['A. Person', 'B. Ørsted']);
    assert.equal(boxes.paper.venue, 'arXiv');
    assert.equal(boxes.paper.date, '1999-01-01');
  });

  it('leaves out withdrawn papers and reports a row that is cut off', async () => {
    const { papers, issues } = await collect(SNAPSHOT);
    assert.equal(papers.length, 3);
    assert.ok(papers.every(({ paper }) => paper.title !== 'Gone'));
    assert.deepEqual(
      issues.map(({ line }) => line),
      [4],
    );
    assert.match(issues[0]?.message ?? '', /cut off/);
  });

  it('filters by category, the archive included, and by date', async () => {
    const ids = async (options: Parameters<typeof collect>[1]) =>
      (await collect(SNAPSHOT, options)).papers.map(({ paper }) => paper.id);
    assert.deepEqual(await ids({ categories: ['cs.CL'] }), ['arxiv:0704.0009', 'arxiv:2002.00004']);
    assert.deepEqual(await ids({ categories: ['cs'] }), ['arxiv:0704.0009', 'arxiv:2002.00004']);
    assert.deepEqual(await ids({ categories: ['hep-th'] }), ['arxiv:hep-th/9901001']);
    assert.deepEqual(await ids({ categories: ['cs.C'] }), []);
    // The first version counts, not the last update.
    assert.deepEqual(await ids({ since: '2009' }), ['arxiv:2002.00004']);
    assert.deepEqual(await ids({ until: '2007-04-02' }), [
      'arxiv:0704.0009',
      'arxiv:hep-th/9901001',
    ]);
  });

  it('reads it gzipped', async () => {
    const scratch = new Scratch();
    try {
      const path = scratch.write('snapshot.json.gz', gzipSync(readFileSync(SNAPSHOT)));
      assert.equal(importerOf(path)?.name, 'arXiv metadata');
      assert.equal((await collect(path)).papers.length, 3);
    } finally {
      scratch.remove();
    }
  });
});
