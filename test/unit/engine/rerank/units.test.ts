import assert from 'node:assert/strict';
import type { RelatedSentence } from '../../../../server/engine/recall/fuse';
import { relativesOf } from '../../../../server/engine/rerank/units';

function sentence(paper: string, text: string): RelatedSentence {
  return {
    sentence: { text },
    paper: { id: paper, title: `The paper on ${paper}`, doi: null },
  } as unknown as RelatedSentence;
}

describe('relatives of a sentence', () => {
  it('are of other papers, one of each, in words of their own', () => {
    const own = sentence('lamps', 'Lamps of the harbour guide ships at night.');
    const copy = sentence('copies', 'Lamps of the harbour guide ships at night!');
    const near = sentence('beacons', 'A beacon on the rock leads boats home after dark.');
    const same = sentence('beacons', 'Boats find their way by fire on a hill.');
    const other = sentence('buoys', 'Buoys with bells keep crews off the sand in fog.');
    const third = sentence('stars', 'Sailors read their course from the stars.');
    const mine = sentence('lamps', 'Every lamp burns oil from the town.');
    const shown = relativesOf(own, [mine, copy, near, same, other, third]);
    assert.deepEqual(shown, [near, other]);
    assert.deepEqual(relativesOf(own, [near, same]), [near]);
  });
});
