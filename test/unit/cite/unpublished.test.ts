import assert from 'node:assert/strict';
import type { Paper } from '../../../server/engine/engine';
import { computeCitation } from '../../../server/cite';
import { isUnpublished } from '../../../server/cite/identity';

const TEXT = 'We need labels.\n\\bibliography{refs}\n';
const note: Paper = {
  id: 'note:ideas-0123456789',
  title: 'Ideas about labels',
  authors: [],
  date: null,
  venue: 'notes',
  url: null,
  doi: null,
};

function cite(paper: Paper, bib: string) {
  const result = computeCitation({
    draft: { path: '/draft/main.tex', text: TEXT, format: 'latex' },
    sentence: { start: 0, end: 15 },
    paper,
    files: {
      read: (path) => (path.endsWith('refs.bib') ? bib : path.endsWith('main.tex') ? TEXT : null),
      list: () => ['main.tex', 'refs.bib'],
    },
  });
  assert.ok(result.kind === 'edits');
  return result;
}

describe('citing a file of one’s own', () => {
  it('is told before its entry is made, and not once it is there', () => {
    const first = cite(note, '');
    assert.deepEqual([first.unpublished, first.reused], [true, false]);
    const entry = first.edits.find(({ path }) => path.endsWith('refs.bib'))?.edits[0]?.newText;
    const again = cite(note, entry ?? '');
    assert.deepEqual([again.unpublished, again.reused], [false, true]);
  });

  it('is like any other where the file names something published', () => {
    assert.equal(cite({ ...note, doi: '10.1234/labels' }, '').unpublished, false);
    assert.equal(isUnpublished({ ...note, url: 'https://example.org/labels' }), false);
    assert.equal(isUnpublished({ ...note, id: 'title:0123456789abcdef' }), false);
  });
});
