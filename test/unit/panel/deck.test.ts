import assert from 'node:assert/strict';
import * as change from '../../../client/panel/state';
import { Deck } from '../../../client/panel/view/deck';
import { inspiration, inspirations, refined, snapshot, taken } from '../../panel/support/samples';

const first = (): change.PanelState =>
  change.snapshotArrived(
    change.began(change.initialState('s'), 'address', taken),
    1,
    taken,
    snapshot({ sequence: 1, final: false }),
  );
const entryOf = (state: change.PanelState): change.Entry => {
  const entry = change.currentEntry(state);
  assert.ok(entry);
  return entry;
};
const after = (state: change.PanelState): change.Entry =>
  entryOf(change.snapshotArrived(state, 1, taken, refined()));
const firstIds = inspirations(12).map(({ id }) => id);
const refinedIds = refined().inspirations.map(({ id }) => id);

describe('the deck when a refined order replaces the first', () => {
  const deck = Deck.empty.next(entryOf(first()), new Set());

  it('takes the new order, new cards and old ones gone, where nobody reads', () => {
    const next = deck.next(after(first()), new Set());
    assert.deepEqual(next.order, refinedIds);
    assert.equal(next.dropped.size, 0);
    assert.equal(next.card(refinedIds[0] ?? '')?.relatives?.length, 2);
  });

  it('keeps every card that is read at its index, whatever comes and goes around it', () => {
    firstIds.forEach((id, index) => {
      const next = deck.next(after(first()), new Set([id]));
      assert.equal(next.order[index], id);
      assert.equal(next.dropped.has(id), !refinedIds.includes(id));
      const others = next.order.filter((each) => each !== id);
      assert.deepEqual(
        others,
        refinedIds.filter((each) => each !== id),
        'the others stand in the refined order',
      );
    });
  });

  it('knows what a kept card was, and lets it go with the next snapshot', () => {
    const id = firstIds[4] ?? '';
    assert.ok(!refinedIds.includes(id));
    const next = deck.next(after(first()), new Set([id]));
    assert.equal(next.card(id)?.text, inspiration(4).text);
    assert.ok(!next.next(after(first()), new Set()).order.includes(id));
  });

  it('marks a kept card as cited, though the snapshot no longer holds it', () => {
    const id = firstIds[4] ?? '';
    const refinedState = change.snapshotArrived(first(), 1, taken, refined());
    const kept = deck.next(entryOf(refinedState), new Set([id]));
    assert.ok(kept.dropped.has(id));
    const { paper } = kept.card(id) ?? assert.fail();
    const cited = change.citedAs(refinedState, paper.id, 'lamp2024');
    const next = kept.next(entryOf(cited), new Set(kept.order));
    assert.equal(next.card(id)?.citedAs, 'lamp2024');
    const undone = next.next(entryOf(change.citationsChanged(cited)), new Set(next.order));
    assert.equal(undone.card(id)?.citedAs, null, 'until that is undone');
  });

  it('leaves the deck that it came from as it was', () => {
    deck.next(after(first()), new Set());
    assert.deepEqual(deck.order, firstIds);
    assert.equal(deck.card(refinedIds[1] ?? ''), null);
  });

  it('can keep all that stands above a card', () => {
    const pinned = deck.withAbove(firstIds[2] ?? '', new Set([firstIds[2] ?? '']));
    assert.deepEqual(deck.next(after(first()), pinned).order.slice(0, 3), firstIds.slice(0, 3));
    assert.equal(deck.withAbove(null, new Set()).size, 0);
    assert.equal(deck.withAbove('gone', new Set()).size, 0);
  });
});
