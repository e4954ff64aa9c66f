import assert from 'node:assert/strict';
import Database from 'libsql';
import { anyOf, chooseTerms, Stemmer } from '../../../server/engine/recall/terms';
import { jaccard, normalise } from '../../../server/engine/recall/text';

describe('terms of a query', () => {
  let stemmer: Stemmer;
  before(() => (stemmer = new Stemmer()));
  after(() => stemmer.close());

  it('stems as full-text search does and drops stop words', () => {
    const stems = stemmer.terms('These methods show that the relational networks were generalised');
    assert.deepEqual(
      stems.map((term) => term.stem),
      ['generalis', 'network', 'relat'],
    );
  });

  it('takes the rarest terms that the pool has, and stops before common ones', () => {
    const terms = ['often', 'rare', 'none', 'some'].map((word) => ({ word, stem: word }));
    const frequency: Record<string, number> = { often: 90_000, rare: 3, none: 0, some: 200 };
    const chosen = chooseTerms(terms, (stem) => frequency[stem] ?? 0, 100_000);
    assert.deepEqual(
      chosen.map((term) => term.word),
      ['rare', 'some'],
    );
  });

  it('asks a large pool for no more than 50,000 postings', () => {
    const terms = ['rare', 'some', 'often'].map((word) => ({ word, stem: word }));
    const frequency: Record<string, number> = { rare: 100, some: 49_900, often: 60_000 };
    const chosen = (sentences: number): number =>
      chooseTerms(terms, (stem) => frequency[stem] ?? 0, sentences).length;
    assert.deepEqual([400_000, 500_000, 2_000_000].map(chosen), [1, 2, 2]);
  });

  it('keeps a common term when it is all there is', () => {
    const chosen = chooseTerms([{ word: 'often', stem: 'often' }], () => 90_000, 100_000);
    assert.equal(chosen.length, 1);
  });

  /** What is asked, and how many words of it are looked for. */
  const hostile: [string, number][] = [
    ['"unbalanced AND (NOT near/3 ^start*', 2],
    ['NEAR(a b) OR col:term -minus +plus', 4],
    ["'; DROP TABLE sentences; --", 3],
    ['🤖🔥 emoji \u0000 nul \ud800 lone surrogate', 4],
    ['* ^ : { } [ ] ( ) " \' \\', 0],
    ['ﬁne ＦＵＬＬＷＩＤＴＨ naïve Übung 注意力 機構', 6],
    ['', 0],
    ['x'.repeat(100_000), 1],
    ['word '.repeat(20_000), 1],
  ];
  for (const [text, count] of hostile) {
    it(`asks nothing but words for ${JSON.stringify(text.slice(0, 30))}`, () => {
      const database = new Database(':memory:');
      database.exec("CREATE VIRTUAL TABLE f USING fts5(text, tokenize = 'porter unicode61')");
      database.prepare('INSERT INTO f (text) VALUES (?)').run(['near start emoji term']);
      const terms = stemmer.terms(text);
      const expression = anyOf(terms);
      if (terms.length > 0) {
        database.prepare('SELECT rowid FROM f WHERE f MATCH ?').all([expression]);
      }
      assert.equal(terms.length, count);
      assert.ok(terms.every((term) => /^[\p{L}\p{M}\p{N}]+$/u.test(term.word)));
      database.close();
    });
  }
});

describe('comparing sentences', () => {
  it('sees the same sentence through case, spaces, quotes and ligatures', () => {
    assert.equal(normalise('  “Deﬁne” it—Now! '), normalise('"define" it now'));
  });
  it('measures shared words', () => {
    assert.equal(jaccard(new Set(['a', 'b']), new Set(['b', 'c'])), 1 / 3);
    assert.equal(jaccard(new Set(), new Set()), 0);
  });
});
