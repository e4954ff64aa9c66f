import assert from 'node:assert/strict';
import { cleanLine, cleanTitle, sentencesOf } from '../../../server/pools/clean';
import { latexToText } from '../../../server/pools/latexText';
import { inDates, monthOf, parseDate, plainDoi, stableId } from '../../../server/pools/record';

const each = (run: (input: string) => unknown, cases: [string, unknown][]) => {
  for (const [input, expected] of cases) assert.deepEqual(run(input), expected, input);
};

describe('cleaning foreign text', function () {
  this.timeout(30_000);
  it('reads LaTeX', () =>
    each(latexToText, [
      [
        'Erd\\H{o}s and G\\"odel met \\v{C}ech, \\c{S}en, Mart{\\\'\\i}n and \\o rsted',
        'Erdős and Gödel met Čech, Şen, Martín and ørsted',
      ],
      ['{\\it very} \\emph{well}~done \\textbf{here}', 'very well done here'],
      ['costs $5 or $10 or \\$20', 'costs $5 or $10 or $20'],
      ['at $O(n^2)$ and \\(x_i\\) time', 'at O(n^2) and x_i time'],
      ['as shown~\\citep[p.~3]{a,b}, twice \\ref{x}.', 'as shown, twice.'],
      ['A $$x = y$$\nB', 'A \nB'],
      [
        "``quoted'' and `single' -- 3--4, a---b, --flag",
        "“quoted” and ‘single' – 3–4, a—b, --flag",
      ],
      ['\\%, \\&, \\_, \\#, \\{x\\}', '%, &, _, #, {x}'],
      ['the set {0, 1} and {B}ERT', 'the set {0, 1} and BERT'],
      ['\\href{https://x.org/a}{our page} and \\url{https://x.org}', 'our page and https://x.org'],
      ['\\mymodel beats \\alpha-divergence', 'mymodel beats alpha-divergence'],
      ['say \\"hello\\" twice', 'say "hello" twice'],
      ['about ~10 of Fig.~1', 'about ~10 of Fig. 1'],
      ['unclosed {brace and $math and \\', 'unclosed brace and $math and '],
    ]));

  it('strips markup but not what only looks like it', () =>
    each(cleanLine, [
      ['<p>H<sub>2</sub>O &amp; <b class="x">more</b></p>', 'H2O & more'],
      ['if a<b and c>d, p &lt; 0.05', 'if a<b and c>d, p < 0.05'],
      ['the <mask> token and <s>', 'the <mask> token and <s>'],
      ['x <script>alert("1")</script> y<!-- z -->', 'x y'],
      ['<jats:inline-formula><mml:math><mml:mi>x</mml:mi></mml:math></jats:inline-formula>', 'x'],
      ['&lt;jats:p&gt;escaped twice &amp;amp; more&lt;/jats:p&gt;', 'escaped twice & more'],
      ['&notanentity; &#0; &#xD800; &#233;', '&notanentity; é'],
    ]));

  it('drops what cannot be seen', () =>
    each(cleanLine, [
      ['a\u0000b\u202ec\u200bd\ufeff', 'abcd'],
      ['struc(cid:173) ture', 'structure'],
      ['lone \ud800 half', 'lone \ufffd half'],
      ['a\t b\u00a0\n c', 'a b c'],
    ]));

  it('drops leads and notices, not words that look like them', () =>
    each(sentencesOf, [
      ['Abstract: We count the bees.', ['We count the bees.']],
      ['ABSTRACT\nWe count the bees.', ['We count the bees.']],
      ['Abstract We count the bees.', ['We count the bees.']],
      [
        'Abstract meaning representation is a graph.',
        ['Abstract meaning representation is a graph.'],
      ],
      [
        'We count the bees. © 2019 The Authors. Published by Elsevier Ltd. All rights reserved.',
        ['We count the bees.'],
      ],
      ['Copyright 2020 by the authors. We count the bees.', ['We count the bees.']],
      ['We study copyright law for bees.', ['We study copyright law for bees.']],
    ]));

  it('drops fragments, cuts what is too long, splits at blank lines', () => {
    assert.deepEqual(sentencesOf('Methods. We did it well. Yes.'), ['We did it well.']);
    assert.deepEqual(sentencesOf('First line stands alone\n\nsecond line does too'), [
      'First line stands alone',
      'second line does too',
    ]);
    const long = `${'a clause of words here, '.repeat(100)}end.`;
    const parts = sentencesOf(long);
    assert.ok(parts.length >= 3 && parts.every((part) => part.length <= 1000));
    assert.equal(parts.join(' '), long);
    const solid = sentencesOf(`words before ${'𝔸'.repeat(1500)} words after it`);
    assert.ok(solid.length > 1 && solid.every((part) => part.length <= 1000));
    assert.deepEqual(sentencesOf('我们提出一种新的方法。它很有效果。'), [
      '我们提出一种新的方法。',
      '它很有效果。',
    ]);
    assert.deepEqual(sentencesOf(''), []);
  });

  it('takes hostile text as text, in linear time', () => {
    const before = process.cpuUsage();
    for (const piece of [
      '<a href="',
      '<!--',
      '{',
      '\\cite{',
      '$',
      '&#',
      '<script>',
      '`',
      '-- ',
      '\\"',
      '\\begin{x}',
    ]) {
      const text = sentencesOf(`We begin with it. ${piece.repeat(20_000)} We end.`);
      assert.equal(text[0], 'We begin with it.', piece);
    }
    const { user, system } = process.cpuUsage(before);
    assert.ok(user + system < 15e6, `${(user + system) / 1e6} s of processor time`);
    assert.equal(cleanTitle('<img src=x onerror=alert(1)>Bees.'), 'Bees');
  }).timeout(60_000);
});

describe('records', function () {
  this.timeout(30_000);
  it('gives one id to one paper', () => {
    const base = { title: 'A Title', date: '2020' };
    assert.equal(stableId({ ...base, arxiv: '2101.00001v3', doi: '10.1/x' }), 'arxiv:2101.00001');
    assert.equal(stableId({ ...base, doi: '10.48550/arXiv.2101.00001' }), 'arxiv:2101.00001');
    assert.equal(
      stableId({ ...base, url: 'http://arxiv.org/pdf/hep-th/9901001v1' }),
      'arxiv:hep-th/9901001',
    );
    assert.equal(stableId({ ...base, doi: 'https://doi.org/10.1000/ABC' }), 'doi:10.1000/abc');
    const hashed = stableId(base);
    assert.match(hashed, /^title:[0-9a-f]{16}$/);
    assert.equal(stableId({ title: 'a  TITLE!', date: '2020-05-01' }), hashed);
    assert.notEqual(stableId({ title: 'A Title', date: '2021' }), hashed);
    assert.notEqual(stableId({ title: '???', date: null }), stableId({ title: '!!!', date: null }));
  });

  it('reads dates', () => {
    each(parseDate, [
      ['2020-03-04T10:00:00Z', '2020-03-04'],
      ['2020/3', '2020-03'],
      ['2019-05/2019-06', '2019-05'],
      ['3 March 2021', '2021-03-03'],
      ['Mar. 3rd, 2021', '2021-03-03'],
      ['March 2021', '2021-03'],
      ['2020-13-40', '2020'],
      ['in press', null],
      ['\\today', null],
    ]);
    each(monthOf, [
      ['jan', 1],
      ['September', 9],
      ['11', 11],
      ['13', null],
      ['spring', null],
      ['09--15 Jun', 6],
      ['06--11 Aug', 8],
      ['13--18 Jul', 7],
      ['10 # jan', 1],
      ['Early September', 9],
      ['2nd quarter', null],
    ]);
  });

  it('compares dates as far as they are known', () => {
    const options = (since: string | null, until: string | null) => ({
      categories: [],
      since,
      until,
    });
    assert.equal(inDates('2023', options('2023-05', null)), true);
    assert.equal(inDates('2023-04-30', options('2023-05', null)), false);
    assert.equal(inDates('2023-05-31', options(null, '2023-05')), true);
    assert.equal(inDates(null, options(null, null)), true);
    assert.equal(inDates(null, options('2000', null)), false);
  });

  it('takes the resolver off a DOI and keeps its case', () => {
    assert.equal(plainDoi('https://doi.org/10.1000/AbC'), '10.1000/AbC');
    assert.equal(plainDoi('doi:10.1000/x'), '10.1000/x');
    assert.equal(plainDoi('none'), null);
  });
});
