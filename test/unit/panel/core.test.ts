import assert from 'node:assert/strict';
import { PanelCore, type Attachment, type CoreOptions } from '../../../client/panel/core';
import { hostMessageSchema, type HostMessage } from '../../../client/panel/messages';
import type { PanelState, PanelStep } from '../../../client/panel/state';
import { recordingHandler, type Call } from '../../panel/support/recording';
import {
  inspiration,
  inspirations,
  refined,
  snapshot,
  status,
  taken,
} from '../../panel/support/samples';

interface Fake {
  core: PanelCore;
  calls: Call[];
  dropped: string[];
  view(): { attachment: Attachment; messages: HostMessage[]; last(): PanelState };
}

function fake(more: Partial<CoreOptions> = {}): Fake {
  const { handler, calls } = recordingHandler();
  const dropped: string[] = [];
  const core = new PanelCore({
    handler,
    keys: { mac: {}, other: {} },
    log: (line) => dropped.push(line),
    ...more,
  });
  return {
    core,
    calls,
    dropped,
    view: () => {
      const messages: HostMessage[] = [];
      const attachment = core.attach({
        post: (message) => messages.push(hostMessageSchema.parse(message)),
      });
      return {
        attachment,
        messages,
        last: () => {
          const message = messages.filter((each) => each.type === 'state').at(-1);
          assert.ok(message?.type === 'state');
          return message.state;
        },
      };
    },
  };
}

const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
const given = (calls: Call[], name: string): unknown =>
  calls.filter((call) => call.name === name).at(-1)?.given;

describe('host side of the panel', () => {
  it('loses nothing that came before a webview was there', () => {
    const { core, view } = fake();
    core.setStatus(status());
    const step = core.begin('address', taken);
    core.setSnapshot(step.run, taken, snapshot());
    const { attachment, messages, last } = view();
    assert.equal(messages.length, 0);
    attachment.receive({ type: 'ready' });
    assert.equal(last().trail[0]?.snapshot?.inspirations.length, 12);
    assert.equal(last().status?.state, 'ready');
  });

  it('shows every webview the same, changes of one go at once', async () => {
    const { core, view } = fake();
    const views = [view(), view()];
    for (const each of views) each.attachment.receive({ type: 'ready' });
    await settled();
    const step = core.begin('address', taken);
    core.setSnapshot(step.run, taken, snapshot());
    await settled();
    for (const each of views) {
      assert.equal(each.last().trail.length, 1);
      assert.equal(each.messages.length, 2);
    }
    views[0]?.attachment.detach();
    core.setStatus(status());
    await settled();
    assert.deepEqual(
      views.map((each) => each.messages.length),
      [2, 3],
    );
  });

  it('acts on a card only by what it has itself shown', () => {
    const { core, calls, view } = fake();
    const step = core.begin('address', taken);
    core.setSnapshot(step.run, taken, snapshot());
    const { attachment, last } = view();
    attachment.receive({ type: 'ready' });
    const entry = last().trail[0]?.id ?? '';
    const { id } = inspiration(2);
    for (const type of ['cite', 'copy', 'open']) {
      attachment.receive({ type, entry, id });
      assert.deepEqual(given(calls, type), inspiration(2));
      attachment.receive({ type, entry, id: 'made up' });
      attachment.receive({ type, entry: 'made up', id });
    }
    assert.equal(calls.length, 3);
    attachment.receive({ type: 'feedback', entry, id, verdict: 'useful' });
    const judgement = given(calls, 'feedback') as { query: string; inspiration: object };
    assert.equal(judgement.query, taken.text);
    assert.ok(!('citedAs' in judgement.inspiration));
  });

  it('takes a judgement back that could not be kept, unless another was given since', async () => {
    const lost: (() => void)[] = [];
    const { handler } = recordingHandler();
    handler.feedback = (_, failed) => void lost.push(failed);
    const { core, view } = fake({ handler });
    const step = core.begin('address', taken);
    core.setSnapshot(step.run, taken, snapshot());
    const { attachment, last } = view();
    attachment.receive({ type: 'ready' });
    const entry = last().trail[0]?.id ?? '';
    const { id } = inspiration(2);
    const judge = (verdict: string): void =>
      attachment.receive({ type: 'feedback', entry, id, verdict });
    const verdict = async (): Promise<string | undefined> => {
      await settled();
      return last().trail[0]?.verdicts[id];
    };
    judge('useful');
    judge('not-useful');
    lost[0]?.();
    assert.equal(await verdict(), 'not-useful');
    lost[1]?.();
    assert.equal(await verdict(), 'useful');
    judge('none');
    lost[2]?.();
    assert.equal(await verdict(), 'useful');
    judge('not-useful');
    attachment.receive({ type: 'rerun', entry, move: 'broaden' });
    lost[3]?.();
    assert.equal(await verdict(), undefined);
  });

  it('undoes a citation only while that can be undone', async () => {
    const { core, calls, view } = fake();
    const { attachment, messages } = view();
    attachment.receive({ type: 'ready' });
    attachment.receive({ type: 'undo' });
    assert.equal(calls.length, 0);
    core.setUndoable(true);
    await settled();
    const told = messages.at(-1);
    assert.ok(told?.type === 'state' && told.undoable);
    attachment.receive({ type: 'undo' });
    attachment.receive({ type: 'undo' });
    assert.deepEqual(
      calls.map((call) => call.name),
      ['undo'],
    );
    const undoable = async (): Promise<boolean> => {
      await settled();
      const latest = messages.at(-1);
      return latest?.type === 'state' && latest.undoable;
    };
    core.setStatus(status());
    assert.equal(await undoable(), false, 'one is under way');
    (calls[0]?.given as () => void)();
    assert.equal(await undoable(), true, 'it was answered with Cancel');
    attachment.receive({ type: 'undo' });
    assert.equal(calls.length, 2);
  });

  it('acts on a relative of a card, by its own paper', () => {
    const { core, calls, view } = fake();
    const step = core.begin('address', taken);
    core.setSnapshot(step.run, taken, refined());
    const { attachment, last } = view();
    attachment.receive({ type: 'ready' });
    const entry = last().trail[0]?.id ?? '';
    const [card] = refined().inspirations;
    const [relative] = card?.relatives ?? [];
    assert.ok(card && relative && relative.paper.id !== card.paper.id);
    for (const type of ['cite', 'copy', 'open']) {
      attachment.receive({ type, entry, id: card.id, relative: relative.id });
      assert.deepEqual(given(calls, type), relative);
      attachment.receive({ type, entry, id: card.id, relative: 'made up' });
    }
    assert.equal(calls.length, 3);
    attachment.receive({ type: 'focused', entry, id: card.id, relative: relative.id });
    assert.deepEqual(core.focused(), relative);
    attachment.receive({ type: 'focused', entry, id: card.id });
    assert.equal(core.focused()?.id, card.id);
    attachment.receive({ type: 'feedback', entry, id: card.id, verdict: 'useful' });
    const judgement = given(calls, 'feedback') as { inspiration: object };
    assert.ok(!('relatives' in judgement.inspiration));
  });

  it('drops malformed messages and says so', () => {
    const { calls, dropped, view } = fake();
    const { attachment } = view();
    for (const bad of [
      null,
      'cite',
      { type: 'eval', code: '1' },
      { type: 'command', id: 'workbench.action.quit' },
      { type: 'rerun', entry: null, more: 1e9 },
      { type: 'goTo', index: -1 },
    ]) {
      attachment.receive(bad);
    }
    assert.equal(dropped.length, 6);
    assert.equal(calls.length, 0);
  });

  it('still acts on a card that a later snapshot left out', () => {
    const { core, calls, view } = fake();
    const step = core.begin('address', taken);
    core.setSnapshot(step.run, taken, snapshot({ sequence: 1, final: false }));
    core.setSnapshot(step.run, taken, snapshot({ sequence: 2, inspirations: inspirations(2) }));
    const { attachment, last } = view();
    attachment.receive({ type: 'ready' });
    attachment.receive({ type: 'cite', entry: last().trail[0]?.id, id: inspiration(7).id });
    assert.equal((given(calls, 'cite') as { id: string }).id, inspiration(7).id);
  });

  it('chains, cancels what nobody waits for, and goes back', async () => {
    const { core, calls, view } = fake();
    const step = core.begin('address', taken);
    core.setSnapshot(step.run, taken, snapshot());
    const { attachment, last } = view();
    attachment.receive({ type: 'ready' });
    const entry = last().trail[0]?.id;
    attachment.receive({ type: 'chain', entry, id: inspiration(0).id, move: 'specify' });
    const chained = given(calls, 'inspire') as PanelStep;
    assert.equal(chained.text, inspiration(0).text);
    assert.equal(chained.move, 'specify');
    assert.deepEqual(core.origin(), taken);
    attachment.receive({ type: 'goTo', index: 0 });
    assert.equal(given(calls, 'cancel'), chained.run);
    await settled();
    assert.equal(last().current, 0);
    assert.equal(last().trail[1]?.phase, 'stopped');
  });

  it('asks again with a filter, and not for an entry that is shown no more', () => {
    const { core, calls, view } = fake();
    const step = core.begin('address', taken);
    core.setSnapshot(step.run, taken, snapshot());
    const { attachment, last } = view();
    attachment.receive({ type: 'ready' });
    const filters = { years: { from: 2020, to: null }, pools: null };
    attachment.receive({ type: 'rerun', entry: 'gone', filters });
    assert.equal(calls.length, 0);
    attachment.receive({ type: 'rerun', entry: last().trail[0]?.id, filters });
    assert.deepEqual((given(calls, 'inspire') as PanelStep).years, filters.years);
    assert.equal(core.refresh(), true);
    assert.equal(calls.filter((call) => call.name === 'inspire').length, 2);
  });

  it('does not ask again where there is no prose, and keeps the filters that are chosen', async () => {
    const { core, calls, view } = fake();
    const step = core.begin('address', null);
    core.setResult(step.run, { kind: 'no-prose', message: 'Only math.' });
    const { attachment, last } = view();
    attachment.receive({ type: 'ready' });
    attachment.receive({ type: 'rerun', entry: last().trail[0]?.id, move: 'broaden' });
    const filters = { years: { from: 2020, to: null }, pools: null };
    attachment.receive({ type: 'rerun', entry: last().trail[0]?.id, filters });
    assert.equal(calls.length, 0);
    assert.equal(core.refresh(), false);
    await settled();
    assert.deepEqual(last().filters, filters, 'the next move asks with them');
    assert.deepEqual(last().trail[0]?.filters, filters);
    assert.equal(last().trail[0]?.phase, 'no-prose');
    assert.deepEqual(core.begin('address', taken).years, filters.years);
  });

  it('asks again about text that was never taken, for whoever knows where it was', () => {
    const { core, calls, view } = fake();
    const step = core.begin('address', null);
    core.setError(step.run, 'The engine did not start.');
    const { attachment, last } = view();
    attachment.receive({ type: 'ready' });
    attachment.receive({ type: 'rerun', entry: last().trail[0]?.id });
    const again = given(calls, 'inspire') as PanelStep;
    assert.equal(again.text, null);
    assert.notEqual(again.run, step.run);
    assert.equal(core.current()?.taken, null);
  });

  it('asks every step again after an undo: the one on show at once, others when they are shown', async () => {
    const { core, calls, view } = fake();
    core.setSnapshot(core.begin('address', taken).run, taken, snapshot());
    core.setCited('p1', 'maravall2022');
    const { attachment, last } = view();
    attachment.receive({ type: 'ready' });
    const entry = last().trail[0]?.id;
    attachment.receive({ type: 'chain', entry, id: inspiration(0).id, move: 'specify' });
    const chained = given(calls, 'inspire') as PanelStep;
    const of = { text: inspiration(0).text, uri: null, range: null };
    core.setSnapshot(chained.run, of, snapshot());
    core.citationsChanged();
    const asked = (): PanelStep[] =>
      calls.filter((call) => call.name === 'inspire').map((call) => call.given as PanelStep);
    assert.deepEqual(
      asked().map(({ text }) => text),
      [inspiration(0).text, inspiration(0).text],
    );
    core.setSnapshot(asked().at(-1)?.run ?? 0, of, snapshot());
    attachment.receive({ type: 'goTo', index: 0 });
    assert.equal(asked().at(-1)?.text, taken.text);
    assert.equal(asked().length, 3);
    core.setSnapshot(asked().at(-1)?.run ?? 0, taken, snapshot());
    attachment.receive({ type: 'goTo', index: 1 });
    attachment.receive({ type: 'goTo', index: 0 });
    assert.equal(asked().length, 3, 'once is enough');
    await settled();
    assert.deepEqual(last().trail[0]?.cited, { p1: null });
  });

  it('leaves a question that was cancelled or failed alone when what is cited changes', async () => {
    const { core, calls, view } = fake();
    const step = core.begin('address', taken);
    core.setSnapshot(step.run, taken, { ...snapshot(), final: false });
    const { attachment, last } = view();
    attachment.receive({ type: 'ready' });
    attachment.receive({ type: 'cancel' });
    core.citationsChanged();
    const asked = (): number => calls.filter((call) => call.name === 'inspire').length;
    assert.equal(asked(), 0, 'it was cancelled');
    attachment.receive({ type: 'rerun', entry: last().trail[0]?.id });
    assert.equal(asked(), 1);
    core.setError((given(calls, 'inspire') as PanelStep).run, 'The engine stopped.');
    core.citationsChanged();
    assert.equal(asked(), 1, 'it failed');
    attachment.receive({ type: 'rerun', entry: last().trail[0]?.id });
    core.citationsChanged();
    assert.equal(asked(), 3, 'it is under way again');
  });

  it('asks a removed pool no more', () => {
    const { core, calls, view } = fake();
    core.setSnapshot(core.begin('address', taken).run, taken, snapshot());
    const { attachment, last } = view();
    attachment.receive({ type: 'ready' });
    const filters = { years: { from: null, to: null }, pools: ['my library'] };
    attachment.receive({ type: 'rerun', entry: last().trail[0]?.id, filters });
    assert.deepEqual((given(calls, 'inspire') as PanelStep).pools, filters.pools);
    core.poolRemoved('my library');
    core.refresh();
    assert.equal((given(calls, 'inspire') as PanelStep).pools, null);
    assert.equal(core.begin('broaden', taken).pools, null);
  });

  it('takes a filter of pools that names what is asked anyway for none', () => {
    let chosen: string[] = [];
    const { core, calls, view } = fake({ pools: () => chosen });
    core.setStatus(status());
    core.setSnapshot(core.begin('address', taken).run, taken, snapshot());
    const { attachment, last } = view();
    attachment.receive({ type: 'ready' });
    const all = last().pools.map(({ name }) => name);
    assert.ok(all.length > 1);
    const filter = (pools: string[]): string[] | null => {
      const filters = { years: { from: 2020, to: null }, pools };
      attachment.receive({ type: 'rerun', entry: last().trail[0]?.id, filters });
      const step = given(calls, 'inspire') as PanelStep;
      assert.equal(step.years.from, 2020);
      return step.pools;
    };
    assert.deepEqual(filter(all.slice(1)), all.slice(1));
    assert.equal(filter([...all].reverse()), null);
    chosen = all.slice(1);
    assert.deepEqual(filter(all), all);
    assert.equal(filter(all.slice(1)), null);
  });

  it('drops what a filter says of pools once others are chosen, and asks again', () => {
    const { core, calls, view } = fake();
    core.setSnapshot(core.begin('address', taken).run, taken, snapshot());
    const { attachment, last } = view();
    attachment.receive({ type: 'ready' });
    const filters = { years: { from: 2020, to: null }, pools: ['my library'] };
    attachment.receive({ type: 'rerun', entry: last().trail[0]?.id, filters });
    core.poolsChosen();
    const step = given(calls, 'inspire') as PanelStep;
    assert.deepEqual([step.years.from, step.pools], [2020, null]);
    assert.equal(core.begin('broaden', taken).pools, null);
  });

  it('asks for as many as the setting says, and for as many again', () => {
    let page = 5;
    const { core, calls, view } = fake({ page: () => page });
    const step = core.begin('address', taken);
    assert.equal(step.limit, 5);
    core.setSnapshot(step.run, taken, snapshot());
    const { attachment, last } = view();
    attachment.receive({ type: 'ready' });
    const limit = (): unknown => (given(calls, 'inspire') as PanelStep).limit;
    attachment.receive({ type: 'rerun', entry: last().trail[0]?.id, more: true });
    assert.equal(limit(), 10);
    attachment.receive({ type: 'rerun', entry: last().trail[0]?.id, move: 'broaden' });
    assert.equal(limit(), 5);
    page = 50;
    attachment.receive({ type: 'chain', entry: last().trail[0]?.id, id: 'none', move: 'address' });
    assert.equal(core.begin('address', taken).limit, 50);
  });

  it('forgets the card that had the focus where others take its place', () => {
    const { core, view } = fake();
    const step = core.begin('address', taken);
    core.setSnapshot(step.run, taken, snapshot());
    const { attachment, last } = view();
    attachment.receive({ type: 'ready' });
    const entry = last().trail[0]?.id;
    const focus = (): void => {
      attachment.receive({ type: 'focused', entry, id: inspiration(3).id });
      assert.equal(core.focused()?.id, inspiration(3).id);
    };
    focus();
    attachment.receive({ type: 'rerun', entry });
    assert.equal(core.focused()?.id, inspiration(3).id, 'asking again keeps it');
    attachment.receive({ type: 'rerun', entry, move: 'broaden' });
    assert.equal(core.focused(), null);
    focus();
    attachment.receive({ type: 'chain', entry, id: inspiration(3).id, move: 'address' });
    assert.equal(core.focused(), null);
  });

  it('says when it shows the trail of the window’s last life', () => {
    const before = fake();
    before.core.setSnapshot(before.core.begin('address', taken).run, taken, snapshot());
    const { attachment, last } = before.view();
    attachment.receive({ type: 'ready' });
    let told = 0;
    const { view } = fake({ onRestored: () => (told += 1) });
    view().attachment.receive({ type: 'ready' });
    assert.equal(told, 0);
    view().attachment.receive({ type: 'ready', saved: last() });
    assert.equal(told, 1);
  });

  it('knows the card that keyboard commands act on', () => {
    const { core, view } = fake();
    const step = core.begin('address', taken);
    core.setSnapshot(step.run, taken, snapshot());
    const { attachment, last } = view();
    attachment.receive({ type: 'ready' });
    assert.equal(core.focused(), null);
    const entry = last().trail[0]?.id;
    attachment.receive({ type: 'focused', entry, id: inspiration(3).id });
    assert.equal(core.focused()?.id, inspiration(3).id);
    core.setCited('p4', 'lantsman');
    assert.equal(core.focused()?.citedAs, 'lantsman');
    core.begin('broaden', taken);
    assert.equal(core.focused(), null);
  });

  it('takes back what a webview kept, unless something newer is there', async () => {
    const old = fake();
    const step = old.core.begin('address', taken);
    old.core.setSnapshot(step.run, taken, snapshot());
    const before = old.view();
    before.attachment.receive({ type: 'ready' });
    const saved: unknown = JSON.parse(JSON.stringify(before.last()));

    const fresh = fake();
    const after = fresh.view();
    after.attachment.receive({ type: 'ready', saved });
    await settled();
    assert.equal(after.last().trail[0]?.snapshot?.inspirations.length, 12);
    assert.deepEqual(fresh.core.origin(), taken);
    after.attachment.receive({
      type: 'cite',
      entry: after.last().trail[0]?.id,
      id: inspiration(0).id,
    });
    assert.equal(fresh.calls.length, 1);

    const newer = fake();
    newer.core.begin('broaden', taken);
    const shown = newer.view();
    shown.attachment.receive({ type: 'ready', saved });
    assert.equal(shown.last().trail[0]?.move, 'broaden');
  });

  it('reveals only text that has a place', () => {
    const { core, calls, view } = fake();
    const { attachment } = view();
    core.begin('address', { text: 'free', uri: null, range: null });
    attachment.receive({ type: 'revealTaken' });
    assert.equal(calls.filter((call) => call.name === 'revealTaken').length, 0);
    core.begin('address', taken);
    attachment.receive({ type: 'revealTaken' });
    assert.deepEqual(given(calls, 'revealTaken'), taken);
  });
});
