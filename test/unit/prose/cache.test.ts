import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseProse, ProseCache, type DraftFormat } from '../../../server/prose';
import { generator } from './checks';

const FIXTURES = join(__dirname, '..', '..', 'fixtures', 'prose');
const EDITS: Record<DraftFormat, readonly string[]> = {
  latex: [
    'a',
    ' ',
    '.',
    '\n',
    '\n\n',
    '{',
    '}',
    '$',
    '%',
    '\\cite{x}',
    '\\begin{itemize}',
    '\\end{itemize}',
    '\\newcommand{\\z}{Q}',
    '\\z ',
  ],
  markdown: [
    'a',
    ' ',
    '.',
    '\n',
    '\n\n',
    '*',
    '`',
    '```\n',
    '$',
    '$$',
    '- ',
    '> ',
    '# ',
    '[@x]',
    '<div>',
    '<!--',
    '-->',
    ':::\n',
    '[r]: http://x\n',
    '[a][r]',
    '---\n',
    '    ',
    '|',
  ],
};

describe('ProseCache', function () {
  this.timeout(60_000);
  for (const [file, format] of [
    ['article.tex', 'latex'],
    ['article.md', 'markdown'],
  ] as const) {
    it(`answers after random edits of ${file} as a full parse does`, () => {
      for (let seed = 1; seed <= 6; seed++) {
        const next = generator(seed * 104729);
        const cache = new ProseCache();
        let text = readFileSync(join(FIXTURES, file), 'utf8');
        if (seed % 2 === 0) text = text.replace(/\r?\n/g, '\r\n');
        for (let version = 1; version <= 25; version++) {
          const at = next(text.length + 1);
          const removed = next(3) === 0 ? next(40) : 0;
          const added = next(4) === 0 ? '' : (EDITS[format][next(EDITS[format].length)] ?? '');
          text = text.slice(0, at) + added + text.slice(at + removed);
          assert.deepEqual(cache.get('file:///x', version, text, format), parseProse(text, format));
        }
      }
    });
  }

  it('gives the same object while the document is the same', () => {
    const cache = new ProseCache();
    const first = cache.get('a', 1, 'Some *text*.', 'markdown');
    assert.equal(cache.get('a', 1, 'Some *text*.', 'markdown'), first);
    assert.equal(cache.get('a', 2, 'Some *text*.', 'markdown'), first);
    assert.notEqual(cache.get('a', 3, 'Some *texts*.', 'markdown'), first);
  });

  it('reads anew where the version lies, the format changes or the document was closed', () => {
    const cache = new ProseCache();
    const first = cache.get('a', 1, 'One.', 'markdown');
    assert.equal(cache.get('a', 1, 'Two.', 'markdown').sentences[0]?.text, 'Two.');
    assert.equal(cache.get('a', 1, 'Two.', 'latex').format, 'latex');
    const source = 'We use \\x{} here.';
    const chapter = cache.get('c', 1, source, 'latex', { definitions: '\\def\\x{one}' });
    assert.equal(chapter.sentences[0]?.text, 'We use one here.');
    const other = cache.get('c', 1, source, 'latex', { definitions: '\\def\\x{two}' });
    assert.equal(other.sentences[0]?.text, 'We use two here.');
    cache.delete('a');
    assert.notEqual(cache.get('a', 1, 'One.', 'markdown'), first);
  });

  it('keeps so many drafts only', () => {
    const cache = new ProseCache(2);
    const first = cache.get('a', 1, 'One.', 'latex');
    cache.get('b', 1, 'One.', 'latex');
    assert.equal(cache.get('a', 1, 'One.', 'latex'), first);
    cache.get('c', 1, 'One.', 'latex');
    assert.equal(cache.get('a', 1, 'One.', 'latex'), first);
    cache.get('d', 1, 'One.', 'latex');
    cache.get('e', 1, 'One.', 'latex');
    assert.notEqual(cache.get('a', 1, 'One.', 'latex'), first);
  });
});
