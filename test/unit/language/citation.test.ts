import assert from 'node:assert/strict';
import type { Paper } from '../../../server/engine/engine';
import { authorsLine, citationLine, yearOf } from '../../../server/language/citation';

const paper: Paper = {
  id: 'x',
  title: 'A Title',
  authors: ['Ada Lovelace'],
  date: '2024-05-01',
  venue: 'COLM',
  url: null,
  doi: null,
};

describe('citationLine', () => {
  it('joins authors, title, venue and year', () => {
    assert.equal(citationLine(paper), 'Ada Lovelace. A Title. COLM 2024.');
  });
  it('does not repeat a year that the venue holds', () => {
    assert.equal(
      citationLine({ ...paper, venue: 'COLM 2024' }),
      'Ada Lovelace. A Title. COLM 2024.',
    );
  });
  it('keeps a title’s own mark and leaves out what the record lacks', () => {
    const bare = { ...paper, title: 'Why?', authors: [], venue: null, date: null };
    assert.equal(citationLine(bare), 'Why?');
  });
  it('shortens long lists of authors with one full stop', () => {
    const authors = ['A', 'B', 'C', 'D'];
    assert.equal(authorsLine(authors), 'A, B, C et al.');
    assert.equal(citationLine({ ...paper, authors }), 'A, B, C et al. A Title. COLM 2024.');
  });
  it('reads the year of every date form', () => {
    assert.equal(yearOf({ ...paper, date: '1999' }), 1999);
    assert.equal(yearOf({ ...paper, date: null }), null);
  });
});
