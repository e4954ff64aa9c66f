import assert from 'node:assert/strict';
import * as change from '../../../client/panel/state';
import { noFilters } from '../../../client/panel/words';
import {
  inspiration,
  refined,
  relative,
  snapshot,
  status,
  taken,
} from '../../panel/support/samples';

const start = (): change.PanelState => change.initialState('s');
const begun = (): change.PanelState => change.began(start(), 'address', taken);
const entryOf = (state: change.PanelState): change.Entry => {
  const entry = change.currentEntry(state);
  assert.ok(entry);
  return entry;
};
const answered = (): change.PanelState =>
  change.snapshotArrived(begun(), 1, taken, snapshot({ sequence: 1, final: true }));

describe('state of the panel', () => {
  it('begins a trail as busy and asks for the text taken', () => {
    const state = begun();
    assert.equal(entryOf(state).phase, 'busy');
    assert.deepEqual(change.stepOf(state, entryOf(state)), {
      run: 1,
      move: 'address',
      text: taken.text,
      uri: taken.uri,
      years: { from: null, to: null },
      pools: null,
      limit: 20,
    });
    assert.deepEqual(change.origin(state), taken);
  });

  it('takes later snapshots of the run and refuses those out of date', () => {
    const first = change.snapshotArrived(
      begun(),
      1,
      taken,
      snapshot({ sequence: 1, final: false }),
    );
    assert.equal(entryOf(first).phase, 'busy');
    assert.equal(change.snapshotArrived(first, 1, taken, snapshot({ sequence: 1 })), first);
    assert.equal(change.snapshotArrived(first, 1, taken, snapshot({ sequence: 0 })), first);
    assert.equal(change.snapshotArrived(first, 7, taken, snapshot({ sequence: 9 })), first);
    const second = change.snapshotArrived(first, 1, taken, snapshot({ sequence: 2 }));
    assert.equal(entryOf(second).phase, 'done');
    assert.equal(change.snapshotArrived(second, 1, taken, snapshot({ sequence: 3 })), second);
  });

  it('keeps the place in the draft of what is asked about again by its text', () => {
    const placeless = { ...taken, range: null };
    for (const again of [
      change.rerun(answered(), { more: true }),
      change.rerun(answered(), { move: 'broaden' }),
      change.rerun(answered(), {}),
    ]) {
      const shown = change.snapshotArrived(again, 2, placeless, snapshot({ sequence: 0 }));
      assert.deepEqual(change.origin(shown), taken);
      const done = change.finished(shown, 2, {
        kind: 'answer',
        taken: placeless,
        snapshot: snapshot({ sequence: 1 }),
      });
      assert.deepEqual(change.origin(done), taken);
    }
  });

  it('goes with a draft that gets another name', () => {
    const chained = change.chained(answered(), 'specify', inspiration(0));
    const uri = taken.uri ?? '';
    const elsewhere = change.moved(chained, uri, 'file:///other/b.tex');
    assert.deepEqual(
      elsewhere.trail.map((entry) => entry.taken?.uri),
      ['file:///other/b.tex', 'file:///other/b.tex'],
    );
    assert.deepEqual(change.origin(elsewhere)?.range, taken.range);
    const folder = uri.slice(0, uri.lastIndexOf('/'));
    const renamed = change.moved(chained, folder, 'file:///new');
    assert.equal(change.origin(renamed)?.uri, `file:///new${uri.slice(folder.length)}`);
    assert.equal(change.moved(chained, `${uri}x`, 'file:///y'), chained);
    assert.equal(change.moved(chained, folder.slice(0, -1), 'file:///y'), chained);
  });

  it('counts sequence numbers anew in another run', () => {
    const again = change.rerun(answered(), { more: true });
    assert.equal(entryOf(again).run, 2);
    assert.equal(entryOf(again).limit, 40);
    assert.ok(entryOf(again).snapshot, 'the old cards stay while more are fetched');
    const more = change.snapshotArrived(again, 2, taken, snapshot({ sequence: 0 }));
    assert.equal(entryOf(more).snapshot?.sequence, 0);
    assert.equal(entryOf(more).answered, entryOf(again).answered);
  });

  it('leaves cards where they are when more are asked for, whatever the longer answer says of their order', () => {
    const cards = (...numbers: number[]) => ({
      inspirations: numbers.map((number) => inspiration(number)),
    });
    const shown = change.snapshotArrived(begun(), 1, taken, refined(cards(0, 1, 2)));
    const names = (state: change.PanelState): string[] =>
      entryOf(state).snapshot?.inspirations.map(({ id }) => id) ?? [];
    const ids = (...numbers: number[]): string[] => numbers.map((number) => inspiration(number).id);
    const longer = refined(cards(1, 3, 0, 2, 4));
    const more = change.snapshotArrived(change.rerun(shown, { more: true }), 2, taken, longer);
    assert.deepEqual(names(more), ids(0, 1, 2, 3, 4));
    assert.ok(entryOf(more).further, 'nor do cards that the reader had kept in their places');
    // Asked again as a whole, or answered in another way, the new order counts.
    const again = change.snapshotArrived(change.rerun(more, {}), 3, taken, longer);
    assert.deepEqual(names(again), ids(1, 3, 0, 2, 4));
    const plain = snapshot({ sequence: 1, ...cards(1, 3, 0, 2, 4) });
    const unrefined = change.snapshotArrived(change.rerun(shown, { more: true }), 2, taken, plain);
    assert.deepEqual(names(unrefined), ids(1, 3, 0, 2, 4));
    assert.ok(!entryOf(unrefined).further);
  });

  it('clears cards that answer another move, keeps them under other filters', () => {
    assert.equal(entryOf(change.rerun(answered(), { move: 'broaden' })).snapshot, null);
    const filters = { years: { from: 2020, to: null }, pools: ['starter'] };
    const filtered = change.rerun(answered(), { filters });
    const entry = entryOf(filtered);
    assert.ok(entry.snapshot);
    assert.notEqual(entry.asked, entry.answered);
    assert.deepEqual(change.stepOf(filtered, entry).years, filters.years);
    assert.deepEqual(change.began(filtered, 'specify', taken).trail[0]?.filters, filters);
  });

  it('has no judgement of another move’s answer', () => {
    const judged = change.judged(answered(), entryOf(answered()).id, 'c1', 'useful');
    assert.deepEqual(entryOf(change.rerun(judged, { more: true })).verdicts, { c1: 'useful' });
    assert.deepEqual(entryOf(change.rerun(judged, { move: 'broaden' })).verdicts, {});
  });

  it('knows the pools while the engine rests, and over a reload', () => {
    const names = ({ pools }: change.PanelState): string[] => pools.map(({ name }) => name);
    const told = change.statusChanged(answered(), status());
    const rests = change.statusChanged(told, status({ state: 'stopped', engine: null }));
    const all = ['starter', 'my library', 'botany-2020'];
    assert.deepEqual(names(rests), all);
    assert.deepEqual(names(change.poolRemoved(rests, 'my library')), ['starter', 'botany-2020']);
    const back = change.restored(rests, null);
    assert.deepEqual(back && names(back), all);
    const { pools: _, ...older } = rests;
    const kept = change.restored(older, null);
    assert.deepEqual(kept?.pools, [], 'kept by a version that knew of none');
  });

  it('follows a card, goes back, and drops what stood ahead', () => {
    const card = inspiration(2);
    const chained = change.chained(answered(), 'specify', card);
    assert.equal(chained.trail.length, 2);
    assert.equal(entryOf(chained).taken?.text, card.text);
    assert.equal(entryOf(chained).taken?.range, null);
    assert.equal(change.stepOf(chained, entryOf(chained)).uri, taken.uri);
    assert.deepEqual(change.origin(chained), taken);
    const back = change.wentTo(chained, 0);
    assert.equal(entryOf(back).move, 'address');
    assert.equal(change.wentTo(back, 5), back);
    const other = change.chained(back, 'broaden', inspiration(1));
    assert.deepEqual(
      other.trail.map((entry) => entry.move),
      ['address', 'broaden'],
    );
    assert.equal(new Set(other.trail.map((entry) => entry.id)).size, 2);
    // A snapshot of a chained text comes without a draft; the entry keeps its own.
    const shown = change.snapshotArrived(
      other,
      entryOf(other).run,
      { text: inspiration(1).text, uri: null, range: null },
      snapshot(),
    );
    assert.equal(entryOf(shown).taken?.uri, taken.uri);
  });

  it('bounds the trail but never loses its beginning', () => {
    let state = answered();
    for (let step = 0; step < 30; step += 1)
      state = change.chained(state, 'specify', inspiration(step));
    assert.equal(state.trail.length, change.MOST_ENTRIES);
    assert.equal(state.current, change.MOST_ENTRIES - 1);
    assert.deepEqual(change.origin(state), taken);
    assert.equal(entryOf(state).from?.id, inspiration(29).id);
  });

  it('shows failures without losing cards, and no-prose without cards', () => {
    const again = change.rerun(answered(), {});
    const failed = change.failed(again, 2, 'No room on the disk.');
    assert.equal(entryOf(failed).phase, 'error');
    assert.ok(entryOf(failed).snapshot);
    const none = change.finished(begun(), 1, { kind: 'no-prose', message: 'Only a figure.' });
    assert.equal(entryOf(none).phase, 'no-prose');
    assert.equal(entryOf(none).message, 'Only a figure.');
    const state = begun();
    assert.equal(change.failed(state, 99, 'late'), state);
    assert.equal(entryOf(change.stopped(state, 1)).phase, 'stopped');
    assert.equal(entryOf(change.stopped(answered(), 1)).phase, 'done');
  });

  it('is done by a result even when its snapshot had come before', () => {
    const first = change.snapshotArrived(
      begun(),
      1,
      taken,
      snapshot({ sequence: 3, final: false }),
    );
    const done = change.finished(first, 1, {
      kind: 'answer',
      taken,
      snapshot: snapshot({ sequence: 3, final: true }),
    });
    assert.equal(entryOf(done).phase, 'done');
  });

  it('does not go back from a refined order to a first one that answers the same', () => {
    const first = change.snapshotArrived(begun(), 1, taken, snapshot({ final: false }));
    const shown = change.snapshotArrived(first, 1, taken, refined());
    assert.equal(entryOf(shown).snapshot?.reranked, true);
    const again = change.rerun(shown, { more: true });
    const early = snapshot({ sequence: 0, final: false });
    const held = change.snapshotArrived(again, 2, taken, early);
    assert.equal(entryOf(held).snapshot, entryOf(shown).snapshot);
    assert.equal(entryOf(held).phase, 'busy');
    const late = change.snapshotArrived(held, 2, taken, refined({ sequence: 1 }));
    assert.equal(entryOf(late).answeredRun, 2);
    assert.equal(entryOf(late).phase, 'done');
    // A last order is taken, refined or not: the setting may have been turned off.
    const plain = change.snapshotArrived(held, 2, taken, snapshot({ sequence: 1 }));
    assert.equal(entryOf(plain).snapshot?.reranked, undefined);
    assert.equal(entryOf(plain).phase, 'done');
    // Another question has its first order shown at once.
    const filters = { years: { from: 2020, to: null }, pools: null };
    const other = change.snapshotArrived(change.rerun(shown, { filters }), 2, taken, early);
    assert.equal(entryOf(other).snapshot?.sequence, 0);
  });

  it('marks relatives of a paper that was cited', () => {
    const { paper } = relative(2);
    const state = change.citedAs(
      change.snapshotArrived(begun(), 1, taken, refined()),
      paper.id,
      'key',
    );
    const relatives = entryOf(state).snapshot?.inspirations.flatMap((card) => card.relatives ?? []);
    assert.ok(relatives?.some((each) => each.citedAs === 'key'));
    for (const each of relatives ?? [])
      assert.equal(each.citedAs === 'key', each.paper.id === paper.id);
  });

  it('marks every card of a paper that was cited, along the whole trail', () => {
    const chained = change.chained(answered(), 'specify', inspiration(0));
    const marked = change.citedAs(chained, 'p1', 'maravall2022');
    const keys = marked.trail[0]?.snapshot?.inspirations.map((card) => card.citedAs);
    assert.equal(keys?.[0], 'maravall2022');
    assert.equal(keys?.[2], null);
  });

  it('keeps judgements with their entry', () => {
    const state = answered();
    const id = inspiration(0).id;
    const judged = change.judged(state, entryOf(state).id, id, 'useful');
    assert.equal(entryOf(judged).verdicts[id], 'useful');
    assert.deepEqual(entryOf(change.judged(state, 'other', id, 'useful')).verdicts, {});
  });
});

describe('state after a reload of the window', () => {
  it('comes back as it was, the status aside; what was under way has stopped', () => {
    const before = change.statusChanged(change.rerun(answered(), { move: 'broaden' }), status());
    const saved: unknown = JSON.parse(JSON.stringify(before));
    const now = { state: 'starting' as const, problem: null, engine: null };
    const state = change.restored(saved, now);
    assert.ok(state);
    assert.equal(entryOf(state).phase, 'stopped');
    assert.equal(entryOf(state).move, 'broaden');
    assert.deepEqual(state.status, now);
    assert.ok(change.rerun(state, {}).counter > before.counter);
  });

  it('is refused where it is damaged, of another version, or empty', () => {
    const good = JSON.parse(JSON.stringify(answered())) as Record<string, unknown>;
    assert.ok(change.restored(good, null));
    for (const bad of [
      null,
      'x',
      {},
      { ...good, version: 2 },
      { ...good, trail: [{ id: 1 }] },
      { ...good, trail: [] },
    ]) {
      assert.equal(change.restored(bad, null), null);
    }
  });

  it('points into the trail even if it was saved pointing beyond', () => {
    const saved = { ...answered(), current: 9, counter: 0 };
    const state = change.restored(saved, null);
    assert.equal(state?.current, 0);
    assert.equal(state?.counter, 1);
    assert.deepEqual(state?.filters, noFilters);
  });

  it('names a removed pool in no filter, and shows what was answered as answered', () => {
    const years = { from: 2020, to: null };
    const withPools = (pools: string[]): change.PanelState => {
      const asked = change.rerun(answered(), { filters: { years, pools } });
      return change.snapshotArrived(asked, 2, taken, snapshot({ sequence: 1 }));
    };
    const two = change.poolRemoved(
      change.chained(withPools(['mine', 'starter']), 'broaden', inspiration(0)),
      'mine',
    );
    assert.deepEqual(two.filters, { years, pools: ['starter'] });
    for (const entry of two.trail) assert.deepEqual(entry.filters.pools, ['starter']);
    const alone = change.poolRemoved(withPools(['mine']), 'mine');
    assert.deepEqual(alone.filters, { years, pools: null });
    assert.deepEqual(change.stepOf(alone, entryOf(alone)).pools, null);
    assert.equal(entryOf(alone).answered, entryOf(alone).asked);
    const other = withPools(['starter']);
    assert.equal(change.poolRemoved(other, 'mine'), other);
  });

  it('takes every step as out of date once what is cited has changed, until it is asked again', () => {
    const chained = change.chained(
      change.citedAs(answered(), 'p1', 'lamp'),
      'broaden',
      inspiration(0),
    );
    const undone = change.citationsChanged(chained);
    assert.deepEqual(
      undone.trail.map((entry) => entry.outdated),
      [true, false],
    );
    assert.deepEqual(undone.trail[0]?.cited, { p1: null });
    const again = change.rerun(change.wentTo(undone, 0), {});
    assert.equal(entryOf(again).outdated, true, 'until it is answered');
    const { outdated: _, ...older } = undone.trail[0] ?? assert.fail();
    const kept = change.restored({ ...undone, trail: [older] }, null);
    assert.equal(kept?.trail[0]?.outdated, false, 'what an older panel kept is still read');
  });
});
