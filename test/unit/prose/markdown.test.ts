import assert from 'node:assert/strict';
import { parseProse, type Prose } from '../../../server/prose';

const parse = (source: string): Prose => parseProse(source, 'markdown');
const texts = (source: string): string[] => parse(source).sentences.map((s) => s.text);
const one = (source: string): string => texts(source).join(' | ');

describe('parseProse of Markdown', function () {
  this.timeout(20_000);
  it('gives sentences, sections, title and exact ranges', () => {
    const source =
      '---\ntitle: "A *fine* study"\nbibliography: x.bib\n---\n\nWe begin. We **go** on.\n\n# The plan {#sec-plan}\n\nFirst\nthis.\n\n- one item\n- two `items`\n\n> A quote\n> goes on.\n';
    const prose = parse(source);
    assert.equal(prose.title, 'A fine study');
    assert.deepEqual(
      prose.sentences.map((s) => [s.text, s.section, source.slice(s.start, s.end)]),
      [
        ['We begin.', null, 'We begin.'],
        ['We go on.', null, 'We **go** on.'],
        ['First this.', 'The plan', 'First\nthis.'],
        ['one item', 'The plan', 'one item'],
        ['two items', 'The plan', 'two `items'],
        ['A quote goes on.', 'The plan', 'A quote\n> goes on.'],
      ],
    );
    assert.equal(new Set(prose.sentences.map((s) => s.paragraph)).size, 5);
    assert.deepEqual(
      prose.headings.map((h) => [h.text, h.level]),
      [['The plan', 1]],
    );
  });

  const cases: [string, string][] = [
    ['It works [@a; see @b, p. 3]. More.', 'It works. | More.'],
    ['It works [-@a_b-c:d].', 'It works.'],
    ['As @smith2020 [p. 3] says, and @{weird key}.', 'As says, and.'],
    ['Write to a@b.org or see @fig-x.', 'Write to a@b.org or see.'],
    ["It is @key's idea.", 'It is idea.'],
    [
      'A note[^1] and ^[an inline *note*] here.\n\n[^1]: Bad words.\n    Still bad.',
      'A note and here.',
    ],
    [
      'A [link text](http://x.y "t"), a [ref][r], a ![pic](p.png) end.\n\n[r]: http://z',
      'A link text, a ref, a end.',
    ],
    ['Use `x = 1. Y` now.', 'Use x = 1. Y now.'],
    ['Let $a_1 * b*c$ and $5 or $6 be.', 'Let a_1 * b*c and $5 or $6 be.'],
    ['We have $$a = b.$$ Then we stop.', 'We have. | Then we stop.'],
    ['We have\n\n$$\na = b\n$$ {#eq-x}\n\nwhere it ends.', 'We have where it ends.'],
    [
      'We have\n\n\\begin{align}\na &= b,\n\\end{align}\n\nwhere it ends.',
      'We have, where it ends.',
    ],
    ['Good.\n\n```{r}\nbad <- 1\n\nbad\n```\n\nMore.', 'Good. | More.'],
    ['Good.\n\n    indented code\n\nMore.', 'Good. | More.'],
    ['Good.\n\n| a | b |\n|---|---|\n| bad | bad |\n\nMore.', 'Good. | More.'],
    ['Good.\n\n+-----+\n| bad |\n+-----+\n\n: Bad caption\n\nMore.', 'Good. | More.'],
    ['Good <em>words</em> <!-- bad --> here.<br>And more.', 'Good words here. | And more.'],
    [
      '<p align="center">\nGood words.\n</p>\n\n<script>\nbad\n\nbad()\n</script>\n\nMore.',
      'Good words. | More.',
    ],
    ['<div>A block.</div><div>Another one.</div>', 'A block. | Another one.'],
    ['::: {.callout-note}\n## Title\n\nGood words.\n:::\n\nMore.', 'Good words. | More.'],
    ['::: note\nGood words.\n:::\nMore.', 'Good words. | More.'],
    ['```{note}\n:class: x\nGood words.\n```\nMore.', 'Good words. | More.'],
    ['{{< include _bad.qmd >}}\n\nGood [small]{.smallcaps} words.', 'Good small words.'],
    ['See {cite:p}`a,b` and {term}`words` now.', 'See and words now.'],
    ['See \\autoref{fig:x} and \\cite{k} \\textbf{bold} words.', 'See bold words.'],
    [
      'A---b, 3--4, well-known \\*stars\\* &amp; &eacute; &#233;.',
      'A—b, 3–4, well-known *stars* & é é.',
    ],
    ['H~2~O and x^2^ ~~not~~ it.', 'H2O and x2 not it.'],
    ['1. One.\n2. Two.\n\n   More of two.\n', 'One. | Two. | More of two.'],
    ['Term\n:   Its meaning.', 'Term : Its meaning.'],
    ['> > deep\n> > quote\n', 'deep quote'],
    ['- [ ] a task\n- [x] a done task', 'a task | a done task'],
    ['日本語です。次の文。 😀 ok.', '日本語です。 | 次の文。 | 😀 ok.'],
    ['It is `r nrow(x)` rows.', 'It is rows.'],
    ['![Bad caption](x.png){width=50% fig-align="center"}\n\nGood.', 'Good.'],
    ['---\n\nGood words.', 'Good words.'],
    ['It fails (see [@a]) often (e.g., @b; @c).', 'It fails often.'],
  ];
  for (const [source, plain] of cases) {
    it(source.replace(/\n/g, '⏎'), () => assert.equal(one(source), plain));
  }

  it('reads the abstract of the front matter, at its place', () => {
    const source =
      '---\ntitle: T\nabstract: |\n  We *show* it\n  at length.\n\n  Then more.\nauthor: Bad\n---\n\nBody.';
    const { sentences } = parse(source);
    assert.deepEqual(
      sentences.map((s) => s.text),
      ['We show it at length.', 'Then more.', 'Body.'],
    );
    const first = sentences[0];
    assert.ok(first);
    assert.equal(source.slice(first.start, first.end), 'We *show* it\n  at length.');
    assert.equal(one('---\nabstract: "Quoted words."\n---\nBody.'), 'Quoted words. | Body.');
  });

  it('takes the first heading for the title where there is no front matter', () => {
    assert.equal(parse('# A title\n\nWords.\n\n# B').title, 'A title');
    assert.equal(parse('Words.\n\n# Not it').title, null);
  });

  it('takes a dropped cross-reference for a number, and a stop in a formula for one', () => {
    assert.equal(one('In Sec. @sec-noise we show it.'), 'In Sec. we show it.');
    assert.equal(one('As Tab. [@tbl-a] and App. III say.'), 'As Tab. and App. III say.');
    assert.equal(one('See App. @sec-a. Next we go.'), 'See App. | Next we go.');
    assert.equal(one('They sell an app. @smith says so.'), 'They sell an app. | says so.');
    assert.equal(one('The loss is $x=1.$ Next it goes.'), 'The loss is x=1. | Next it goes.');
  });

  it('records included files', () => {
    assert.deepEqual(parse('Hi.\n\n{{< include a/_b.qmd >}}\n').inputs, [
      { target: 'a/_b.qmd', start: 5, end: 29 },
    ]);
  });

  it('reads CRLF as it reads LF', () => {
    const source =
      '---\ntitle: T\nabstract: |\n  Some words.\n---\n\n# H\n\nOne line\nwraps. Two.\n\n> q\n> r\n\n- a\n  b\n\n```\nx\n```\n\nWe have\n\n$$\nx\n$$\n\nwhere y.\n';
    const crlf = source.replace(/\n/g, '\r\n');
    assert.deepEqual(texts(crlf), texts(source));
    for (const s of parse(crlf).sentences) assert.equal(crlf[s.start], s.text[0]);
  });

  describe('broken drafts', () => {
    const broken: [string, string, string][] = [
      ['a fence without end', 'Good.\n\n```py\nbad\n\nMore good.', 'Good. | More good.'],
      ['a comment without end', 'Good <!-- words.\n\nMore.', 'Good words. | More.'],
      ['front matter without end', '---\ntitle: x\nauthor: y\n\nGood words.', 'Good words.'],
      ['front matter that is no YAML', '---\ntitle: [x\n  : }\n---\nGood words.', 'Good words.'],
      ['math without end', 'Good $$ words.\n\nMore $x words.', 'Good $$ words. | More $x words.'],
      ['a tag without end', 'Good <em words.\n\nMore <b>words.', 'Good <em words. | More words.'],
      ['a script without end', '<script>Good words.', 'Good words.'],
    ];
    for (const [name, source, plain] of broken) it(name, () => assert.equal(one(source), plain));
    it('says what was wrong', () => {
      assert.match(parse('```\nbad').problems[0]?.message ?? '', /never closed/);
      assert.match(parse('---\na: [x\n---\nGood.').problems[0]?.message ?? '', /YAML/);
      assert.match(
        parse('---\na: x\n\nGood.').problems[0]?.message ?? '',
        /front matter is never closed/,
      );
    });
  });
});
