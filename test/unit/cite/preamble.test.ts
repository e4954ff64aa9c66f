import assert from 'node:assert/strict';
import { rootPreamble } from '../../../server/cite/texProject';
import { parseProse } from '../../../server/prose';
import { MemoryFiles } from './helpers';

const BODY = '\\ours fails when \\dataset is noisy.';
const MACROS = '\\newcommand{\\ours}{FooNet\\xspace}\n\\input{data}';
const FILES = {
  '/p/main.tex': `\\documentclass{article}\n\\input{macros}\n\\begin{document}\n${BODY}\n\\input{sections/one}\\end{document}`,
  '/p/macros.tex': MACROS,
  '/p/data.tex': '\\def\\dataset{BarSet\\xspace}',
  '/p/sections/one.tex': BODY,
  '/p/sections/two.tex': `\\documentclass[../main.tex]{subfiles}\n\\begin{document}\n${BODY}\n\\end{document}`,
};

/** The prose of a file with the macros around it. */
function read(path: string, texts: Record<string, string>): string {
  const files = new MemoryFiles(texts);
  const text = texts[path] ?? '';
  const definitions = rootPreamble({ path, text, format: 'latex' }, files) ?? '';
  return parseProse(text, 'latex', { definitions })
    .sentences.map((sentence) => sentence.text)
    .join(' | ');
}
const PLAIN = 'FooNet fails when BarSet is noisy.';

describe('macros from around a LaTeX draft', () => {
  it('are read from what the preamble inputs: in the root, its chapters and subfiles', () => {
    for (const path of ['/p/main.tex', '/p/sections/one.tex', '/p/sections/two.tex']) {
      assert.equal(read(path, FILES), PLAIN, path);
    }
  });

  it('are those of the draft where it defines them itself', () => {
    const own = FILES['/p/main.tex'].replace(
      '\\begin{document}',
      '\\renewcommand{\\ours}{BazNet\\xspace}\\begin{document}',
    );
    assert.equal(
      read('/p/main.tex', { ...FILES, '/p/main.tex': own }),
      PLAIN.replace('Foo', 'Baz'),
    );
  });

  it('are read from a style beside the draft, but not its code nor what is known anyway', () => {
    const texts = {
      '/p/main.tex': `\\documentclass{article}\\usepackage{x,ours}\\begin{document}${BODY} So \\citet{k} say, \\eg here.\\end{document}`,
      '/p/ours.sty':
        '\\newcommand{\\ours}{FooNet\\xspace}\\newcommand{\\dataset}{BarSet\\xspace}' +
        '\\newcommand\\citet{\\begingroup Bad}\\def\\eg{e.g\\onedot}\\def\\say{\\@ifnextchar[{bad}{}}',
    };
    assert.equal(read('/p/main.tex', texts), `${PLAIN} | So say, e.g. here.`);
  });

  it('end where files input each other or without end, and where one is not there', () => {
    const texts: Record<string, string> = {
      '/p/main.tex': '\\input{a}\\input{missing}\\usepackage{none}\\begin{document}\\x{} is it.',
      '/p/a.tex': '\\input{b}\\newcommand{\\x}{This}',
      '/p/b.tex': '\\input{a}\\input{main}\\input{c0}',
    };
    for (let i = 0; i < 30; i++) texts[`/p/c${i}.tex`] = `\\input{c${i + 1}}`;
    assert.equal(read('/p/main.tex', texts), 'This is it.');
    const long = { ...texts, '/p/a.tex': `\\newcommand{\\x}{That}${' '.repeat(500_000)}` };
    assert.equal(read('/p/main.tex', long), 'is it.');
  });

  it('are none without a preamble', () => {
    const files = new MemoryFiles({ '/p/a.tex': 'Words.' });
    assert.equal(rootPreamble({ path: '/p/a.tex', text: 'Words.', format: 'latex' }, files), null);
    assert.equal(
      rootPreamble({ path: '/p/a.md', text: 'Words.', format: 'markdown' }, files),
      null,
    );
  });
});
