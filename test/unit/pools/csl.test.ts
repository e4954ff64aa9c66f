import assert from 'node:assert/strict';
import { join } from 'node:path';
import { formatNames, parseNames } from '../../../server/cite/names';
import { collect, FIXTURES, importerOf, nth, Scratch, texts } from './collect';

const ZOTERO = join(FIXTURES, 'zotero.json');

describe('CSL-JSON importer', function () {
  this.timeout(30_000);
  let scratch: Scratch;
  beforeEach(() => (scratch = new Scratch()));
  afterEach(() => scratch.remove());

  it('reads an item: markup, entities, particles, date parts', async () => {
    const sand = nth(await collect(ZOTERO));
    assert.deepEqual(sand.paper, {
      id: 'doi:10.1000/tide.7',
      title: 'Sand in situ: A Buoy’s View',
      authors: ['Inés de la Mora', 'The Buoy Team'],
      date: '2017-09-14',
      venue: 'Coastal Letters',
      url: 'https://doi.org/10.1000/Tide.7',
      doi: '10.1000/Tide.7',
    });
    assert.deepEqual(texts(sand), [
      'Tides move sand & people.',
      'We measure both with one buoy at p < 0.05.',
    ]);
  });

  it('keeps the parts of names', async () => {
    const author = [
      { family: 'Le Scao', given: 'Teven' },
      { family: 'Berg', given: 'Jan', 'non-dropping-particle': 'van der' },
      { literal: 'Hugging Face' },
    ];
    const path = scratch.write(
      'names.json',
      JSON.stringify([{ title: 'T', type: 'book', author }]),
    );
    const { paper } = nth(await collect(path));
    assert.equal(
      formatNames(parseNames(paper.authors), { ascii: false }),
      'Le Scao, Teven and van der Berg, Jan and {Hugging Face}',
    );
  });

  it('reports a malformed item by line and reads the next', async () => {
    const { papers, issues } = await collect(ZOTERO);
    assert.deepEqual(
      issues.map(({ line }) => line),
      [15, 30],
    );
    assert.match(issues[0]?.message ?? '', /not valid JSON/);
    assert.match(issues[1]?.message ?? '', /no "title"/);
    assert.equal(papers[1]?.paper.id, 'arxiv:2105.01234');
    assert.equal(papers[1]?.paper.date, '2021-05');
  });

  it('finds the next item of a broken array on one line', async () => {
    const item = (title: string) => `{"type":"book","author":[{"family":"Li"}],"title":"${title}"}`;
    const broken = '{"type":"book","author":[{"family":"Li"}],"title":"Broken}';
    const path = scratch.write('line.json', `[${item('A')},${broken},${item('B')}]`);
    const { papers, issues } = await collect(path);
    assert.deepEqual(
      papers.map(({ paper }) => paper.title),
      ['A', 'B'],
    );
    assert.equal(issues.length, 1);
  });

  it('takes {items}, one item, Zotero’s own fields and rows of papers', async () => {
    const items = scratch.write(
      'items.json',
      JSON.stringify({
        config: {},
        items: [
          {
            itemType: 'journalArticle',
            title: 'From Zotero',
            abstractNote: 'An abstract with enough words.',
            creators: [
              { creatorType: 'author', firstName: 'Kim', lastName: 'Roe' },
              { creatorType: 'editor', firstName: 'No', lastName: 'One' },
            ],
            date: '2020-03-01',
            publicationTitle: 'Letters',
          },
          { itemType: 'attachment', title: 'x.pdf' },
        ],
      }),
    );
    const { papers } = await collect(items);
    assert.equal(papers.length, 1);
    assert.deepEqual(papers[0]?.paper.authors, ['Kim Roe']);
    assert.equal(papers[0]?.paper.venue, 'Letters');
    assert.equal(papers[0]?.titleOnly, false);

    const one = scratch.write(
      'one.json',
      JSON.stringify({ type: 'book', title: 'One', issued: { 'date-parts': [['1999']] } }, null, 1),
    );
    assert.equal(nth(await collect(one)).paper.date, '1999');

    const rows = scratch.write(
      'rows.json',
      JSON.stringify([
        { id: 'r:1', title: 'Row', authors: ['A B'], abstract: 'Words in a row here.' },
      ]),
    );
    assert.equal(nth(await collect(rows)).paper.id, 'r:1');
  });

  it('takes rows with authors in one string, or with a venue', async () => {
    const abstract = 'Words in a row here.';
    const path = scratch.write(
      'plain.json',
      JSON.stringify([
        { id: 'x1', title: 'First', authors: 'Ada L; Bob M', venue: 'ACL', abstract },
        { id: 'x2', title: 'Second', author: 'Cy N', venue: 'EMNLP', year: 2020, abstract },
        {
          id: 'x3',
          title: 'Third',
          venue: 'Hall',
          issued: { 'date-parts': [[2021]] },
          DOI: '10.1000/x',
        },
      ]),
    );
    assert.deepEqual(
      (await collect(path)).papers.map(({ paper: { id, authors, venue } }) => [id, authors, venue]),
      [
        ['x1', ['Ada L', 'Bob M'], 'ACL'],
        ['x2', ['Cy N'], 'EMNLP'],
        ['doi:10.1000/x', [], null],
      ],
    );
  });

  it('keeps chapters apart that state the DOI of their book', async () => {
    const chapter = (title: string) => ({ type: 'chapter', title, DOI: '10.1000/book' });
    const path = scratch.write('book.json', JSON.stringify([chapter('Reeds'), chapter('Rushes')]));
    const ids = (await collect(path)).papers.map(({ paper }) => paper.id);
    assert.equal(ids[0], 'doi:10.1000/book');
    assert.match(ids[1] ?? '', /^doi:10\.1000\/book~[0-9a-f]{8}$/);
  });

  it('takes an array whose first abstract is longer than what is looked at', async () => {
    const abstract = 'Reeds bend in the wind all day. '.repeat(200);
    const items = JSON.stringify([{ id: 'a', type: 'book', abstract, title: 'Reeds' }]);
    assert.equal(nth(await collect(scratch.write('long.json', items))).paper.title, 'Reeds');
    const rest = JSON.stringify([{ name: 'a', text: abstract, title: 'Reeds' }]);
    assert.equal(importerOf(scratch.write('other.json', rest)), undefined);
  });

  it('leaves other JSON alone, and tells what is wrong with what it was given', async () => {
    assert.equal(importerOf(scratch.write('a.json', '[1, 2, 3]')), undefined);
    assert.equal(importerOf(scratch.write('b.json', '{"compilerOptions": {}}')), undefined);
    const path = scratch.write('c.csljson', '[{"type": "book"}]');
    await assert.rejects(collect(path), /holds no papers.*no "title"/);
    await assert.rejects(collect(scratch.write('d.csljson', 'plain words')), /holds no JSON array/);
  });
});
