import assert from 'node:assert/strict';
import { keyLabel, keyLabels } from '../../../client/panel/keys';
import { panelPage } from '../../../client/panel/page';
import * as change from '../../../client/panel/state';
import {
  authorLine,
  fileName,
  orderWords,
  relativeWords,
  shortName,
  yearOf,
} from '../../../client/panel/words';
import { yearsTyped } from '../../../client/panel/view/years';
import { Chords, commandFor, keyHelp, type Zone } from '../../../client/panel/view/keyboard';
import { inspiration, refined, snapshot, status, taken } from '../../panel/support/samples';

describe('words of the panel', () => {
  it('names three authors and then says et al.', () => {
    assert.equal(authorLine([]), '');
    assert.equal(authorLine(['A B', ' ', 'C D', 'E F']), 'A B, C D, E F');
    assert.equal(authorLine(['A', 'B', 'C', 'D']), 'A, B, C et al.');
  });

  it('names a paper shortly', () => {
    const { paper } = inspiration(0);
    assert.equal(shortName(paper), 'Maravall et al. 2022');
    assert.equal(shortName({ ...paper, authors: ['Lantsman, Fyodor'], date: null }), 'Lantsman');
    assert.equal(shortName({ ...paper, authors: [] }), paper.title);
    assert.equal(yearOf({ ...paper, date: 'soon' }), null);
  });

  it('names a relative by authors and year, and title, each once', () => {
    const { paper } = inspiration(0);
    assert.deepEqual(relativeWords(paper), { name: 'Maravall et al. 2022', title: paper.title });
    assert.deepEqual(relativeWords({ ...paper, authors: [] }), { name: paper.title, title: null });
  });

  it('names a draft by its file, decoded where it can be', () => {
    assert.equal(fileName('file:///a/garden%20log.tex'), 'garden log.tex');
    assert.equal(fileName('file:///a/100%.md'), '100%.md');
  });
});

describe('whether the order is refined', () => {
  const entry = (shown: Parameters<typeof change.snapshotArrived>[3]): change.Entry => {
    const begun = change.began(change.initialState('s'), 'address', taken);
    const state = change.currentEntry(change.snapshotArrived(begun, 1, taken, shown));
    assert.ok(state);
    return state;
  };
  const withReranker = (loaded: boolean, reason: string | null): ReturnType<typeof status> => {
    const now = status();
    return {
      ...now,
      engine: now.engine && { ...now.engine, reranker: { loaded, passages: 50, reason } },
    };
  };
  const first = snapshot({ final: false, rerankAsked: true });

  it('is told while it is refined and afterwards', () => {
    assert.equal(orderWords(entry(first), status())?.state, 'refining');
    // The status of before it was loaded.
    assert.equal(orderWords(entry(first), withReranker(false, 'Loading.'))?.state, 'refining');
    assert.equal(orderWords(entry(refined()), status())?.state, 'refined');
    assert.equal(orderWords(entry(refined({ final: false })), status())?.state, 'refined');
    assert.equal(orderWords(entry({ ...first, final: true }), status())?.state, 'unrefined');
  });

  it('is not told where nothing refines, and why where something should have', () => {
    const last = { ...first, final: true };
    assert.equal(orderWords(entry(first), null), null);
    assert.equal(orderWords(entry(last), withReranker(false, null)), null);
    assert.equal(orderWords(entry(last), withReranker(false, 'It is damaged.')), null);
    const failed = orderWords(entry(last), withReranker(true, 'No memory.'));
    assert.match(failed?.detail ?? '', /No memory\./);
    const off = orderWords(entry({ ...first, rerankAsked: false }), status());
    assert.equal(off?.state, 'unrefined');
    assert.match(off?.detail ?? '', /ratio\.rerank\.enabled is off/);
    const none = withReranker(false, null);
    assert.equal(orderWords(entry({ ...first, rerankAsked: false }), none), null);
  });

  it('is told of an answer that was stopped', () => {
    const stopped = { ...entry(first), phase: 'stopped' as const };
    assert.match(orderWords(stopped, status())?.detail ?? '', /stopped/);
  });
});

describe('key labels', () => {
  it('are written as the platform does', () => {
    assert.equal(keyLabel('ctrl+alt+a', false), 'Ctrl+Alt+A');
    assert.equal(keyLabel('ctrl+k ctrl+a', false), 'Ctrl+K Ctrl+A');
    assert.equal(keyLabel('cmd+alt+a', true), '⌘⌥A');
  });

  it('are those of the manifest, the first for each move', () => {
    const manifest = {
      contributes: {
        keybindings: [
          { command: 'ratio.address', key: 'ctrl+alt+a', mac: 'cmd+alt+a', when: 'x' },
          { command: 'ratio.address', key: 'f9' },
          { command: 'ratio.cite', key: 'c' },
        ],
      },
    };
    assert.deepEqual(keyLabels(manifest), {
      mac: { address: '⌘⌥A' },
      other: { address: 'Ctrl+Alt+A' },
    });
    assert.deepEqual(keyLabels({ name: 'other' }), { mac: {}, other: {} });
  });
});

describe('the keyboard map', () => {
  const press = (key: string, zone: Zone, modifiers = {}): unknown =>
    commandFor({ key, ctrlKey: false, altKey: false, metaKey: false, ...modifiers }, zone);

  it('acts on cards by letters, only from a card or its actions', () => {
    assert.deepEqual(press('c', 'card'), { do: 'cite' });
    assert.deepEqual(press('B', 'action'), { do: 'chain', move: 'broaden' });
    for (const zone of ['field', 'control', 'page'] as const) assert.equal(press('c', zone), null);
  });

  it('goes by the place of a key where the layout has no Latin letters, else by its letter', () => {
    assert.deepEqual(press('с', 'card', { code: 'KeyC' }), { do: 'cite' });
    assert.deepEqual(press('ψ', 'card', { code: 'KeyC' }), { do: 'cite' });
    assert.deepEqual(press('я', 'card', { code: 'KeyZ', ctrlKey: true }), { do: 'undo' });
    assert.equal(press('ö', 'card', { code: 'Semicolon' }), null);
    assert.deepEqual(press('a', 'card', { code: 'KeyQ' }), { do: 'chain', move: 'address' });
    assert.equal(press('q', 'card', { code: 'KeyA' }), null);
  });

  it('leaves typing, and anything with a modifier, alone', () => {
    for (const key of ['?', 'ArrowDown', 'Home', 'Enter', 'a']) {
      assert.equal(press(key, 'field'), null);
      assert.equal(press(key, 'card', { ctrlKey: true }), null);
      assert.equal(press(key, 'card', { metaKey: true }), null);
      assert.equal(press(key, 'card', { altKey: true }), null);
    }
  });

  it('does once what a held key asks for, and moves as long as it is held', () => {
    const held = { repeat: true };
    for (const key of ['c', 'a', 'u', 'r', '?', 'Enter', 'Escape']) {
      assert.notEqual(press(key, 'card'), null, key);
      assert.equal(press(key, 'card', held), null, key);
    }
    for (const key of ['ArrowDown', 'ArrowUp', 'Home', 'End', 'ArrowRight', 'ArrowLeft']) {
      assert.notEqual(press(key, 'card', held), null, key);
    }
  });

  it('leaves the second key of a chord of VS Code alone, for five seconds', () => {
    const none = { ctrlKey: false, altKey: false, metaKey: false };
    const ctrl = { ...none, ctrlKey: true };
    for (const first of [
      { ...ctrl, key: 'k' },
      { ...none, metaKey: true, key: 'k' },
      { ...ctrl, altKey: true, key: 'r' },
      { ...ctrl, altKey: true, key: '®', code: 'KeyR' },
      { ...ctrl, metaKey: true, key: 'r' },
    ]) {
      const chords = new Chords();
      const name = JSON.stringify(first);
      assert.equal(chords.take({ ...none, key: 'c' }, 0), false);
      assert.equal(chords.take(first, 100), true, name);
      assert.equal(chords.take({ ...first, repeat: true }, 150), true, name);
      assert.equal(chords.take({ ...ctrl, key: 'Control' }, 200), false, 'no second key');
      assert.equal(chords.take({ ...none, key: 'c' }, 5000), true, name);
      assert.equal(chords.take({ ...none, key: 'c' }, 5001), false, 'the third key');
      chords.take(first, 10_000);
      assert.equal(chords.take({ ...none, key: 'c' }, 15_001), false, 'too late');
    }
    const chords = new Chords();
    for (const key of ['k', 'c', 'r']) {
      assert.equal(chords.take({ ...none, key }, 0), false);
      assert.equal(chords.take({ ...none, altKey: true, key }, 0), false);
    }
    assert.equal(chords.take({ ...ctrl, key: 'c' }, 0), false);
  });

  it('lets a button keep its own Enter', () => {
    assert.deepEqual(press('Enter', 'card'), { do: 'expand' });
    assert.equal(press('Enter', 'action'), null);
  });

  it('does something for every key that the help lists', () => {
    const signs: Record<string, string> = {
      '↑': 'ArrowUp',
      '↓': 'ArrowDown',
      '→': 'ArrowRight',
      '←': 'ArrowLeft',
      Esc: 'Escape',
    };
    for (const { keys } of keyHelp) {
      for (const key of keys) {
        const [, ctrl, letter = key] = /^(Ctrl\+)(.)$/.exec(key) ?? [];
        const found = press(signs[letter] ?? letter, 'card', { ctrlKey: ctrl !== undefined });
        assert.notEqual(found, null, key);
      }
    }
  });

  it('undoes by Ctrl+Z or Cmd+Z once, outside fields', () => {
    const undo = { do: 'undo' };
    for (const zone of ['card', 'action', 'control', 'page'] as const) {
      assert.deepEqual(press('z', zone, { ctrlKey: true }), undo);
      assert.deepEqual(press('Z', zone, { metaKey: true }), undo);
    }
    assert.equal(press('z', 'field', { ctrlKey: true }), null);
    assert.equal(press('z', 'card', { ctrlKey: true, repeat: true }), null);
    for (const modifiers of [
      {},
      { ctrlKey: true, shiftKey: true },
      { ctrlKey: true, altKey: true },
      { ctrlKey: true, metaKey: true },
    ]) {
      assert.equal(press('z', 'card', modifiers), null);
    }
  });
});

describe('years as typed', () => {
  it('make a filter, or say what is wrong', () => {
    assert.deepEqual(yearsTyped(' 2019 ', ''), { from: 2019, to: null });
    assert.deepEqual(yearsTyped('2019', '2019'), { from: 2019, to: 2019 });
    assert.ok('problem' in yearsTyped('19', ''));
    assert.ok('problem' in yearsTyped('2020', '2019'));
  });
});

describe('the page', () => {
  it('allows one script by nonce and nothing inline', () => {
    const page = panelPage({
      cspSource: 'https://x',
      script: 'https://x/p.js',
      style: 'https://x/p.css',
      nonce: 'N',
      place: 'view',
    });
    const policy = /Content-Security-Policy" content="([^"]+)"/.exec(page)?.[1] ?? '';
    assert.match(policy, /default-src 'none'/);
    assert.match(policy, /script-src 'nonce-N'(;|$)/);
    assert.doesNotMatch(policy, /unsafe/);
    assert.doesNotMatch(page, /<style|style="|<script>|onload=/);
    assert.equal(page.match(/<script/g)?.length, 1);
  });
});
