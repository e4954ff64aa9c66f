import assert from 'node:assert/strict';
import { BIB, cite, edits } from './helpers';

/** name, draft with the sentence marked, draft afterwards. */
const CASES: [string, string, string][] = [
  [
    'before the full stop',
    '«Ships need light.» Next one.',
    'Ships need light~\\cite{K}. Next one.',
  ],
  ['before a question mark', '«Do ships need light?»', 'Do ships need light~\\cite{K}?'],
  ['before several marks', '«Ships need light!?» So.', 'Ships need light~\\cite{K}!? So.'],
  ['before dots', '«Ships need light...»', 'Ships need light~\\cite{K}...'],
  [
    'before a colon',
    '«Ships need this:»\n\\begin{itemize}',
    'Ships need this~\\cite{K}:\n\\begin{itemize}',
  ],
  ['without punctuation', '«Ships need light»\n\nNext.', 'Ships need light~\\cite{K}\n\nNext.'],
  ['at the end of the file', '«Ships need light»', 'Ships need light~\\cite{K}'],
  [
    'without the full stop in the range',
    '«Ships need light». Next.',
    'Ships need light~\\cite{K}. Next.',
  ],
  [
    'with white space in the range',
    '« Ships need light. \n»Next.',
    ' Ships need light~\\cite{K}. \nNext.',
  ],
  [
    'with CRLF',
    'One.\r\n«Ships need\r\nlight.»\r\nNext.',
    'One.\r\nShips need\r\nlight~\\cite{K}.\r\nNext.',
  ],
  [
    'before a footnote behind the full stop',
    '«Ships need light.\\footnote{At sea.}» Next.',
    'Ships need light~\\cite{K}.\\footnote{At sea.} Next.',
  ],
  [
    'before a footnote before the full stop',
    '«Ships need light\\footnote{At sea.}.»',
    'Ships need light~\\cite{K}\\footnote{At sea.}.',
  ],
  [
    'before a footnote on a new line',
    '«Ships need light.%\n\\footnote{At {sea}.}» N.',
    'Ships need light~\\cite{K}.%\n\\footnote{At {sea}.} N.',
  ],
  [
    'behind an address with a per cent sign',
    'The «data are at \\url{https://x.org/a%20b}.» Next one.',
    'The data are at \\url{https://x.org/a%20b}~\\cite{K}. Next one.',
  ],
  [
    'behind a path with a per cent sign',
    '«It is \\path{a%b} or \\nolinkurl{c%d}.» N.',
    'It is \\path{a%b} or \\nolinkurl{c%d}~\\cite{K}. N.',
  ],
  [
    'behind a link with a per cent sign',
    '«See \\href{https://x.org/a%20b}{its page}.» Next.',
    'See \\href{https://x.org/a%20b}{its page}~\\cite{K}. Next.',
  ],
  [
    'inside a link with a per cent sign',
    '\\href{https://x.org/a%20b}{«See this.» Next.}',
    '\\href{https://x.org/a%20b}{See this~\\cite{K}. Next.}',
  ],
  [
    'behind a footnote of an address with a per cent sign',
    '«The data\\footnote{\\url{https://x.org/a%20b}} are noisy.» N.',
    'The data\\footnote{\\url{https://x.org/a%20b}} are noisy~\\cite{K}. N.',
  ],
  [
    'before a footnote of an address with a per cent sign',
    '«The data are noisy.\\footnote{See \\href{https://x.org/a%20b}{it}.}» N.',
    'The data are noisy~\\cite{K}.\\footnote{See \\href{https://x.org/a%20b}{it}.} N.',
  ],
  [
    'inside a footnote behind an address with a per cent sign',
    'A.\\footnote{\\url{https://x.org/a%20b} has «some. »More.}',
    'A.\\footnote{\\url{https://x.org/a%20b} has some~\\cite{K}. More.}',
  ],
  [
    'inside a footnote',
    'Text.\\footnote{«At sea.» More.} End.',
    'Text.\\footnote{At sea~\\cite{K}. More.} End.',
  ],
  [
    'inside a caption',
    '\\begin{figure}\n\\caption{«At sea.»}\n\\end{figure}',
    '\\begin{figure}\n\\caption{At sea~\\cite{K}.}\n\\end{figure}',
  ],
  ['behind inline math', '«Light grows as $x^2$.»', 'Light grows as $x^2$~\\cite{K}.'],
  [
    'behind a formula that the range cuts',
    '«Light grows as $x»$ and so on',
    'Light grows as $x$~\\cite{K} and so on',
  ],
  ['behind math with its own stop', '«Light grows as $x.$»', 'Light grows as $x.$~\\cite{K}'],
  [
    'behind math with its own stop, which the range cuts',
    '«Light grows as $x=1.»$ \\cite{a} says so.',
    'Light grows as $x=1.$~\\cite{K} \\cite{a} says so.',
  ],
  [
    'before a remark of an author',
    '\\newcommand{\\jd}[1]{\\textcolor{red}{[JD: #1]}} «It fails badly.»\\jd{really? yes.} Next.',
    '\\newcommand{\\jd}[1]{\\textcolor{red}{[JD: #1]}} It fails badly~\\cite{K}.\\jd{really? yes.} Next.',
  ],
  [
    'before a remark that the range holds',
    '\\newcommand{\\jd}[1]{{\\color{red} JD: #1}} «It fails \\jd{really? Yes.}.» Next.',
    '\\newcommand{\\jd}[1]{{\\color{red} JD: #1}} It fails~\\cite{K} \\jd{really? Yes.}. Next.',
  ],
  ['behind \\( \\)', '«Light grows as \\(x\\).»', 'Light grows as \\(x\\)~\\cite{K}.'],
  ['with a range that starts in math', '$«x$ grows.» Next $y$.', '$x$ grows~\\cite{K}. Next $y$.'],
  [
    'before display math',
    '«Light obeys\n\\[ x = y. \\]»\nNext.',
    'Light obeys~\\cite{K}\n\\[ x = y. \\]\nNext.',
  ],
  ['before $$ math', '«Light obeys $$x = y.$$» Next.', 'Light obeys~\\cite{K} $$x = y.$$ Next.'],
  [
    'before an equation',
    '«Light obeys:\n\\begin{equation}\\label{e} x. \\end{equation}»',
    'Light obeys~\\cite{K}:\n\\begin{equation}\\label{e} x. \\end{equation}',
  ],
  [
    'behind an equation in the middle',
    '«Light obeys \\[x\\] at sea.»',
    'Light obeys \\[x\\] at sea~\\cite{K}.',
  ],
  [
    'at the end of a quotation with the stop outside',
    "«They say ``light''.»",
    "They say ``light''~\\cite{K}.",
  ],
  [
    'at the end of a quotation with the stop inside',
    "«They say ``light.''» N.",
    "They say ``light~\\cite{K}.'' N.",
  ],
  ['with straight quotes', '«They say "light".»', 'They say "light"~\\cite{K}.'],
  ['with typographic quotes', '«They say “light.”»', 'They say “light~\\cite{K}.”'],
  ['behind a closing bracket', '«They need light (much).»', 'They need light (much)~\\cite{K}.'],
  ['inside a bracketed sentence', '«(They need light.)»', '(They need light~\\cite{K}.)'],
  ['behind a group', '«They need \\emph{light}.»', 'They need \\emph{light}~\\cite{K}.'],
  [
    'inside a group that holds the stop',
    '«\\emph{They need light.}»',
    '\\emph{They need light~\\cite{K}.}',
  ],
  [
    'behind a group that the range cuts',
    '«They need \\emph{light»}.',
    'They need \\emph{light}~\\cite{K}.',
  ],
  [
    'inside a group that holds more',
    '\\emph{«They need light.» More.}',
    '\\emph{They need light~\\cite{K}. More.}',
  ],
  [
    'before a comment',
    '«Ships need light.» % check\nNext.',
    'Ships need light~\\cite{K}. % check\nNext.',
  ],
  [
    'before a comment without a stop',
    '«Ships need light % no stop.\n»\n\nNext.',
    'Ships need light~\\cite{K} % no stop.\n\n\nNext.',
  ],
  [
    'with a comment inside',
    '«Ships need % \\cite{no}.\nlight.»',
    'Ships need % \\cite{no}.\nlight~\\cite{K}.',
  ],
  ['behind an escaped percent sign', '«Ships need 5\\%.»', 'Ships need 5\\%~\\cite{K}.'],
  ['behind a command', '«We write it in \\LaTeX.»', 'We write it in \\LaTeX~\\cite{K}.'],
  ['behind a command with empty braces', '«We write \\sys{}.»', 'We write \\sys{}~\\cite{K}.'],
  ['behind a reference', '«See Fig.~\\ref{fig:a.}.»', 'See Fig.~\\ref{fig:a.}~\\cite{K}.'],
  ['behind an address', '«See \\url{http://a.b/c.}.»', 'See \\url{http://a.b/c.}~\\cite{K}.'],
  ['behind \\verb', '«Call \\verb|f{.|.»', 'Call \\verb|f{.|~\\cite{K}.'],
  ['before a label', '«Ships need light.\\label{s}»', 'Ships need light~\\cite{K}.\\label{s}'],
  ['before a line break', '«Ships need light.\\\\»\nNext', 'Ships need light~\\cite{K}.\\\\\nNext'],
  ['behind an accent', "«They drink at the caf\\'e.»", "They drink at the caf\\'e~\\cite{K}."],
  ['with a space before the stop', '«Ships need light .»', 'Ships need light~\\cite{K} .'],
  ['with a tie before the stop', '«Ships need light~.»', 'Ships need light~\\cite{K}~.'],
  [
    'in an item',
    '\\item «Ships need light.»\n\\item More',
    '\\item Ships need light~\\cite{K}.\n\\item More',
  ],
  ['with unbalanced braces', '«Ships } need { light.»', 'Ships } need { light~\\cite{K}.'],
  ['with a lonely dollar sign', '«Ships cost $5.»', 'Ships cost $5~\\cite{K}.'],
  ['beyond the BMP', '«Ships need 💡.» 𝑆.', 'Ships need 💡~\\cite{K}. 𝑆.'],

  [
    'into a citation before the stop',
    '«Ships need light~\\cite{a}.»',
    'Ships need light~\\cite{a,K}.',
  ],
  [
    'into a citation behind the stop',
    '«Ships need light.»~\\cite{a} Next.',
    'Ships need light.~\\cite{a,K} Next.',
  ],
  [
    'into a citation stuck to the stop',
    '«Ships need light.»\\cite{a} next.',
    'Ships need light.\\cite{a,K} next.',
  ],
  [
    'into a citation behind the stop and a space',
    '«Ships need light.» \\cite{a}\n\nNext.',
    'Ships need light. \\cite{a,K}\n\nNext.',
  ],
  [
    'not into one that opens the next sentence',
    '«Ships need light.» \\cite{a} shows more.',
    'Ships need light~\\cite{K}. \\cite{a} shows more.',
  ],
  [
    'not into a textual one that opens the next',
    '«Ships need light.» \\citet{a} show more.',
    'Ships need light~\\citep{K}. \\citet{a} show more.',
  ],
  [
    'into a citation that the range leaves out',
    '«Ships need light»~\\cite{a}\n\nNext.',
    'Ships need light~\\cite{a,K}\n\nNext.',
  ],
  [
    'into a citation and stop that the range leaves out',
    '«Ships need light»~\\cite{a}. Next.',
    'Ships need light~\\cite{a,K}. Next.',
  ],
  [
    'into a citation with options',
    '«Light~\\citep[see][p.~5]{a}.»',
    'Light~\\citep[see][p.~5]{a,K}.',
  ],
  [
    'into a citation with a bracket in its options',
    '«Light~\\citep[{[see]}][]{a}.»',
    'Light~\\citep[{[see]}][]{a,K}.',
  ],
  ['into a list with spaces', '«Light~\\cite{a, b}.»', 'Light~\\cite{a, b, K}.'],
  ['into a list over lines', '«Light~\\cite{a,\n  b}.»', 'Light~\\cite{a,\n  b,\n  K}.'],
  [
    'into a list with a comment',
    '«Light~\\cite{a,b% why, c\n}.»',
    'Light~\\cite{a,b,K% why, c\n}.',
  ],
  ['into an empty citation', '«Light~\\cite{}.»', 'Light~\\cite{K}.'],
  [
    'into a list with the draft’s spacing',
    'A \\cite{x, y}. «Light~\\cite{a}.»',
    'A \\cite{x, y}. Light~\\cite{a, K}.',
  ],
  ['into the last of several', '«Light~\\cite{a}\\cite{b}.»', 'Light~\\cite{a}\\cite{b,K}.'],
  [
    'into a list of citations',
    '«Light~\\autocites[1]{a}[2]{b}.»',
    'Light~\\autocites[1]{a}[2]{b}{K}.',
  ],
  [
    'into one before a footnote',
    '«Light~\\cite{a}\\footnote{F.}.»',
    'Light~\\cite{a,K}\\footnote{F.}.',
  ],
  ['into one in brackets', '«Light (see \\citealp{a}).»', 'Light (see \\citealp{a,K}).'],
  ['into one before a quotation ends', "«``Light~\\cite{a}.''»", "``Light~\\cite{a,K}.''"],
  ['into a starred one', '«Light~\\citep*{a}.»', 'Light~\\citep*{a,K}.'],
  ['behind a textual one', '«As in \\citet{a}.»', 'As in \\citet{a}~\\citep{K}.'],
  [
    'not into one in the middle',
    '«Light~\\cite{a} is good.»',
    'Light~\\cite{a} is good~\\cite{K}.',
  ],
  [
    'not into one of the sentence before',
    'Sea~\\cite{a}. «Light is good.»',
    'Sea~\\cite{a}. Light is good~\\cite{K}.',
  ],
  [
    'not into a commented one',
    '«Light is good.» %\\cite{a}\n',
    'Light is good~\\cite{K}. %\\cite{a}\n',
  ],

  ['never twice', '«Light~\\cite{a,K}.»', 'Light~\\cite{a,K}.'],
  ['never twice behind the stop', '«Light.»~\\cite{K} Next.', 'Light.~\\cite{K} Next.'],
  ['never twice in one sentence', '«\\citet{K} wants light.»', '\\citet{K} wants light.'],
  ['again where only part of a key is the same', '«Light~\\cite{Ka}.»', 'Light~\\cite{Ka,K}.'],

  [
    'with \\citep by habit',
    'A \\citep{x}. B \\citep{y}. C \\cite{z}. «Light.»',
    'A \\citep{x}. B \\citep{y}. C \\cite{z}. Light~\\citep{K}.',
  ],
  [
    'with \\autocite by habit',
    'A \\autocite{x}. «Light.»',
    'A \\autocite{x}. Light~\\autocite{K}.',
  ],
  [
    'with \\parencite by habit',
    'A \\parencite[3]{x}. «Light.»',
    'A \\parencite[3]{x}. Light~\\parencite{K}.',
  ],
  [
    'with \\citep by habit, not \\citet',
    'A \\citet{x}, \\citet{y} \\citep{z}. «Light.»',
    'A \\citet{x}, \\citet{y} \\citep{z}. Light~\\citep{K}.',
  ],
  [
    'with \\parencite where \\textcite is all there is',
    'A \\textcite{x}. «Light.»',
    'A \\textcite{x}. Light~\\parencite{K}.',
  ],
  ['with a footnote citation', 'A.\\footcite{x} «Light.»', 'A.\\footcite{x} Light\\footcite{K}.'],
  [
    'with \\cite where others are comments',
    '% \\citep{x} \\citep{y}\n«Light.»',
    '% \\citep{x} \\citep{y}\nLight~\\cite{K}.',
  ],
];

describe('citing in a LaTeX sentence', () => {
  for (const [name, before, after] of CASES) {
    it(name, () => {
      assert.equal(cite(before).draft, after);
    });
  }

  it('says that the sentence cites the paper already', () => {
    const result = edits(cite('«Light~\\cite{a,K}.»').result);
    assert.equal(result.alreadyCitedHere, true);
    assert.deepEqual(result.edits, []);
  });

  it('knows the remarks that a file of macros defines', () => {
    const files = {
      '/draft/refs.bib': BIB,
      '/draft/macros.tex': '\\newcommand{\\jd}[1]{\\textcolor{red}{[JD: #1]}}',
    };
    const draft = '\\input{macros}\\begin{document}«It fails.»\\jd{really? yes.} Next.';
    assert.match(cite(draft, { files }).draft, /It fails~\\cite\{K\}\.\\jd/);
  });

  describe('where nothing is cited yet', () => {
    const cases: [string, string][] = [
      ['\\usepackage[round]{natbib}', 'citep'],
      ['\\usepackage{amsmath, natbib}', 'citep'],
      ['\\usepackage[final]{neurips_2023}', 'citep'],
      ['\\usepackage[nonatbib]{neurips_2023}', 'cite'],
      ['\\usepackage[style=apa]{biblatex}', 'autocite'],
      ['\\usepackage[autocite=plain]{biblatex}', 'parencite'],
      ['\\usepackage{cite}', 'cite'],
      ['% \\usepackage{natbib}', 'cite'],
      ['\\usepackage{ourstyle}', 'citep'],
      ['\\documentclass{ourclass}', 'cite'],
    ];
    const files = {
      '/draft/refs.bib': BIB,
      '/draft/ourstyle.sty': '\\RequirePackage{natbib}',
      // Only if it is asked for.
      '/draft/ourclass.cls':
        '\\DeclareOption{natbib}{\\AtEndOfClass{\\RequirePackage{natbib}}}\n\\if@natbib\\RequirePackage{natbib}\\fi\n',
    };
    for (const [preamble, command] of cases) {
      it(`with \\${command} for ${preamble}`, () => {
        const source = `${preamble}\n\\begin{document}«Light.»\\bibliography{refs}`;
        assert.ok(cite(source, { files }).draft.includes(`Light~\\${command}{K}.`));
      });
    }
    it('with the command of the root’s package', () => {
      const root =
        '\\documentclass{article}\\usepackage{natbib}\\begin{document}\\input{paper}\\bibliography{refs}';
      const draft = cite('«Light.»', { files: { ...files, '/draft/main.tex': root } }).draft;
      assert.equal(draft, 'Light~\\citep{K}.');
    });
  });

  it('takes the habit of the root when the draft has none', () => {
    const files = {
      '/draft/main.tex': '\\documentclass{article}\\input{paper}\\citep{x}\\bibliography{refs}',
      '/draft/refs.bib': '@article{K, title={Lanterns for Sparse Harbours}}',
    };
    assert.equal(cite('«Light.»', { files }).draft, 'Light~\\citep{K}.');
  });

  it('does not fail on any range of a difficult paragraph', function () {
    this.timeout(20_000);
    const hard =
      "A \\emph{b $c_{d}$ \\cite[e]{f,g}} \\begin{equation} h \\end{equation} \\footnote{i. \\verb|}|} ``j.'' \\[k\\] % l\n\\(m\\) {n.";
    for (let end = 1; end <= hard.length; end++) {
      for (let start = 0; start < end; start += 5) {
        if (!hard.slice(start, end).trim()) continue;
        const after = cite(
          `${hard.slice(0, start)}«${hard.slice(start, end)}»${hard.slice(end)}`,
        ).draft;
        const added = /~?\\cite[a-z]*\{K\}|,K|\{K\}/.exec(after)?.[0] ?? '';
        assert.equal(after.replace(added, ''), hard, `range ${start}–${end}`);
      }
    }
  });
});
