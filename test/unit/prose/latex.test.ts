import assert from 'node:assert/strict';
import { parseProse, type Prose } from '../../../server/prose';

const parse = (source: string, definitions?: string): Prose =>
  parseProse(source, 'latex', definitions === undefined ? {} : { definitions });
const texts = (source: string): string[] => parse(source).sentences.map((s) => s.text);
const one = (source: string): string => texts(source).join(' | ');

describe('parseProse of LaTeX', function () {
  this.timeout(20_000);
  it('gives sentences, their section and paragraph, and exact ranges', () => {
    const source =
      '\\documentclass{article}\n\\usepackage{x}\n\\title{On \\emph{Nothing}}\n\\begin{document}\n' +
      '\\begin{abstract}\nWe begin. We go on.\n\\end{abstract}\n\\section{The \\textbf{Plan}}\\label{s}\n' +
      'First we plan.\n\nThen we \\emph{act}.\n\\end{document}\nLeft out.';
    const prose = parse(source);
    assert.equal(prose.title, 'On Nothing');
    assert.deepEqual(
      prose.sentences.map((s) => [s.text, s.section, source.slice(s.start, s.end)]),
      [
        ['We begin.', null, 'We begin.'],
        ['We go on.', null, 'We go on.'],
        ['First we plan.', 'The Plan', 'First we plan.'],
        ['Then we act.', 'The Plan', 'Then we \\emph{act}.'],
      ],
    );
    const [a, b, c, d] = prose.sentences.map((s) => s.paragraph);
    assert.equal(a, b);
    assert.equal(new Set([a, c, d]).size, 3);
    assert.deepEqual(
      prose.headings.map((h) => [h.text, h.level]),
      [['The Plan', 2]],
    );
    assert.deepEqual(prose.problems, []);
  });

  it('tells the stop of an abbreviation in math from one that ends a sentence', () => {
    assert.equal(one('We beat models, $e.g.$ ResNet.'), 'We beat models, e.g. ResNet.');
    assert.equal(one('The rows are $i.i.d.$ Gaussian.'), 'The rows are i.i.d. Gaussian.');
    assert.equal(one('The loss is $x=1.$ Next it goes.'), 'The loss is x=1. | Next it goes.');
  });

  it('keeps what a mark of a revision or a label holds, and drops remarks', () => {
    const define = (name: string, body: string): string => `\\newcommand{\\${name}}[1]{${body}}`;
    const rev = define('rev', '\\marginpar{R1}\\textcolor{blue}{#1}');
    assert.equal(one(`${rev}We \\rev{use more data} and win.`), 'We use more data and win.');
    const box = define('takeaway', '\\textcolor{blue}{\\textbf{Takeaway:} #1}');
    assert.equal(one(`${box}\\takeaway{Size helps.}`), 'Takeaway: Size helps.');
    const todo = define('td', '\\todo[inline]{#1}') + define('jd', '\\textcolor{red}{[JD: #1]}');
    assert.equal(one(`${todo}It works.\\td{Check.}\\jd{Really?} Next.`), 'It works. | Next.');
  });

  it('ends a sentence at a word that is an abbreviation too, before what is no bare number', () => {
    assert.equal(
      one('Users open the app. \\Cref{a} shows it. We built the app. V is a set.').split(' | ')
        .length,
      4,
    );
    assert.equal(one('See Sec.~\\ref{a} and App. B.'), 'See Sec. and App. B.');
  });

  it('gives up on numbers whose macros multiply', () => {
    const started = performance.now();
    one(`\\newcommand{\\a}{${'\\a'.repeat(60)}}We \\num{\\a} it.`);
    // A few milliseconds; without an end to it, this would double sixty times.
    assert.ok(performance.now() - started < 10_000);
  });

  describe('cites, references and notes', () => {
    const cases: [string, string][] = [
      ['It works~\\cite{a,b}.', 'It works.'],
      ['It works \\citep[see][p.~3]{a,b}, too.', 'It works, too.'],
      ['As \\textcite{k} and \\autocite[12]{l} say.', 'As say.'],
      ["The idea in \\citet{x}'s work holds.", 'The idea in work holds.'],
      ['It works \\cites{a}{b}[p.~2]{c} here.', 'It works here.'],
      ['It fails (see~\\cite{a}) often.', 'It fails often.'],
      ['It fails (e.g., \\citealp{a}; \\citealp{b}) often.', 'It fails often.'],
      ['It fails (as \\citealt{a} says) often.', 'It fails (as says) often.'],
      ['See Section~\\ref{a} and~\\ref{b} now.', 'See Section now.'],
      ['See Figure~\\ref{f}a for it.', 'See Figure a for it.'],
      ['Equation~\\eqref{e}\\label{x} holds.', 'Equation holds.'],
      [
        'A word\\footnote{A note. With two sentences.\n\nAnd paragraphs.} goes on.',
        'A word goes on.',
      ],
      ['A word \\footnote{A note} goes on.', 'A word goes on.'],
      ['One\\nocite{*} word.', 'One word.'],
      [
        'The bound in Sec.~\\ref{a} and Tab.~\\ref{t} fails on noise, see App.~\\ref{x}.',
        'The bound in Sec. and Tab. fails on noise, see App.',
      ],
      [
        'See Sec.~(\\ref{a}) or Alg.~\\ref{b}: It fails. Next.',
        'See Sec. or Alg.: It fails. | Next.',
      ],
      ['In Prop.~\\ref{p} Smith is wrong.', 'In Prop. Smith is wrong.'],
      ['It fails, see App.~\\ref{x}. Next we go on.', 'It fails, see App. | Next we go on.'],
      ['It fails (Fig.~\\ref{x}). Next we go.', 'It fails (Fig.). | Next we go.'],
      ['As in Fig.~\\ref{x}. Next we go.', 'As in Fig. | Next we go.'],
      ['So says Smith et al.~\\cite{x}. \\citet{y} do not.', 'So says Smith et al. | do not.'],
      ['They use an app.\\label{x} Next we go.', 'They use an app. | Next we go.'],
    ];
    for (const [source, plain] of cases) {
      it(source.replace(/\n/g, '⏎'), () => assert.equal(one(source), plain));
    }

    it('lets a sentence begin in lower case where the cite that opened it was dropped', () => {
      assert.deepEqual(texts('This is old. \\citet{x} show that it holds.'), [
        'This is old.',
        'show that it holds.',
      ]);
      assert.equal(texts('The rule of Smith et al.~\\cite{x} to be kept.').length, 1);
    });
  });

  describe('characters', () => {
    const cases: [string, string][] = [
      ["``Quoted'' and `single' words don't end.", "“Quoted” and ‘single’ words don't end."],
      ['A---b, 3--4 and well-known.', 'A—b, 3–4 and well-known.'],
      ['Smith~and\\ Lee, 1\\,000 or 1{,}400.', 'Smith and Lee, 1 000 or 1,400.'],
      ['50\\% of \\$5 \\& \\#1 a\\_b \\{c\\}.', '50% of $5 & #1 a_b {c}.'],
      [
        "Caf\\'{e}, na\\\"ive, \\c{c}a, \\v Sibal, \\~n, Stra\\ss e, \\o re, \\'{\\i}.",
        'Café, naïve, ça, Šibal, ñ, Straße, øre, í.',
      ],
      [
        'L\\"{o}fstedt, \\AA ngstr\\"om, \\textcelsius x \\LaTeX{} is \\ldots\\ ok.',
        'Löfstedt, Ångström, x LaTeX is … ok.',
      ],
      ['日本語の文 and 😀 stay, e\u0301 too.', '日本語の文 and 😀 stay, e\u0301 too.'],
      ['One\\\\two \\hspace{1em}three\\par', 'One two three'],
      ['\\enquote{So} it is.', '“So” it is.'],
    ];
    for (const [source, plain] of cases) it(source, () => assert.equal(one(source), plain));
  });

  describe('math', () => {
    const cases: [string, string][] = [
      ['Let $x_1 = 2$ and \\(y\\) be.', 'Let x_1 = 2 and y be.'],
      ['With ${\\sim}2\\times$ it ends.', 'With {\\sim}2\\times it ends.'],
      ['A $f\\text{ if $a$}$ b.', 'A f\\text{ if $a$} b.'],
      ['We have \\[ a = b, \\] where $b$ is big.', 'We have, where b is big.'],
      ['We have \\[ a = b. \\] Then we stop.', 'We have. | Then we stop.'],
      [
        'We have\n\\begin{equation}\\label{e}\n a \\text{ x}.\n\\end{equation}\nNext is it.',
        'We have. | Next is it.',
      ],
      ['We have\n\\begin{align*} a \\end{align*}\nNext is it.', 'We have | Next is it.'],
      ['It is $$a$$ by then.', 'It is by then.'],
      ['The value\n\n\\[ a \\]\n\nis small.', 'The value is small.'],
      ['It costs 5$ only.', 'It costs 5$ only.'],
      ['A \\ensuremath{\\alpha} b \\begin{math}c\\end{math} d.', 'A \\alpha b c d.'],
      ['At $f(x) = 0. Y$ it ends.', 'At f(x) = 0. Y it ends.'],
      ['The loss is $x=1.$ Next it goes.', 'The loss is x=1. | Next it goes.'],
      ['The loss is \\(x=1. \\) $Y$ is next.', 'The loss is x=1. | Y is next.'],
      ['The sum $1+2+...$ Diverges, $n!$ Too.', 'The sum 1+2+... Diverges, n! Too.'],
      ['Where $x=1.$ and so on.', 'Where x=1. and so on.'],
    ];
    for (const [source, plain] of cases) {
      it(source.replace(/\n/g, '⏎'), () => assert.equal(one(source), plain));
    }

    it('makes no sentence of math alone, and says where math stands', () => {
      assert.deepEqual(texts('$x = y$\n\nReal text $z$.'), ['Real text z.']);
      assert.deepEqual(parse('Real text $z_1$.').sentences[0]?.math, [10, 13]);
    });
  });

  describe('formatting, numbers and units', () => {
    const cases: [string, string][] = [
      [
        'Accuracy rises from \\textbf{81.2} to \\textbf{84.7\\%} ($p<0.01$).',
        'Accuracy rises from 81.2 to 84.7% (p<0.01).',
      ],
      [
        '\\newcommand{\\ours}{FooNet\\xspace}\\textbf{\\ours} beats \\emph{\\ours}, \\ul{3.1}.',
        'FooNet beats FooNet, 3.1.',
      ],
      [
        'With \\texttt{lr=0.1}, \\textsf{R@10} and \\underline{\\textit{x:1}} it works.',
        'With lr=0.1, R@10 and x:1 it works.',
      ],
      ['\\def\\st{such that}Take x \\st{} y.', 'Take x such that y.'],
      [
        'A gain of \\SI{5}{\\percent} or \\qty[per-mode=symbol]{3.5}{\\milli\\second}.',
        'A gain of 5% or 3.5 ms.',
      ],
      [
        'At \\num{1e-3}, \\SI{9.8}{\\meter\\per\\second\\squared}, \\qty{2}{kg.m} it holds.',
        'At 1e-3, 9.8 m/s², 2 kg m it holds.',
      ],
      [
        '\\newcommand{\\n}{512}Of \\num{\\n} in \\SIrange{1}{2}{\\giga\\byte} at \\ang{45} and \\si{\\kilo\\hertz}.',
        'Of 512 in 1–2 GB at 45° and kHz.',
      ],
      [
        '\\newcommand{\\pc}[1]{\\SI{#1}{\\percent}}A gain of \\pc{7} is good.',
        'A gain of 7% is good.',
      ],
    ];
    for (const [source, plain] of cases) it(source, () => assert.equal(one(source), plain));
  });

  it('leaves out remarks of authors, told by how their macro is defined', () => {
    for (const body of [
      '\\textcolor{red}{[JD: #1]}',
      '{\\color{red} JD: #1}',
      '{\\small\\color[rgb]{1,0,0}\\textbf{J. D.}: #1}',
      '\\textcolor{blue}{\\{#1 --JD\\}}',
      '\\todo[inline]{JD: #1}',
    ]) {
      assert.equal(
        one(`\\newcommand{\\jd}[1]{${body}} It fails badly.\\jd{really? Yes.} Next \\jd{no}, too.`),
        'It fails badly. | Next, too.',
        body,
      );
    }
    assert.equal(
      one('\\newcommand{\\new}[1]{\\textcolor{red}{#1}}It \\new{really fails} here.'),
      'It really fails here.',
    );
  });

  describe('environments', () => {
    for (const name of [
      'figure',
      'figure*',
      'table',
      'wrapfigure',
      'tabular',
      'verbatim',
      'lstlisting',
      'algorithm',
      'algorithmic',
      'tikzpicture',
      'comment',
      'minted',
      'thebibliography',
      'longtable',
    ]) {
      it(`leaves out ${name}`, () => {
        assert.equal(
          one(
            `Text before it\n\\begin{${name}}\nBad words. \\caption{Bad caption.}\n\\end{${name}}\ngoes on here.`,
          ),
          'Text before it goes on here.',
        );
      });
    }

    for (const name of [
      'abstract',
      'theorem',
      'proof',
      'quote',
      'center',
      'minipage',
      'unknownenv',
    ]) {
      it(`reads ${name}`, () => {
        const argument = name === 'minipage' ? '[t]{0.4\\textwidth}' : '';
        assert.equal(
          one(`Before.\n\\begin{${name}}${argument}\nGood words.\n\\end{${name}}\nAfter.`),
          'Before. | Good words. | After.',
        );
      });
    }

    it('reads list items as paragraphs of their own, labels as headings', () => {
      const prose = parse(
        'We show:\n\\begin{itemize}[leftmargin=*]\n\\item one thing\n\\item two things.\n\\end{itemize}\n' +
          '\\begin{description}\n\\item[Label] Its text.\n\\end{description}\n' +
          '\\begin{enumerate}\\item nested \\begin{enumerate}\\item deep\\end{enumerate}\\end{enumerate}',
      );
      assert.deepEqual(
        prose.sentences.map((s) => s.text),
        ['We show:', 'one thing', 'two things.', 'Its text.', 'nested', 'deep'],
      );
      assert.equal(new Set(prose.sentences.map((s) => s.paragraph)).size, 6);
      assert.deepEqual(
        prose.headings.map((h) => [h.text, h.level]),
        [['Label', 7]],
      );
    });

    it('takes the name of a theorem and run-in titles for headings', () => {
      const prose = parse(
        '\\section{S}\n\\begin{lemma}[Main result]\\label{l} It holds.\\end{lemma}\n\\paragraph{Data.} We use it.',
      );
      assert.deepEqual(
        prose.headings.map((h) => h.text),
        ['S', 'Main result', 'Data.'],
      );
      assert.deepEqual(
        prose.sentences.map((s) => [s.text, s.section]),
        [
          ['It holds.', 'S'],
          ['We use it.', 'S'],
        ],
      );
    });

    it('keeps inline code and the text of links', () => {
      assert.equal(
        one(
          'Use \\verb|a_b{|, \\texttt{c\\_d}, \\lstinline{e} and \\href{http://x.y/%20}{this page} or \\url{http://z.w/a_b%c}.',
        ),
        'Use a_b{, c_d, e and this page or http://z.w/a_b%c.',
      );
    });
  });

  describe('macros of the draft', () => {
    it('puts in simple ones, arguments at their own place, the rest at the call', () => {
      const source =
        '\\newcommand{\\ours}{\\textsc{Foo}\\xspace}\n\\newcommand*\\pair[2]{#2 and #1}\n\\def\\bar#1{<#1>}\n' +
        'We call \\ours good, \\ours, \\pair{one}{two} and \\bar{three}.';
      const [sentence] = parse(source).sentences;
      assert.ok(sentence);
      assert.equal(sentence.text, 'We call Foo good, Foo, two and one and <three>.');
      assert.equal(
        source.slice(sentence.start, sentence.end),
        source.slice(source.indexOf('We call')),
      );
      const at = sentence.text.indexOf('Foo');
      assert.equal(source.slice(sentence.offsets[at], (sentence.offsets[at] ?? 0) + 5), '\\ours');
      const three = sentence.offsets[sentence.text.indexOf('three')] ?? 0;
      assert.equal(source.slice(three, three + 5), 'three');
    });

    it('puts in nested and optional ones, ones with cites, and ones defined elsewhere', () => {
      assert.equal(
        one(
          '\\newcommand{\\a}[2][dflt]{#1 \\b{#2}}\\newcommand{\\b}[1]{[\\emph{#1}]}\\newcommand{\\yc}[1]{\\citeauthor{#1} (\\citeyear{#1})}\n' +
            'It is \\a{x}, \\a[y]{z} by \\yc{key}.',
        ),
        'It is dflt [x], y [z] by.',
      );
      assert.equal(
        parse('We use \\sys{} here.', '\\newcommand{\\sys}{SysName}').sentences[0]?.text,
        'We use SysName here.',
      );
      assert.equal(
        one('\\NewDocumentCommand{\\q}{s o m}{Q#3}\\let\\r\\q It is \\q*[o]{uu} and \\r{v}.'),
        'It is Quu and Qv.',
      );
    });

    it('knows macros and environments that wrap an environment', () => {
      assert.equal(
        one(
          '\\newcommand{\\be}{\\begin{equation}}\\newcommand{\\ee}{\\end{equation}}We have \\be a = b \\ee as it is.',
        ),
        'We have as it is.',
      );
      assert.equal(
        one(
          '\\newenvironment{fig}{\\begin{figure}\\centering}{\\end{figure}}Good \\begin{fig}Bad.\\end{fig} words.',
        ),
        'Good words.',
      );
    });

    it('stops endless macros and macros that grow without end', () => {
      assert.equal(one('\\newcommand{\\a}{x \\a}Good words. \\a'.replace('x ', '')), 'Good words.');
      const bomb = ['\\def\\ax{word }'];
      for (let i = 0; i < 25; i++) {
        const [from, to] = [String.fromCharCode(97 + i), String.fromCharCode(98 + i)].map(
          (c) => c + 'x',
        );
        bomb.push(`\\def\\${to}{\\${from}\\${from}\\${from}\\${from}}`);
      }
      const start = performance.now();
      const prose = parse(`${bomb.join('\n')}\nGood words.\n\n\\zx`);
      assert.ok(performance.now() - start < 5000);
      assert.equal(prose.sentences[0]?.text, 'Good words.');
      assert.match(prose.problems[0]?.message ?? '', /too many macros/);
    });

    it('drops what unknown macros take unless it reads like prose', () => {
      assert.equal(
        one(
          '\\newtermx{good words} are \\setthing{key=val} kept \\foo{12pt} \\bar{fig:x} \\baz[opt]{new} here.',
        ),
        'good words are kept new here.',
      );
    });

    it('knows habitual shorthands and acronyms', () => {
      assert.equal(
        one(
          '\\newacronym{llm}{LLM}{large language model}Some, \\eg \\gls{llm} or \\glspl{llm}, \\ie, Smith \\etal tried.',
        ),
        'Some, e.g. LLM or LLMs, i.e., Smith et al. tried.',
      );
    });
  });

  it('leaves out comments, with the line end and indentation after them', () => {
    assert.equal(
      one('A wo% comment {\n   rd stays. % Bad \\cite{x}\n% More bad.\nAnd 5\\% too.'),
      'A word stays. | And 5% too.',
    );
    assert.equal(one('Good. \\iffalse Bad \\iftrue worse \\fi words. \\fi More.'), 'Good. | More.');
    assert.equal(one('Good \\ifx\\a\\b one\\else two\\fi{} end.').includes('two'), false);
    assert.deepEqual(texts('One para %\n\nTwo para'), ['One para', 'Two para']);
  });

  it('records \\input, \\include and the like as written, with their places', () => {
    const source =
      '\\input{a/b} \\include{c.tex}\n% \\input{no}\n\\subfile{d}\\import{e/}{f} \\input g';
    assert.deepEqual(
      parse(source).inputs.map((i) => [i.target, source.slice(i.start, i.end)]),
      [
        ['a/b', '\\input{a/b}'],
        ['c.tex', '\\include{c.tex}'],
        ['d', '\\subfile{d}'],
        ['e/f', '\\import{e/}{f}'],
        ['g', '\\input g'],
      ],
    );
  });

  it('reads CRLF as it reads LF', () => {
    const source =
      'One line\nwraps % c\nhere. Two.\n\nThree\n\\begin{itemize}\n\\item four\n\\end{itemize}';
    const crlf = source.replace(/\n/g, '\r\n');
    assert.deepEqual(texts(crlf), texts(source));
    for (const s of parse(crlf).sentences) assert.equal(crlf[s.start], s.text[0]);
  });

  describe('broken drafts', () => {
    const cases: [string, string, string][] = [
      [
        'an open brace',
        'Good {\\bf words here.\n\nMore good words.',
        'Good words here. | More good words.',
      ],
      ['a brace too many', 'Good } words.', 'Good words.'],
      ['a list without end', '\\begin{itemize}\\item Good words.\n\nMore.', 'Good words. | More.'],
      ['an end without begin', 'Good words.\\end{itemize} More.', 'Good words. | More.'],
      ['a figure without end', '\\begin{figure} bad\n\nGood words.', 'Good words.'],
      ['math without end', 'A \\[ bad\n\nGood words.', 'A | Good words.'],
      ['a verbatim without end', '\\begin{verbatim} bad\n\nGood words.', 'Good words.'],
      ['a footnote without end', 'Good\\footnote{words.\n\nMore.', 'Good words. | More.'],
      ['a backslash at the end', 'Good words.\\', 'Good words.'],
      ['no document end', '\\documentclass{a}\\begin{document}Good words.', 'Good words.'],
      [
        'crossed environments',
        '\\begin{quote}\\begin{center}Good.\\end{quote} More.\\end{center}',
        'Good. | More.',
      ],
    ];
    for (const [name, source, plain] of cases) it(name, () => assert.equal(one(source), plain));

    it('says what was left out', () => {
      const { problems } = parse('Fine.\n\n\\begin{figure} lost');
      assert.equal(problems.length, 1);
      assert.match(problems[0]?.message ?? '', /\\begin\{figure\} is never closed/);
      assert.equal(problems[0]?.start, 7);
    });
  });
});
