import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Bm25 } from '../../../server/evaluation/bm25';
import { jaccard } from '../../../server/engine/recall/text';
import { STOP_WORDS, terms, tokens } from '../../../server/evaluation/words';

type Reference = {
  corpus: string[];
  queries: string[];
  stopWords: string[];
  /** By the longest run of words, query and document; documents left out score 0. */
  scores: Record<string, Record<string, number>[]>;
};

const reference = JSON.parse(
  readFileSync(join(__dirname, 'fixtures', 'bm25.json'), 'utf8'),
) as Reference;

describe('BM25', () => {
  for (const grams of [1, 2, 3] as const) {
    it(`gives the scores of BM25S with runs of up to ${grams}`, () => {
      const index = Bm25.build(reference.corpus, { grams });
      let scored = 0;
      reference.queries.forEach((query, q) => {
        const made = index.scores(query);
        const scores = reference.scores[grams]?.[q];
        assert.ok(scores);
        reference.corpus.forEach((_text, document) => {
          const expected = scores[document] ?? 0;
          const actual = made[document] ?? NaN;
          assert.ok(
            Math.abs(actual - expected) < 1e-4,
            `query ${q}, document ${document}: ${actual} is not ${expected}`,
          );
          if (expected > 0) scored++;
        });
      });
      assert.ok(scored > 30);
    });
  }

  it('uses the stop words of BM25S', () => {
    assert.deepEqual([...STOP_WORDS].sort(), reference.stopWords);
  });

  it('scores texts beyond the collection by its statistics and leaves the others as they were', () => {
    const { corpus, queries } = reference;
    const alone = Bm25.build(corpus);
    const more = Bm25.build([...corpus, corpus[0] ?? '', 'hives and quantum tides'], {
      collection: corpus.length,
    });
    for (const query of queries) {
      const row = more.scores(query);
      assert.deepEqual([...row.subarray(0, corpus.length)], [...alone.scores(query)]);
      assert.equal(row[corpus.length], row[0]);
    }
  });

  it('scores nothing for an empty query, unknown words, or no texts', () => {
    const index = Bm25.build(reference.corpus);
    for (const query of ['', 'the of and', 'xylophones']) {
      assert.deepEqual(
        [...index.scores(query)],
        reference.corpus.map(() => 0),
      );
    }
    assert.equal(Bm25.build([]).scores('tide').length, 0);
    assert.deepEqual([...Bm25.build(['', 'tide']).scores('tides')].map(Boolean), [false, true]);
  });

  it('starts every query from zero when a row is used again', () => {
    const index = Bm25.build(reference.corpus);
    const row = new Float32Array(reference.corpus.length);
    index.scores('glacier sensors', row);
    assert.deepEqual(index.scores('menus', row), index.scores('menus'));
  });
});

describe('words', () => {
  it('are runs of two or more letters, digits or underscores in lower case', () => {
    assert.deepEqual(tokens('A Naïve x2 word_by_word—5 über-Tide'), [
      'naïve',
      'x2',
      'word_by_word',
      'über',
      'tide',
    ]);
  });

  it('are stemmed, and stop words dropped, in order and with repeats', () => {
    assert.deepEqual(terms('The planning of plans is planned'), ['plan', 'plan', 'plan']);
  });

  it('overlap by their distinct stems', () => {
    const of = (text: string): Set<string> => new Set(terms(text));
    assert.equal(jaccard(of('tides of the sea'), of('a tide and the moon')), 1 / 3);
    assert.equal(jaccard(of('the'), of('the')), 0);
  });
});
