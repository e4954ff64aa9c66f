import assert from 'node:assert/strict';
import { cite } from './helpers';
import { markdownKey, markdownKeys } from '../../../server/cite/markdownTokens';

const CASES: [string, string, string][] = [
  ['before the full stop', '«Ships need light.» Next.', 'Ships need light [@K]. Next.'],
  ['without punctuation', '- «Ships need light»\n- more', '- Ships need light [@K]\n- more'],
  ['with CRLF', '«Ships need\r\nlight.»\r\n\r\nNext', 'Ships need\r\nlight [@K].\r\n\r\nNext'],
  ['before a footnote mark', '«Ships need light.[^1]» Next.', 'Ships need light [@K].[^1] Next.'],
  ['before a footnote mark and the stop', '«Ships need light[^1].»', 'Ships need light [@K][^1].'],
  ['before an inline note', '«Ships need light.^[At sea.]»', 'Ships need light [@K].^[At sea.]'],
  ['inside an inline note', 'Text.^[«At sea.»] End.', 'Text.^[At sea [@K].] End.'],
  ['inside a footnote’s definition', '[^1]: «At sea.»', '[^1]: At sea [@K].'],
  ['inside emphasis that holds the stop', '«**Ships need light.**»', '**Ships need light [@K].**'],
  ['behind emphasis', '«Ships need *light*.»', 'Ships need *light* [@K].'],
  [
    'behind strong emphasis that the range cuts',
    '«Ships need **light**»',
    'Ships need **light** [@K]',
  ],
  ['behind math', '«Light is $x_1$.»', 'Light is $x_1$ [@K].'],
  [
    'behind math that holds the stop',
    '«Light is $x=1.»$ @a says so.',
    'Light is $x=1.$ [@K] @a says so.',
  ],
  ['before display math', '«Light is\n$$x.$$»\n', 'Light is [@K]\n$$x.$$\n'],
  ['behind code', '«Call `f.`.»', 'Call `f.` [@K].'],
  ['behind a link', '«See [this](http://a.b/c.).»', 'See [this](http://a.b/c.) [@K].'],
  ['behind an address', '«See <http://a.b/c.>.»', 'See <http://a.b/c.> [@K].'],
  ['behind quotes', '«They say "light."»', 'They say "light [@K]."'],
  ['before a comment', '«Ships need light. <!-- so? -->»', 'Ships need light [@K]. <!-- so? -->'],
  ['behind a task mark', '- [ ] «Ships need light.»', '- [ ] Ships need light [@K].'],
  ['in a quotation', '> «Ships need\n> light.»\n> Next.', '> Ships need\n> light [@K].\n> Next.'],
  ['before a hard break', '«Ships need light.  »\nNext', 'Ships need light [@K].  \nNext'],
  ['behind a snake_case word', '«Use snake_case_.»', 'Use snake_case_ [@K].'],

  ['into a citation', '«Ships need light [@a].»', 'Ships need light [@a; @K].'],
  [
    'into several',
    '«Ships need light [@a; see @b, p. 3].»',
    'Ships need light [@a; see @b, p. 3; @K].',
  ],
  [
    'into one behind the stop',
    '«Ships need light.» [@a] Next.',
    'Ships need light. [@a; @K] Next.',
  ],
  ['into one that the range leaves out', '«Ships need light» [@a].', 'Ships need light [@a; @K].'],
  ['not into a reference to a figure', '«So it is [@fig-plot].»', 'So it is [@fig-plot] [@K].'],
  ['not into one to a table', '«So it is [see @tbl-x].»', 'So it is [see @tbl-x] [@K].'],
  ['not into one to a section', '«So it is [-@sec-intro].»', 'So it is [-@sec-intro] [@K].'],
  ['not into one to an equation', '«So it is [@eq-1; @eq-2].»', 'So it is [@eq-1; @eq-2] [@K].'],
  ['not into one of pandoc-crossref', '«So it is [@Fig:plot].»', 'So it is [@Fig:plot] [@K].'],
  ['into a citation beside one', '«So [@fig-a] it is [@a].»', 'So [@fig-a] it is [@a; @K].'],
  ['into a key that only looks so', '«So it is [@figaro2020].»', 'So it is [@figaro2020; @K].'],
  ['not into a textual one', '«As in @a.»', 'As in @a [@K].'],
  ['not into a textual one with a page', '«As in @a [p. 3].»', 'As in @a [p. 3] [@K].'],
  [
    'not into a link with an @ sign',
    '«Ask [a@b.org](mailto:a@b.org).»',
    'Ask [a@b.org](mailto:a@b.org) [@K].',
  ],
  [
    'not into one of the next sentence',
    '«Ships need light.» [@a] shows it.',
    'Ships need light [@K]. [@a] shows it.',
  ],
  ['never twice', '«Ships need light [@a; @K].»', 'Ships need light [@a; @K].'],
  ['never twice with a textual one', '«@K wants light.»', '@K wants light.'],
  ['again beside a longer key', '«Ships need light [@Kb].»', 'Ships need light [@Kb; @K].'],
  ['into a LaTeX citation', '«Ships need light \\cite{a}.»', 'Ships need light \\cite{a,K}.'],
];

describe('citing in a Markdown sentence', () => {
  for (const [name, before, after] of CASES) {
    it(name, () => {
      assert.equal(cite(before, { format: 'markdown' }).draft, after);
    });
  }

  it('reads keys as Pandoc does', () => {
    assert.deepEqual(markdownKeys('@a1, see -@b:c.d. and @{e.f.} not me@x.org nor \\@g'), [
      'a1',
      'b:c.d',
      'e.f.',
    ]);
  });

  it('braces a key that Pandoc would cut', () => {
    assert.equal(markdownKey('smith2020'), '@smith2020');
    assert.equal(markdownKey('DBLP:conf/nips/X17'), '@DBLP:conf/nips/X17');
    assert.equal(markdownKey('a--b'), '@{a--b}');
    assert.equal(markdownKey('moura_serrão_2019'), '@moura_serrão_2019');
    assert.equal(markdownKey('smith.'), '@{smith.}');
  });
});
