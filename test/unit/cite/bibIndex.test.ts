import assert from 'node:assert/strict';
import { BibIndex } from '../../../server/cite/bibIndex';
import { scanBib } from '../../../server/cite/bibScan';
import {
  normaliseDoi,
  normaliseTitle,
  arxivIdInText,
  bareArxivId,
} from '../../../server/cite/identity';
import { paper } from './helpers';

const entry = (fields: string) => `@article{K,\n  ${fields}\n}\n`;
const other = { title: 'Something Else Entirely, at Some Length' };

/** A field in the .bib, the paper's record, whether they are the same paper. */
const SAME: [string, Parameters<typeof paper>[0], boolean][] = [
  ['doi = {10.1000/Ab.C_1}', { ...other, doi: '10.1000/ab.c_1' }, true],
  ['doi = {https://doi.org/10.1000/abc}', { ...other, doi: '10.1000/ABC' }, true],
  ['DOI = {http://dx.doi.org/10.1000/abc}', { ...other, doi: '10.1000/abc' }, true],
  ['doi = {doi: 10.1000/abc}', { ...other, doi: 'https://doi.org/10.1000/abc' }, true],
  ['doi = {10.1000/a\\_b}', { ...other, doi: '10.1000/a_b' }, true],
  ['doi = {10.1000/a{\\_}b}', { ...other, doi: '10.1000/a_b' }, true],
  ['doi = "10.1000/abc"', { ...other, doi: '10.1000/abc' }, true],
  [
    'doi = {10.1000/(SICI)1(199)4:6$<$3::A$>$3.0}',
    { ...other, doi: '10.1000/(sici)1(199)4:6<3::a>3.0' },
    true,
  ],
  ['url = {https://doi.org/10.1000/abc}', { ...other, doi: '10.1000/abc' }, true],
  ['doi = {10.1000/abc}', { ...other, doi: '10.1000/abcd' }, false],
  ['doi = {10.1000/abcd}', { ...other, doi: '10.1000/abc' }, false],
  ['doi = {10.1000/abc}', { ...other, doi: null }, false],
  ['eprint = {2101.00001}', { ...other, id: 'arxiv:2101.00001' }, true],
  ['eprint = {2101.00001v3}, archiveprefix = {arXiv}', { ...other, id: 'arxiv:2101.00001' }, true],
  ['eprint = {2101.00001}', { ...other, url: 'https://arxiv.org/abs/2101.00001v2' }, true],
  ['eprint = {arXiv:2101.00001}', { ...other, doi: '10.48550/arXiv.2101.00001' }, true],
  ['eprint = {hep-th/9901001}', { ...other, id: 'arxiv:hep-th/9901001v1' }, true],
  ['eprint = {2101.00001}, eprinttype = {jstor}', { ...other, id: 'arxiv:2101.00001' }, false],
  ['url = {http://arxiv.org/pdf/2101.00001v1.pdf}', { ...other, id: 'arxiv:2101.00001' }, true],
  ['doi = {10.48550/arXiv.2101.00001}', { ...other, id: 'arxiv:2101.00001' }, true],
  ['note = {arXiv: 2101.00001 [cs.CL]}', { ...other, id: 'arxiv:2101.00001' }, true],
  ['journal = {arXiv preprint arXiv:2101.00001}', { ...other, id: 'arxiv:2101.00001' }, true],
  ['journal = {CoRR}, volume = {abs/2101.00001}', { ...other, id: 'arxiv:2101.00001' }, true],
  ['journal = {arXiv preprint arXiv:2101.00001}', { ...other, id: 'arxiv:2101.0000' }, false],
  ['journal = {arXiv preprint arXiv:2101.0000}', { ...other, id: 'arxiv:2101.00001' }, false],
  ['title = {Lanterns for Sparse Harbours}', {}, true],
  ['title = {{L}anterns for {{Sparse}}\n   harbours.}', {}, true],
  ['title = "LANTERNS for Sparse Harbours"', {}, true],
  ['title = {Lanterns: For Sparse-Harbours?}', {}, true],
  [
    'title = {\\"Uber die Caf\\\'{e}s von \\O rsted {\\ss}}',
    { title: 'Über die Cafés von Ørsted ß' },
    true,
  ],
  ['title = {Über die Cafés}', { title: 'Uber die Cafes' }, true],
  ['title = {On $\\alpha$-{L}anterns \\& Boats}', { title: 'On α-Lanterns and Boats' }, true],
  ['title = {\\emph{Lanterns} for \\textbf{Sparse} Harbours}', {}, true],
  ['title = {Lanterns for Sparse Harbours: A Study}', {}, false],
  ['title = {Lanterns}, subtitle = {For {S}parse Harbours}', {}, true],
  ['title = {Lanterns for Sparse Harbours}, subtitle = {A Study}', {}, true],
  ['title = {Lanterns}, subtitle = {For Harbours}', {}, false],
  ['title = {Lanterns for Sparse Harbours}, author = {Quist, Ada}, year = 2021', {}, true],
  ['title = {Lanterns for Sparse Harbours}, author = {Quist, Ada}, year = 1990', {}, false],
  ['title = {Lanterns}, author = {Quist, Ada}', { title: 'Lanterns' }, false],
  ['title = {Lanterns}, author = {Oldenburg, M.}', { title: 'Lanterns' }, true],
  ['title = {}', { title: '???' }, false],
  ['booktitle = {Lanterns for Sparse Harbours}', {}, false],
];

describe('whether a .bib file holds a paper', () => {
  for (const [fields, record, same] of SAME) {
    it(`${fields} ${same ? 'is' : 'is not'} ${JSON.stringify(record)}`, () => {
      assert.equal(BibIndex.of(entry(fields)).find(paper(record)), same ? 'K' : null);
    });
  }

  it('prefers the DOI to the title', () => {
    const bib = `${entry('title = {Lanterns for Sparse Harbours}')}@misc{D, doi = {10.1000/x}, title = {Changed}}`;
    assert.equal(BibIndex.of(bib).find(paper({ doi: '10.1000/X' })), 'D');
  });

  it('finds an entry behind a damaged one', () => {
    const bib =
      '@article{bad,\n title = {never closed\n\n@misc{good,\n title = {Lanterns for Sparse Harbours}\n}\n';
    assert.equal(BibIndex.of(bib).find(paper()), 'good');
  });

  it('leaves commented entries alone but keeps their keys taken', () => {
    const bib = '% @article{gone, title = {Lanterns for Sparse Harbours}}\n';
    assert.equal(BibIndex.of(bib).find(paper()), null);
    assert.equal(BibIndex.of(bib).has('GONE'), true);
  });

  it('resolves @string names', () => {
    const bib = '@string{t = {Lanterns for}}\n@misc{K, title = t # { Sparse Harbours}}';
    assert.equal(BibIndex.of(bib).find(paper()), 'K');
  });

  it('tells chapters apart that state the DOI of their book', () => {
    const chapter = (key: string, author: string, title: string) =>
      `@incollection{${key}, author={${author}}, title={${title}}, doi={10.1000/book}}\n`;
    const index = BibIndex.of(
      chapter('one', 'Ames, Ann', 'On Early Lanterns of the North') +
        chapter('two', 'Bell, Bo', 'On Late Lanterns of the South'),
    );
    const find = (title: string, author: string) =>
      index.find(paper({ title, authors: [author], doi: '10.1000/book' }));
    assert.equal(find('On late lanterns of the south', 'Bo Bell'), 'two');
    assert.equal(find('On Early Lanterns of the North', 'Ann Ames'), 'one');
    assert.equal(find('On Later Lanterns of the South', 'Bo Bell'), 'two');
    assert.equal(find('On Lanterns of the West', 'Cy Cole'), null);
  });

  it('tells papers of one short title apart by their years', () => {
    const text = '@misc{K, title={Deep Learning}, author={Wang, Lei}, year={2010}}';
    const find = (date: string, author: string) =>
      BibIndex.of(text).find(paper({ title: 'Deep learning', authors: [author], date }));
    assert.equal(find('2021-01', 'Hao Wang'), null);
    assert.equal(find('2011-01', 'Lei Wang'), 'K');
    assert.equal(find('2010', 'Ann Ames'), null);
  });

  it('answers from one parse of one text', () => {
    const text = entry('title = {A}');
    assert.equal(BibIndex.of(text), BibIndex.of(`${text}`));
    assert.notEqual(BibIndex.of(text), BibIndex.of(`${text} `));
  });
});

describe('the parts of identity', () => {
  it('lets an organisation stand for its people, and names in another script, where the DOI is the same', () => {
    const doi = '10.1000/abc';
    const named = (author: string): BibIndex =>
      BibIndex.of(entry(`author = {${author}}, title = {A Framework}, doi = {${doi}}`));
    const record = (...authors: string[]) => paper({ ...other, doi, authors });
    const office = named('{Office of Lamps and Tides}');
    assert.equal(office.find(record('Ada Sailor')), 'K');
    assert.equal(named('Маяк, Иван').find(record('Ivan Mayak')), 'K');
    assert.equal(named('Fisher, Bo').find(record('Ada Sailor')), null);
  });

  it('takes only whole DOIs', () => {
    assert.equal(normaliseDoi('see 10.1000/a'), null);
    assert.equal(normaliseDoi('10.1000'), null);
    assert.equal(normaliseDoi('https://doi.org/10.1000/a%2Fb'), '10.1000/a/b');
    assert.equal(normaliseDoi('10.1000/a%zz'), '10.1000/a%zz');
    assert.equal(normaliseDoi('10.1000/abc.'), '10.1000/abc');
  });

  it('takes arXiv ids only where they are called so', () => {
    assert.equal(bareArxivId('2101.00001v12'), '2101.00001');
    assert.equal(bareArxivId('2101.000011'), null);
    assert.equal(bareArxivId('12101.00001'), null);
    assert.equal(arxivIdInText('pages 2101.00001'), null);
    assert.equal(arxivIdInText('https://arxiv.org/html/2101.00001v1'), '2101.00001');
    assert.equal(arxivIdInText('arXiv:math.GT/0309136'), 'math.gt/0309136');
  });

  it('keeps titles in other scripts apart', () => {
    assert.equal(normaliseTitle('Свет для гаваней'), 'светдлягаванеи');
    assert.notEqual(normaliseTitle('港の灯'), normaliseTitle('海の灯'));
    assert.notEqual(normaliseTitle('Level 1'), normaliseTitle('Level 2'));
  });
});

describe('scanning a .bib file', () => {
  const text =
    '\ufeffPreface\n@string{jh = "J. of {H}"}\n@Article( k:1 ,\n\tTitle\t= "A {"}B", % why\n  year=2020,\n  journal = jh # " II",\n)\n' +
    '@comment{ @misc{hidden, title={x}} }\n@misc{last,title={B}}';

  it('gives the exact place of everything', () => {
    const scan = scanBib(text);
    assert.deepEqual(
      scan.entries.map((each) => [each.type, each.key, each.closed]),
      [
        ['Article', 'k:1', true],
        ['misc', 'last', true],
      ],
    );
    const [first, last] = scan.entries;
    assert.ok(first && last);
    assert.ok(text.slice(first.start, first.end).startsWith('@Article('));
    assert.ok(text.slice(first.start, first.end).endsWith('\n)'));
    assert.equal(text.slice(last.start, last.end), '@misc{last,title={B}}');
    assert.deepEqual(
      first.fields.map((f) => [f.name, text.slice(f.valueStart, f.valueEnd), f.value, f.delimiter]),
      [
        ['Title', '"A {"}B"', 'A {"}B', '"'],
        ['year', '2020', '2020', 'bare'],
        ['journal', 'jh # " II"', 'J. of {H} II', 'joined'],
      ],
    );
  });

  it('reads what is left of damaged entries', () => {
    const damaged =
      '@misc{a, title = {A}, year }\n@misc{b title = {B}}\n@misc{, title={C}}\n@misc{title = {D}}\n@misc{e, title = {E\n@misc{f,\n title = "F\n}\n@misc{g, title = {G}}\n@misc{h';
    const scan = scanBib(damaged);
    assert.deepEqual(
      scan.entries.map((each) => [each.key, each.closed]),
      [
        ['a', true],
        ['b', true],
        ['', true],
        ['', true],
        ['e', false],
        ['f', false],
        ['g', true],
        ['h', false],
      ],
    );
  });

  it('ends on every prefix of a file and keeps what was complete', () => {
    for (let end = 0; end <= text.length; end++) {
      const { entries } = scanBib(text.slice(0, end));
      for (const each of entries) assert.ok(each.end <= end && each.start < each.end);
    }
  });

  it('takes time in proportion to a hostile file', () => {
    const started = performance.now();
    scanBib('@misc{a,\n title = {{\n'.repeat(20_000));
    scanBib('@a{'.repeat(50_000));
    scanBib('@a{b}'.repeat(50_000));
    scanBib(`@misc{a, ${'{'.repeat(200_000)}`);
    assert.ok(performance.now() - started < 5000);
  });
});
