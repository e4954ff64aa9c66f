import assert from 'node:assert/strict';
import { parseProse, type DraftFormat, type Prose } from '../../../server/prose';
import { assertRanges, generator } from './checks';

const LATEX =
  "\\begin{a}|\\end{a}|\\begin{figure}|\\end{figure}|\\[|\\]|$|$$|{|}|[|]|%|\\verb|\\|~|\\cite{k}|\\item|\\footnote{|\\section{|\\newcommand{\\x}[1]{#1}|\\x|\\def\\y{|#1|\\iffalse|\\fi|\\begin{verbatim}|\\url{|word |Word. |\n|\n\n|\r\n|``|''|---|é|😀|\0|\\'e|&|_|^".split(
    '|',
  );
const MARKDOWN =
  '# |- |1. |> |```|~~~|$|$$|*|**|_|`|[|]|(|)|![|<|>|<div>|</p>|<!--|-->|<script>|[^1]|[^1]: |[@k]|@k|{#x}|:::|---|\n|\n\n|\r\n|    |\t|word |Word. |é|😀|\0|&amp;|&|\\|| a | b |\n|---|\n|\\begin{align}|\\end{align}|{{<|>}}|^[|~~|[x]: y'.split(
    /\|(?!-)/,
  );

/** Every sentence lies in the source, and a place in its text never leads back in the source. */
function assertWithin(sentences: Prose['sentences'], source: string): void {
  for (const { start, end, offsets, text } of sentences) {
    assert.ok(start >= 0 && start < end && end <= source.length, `${start} to ${end}`);
    assert.equal(offsets.length, text.length);
    let last = start;
    for (const offset of offsets) {
      assert.ok(offset >= last && offset < end, `${offset} after ${last} in ${start} to ${end}`);
      last = offset;
    }
  }
}

function random(pieces: readonly string[], seed: number, count: number): string {
  const next = generator(seed);
  return Array.from({ length: count }, () => pieces[next(pieces.length)]).join('');
}

describe('parseProse of garbage', function () {
  this.timeout(60_000);
  for (const [format, pieces] of [
    ['latex', LATEX],
    ['markdown', MARKDOWN],
  ] as const) {
    it(`reads anything as ${format}, with ranges that hold`, () => {
      let found = 0;
      for (let seed = 1; seed <= (format === 'latex' ? 250 : 120); seed++) {
        const source = random(pieces, seed * 7919, 10 + (seed % 90));
        try {
          const { sentences } = parseProse(source, format);
          assertWithin(sentences, source);
          found += sentences.length;
        } catch (error) {
          throw new Error(`${JSON.stringify(source)}: ${String(error)}`, { cause: error });
        }
      }
      assert.ok(found > 100, `${found} sentences`);
    });

    for (const [what, units, length] of [
      ['bytes', 256, 100_000],
      ['code units', 65_536, 20_000],
    ] as const) {
      it(`reads random ${what} as ${format}, with ranges that hold`, () => {
        const next = generator(99);
        const source = Array.from({ length }, () => String.fromCharCode(next(units))).join('');
        const { sentences } = parseProse(source, format);
        assert.ok(sentences.length > 0);
        assertWithin(sentences, source);
      });
    }
  }

  const hard: [string, DraftFormat, string][] = [
    ['open braces', 'latex', '{'.repeat(300_000)],
    ['open groups of macros', 'latex', '\\emph{a '.repeat(50_000)],
    ['open footnotes', 'latex', '\\footnote{a '.repeat(50_000)],
    ['nested groups', 'latex', `${'{'.repeat(100_000)}x${'}'.repeat(100_000)}`],
    ['nested emphasis', 'latex', `${'\\textcolor{red}{'.repeat(20_000)}x${'}'.repeat(20_000)}`],
    ['open environments', 'latex', '\\begin{itemize} a '.repeat(30_000)],
    ['open figures', 'latex', '\\begin{figure} a '.repeat(30_000)],
    ['open verbatims', 'latex', '\\begin{verbatim} a '.repeat(30_000)],
    ['open displays', 'latex', '\\[ a '.repeat(50_000)],
    ['dollars', 'latex', '$ {'.repeat(20_000)],
    ['open brackets', 'latex', '\\item[a '.repeat(20_000)],
    ['crossed ends', 'latex', '\\begin{a}\\begin{b}\\end{a}\\end{c}'.repeat(10_000)],
    ['open conditionals', 'latex', '\\iffalse a '.repeat(2_000)],
    ['cites', 'latex', `A ${'\\cite{a} and '.repeat(20_000)}`],
    ['brackets with cites', 'latex', '(\\cite{a}'.repeat(10_000)],
    ['one long line', 'latex', 'word '.repeat(200_000)],
    ['stars', 'markdown', '*'.repeat(50_000)],
    ['stars and words', 'markdown', '*a **b '.repeat(3_000)],
    ['open brackets', 'markdown', '['.repeat(20_000)],
    ['open links', 'markdown', '[a]('.repeat(3_000)],
    ['quotes', 'markdown', '>'.repeat(20_000)],
    ['nested quotes', 'markdown', `${'> '.repeat(5_000)}a`],
    [
      'nested lists',
      'markdown',
      Array.from({ length: 150 }, (_, i) => `${'  '.repeat(i)}- a`).join('\n'),
    ],
    ['backticks', 'markdown', '` `` ``` '.repeat(2_000)],
    ['open tags', 'markdown', '<a '.repeat(10_000)],
    ['tags on one line', 'markdown', '<p>a</p>'.repeat(5_000)],
    ['open comments', 'markdown', '<!-- a\n'.repeat(10_000)],
    ['open fences', 'markdown', '```a\n\nb\n\n'.repeat(2_001)],
    ['dollars', 'markdown', '$a '.repeat(10_000)],
    ['cites', 'markdown', 'a [@a; '.repeat(3_000)],
  ];
  for (const [name, format, source] of hard) {
    it(`takes no long time for ${name} in ${format} (${source.length} characters)`, function () {
      const start = performance.now();
      parseProse(source, format);
      const took = performance.now() - start;
      assert.ok(took < 8000, `${took.toFixed(0)} ms`);
    });
  }

  it('reads a draft of a megabyte', () => {
    const paragraph = 'We show that \\emph{this} works~\\cite{a}, if $x > 1$. It does.\n\n';
    const source = paragraph.repeat(Math.ceil(1_000_000 / paragraph.length));
    const prose = parseProse(source, 'latex');
    assert.equal(prose.sentences.length, 2 * Math.ceil(1_000_000 / paragraph.length));
    assertRanges(prose, source);
  });
});
