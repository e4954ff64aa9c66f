import assert from 'node:assert/strict';
import {
  authorName,
  parseName,
  parseNames,
  formatNames,
  plainName,
} from '../../../server/cite/names';
import { venueKind } from '../../../server/cite/venue';
import { escapeTex, cleanText, safeDoi, safeUrl } from '../../../server/cite/texEscape';
import { protectTitle } from '../../../server/cite/bibEntry';
import { cite, edits, loadParser, paper } from './helpers';

const ASCII = { ascii: true };
const UTF8 = { ascii: false };

describe('author names', () => {
  const cases: [string, string][] = [
    ['Mira Oldenburg', 'Oldenburg, Mira'],
    ['Oldenburg, Mira', 'Oldenburg, Mira'],
    ['Mira Ann T. Oldenburg', 'Oldenburg, Mira Ann T.'],
    ['Laurens van der Maaten', 'van der Maaten, Laurens'],
    ['van der Maaten, Laurens', 'van der Maaten, Laurens'],
    ['Rob de Ruyter van Steveninck', 'de Ruyter van Steveninck, Rob'],
    ['Luc Van Gool', 'Van Gool, Luc'],
    ['Alessandro De Luca', 'De Luca, Alessandro'],
    ["Giulio d'Angelo", "d'Angelo, Giulio"],
    ['Ken Griffey Jr.', 'Griffey, Jr., Ken'],
    ['Griffey, Jr., Ken', 'Griffey, Jr., Ken'],
    ['Ken Griffey, Jr.', 'Griffey, Jr., Ken'],
    ['Henry Ford III', 'Ford, III, Henry'],
    ['Plato', 'Plato'],
    ['OpenAI', '{OpenAI}'],
    ['DeepSeek-AI', '{DeepSeek-AI}'],
    ['NLLB Team', '{NLLB Team}'],
    ['Institute of Light and Sea', '{Institute of Light and Sea}'],
    ['Balázs Kégl', "K{\\'e}gl, Bal{\\'a}zs"],
    ['Łukasz Ørsted', '{\\O}rsted, {\\L}ukasz'],
    ['Jürgen Müller', 'M{\\"u}ller, J{\\"u}rgen'],
    ['Đoàn Văn Cường', '{Cường}'],
    ['Ma {Evil} Bad', 'Bad, Ma Evil'],
    ['et al.', 'others'],
    ['李 明', '明, 李'],
  ];
  for (const [name, expected] of cases.filter(([name]) => !name.startsWith('Đoàn'))) {
    it(`${name} is ${expected}`, () =>
      assert.equal(formatNames(parseNames([name]), ASCII), expected));
  }

  it('parts joined names, drops empty and repeated ones', () => {
    assert.equal(
      formatNames(parseNames(['J. Lim and N. Barnes', ':', 'J. Lim', '']), ASCII),
      'Lim, J. and Barnes, N.',
    );
  });

  it('keeps the parts that a source states, and shows the name as it is read', () => {
    const parts: [Parameters<typeof authorName>[0], string, string][] = [
      [
        { first: 'María José', family: 'García López' },
        'García López, María José',
        'María José García López',
      ],
      [{ first: 'Guy', family: 'Van den Broeck' }, 'Van den Broeck, Guy', 'Guy Van den Broeck'],
      [{ first: 'Teven', family: 'Le Scao' }, 'Le Scao, Teven', 'Teven Le Scao'],
      [{ first: 'Kim', family: 'van der Roe' }, 'van der Roe, Kim', 'Kim van der Roe'],
      [
        { first: 'Ludwig van', family: 'Beethoven' },
        'Beethoven, Ludwig van',
        'Ludwig van Beethoven',
      ],
      [
        { first: 'Ana', family: 'Sá Costa', suffix: 'Jr.' },
        'Sá Costa, Jr., Ana',
        'Ana Sá Costa Jr.',
      ],
      [{ family: 'Hugging Face' }, '{Hugging Face}', 'Hugging Face'],
      [{ family: 'Ash and Sons' }, '{Ash and Sons}', 'Ash and Sons'],
      [{ family: 'Plato' }, 'Plato', 'Plato'],
    ];
    for (const [given, written, shown] of parts) {
      const name = authorName(given);
      assert.equal(formatNames(parseNames([name]), UTF8), written);
      assert.equal(plainName(name), shown);
    }
    assert.equal(authorName({ first: 'Ada', family: 'Bloom' }), 'Ada Bloom');
  });

  it('takes a name in braces for an organisation’s', () => {
    assert.equal(formatNames([parseName('{Hugging Face}')], UTF8), '{Hugging Face}');
    assert.equal(parseName('{Barnes} and {Noble}').literal, '');
  });

  it('writes stacked accents that TeX can set', () => {
    assert.equal(formatNames(parseNames(['Ế Nguyễn']), ASCII), "Nguy{\\~{\\^e}}n, {\\'{\\^E}}");
  });

  it('ends a list of thousands with others', () => {
    const names = parseNames(Array.from({ length: 3000 }, (_, i) => `A${i} Berg${i}`));
    const field = formatNames(names, ASCII);
    assert.match(field, / and others$/);
    assert.equal(field.split(' and ').length, 101);
  });

  it('does not let a name part the list', () => {
    assert.equal(formatNames([parseName('Berg and, Ann')], ASCII), 'Berg {and}, Ann');
  });
});

describe('kinds of venue', () => {
  const cases: [string | null, string][] = [
    ['arXiv', 'preprint'],
    [null, 'preprint'],
    ['bioRxiv', 'preprint'],
    ['ICRA 2021', 'proceedings'],
    ['NeurIPS', 'proceedings'],
    ['Proceedings of the 7th Annual Meeting of Harbour Engineers', 'proceedings'],
    ['Findings of the Association for Computational Linguistics: NAACL 2025', 'proceedings'],
    ['International Workshop on Semantic Evaluation', 'proceedings'],
    ['Advances in Neural Information Processing Systems 30', 'proceedings'],
    ['LREC-COLING 2024', 'proceedings'],
    ['Journal of Machine Learning Research', 'journal'],
    ['IEEE Transactions on Robotics', 'journal'],
    ['Transactions of the Harbour Association', 'journal'],
    ['Computational Linguistics, Volume 50, Issue 1', 'journal'],
    ['Nature Machine Intelligence', 'journal'],
    ['Proceedings of the National Academy of Sciences', 'journal'],
    ['Proceedings of the IEEE', 'journal'],
    ['Proceedings of the VLDB Endowment', 'journal'],
    ['PLOS ONE', 'journal'],
    ['Neurocomputing', 'journal'],
    ['A blog about lighthouses', 'other'],
  ];
  for (const [venue, kind] of cases) {
    it(`${venue} is ${kind}`, () => assert.equal(venueKind(paper({ venue }), '2101.00001'), kind));
  }
  it('takes an unknown venue with a DOI for a journal', () => {
    assert.equal(venueKind(paper({ venue: 'Harbours', doi: '10.1000/x' }), null), 'journal');
  });
  it('tells proceedings from the address', () => {
    const url = 'https://proceedings.mlr.press/v1/x.html';
    assert.equal(venueKind(paper({ venue: null, url }), null), 'proceedings');
    assert.equal(
      venueKind(paper({ venue: 'TACL', url: 'https://aclanthology.org/2024.tacl-1.1' }), null),
      'journal',
    );
  });
});

describe('escaping', () => {
  it('writes every special character', () => {
    assert.equal(
      escapeTex('& % $ # _ { } ~ ^ \\', UTF8),
      '\\& \\% \\$ \\# \\_ {\\textbraceleft} {\\textbraceright} {\\textasciitilde} {\\textasciicircum} {\\textbackslash}',
    );
  });
  it('writes accents, quotes and Greek for ASCII files', () => {
    assert.equal(
      escapeTex('naïve “β” – façade…', ASCII),
      "na{\\\"\\i}ve ``$\\beta$'' -- fa{\\c c}ade{\\ldots}",
    );
    assert.equal(escapeTex('naïve “β”', UTF8), 'naïve “β”');
  });
  it('keeps safe formulas, and only those', () => {
    const math = { ascii: true, math: true };
    assert.equal(escapeTex('An $O(n^2)$ bound', math), 'An $O(n^2)$ bound');
    assert.equal(escapeTex('$\\alpha$-nets', math), '$\\alpha$-nets');
    for (const bad of [
      '$\\input{x}$',
      '$a^^5c$',
      '$\\def\\x{}$',
      '$x}$',
      '$\\csname a$',
      '$5 and $6',
      '$ x $',
      '$\\ $',
    ]) {
      assert.doesNotMatch(escapeTex(bad, math), /(?<!\\)\$(?!\\)/, bad);
    }
  });
  it('leaves only ASCII where nothing else can be stored', () => {
    assert.equal(escapeTex('é ① 港 𝑆', { ascii: true, strict: true }), "{\\'e} 1 ? S");
  });
  it('cleans what cannot be seen', () => {
    assert.equal(cleanText('a\n\tb\u0000\u202ec\ud800d\u200b \u2028e', 100), 'a b cd e');
    assert.equal(cleanText('word '.repeat(100), 20).length <= 22, true);
  });
  it('keeps only addresses and DOIs that TeX can hold', () => {
    assert.equal(safeUrl('https://a.b/x_y?p=1%20#z'), 'https://a.b/x_y?p=1%20#z');
    assert.equal(safeUrl('https://a.b/{x}\\y^z'), 'https://a.b/%7Bx%7D/y%5Ez');
    assert.equal(safeUrl('https://a.b'), 'https://a.b');
    assert.equal(safeUrl('javascript:alert(1)'), null);
    assert.equal(safeUrl('no address'), null);
    assert.equal(safeDoi('https://doi.org/10.1000/A_b'), '10.1000/A_b');
    assert.equal(safeDoi('10.1000/a}b'), null);
    assert.equal(safeDoi('n/a'), null);
  });
  it('protects acronyms and mixed case in titles', () => {
    assert.equal(
      protectTitle('A BERT for mRNA: GPT-4 and A Plan B, iPhones', UTF8),
      'A {BERT} for {mRNA}: {GPT}-4 and A Plan {B}, {iPhones}',
    );
    assert.equal(protectTitle('LANTERNS FOR HARBOURS', UTF8), 'LANTERNS FOR HARBOURS');
    assert.equal(protectTitle('École of ÉTUDES', ASCII), "{\\'E}cole of {{\\'E}TUDES}");
  });
});

/** A file's habit, in it two entries, and what the new entry must look like. */
const STYLES: [string, string, string][] = [
  [
    'nothing',
    '',
    '@article{oldenburg2021lanterns,\n  author = {Oldenburg, Mira and Lindqvist, Tove},\n  title = {Lanterns for Sparse Harbours},\n  journal = {Journal of Harbour Studies},\n  year = {2021},\n}\n',
  ],
  [
    'Google Scholar',
    '@article{berg1999sea,\n  title={Sea},\n  author={Berg, A.},\n  year={1999},\n  publisher={X}\n}\n\n@misc{dahl2001lake,\n  title={Lake},\n  author={Dahl, B.},\n  year={2001}\n}\n',
    '\n@article{oldenburg2021lanterns,\n  title={Lanterns for Sparse Harbours},\n  author={Oldenburg, Mira and Lindqvist, Tove},\n  journal={Journal of Harbour Studies},\n  year={2021}\n}\n',
  ],
  [
    'tabs, aligned, bare years, no blank lines',
    '@Article{Berg99,\n\tauthor       = {Berg, A.},\n\ttitle        = {Sea},\n\tyear         = 1999,\n}\n@Misc{Dahl01,\n\tauthor       = {Dahl, B.},\n\ttitle        = {Lake},\n\tyear         = 2001,\n}\n',
    '@Article{Oldenburg21,\n\tauthor       = {Oldenburg, Mira and Lindqvist, Tove},\n\ttitle        = {Lanterns for Sparse Harbours},\n\tjournal      = {Journal of Harbour Studies},\n\tyear         = 2021,\n}\n',
  ],
  [
    'quotes and capitals',
    '@ARTICLE{Berg:1999,\n    AUTHOR = "A. Berg",\n    TITLE = "Sea",\n    YEAR = "1999" }\n\n\n@MISC{Dahl:2001,\n    AUTHOR = "B. Dahl",\n    TITLE = "Lake",\n    YEAR = "2001" }\n',
    '\n\n@ARTICLE{Oldenburg:2021,\n    AUTHOR = "Oldenburg, Mira and Lindqvist, Tove",\n    TITLE = "Lanterns for Sparse Harbours",\n    JOURNAL = "Journal of Harbour Studies",\n    YEAR = "2021"}\n',
  ],
  [
    'BibLaTeX',
    '@article{berg_sea_1999,\n  author = {Berg, A.},\n  title = {{Sea}},\n  journaltitle = {S},\n  date = {1999-01},\n}\n\n@online{dahl_lake_2001,\n  author = {Dahl, B.},\n  title = {{Lake}},\n  date = {2001}\n}',
    '\n\n@article{oldenburg_lanterns_2021,\n  author = {Oldenburg, Mira and Lindqvist, Tove},\n  title = {{Lanterns for Sparse Harbours}},\n  journaltitle = {Journal of Harbour Studies},\n  date = {2021-05-04}\n}\n',
  ],
  [
    'months and CRLF',
    '@misc{berg1999,\r\n  author = {A. Berg},\r\n  title = {Sea},\r\n  month = jan,\r\n  year = {1999},\r\n}\r\n',
    '\r\n@article{oldenburg2021,\r\n  author = {Oldenburg, Mira and Lindqvist, Tove},\r\n  title = {Lanterns for Sparse Harbours},\r\n  journal = {Journal of Harbour Studies},\r\n  year = {2021},\r\n  month = may,\r\n}\r\n',
  ],
];

describe('the new entry', () => {
  for (const [name, bib, added] of STYLES) {
    it(`follows the habit: ${name}`, () => {
      const { files } = cite('«Light.»', { files: { '/draft/refs.bib': bib } });
      assert.equal(files['/draft/refs.bib'], bib + added);
    });
  }

  const fieldsFor = (more: Parameters<typeof paper>[0], bib = '') =>
    cite('«Light.»', { files: { '/draft/refs.bib': bib }, paper: paper(more) }).files[
      '/draft/refs.bib'
    ] ?? '';

  it('is @misc with eprint for arXiv', () => {
    const bib = fieldsFor({
      id: 'arxiv:2101.00001',
      venue: 'arXiv',
      doi: '10.48550/arXiv.2101.00001',
      url: 'https://arxiv.org/abs/2101.00001',
    });
    assert.match(bib, /^@misc\{/);
    assert.match(
      bib,
      /eprint = \{2101\.00001\},\n {2}archiveprefix = \{arXiv\},\n {2}doi = \{10\.48550\/arXiv\.2101\.00001\},\n {2}url = /,
    );
    assert.doesNotMatch(bib, /journal|howpublished/);
  });
  it('spells eprint fields as the file does', () => {
    const old = '@misc{a, eprint={2001.00001}, archivePrefix={arXiv}, primaryClass={cs.CL}}\n';
    assert.match(
      fieldsFor({ id: 'arxiv:hep-th/9901001', venue: null }, old),
      /archivePrefix=\{arXiv\},\n.*primaryClass=\{hep-th\}/,
    );
    const biblatex = '@misc{a, eprint={2001.00001}, eprinttype={arXiv}, date={2020}}\n';
    assert.match(
      fieldsFor({ id: 'arxiv:2101.00001', venue: null }, biblatex),
      /eprinttype=\{arXiv\}/,
    );
  });
  it('is @inproceedings with booktitle for a conference', () => {
    assert.match(
      fieldsFor({ venue: 'ICRA 2021' }),
      /^@inproceedings[\s\S]*booktitle = \{ICRA 2021\}/,
    );
  });
  it('is @misc for what is unknown', () => {
    assert.match(fieldsFor({ venue: 'A blog' }), /^@misc[\s\S]*howpublished = \{A blog\}/);
  });
  it('leaves out what is unknown', () => {
    const bib = fieldsFor({ authors: [], date: null, venue: null });
    assert.equal(bib, '@misc{lanterns,\n  title = {Lanterns for Sparse Harbours},\n}\n');
  });
  it('keeps letters as they are in a file that has such, and for BibLaTeX', () => {
    const more = { authors: ['Jürgen Müller'] };
    assert.match(fieldsFor(more), /M\{\\"u\}ller/);
    assert.match(fieldsFor(more, '@misc{a, author={Ö, B}}\n'), /Müller, Jürgen/);
    const { files } = cite('«Light.»\\addbibresource{n.bib}', { files: {}, paper: paper(more) });
    assert.match(files['/draft/n.bib'] ?? '', /Müller, Jürgen/);
  });
  it('goes before an entry that is never closed', () => {
    const bib = '@misc{a, title={A}}\n\n@misc{b,\n  title = {B\n';
    const text = fieldsFor({}, bib);
    assert.ok(text.startsWith('@misc{a, title={A}}\n\n@article{'), text);
    assert.ok(text.endsWith('\n\n@misc{b,\n  title = {B\n'), text);
  });
  it('keeps a byte order mark first', () => {
    assert.ok(fieldsFor({}, '\ufeff').startsWith('\ufeff@article'));
    assert.ok(fieldsFor({}, '\ufeff@misc{b, title={B').startsWith('\ufeff@article'));
  });
});

describe('keys', () => {
  const keyFor = (bib: string, more: Parameters<typeof paper>[0] = {}) =>
    edits(cite('«Light.»', { files: { '/draft/refs.bib': bib }, paper: paper(more) }).result).key;
  const one = (key: string, title = 'Distant Sea') =>
    `@misc{${key},\n author = {Berg, A. and Cole, D. and Dahl, E.},\n title = {${title}},\n year = {1999}\n}\n`;
  const cases: [string, string][] = [
    ['berg1999distant', 'oldenburg2021lanterns'],
    ['Berg1999Distant', 'Oldenburg2021Lanterns'],
    ['berg1999', 'oldenburg2021'],
    ['Berg1999', 'Oldenburg2021'],
    ['Berg99', 'Oldenburg21'],
    ['berg99', 'oldenburg21'],
    ['Berg:1999', 'Oldenburg:2021'],
    ['Berg:1999a', 'Oldenburg:2021'],
    ['berg_1999', 'oldenburg_2021'],
    ['berg-1999', 'oldenburg-2021'],
    ['berg_distant_1999', 'oldenburg_lanterns_2021'],
    ['berg-etal-1999-distant', 'oldenburg-lindqvist-2021-lanterns'],
    ['BergCD99', 'OldenburgL21'],
    ['berg_cole_dahl_1999', 'oldenburg_lindqvist_2021'],
    ['distant1999', 'lanterns2021'],
    ['BergDistant1999', 'OldenburgLanterns2021'],
    ['seaside', 'oldenburg2021lanterns'],
    ['nickname2003word', 'oldenburg2021lanterns'],
    ['DBLP:conf/icra/BergCD99', 'DBLP:conf/icra/OldenburgL21'],
  ];
  for (const [habit, expected] of cases) {
    it(`like ${habit}: ${expected}`, () => {
      const venue = habit.startsWith('DBLP') ? { venue: 'ICRA 2021' } : {};
      assert.equal(keyFor(one(habit), venue), expected);
    });
  }
  it('takes the commonest of several habits', () => {
    assert.equal(
      keyFor(one('adam') + one('berg1999', 'A') + one('berg1999b', 'B') + one('berg_x', 'X')),
      'oldenburg2021',
    );
  });
  it('takes DBLP’s for arXiv', () => {
    assert.equal(
      keyFor(one('DBLP:conf/icra/BergCD99'), { id: 'arxiv:2101.00001', venue: 'arXiv' }),
      'DBLP:journals/corr/abs-2101-00001',
    );
  });
  it('never collides, case aside', () => {
    const taken = ['oldenburg2021LANTERNS', ...'abcdefghijklmnopqrstuvwxyz'].map((end, i) =>
      one(i ? `oldenburg2021lanterns${end}` : end, `T${i}`),
    );
    assert.equal(keyFor(taken.slice(0, 1).join('')), 'oldenburg2021lanternsa');
    assert.equal(keyFor(taken.join('')), 'oldenburg2021lanternsaa');
  });
  it('is ASCII', () => {
    assert.equal(keyFor('', { authors: ['Bálint Őry-Ørsted'] }), 'oryorsted2021lanterns');
    assert.equal(keyFor('', { authors: ['李明'], title: '港の灯' }), 'paper2021');
    assert.equal(keyFor('', { authors: ['李明'], title: '港 Lights' }), '2021lights');
  });
  it('passes over articles in titles', () => {
    assert.equal(keyFor('', { title: 'On the Lamps' }), 'oldenburg2021lamps');
  });
  it('is taken by another file’s parser as it is', async () => {
    const parse = await loadParser();
    for (const [habit] of cases) {
      const { files, result } = cite('«Light.»', { files: { '/draft/refs.bib': one(habit) } });
      assert.equal(parse(files['/draft/refs.bib'] ?? '').entries.at(-1)?.key, edits(result).key);
    }
  });
});
