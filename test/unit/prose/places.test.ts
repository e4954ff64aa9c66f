import assert from 'node:assert/strict';
import {
  formatOf,
  parseProse,
  plainText,
  sentenceAt,
  sentenceAtLine,
  takeSelection,
} from '../../../server/prose';

describe('formatOf', () => {
  it('knows drafts by extension, whatever the case and the path', () => {
    for (const path of ['a.tex', 'C:\\x\\A.TEX', 'file:///d/e%20f.ltx', 'a.latex']) {
      assert.equal(formatOf(path), 'latex', path);
    }
    for (const path of ['a.md', 'b.markdown', 'c.qmd', 'd.Rmd', 'e.rmd', 'f.mdx', 'x.tex.md']) {
      assert.equal(formatOf(path), 'markdown', path);
    }
  });
  it('knows drafts without a name by language id', () => {
    assert.equal(formatOf('Untitled-1', 'latex'), 'latex');
    assert.equal(formatOf('Untitled-1', 'quarto'), 'markdown');
    assert.equal(formatOf('x.qmd', 'plaintext'), 'markdown');
  });
  it('gives null for anything else', () => {
    assert.equal(formatOf('a.bib'), null);
    assert.equal(formatOf('tex'), null);
    assert.equal(formatOf('a.py', 'python'), null);
    assert.equal(formatOf(''), null);
  });
});

const source = [
  '\\section{Start}', // 1
  'First one. Second one~\\cite{a}. Third', // 2
  'one ends here.', // 3
  '', // 4
  '\\begin{figure} no prose \\end{figure}', // 5
  '', // 6
  'Last % a comment', // 7
  'sentence.', // 8
].join('\n');
const prose = parseProse(source, 'latex');
const textAt = (offset: number): string | undefined => sentenceAt(prose, offset, source)?.text;

describe('sentenceAt', () => {
  it('gives the sentence that covers the offset, its end and what it cites included', () => {
    assert.equal(textAt(source.indexOf('First')), 'First one.');
    assert.equal(textAt(source.indexOf('\\cite') + 3), 'Second one.');
    assert.equal(textAt(source.indexOf('comment')), 'Last sentence.');
    assert.equal(textAt(source.length), 'Last sentence.');
  });
  it('gives the nearest of the paragraph between two', () => {
    assert.equal(textAt(source.indexOf(' Second')), 'First one.');
  });
  it('gives null away from prose', () => {
    assert.equal(textAt(source.indexOf('no prose')), undefined);
    assert.equal(textAt(0), undefined);
    assert.equal(sentenceAt(parseProse('', 'latex'), 0), null);
  });
  it('gives the sentence of the line for what stands before it there', () => {
    const md = '- An item.\n\nA text.';
    const parsed = parseProse(md, 'markdown');
    assert.equal(sentenceAt(parsed, 0, md)?.text, 'An item.');
    assert.equal(sentenceAt(parsed, 0)?.text, 'An item.');
  });
});

describe('sentenceAtLine', () => {
  const at = (line: number, column?: number): string | undefined =>
    sentenceAtLine(prose, source, line, column)?.text;
  it('takes the first that starts on the line, else the one that covers it', () => {
    assert.equal(at(2), 'First one.');
    assert.equal(at(3), 'Third one ends here.');
    assert.equal(at(7), 'Last sentence.');
    assert.equal(at(8), 'Last sentence.');
  });
  it('takes the one at a column', () => {
    assert.equal(at(2, 1), 'First one.');
    assert.equal(at(2, 14), 'Second one.');
    assert.equal(at(2, 999), 'Third one ends here.');
    assert.equal(at(8, 1), 'Last sentence.');
  });
  it('gives null without prose, and beyond the file', () => {
    for (const line of [1, 4, 5, 6, 9, 0, -1, 1.5]) assert.equal(at(line), undefined, String(line));
  });
  it('counts CRLF as one line end', () => {
    const crlf = source.replace(/\n/g, '\r\n');
    const parsed = parseProse(crlf, 'latex');
    assert.equal(sentenceAtLine(parsed, crlf, 7)?.text, 'Last sentence.');
    assert.equal(sentenceAtLine(parsed, crlf, 2, 14)?.text, 'Second one.');
  });
});

describe('takeSelection', () => {
  const take = (from: string, to: string): ReturnType<typeof takeSelection> =>
    takeSelection(prose, source.indexOf(from), source.indexOf(to) + to.length);
  it('takes exactly what is selected, over sentences', () => {
    const taken = take('Second', 'one ends');
    assert.equal(taken?.text, 'Second one. Third one ends');
    assert.equal(source.slice(taken?.start, taken?.end), 'Second one~\\cite{a}. Third\none ends');
    assert.deepEqual(
      taken?.sentences.map((s) => s.text),
      ['Second one.', 'Third one ends here.'],
    );
  });
  it('takes whole words, whichever way it was selected', () => {
    const from = source.indexOf('econd');
    assert.equal(takeSelection(prose, from, from + 7)?.text, 'Second one');
    assert.equal(takeSelection(prose, from + 7, from)?.text, 'Second one');
    assert.equal(takeSelection(prose, from, from + 1)?.text, 'Second');
  });
  it('takes a title where only a title is selected', () => {
    assert.deepEqual(take('tar', 'tar'), {
      text: 'Start',
      start: source.indexOf('Start'),
      end: source.indexOf('Start') + 5,
      sentences: [],
    });
  });
  it('takes nothing of a figure, a comment, a cite, white space, math or an empty selection', () => {
    assert.equal(take('\\begin{fig', 'end{figure}'), null);
    assert.equal(take('a comment', 'a comment'), null);
    assert.equal(take('\\cite{a}', '\\cite{a}'), null);
    assert.equal(takeSelection(prose, 5, 5), null);
    const math = 'We let $x = y$ be.';
    const parsed = parseProse(math, 'latex');
    assert.equal(takeSelection(parsed, 7, 14), null);
    assert.equal(takeSelection(parsed, 3, 14)?.text, 'let x = y');
  });
  it('does not cut characters in halves', () => {
    const text = 'An 😀x end.';
    assert.equal(takeSelection(parseProse(text, 'latex'), 4, 5)?.text, '😀x');
  });
});

describe('plainText', () => {
  it('gives titles and paragraphs in order', () => {
    assert.equal(
      plainText('# One\n\nA b. C d.\n\n## Two\n\n- e\n- f\n\n# Three\n', 'markdown'),
      'One\n\nA b. C d.\n\nTwo\n\ne\n\nf\n\nThree',
    );
    assert.equal(plainText(source, 'latex').split('\n\n').length, 3);
    assert.equal(plainText('', 'markdown'), '');
  });
});
