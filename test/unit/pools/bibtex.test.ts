import assert from 'node:assert/strict';
import { join } from 'node:path';
import { formatNames, parseNames } from '../../../server/cite/names';
import { toNewPaper } from '../../../server/engine/import/content';
import { citationLine } from '../../../server/language/citation';
import { collect, FIXTURES, nth, Scratch, texts, type Collected } from './collect';

const LIBRARY = join(FIXTURES, 'library.bib');

describe('BibTeX importer', function () {
  this.timeout(30_000);
  let library: Collected;
  let scratch: Scratch;
  const named = (title: RegExp) =>
    nth({ ...library, papers: library.papers.filter(({ paper }) => title.test(paper.title)) });
  before(async () => (library = await collect(LIBRARY)));
  beforeEach(() => (scratch = new Scratch()));
  afterEach(() => scratch.remove());

  it('reads names, accents, strings, month and abstract', () => {
    const bees = named(/Bees/);
    assert.deepEqual(bees.paper, {
      id: 'doi:10.1000/bees.1',
      title: 'Counting Bees with Überwachung at O(n^2) Cost',
      authors: ['Ada Bløøm', 'Kim van der Roe'],
      date: '2021-05',
      venue: 'Journal of Hive Studies Letters',
      url: 'https://doi.org/10.1000/Bees.1',
      doi: '10.1000/Bees.1',
    });
    assert.deepEqual(texts(bees), [
      'Hives cost $5 to $10 a day to watch.',
      'We listen to them instead, and count 95% of all departures.',
    ]);
    assert.equal(bees.titleOnly, false);
  });

  it('gives back the names it was given when they are cited', async () => {
    const author =
      'García López, María José and Van den Broeck, Guy and Le Scao, Teven and {Hugging Face} and Roe, Kim';
    const path = scratch.write('names.bib', `@misc{a, title={Names}, author={${author}}}`);
    const { paper } = nth(await collect(path));
    assert.equal(formatNames(parseNames(paper.authors), { ascii: false }), author);
    assert.equal(
      citationLine(paper),
      'María José García López, Guy Van den Broeck, Teven Le Scao et al. Names.',
    );
    const stored = toNewPaper({
      paper,
      sentences: [{ text: 'A sentence.', role: null, section: null }],
      titleOnly: false,
    });
    assert.deepEqual(stored?.paper.authors, paper.authors);
  });

  it('inherits by crossref, and indexes the title without an abstract', () => {
    const maps = named(/Cheap Maps/);
    assert.equal(maps.paper.venue, 'Proceedings of the Meeting on Slow Robots');
    assert.equal(maps.paper.date, '2020');
    assert.equal(maps.titleOnly, true);
    assert.deepEqual(texts(maps), ['Cheap Maps for Slow Robots']);
  });

  it('gives the same paper the same id as other sources do', async () => {
    const ids = async (path: string) =>
      new Set((await collect(join(FIXTURES, path))).papers.map(({ paper }) => paper.id));
    assert.ok((await ids('papers.jsonl')).has(named(/Cheap Maps/).paper.id));
    assert.ok((await ids('zotero.json')).has(named(/Cheap Maps/).paper.id));
    assert.ok((await ids('arxiv-snapshot.json')).has(named(/^Kettles$/).paper.id));
    for (const { paper } of library.papers) assert.doesNotMatch(paper.id, /\s/);
  });

  it('reports an unclosed and an untitled entry by line, and reads what is behind them', () => {
    assert.deepEqual(
      library.issues.map(({ line }) => line),
      [30, 35],
    );
    assert.match(library.issues[0]?.message ?? '', /untitled.*no title/);
    assert.match(library.issues[1]?.message ?? '', /unclosed.*never closed/);
    assert.equal(named(/Never/).paper.title, 'This One Never Closes');
    assert.deepEqual(named(/Never/).paper.authors, ['Someone Careless']);
    assert.deepEqual(named(/Portal/).paper.authors, ['The Portal Consortium']);
    assert.equal(named(/Portal/).paper.title, 'R&D Portal');
    assert.equal(named(/Portal/).paper.url, 'https://example.org/a_b');
  });

  it('survives a lone dollar, which stops the parser', async () => {
    const path = scratch.write(
      'dollar.bib',
      '@article{a, title = {The $100 Laptop}, author = {Li, Bo}, year = 2007}\n' +
        '@article{b, title = {After It}, author = {Roe, Kim}, year = 2008}\n',
    );
    const { papers, issues } = await collect(path);
    assert.deepEqual(issues, []);
    assert.deepEqual(
      papers.map(({ paper }) => [paper.title, paper.authors]),
      [
        ['The $100 Laptop', ['Bo Li']],
        ['After It', ['Kim Roe']],
      ],
    );
  });

  it('decodes markup that databases put in', async () => {
    const path = scratch.write(
      'markup.bib',
      '@article{a, title = {Business \\&amp; H<sub>2</sub>O}, journal = {A \\& B}, year = 2007}',
    );
    const { paper } = nth(await collect(path));
    assert.equal(paper.title, 'Business & H2O');
    assert.equal(paper.venue, 'A & B');
  });

  it('keeps the brace that ends a formula, and sheds those round a title', async () => {
    const titles = async (title: string): Promise<string> => {
      const path = scratch.write('braces.bib', `@article{a, title = {${title}}, year = 2007}`);
      return nth(await collect(path)).paper.title;
    };
    assert.equal(await titles('Sums in $\\mathbb{R}^{d}$'), 'Sums in \\mathbb{R}^{d}');
    assert.equal(await titles('{{Nested} Hives}'), 'Nested Hives');
    assert.equal(await titles('{Hives} and {Bees}'), 'Hives and Bees');
  });

  it('puts an accent on the letter whose dot it takes', async () => {
    const path = scratch.write(
      'dotless.bib',
      String.raw`@article{a, title = {Na{\"\i}ve Hives}, author = {de la Cruz, Mar{\'\i}a and Garc{\'{\i}}a, Jos{\'e}}, year = 2007}`,
    );
    const { paper } = nth(await collect(path));
    assert.equal(paper.title, 'Naïve Hives');
    assert.deepEqual(paper.authors, ['María de la Cruz', 'José García']);
  });

  it('takes the number beside a month’s name for the day', async () => {
    const months = ['{09--15 Jun}', '{06--11 Aug}', '{13--18 Jul}', '"10~" # jan', '7'];
    const path = scratch.write(
      'months.bib',
      months
        .map((month, i) => `@misc{k${i}, title = {T${i}}, year = 2019, month = ${month}}`)
        .join('\n'),
    );
    assert.deepEqual(
      (await collect(path)).papers.map(({ paper }) => paper.date),
      ['2019-06-09', '2019-08-06', '2019-07-13', '2019-01-10', '2019-07'],
    );
  });

  it('keeps chapters apart that state the DOI of their book', async () => {
    const chapter = (key: string, title: string) =>
      `@incollection{${key}, title = {${title}}, doi = {10.1000/book}, year = 2020}\n`;
    const path = scratch.write('b.bib', chapter('a', 'Reeds') + chapter('b', 'Rushes'));
    const ids = (await collect(path)).papers.map(({ paper }) => paper.id);
    assert.equal(ids[0], 'doi:10.1000/book');
    assert.match(ids[1] ?? '', /^doi:10\.1000\/book~[0-9a-f]{8}$/);
  });

  it('filters by date', async () => {
    const { papers } = await collect(LIBRARY, { since: '2021' });
    assert.deepEqual(
      papers.map(({ paper }) => paper.date),
      ['2021-05'],
    );
  });

  it('throws for a file without an entry', async () => {
    const path = scratch.write('empty.bib', '% nothing but a comment\n');
    await assert.rejects(collect(path), /holds no entry with a title/);
  });

  it('lets other work run while it reads thousands of entries', async () => {
    const entry = (i: number) =>
      `@article{k${i}, title = {Entry ${i} of {Many}}, author = {M{\\"u}ller, A and Li, B}, year = 2020}\n`;
    const path = scratch.write(
      'many.bib',
      Array.from({ length: 3000 }, (_, i) => entry(i)).join(''),
    );
    let turns = 0;
    const timer = setInterval(() => turns++, 5);
    const { papers } = await collect(path).finally(() => clearInterval(timer));
    assert.equal(papers.length, 3000);
    assert.ok(turns >= 5, `${turns} turns`);
  }).timeout(60_000);
});
