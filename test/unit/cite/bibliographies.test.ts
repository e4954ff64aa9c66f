import assert from 'node:assert/strict';
import { findBibliographies } from '../../../server/cite/bibliographies';
import { BIB, cite, edits, MemoryFiles, paper } from './helpers';

function latex(text: string, files: Record<string, string> = {}, path = '/p/draft.tex'): string[] {
  return findBibliographies({ path, text, format: 'latex' }, new MemoryFiles(files));
}
function markdown(
  text: string,
  files: Record<string, string> = {},
  path = '/p/draft.md',
): string[] {
  return findBibliographies({ path, text, format: 'markdown' }, new MemoryFiles(files));
}

describe('the bibliography of a LaTeX draft', () => {
  const cases: [string, string, string[]][] = [
    ['\\bibliography', '\\bibliography{refs}', ['/p/refs.bib']],
    ['\\bibliography with the extension', '\\bibliography{refs.bib}', ['/p/refs.bib']],
    ['\\bibliography with several', '\\bibliography{ a , sub/b}', ['/p/a.bib', '/p/sub/b.bib']],
    ['\\addbibresource', '\\addbibresource{refs.bib}', ['/p/refs.bib']],
    [
      '\\addbibresource with options',
      '\\addbibresource[datatype=bibtex, label={x}]{../r.bib}',
      ['/r.bib'],
    ],
    ['\\addbibresource without the extension', '\\addbibresource{refs}', ['/p/refs.bib']],
    [
      'several \\addbibresource',
      '\\addbibresource{a.bib}\n\\addbibresource{b.bib}',
      ['/p/a.bib', '/p/b.bib'],
    ],
    ['a remote one left out', '\\addbibresource[location=remote]{http://a.b/c.bib}', []],
    ['quotes and spaces', '\\bibliography{"my refs"}', ['/p/my refs.bib']],
    ['\\jobname', '\\bibliography{\\jobname}', ['/p/draft.bib']],
    ['an unknown macro left out', '\\bibliography{\\mybib}', []],
    ['an absolute path', '\\bibliography{/lib/refs}', ['/lib/refs.bib']],
    [
      'a commented command',
      '% \\bibliography{no}\n\\bibliography{yes} % \\bibliography{no}',
      ['/p/yes.bib'],
    ],
    ['an escaped percent sign', '5\\% \\bibliography{yes}', ['/p/yes.bib']],
    ['a comment environment', '\\begin{comment}\\bibliography{no}\\end{comment}', []],
    ['\\iffalse', '\\iffalse\\bibliography{no}\\fi\\bibliography{yes}', ['/p/yes.bib']],
    ['a longer command', '\\bibliographystyle{plain}', []],
    ['\\nobibliography', '\\nobibliography*{refs}', ['/p/refs.bib']],
  ];
  for (const [name, text, expected] of cases) {
    it(name, () => assert.deepEqual(latex(text), expected));
  }

  it('expands a pattern', () => {
    const files = { '/p/bib/a.bib': '', '/p/bib/b.bib': '', '/p/bib/c.txt': '' };
    assert.deepEqual(latex('\\addbibresource[glob]{bib/*.bib}', files), [
      '/p/bib/a.bib',
      '/p/bib/b.bib',
    ]);
  });

  it('looks into what the draft inputs', () => {
    const files = { '/p/preamble.tex': '\\addbibresource{refs.bib}' };
    assert.deepEqual(latex('\\documentclass{a}\\input{preamble}', files), ['/p/refs.bib']);
  });

  it('goes to the root that a magic comment names', () => {
    const files = { '/p/main.tex': '\\documentclass{a}\\bibliography{refs}' };
    assert.deepEqual(latex('% !TeX root = ../main.tex\nText', files, '/p/ch/one.tex'), [
      '/p/refs.bib',
    ]);
    assert.deepEqual(latex('%!TEX root=../main\r\nText', files, '/p/ch/one.tex'), ['/p/refs.bib']);
  });

  it('goes to the main file of the subfiles class', () => {
    const files = { '/p/main.tex': '\\documentclass{a}\\bibliography{refs}' };
    const text = '\\documentclass[../main.tex]{subfiles}\\begin{document}Text\\end{document}';
    assert.deepEqual(latex(text, files, '/p/ch/one.tex'), ['/p/refs.bib']);
  });

  for (const command of [
    '\\input{ch/one}',
    '\\include{ch/one}',
    '\\subfile{ch/one.tex}',
    '\\input ch/one ',
    '\\import{ch/}{one}',
    '\\subimport{./ch}{one.tex}',
  ]) {
    it(`goes to the file with ${command}`, () => {
      const files = { '/p/main.tex': `\\documentclass{a}${command}\\bibliography{refs}` };
      assert.deepEqual(latex('Text', files, '/p/ch/one.tex'), ['/p/refs.bib']);
    });
  }

  it('goes through files between, and round circles', () => {
    const files = {
      '/p/main.tex': '\\documentclass{a}\\input{ch/all}\\input{main}\\bibliography{refs}',
      '/p/ch/all.tex': '\\input{ch/one}\\input{ch/all}\\input{main}',
      '/p/zzz.tex': '\\input{zzz}\\bibliography{wrong}',
    };
    assert.deepEqual(latex('\\input{main}', files, '/p/ch/one.tex'), ['/p/refs.bib']);
  });

  it('looks no further than three folders up', () => {
    const files = {
      '/p/main.tex': '\\documentclass{a}\\input{a/b/c/one}\\input{a/b/c/d/one}\\bibliography{refs}',
    };
    assert.deepEqual(latex('Text', files, '/p/a/b/c/one.tex'), ['/p/refs.bib']);
    assert.deepEqual(latex('Text', files, '/p/a/b/c/d/one.tex'), []);
  });

  it('leaves a root alone that inputs the draft in a comment only', () => {
    const files = { '/p/main.tex': '\\documentclass{a}% \\input{ch/one}\n\\bibliography{refs}' };
    assert.deepEqual(latex('Text', files, '/p/ch/one.tex'), []);
  });

  it('finds a bibliography beside the file that declares it', () => {
    const files = {
      '/p/main.tex': '\\input{ch/bib}\\input{ch/one}',
      '/p/ch/bib.tex': '\\bibliography{refs}',
      '/p/ch/refs.bib': BIB,
    };
    assert.deepEqual(latex('Text', files, '/p/ch/one.tex'), ['/p/ch/refs.bib']);
  });

  it('is bounded in a folder of many files', () => {
    const files: Record<string, string> = {};
    for (let i = 0; i < 3000; i++)
      files[`/p/f${i}.tex`] = `\\input{f${(i * 7 + 1) % 3000}}\\input{f${(i * 13 + 5) % 3000}}`;
    const source = new MemoryFiles(files);
    findBibliographies({ path: '/p/x/draft.tex', text: 'Text', format: 'latex' }, source);
    assert.ok(source.reads < 2000, `${source.reads} reads`);
  });

  it('follows Windows paths', () => {
    const files = {
      'C:\\p\\main.tex': '\\documentclass{a}\\input{ch/one}\\bibliography{bib/refs}',
    };
    assert.deepEqual(latex('Text', files, 'C:\\p\\ch\\one.tex'), ['C:\\p\\bib\\refs.bib']);
    assert.deepEqual(latex('\\bibliography{refs}', {}, 'c:\\p\\x.tex'), ['c:\\p\\refs.bib']);
  });
});

describe('the bibliography of a Markdown draft', () => {
  const cases: [string, string, string[]][] = [
    ['a string', '---\nbibliography: refs.bib\n---\n', ['/p/refs.bib']],
    ['a quoted string', '---\ntitle: x\nbibliography: "my refs.bib"\n...\n', ['/p/my refs.bib']],
    ['a list', '---\nbibliography: [a.bib, ../b.bib]\n---\n', ['/p/a.bib', '/b.bib']],
    [
      'a block list',
      '---\nbibliography:\n  - a.bib # mine\n  - b.bib\n---\n',
      ['/p/a.bib', '/p/b.bib'],
    ],
    [
      'CRLF and a byte order mark',
      '\ufeff---\r\nbibliography: refs.bib\r\n---\r\n',
      ['/p/refs.bib'],
    ],
    ['a commented line', '---\n# bibliography: no.bib\ntitle: x\n---\n', []],
    ['inline references', '---\nreferences:\n- id: x\n  title: y\n---\n', []],
    [
      'YAML that is broken elsewhere',
      '---\ntitle: "unclosed\nbibliography: refs.bib\n---\n',
      ['/p/refs.bib'],
    ],
    ['a line of text', 'bibliography: no.bib\n', []],
    ['a web address', '---\nbibliography: https://a.b/c.bib\n---\n', []],
  ];
  for (const [name, text, expected] of cases) {
    it(name, () => assert.deepEqual(markdown(text), expected));
  }

  it('adds the extension where the file is there', () => {
    assert.deepEqual(markdown('---\nbibliography: refs\n---\n', { '/p/refs.bib': '' }), [
      '/p/refs.bib',
    ]);
  });

  it('takes the Quarto project’s, seen from the project’s folder', () => {
    const files = { '/q/_quarto.yml': 'project:\n  type: book\nbibliography: lib/refs.bib\n' };
    assert.deepEqual(markdown('Text', files, '/q/ch/a/one.qmd'), ['/q/lib/refs.bib']);
    const own = '---\nbibliography: own.bib\n---\n';
    assert.deepEqual(markdown(own, files, '/q/ch/one.qmd'), ['/q/ch/own.bib']);
  });

  it('takes bookdown’s from the index', () => {
    const files = {
      '/b/index.Rmd': '---\nbibliography: [book.bib]\n---\n',
      '/b/_bookdown.yml': 'x: y',
    };
    assert.deepEqual(markdown('# One', files, '/b/01-one.Rmd'), ['/b/book.bib']);
  });
});

describe('choosing a .bib file', () => {
  it('takes the only one in the folder', () => {
    const { result } = cite('«Light.»', { files: { '/draft/x.bib': BIB } });
    assert.equal(edits(result).bibPath, '/draft/x.bib');
    assert.equal(edits(result).bibDeclared, false);
  });

  it('takes the one beside the root of a chapter', () => {
    const files = { '/d/main.tex': '\\documentclass{a}\\input{c/one}', '/d/r.bib': BIB };
    assert.equal(
      edits(cite('«Light.»', { files, path: '/d/c/one.tex' }).result).bibPath,
      '/d/r.bib',
    );
  });

  it('asks which of several, the most cited first', () => {
    const { result } = cite('As \\cite{q}. «Light.»', {
      files: { '/draft/a.bib': '@misc{p,}', '/draft/b.bib': '@misc{q,}', '/draft/c.bib': '' },
    });
    assert.equal(result.kind, 'needs-bib');
    if (result.kind !== 'needs-bib') return;
    assert.deepEqual(
      new Set(result.candidates),
      new Set(['/draft/a.bib', '/draft/b.bib', '/draft/c.bib']),
    );
    assert.equal(result.suggested, '/draft/b.bib');
    assert.match(result.reason, /3 \.bib files/);
  });

  it('asks for a name where there is none', () => {
    const { result } = cite('«Light.»', { files: {} });
    assert.deepEqual(
      { ...result, reason: '' },
      {
        kind: 'needs-bib',
        candidates: [],
        suggested: '/draft/references.bib',
        reason: '',
      },
    );
  });

  it('asks where the draft takes CSL JSON', () => {
    const { result } = cite('---\nbibliography: refs.json\n---\n\n«Light.»', {
      format: 'markdown',
      files: {},
    });
    assert.equal(result.kind, 'needs-bib');
    if (result.kind === 'needs-bib') assert.match(result.reason, /refs\.json/);
  });

  it('makes the declared file that is not there', () => {
    const { result, files } = cite('«Light.»\\bibliography{new}', { files: {} });
    assert.equal(edits(result).bibCreated, true);
    assert.equal(edits(result).bibDeclared, true);
    assert.match(
      files['/draft/new.bib'] ?? '',
      /^@article\{oldenburg2021lanterns,\n[\s\S]*\n\}\n$/,
    );
  });

  it('takes the chosen file, relative to the draft', () => {
    const { result } = cite('«Light.»\\bibliography{refs}', {
      bib: 'lib/mine.bib',
      paper: paper({ title: 'Another Thing' }),
    });
    assert.equal(edits(result).bibPath, '/draft/lib/mine.bib');
    assert.equal(edits(result).bibCreated, true);
    assert.equal(edits(result).bibDeclared, false);
  });

  it('reuses a declared file’s entry though another file was chosen', () => {
    const { result } = cite('«Light.»\\bibliography{refs}', { bib: 'mine.bib' });
    assert.equal(edits(result).reused, true);
    assert.equal(edits(result).bibPath, '/draft/refs.bib');
  });

  it('adds to the file of several that the draft cites from, never to abbreviations', () => {
    const files = {
      '/draft/IEEEabrv.bib': '@string{x="y"}',
      '/draft/a.bib': '@misc{p,}',
      '/draft/b.bib': '@misc{q,}',
    };
    const source = (key: string) => `\\cite{${key}} «Light.»\\bibliography{IEEEabrv,a,b}`;
    assert.equal(edits(cite(source('p'), { files }).result).bibPath, '/draft/a.bib');
    assert.equal(edits(cite(source('q'), { files }).result).bibPath, '/draft/b.bib');
    assert.equal(
      edits(
        cite('«Light.»\\bibliography{IEEEabrv,new}', { files: { '/draft/other.bib': '' } }).result,
      ).bibPath,
      '/draft/new.bib',
    );
  });

  it('avoids the keys of every file the draft uses', () => {
    const files = { '/draft/a.bib': '@misc{Oldenburg2021LANTERNS,}', '/draft/b.bib': '@misc{q,}' };
    const { result } = cite('\\cite{q} «Light.»\\bibliography{a,b}', { files });
    assert.equal(edits(result).key, 'oldenburg2021lanternsa');
  });
});

describe('what cannot be cited', () => {
  const request =
    (start: number, end: number, text = 'Some text.') =>
    () =>
      cite(`«${text}»`, { paper: paper({ title: start < 0 ? ' ' : 'T' }) }) && end;
  it('refuses a paper without a title', () => {
    assert.throws(request(-1, 0), /no title/);
  });
  it('refuses white space', () => {
    assert.throws(request(0, 0, '   '), /only white space/);
  });
  it('refuses an empty range', () => {
    assert.throws(request(0, 0, ''), /No sentence to cite in/);
  });
});
