import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { extensionUnderTest } from '../host/paths';
import { useEditor } from '../host/session';
import { clipboard, EXAMPLES, FLUENT, move, Panel, statusIs, TUNING, until } from './support';

const FILES = {
  'kitchen.md': 'Knead the dough for ten minutes and let it rise overnight in a warm corner.\n',
};

/** A paper whose every field tries to be more than text. Entities survive the importers' cleaning. */
const HOSTILE = {
  id: 'hostile:1',
  title: 'Tuning &lt;img src=x onerror="parent.ratioHit=1;window.ratioHit=1"&gt; Rewards',
  authors: ['&lt;script&gt;window.ratioHit=1&lt;/script&gt; Mallory'],
  date: '2024',
  venue: '&lt;iframe srcdoc="&lt;script&gt;1&lt;/script&gt;"&gt;',
  url: 'javascript:window.ratioHit=1',
  doi: null,
  sentences: [
    'Reward models favour long answers &lt;img src=x onerror="window.ratioHit=1"&gt; however confident.',
    'Preference tuning makes a policy learn to sound right &lt;svg onload="window.ratioHit=1"&gt; rather than to be right.',
  ],
};

describe('the panel', function () {
  this.timeout(120_000);
  const editor = useEditor({ workspace: EXAMPLES, files: FILES });

  it('shows what it is for, and the keys, before the first move', async () => {
    const { workbench } = editor();
    await workbench.openFile('draft.tex');
    await workbench.runCommand('Ratio: Show Panel');
    const panel = new Panel(workbench);
    await panel.frame.locator('section.empty').waitFor({ timeout: 40_000 });
    const text = await panel.text();
    assert.match(text, /Inspiration while you write/);
    assert.match(text, /Address\s+Ctrl\+Alt\+R A/);
    await statusIs(workbench, /ready/);
    await workbench.screenshot('panel-empty');
  });

  it('is used by keyboard alone', async () => {
    const { workbench } = editor();
    const panel = new Panel(workbench);
    await move(editor(), 'Address', 'draft.tex', TUNING.part);
    await panel.answered('Address', TUNING.whole);
    await panel.press('Control+Alt+R', 'p');
    const at = (index: number) =>
      until(
        'the focused card',
        () => panel.focused(),
        (focused) => focused === index,
      );
    await at(0);
    await panel.press('ArrowDown', 'ArrowDown');
    await at(2);
    await panel.press('ArrowUp');
    await at(1);
    await panel.press('End');
    await at(19);
    await panel.press('Home');
    await at(0);
    await panel.press('Enter');
    await panel.frame.locator('article.card.expanded').first().waitFor();
    await workbench.screenshot('panel-expanded');
    await panel.press('ArrowRight');
    await panel.frame.locator('.cite:focus').waitFor();
    await panel.press('Escape');
    await at(0);
  });

  it('copies a card with its citation', async () => {
    const { workbench } = editor();
    const panel = new Panel(workbench);
    await panel.focusCard(1);
    await panel.press('y');
    const copied = await until(
      'the clipboard',
      () => clipboard(workbench),
      (text) => text.includes('\n'),
    );
    assert.ok(copied.startsWith(await panel.sentence(1)), copied);
    assert.ok(copied.includes(await panel.title(1)), copied);
  });

  it('asks VS Code to open a paper at its web address', async () => {
    const { workbench } = editor();
    const panel = new Panel(workbench);
    await panel.focusCard(1);
    const link = await panel.cards.nth(1).locator('a.title').getAttribute('href');
    await panel.press('o');
    const dialog = workbench.page.locator('.monaco-dialog-box');
    await dialog.waitFor();
    assert.ok(link && (await dialog.innerText()).includes(link.slice(0, 30)), link ?? 'no link');
    await panel.press('Escape');
    await dialog.waitFor({ state: 'hidden' });
  });

  it('keeps judgements in the data folder', async () => {
    const { workbench, server } = editor();
    const panel = new Panel(workbench);
    const card = panel.cards.nth(2);
    await panel.focusCard(2);
    const sentence = await panel.sentence(2);
    const kept = () => {
      const file = join(server.ratioHome, 'feedback.jsonl');
      return existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n') : [];
    };
    await panel.press('u');
    await card.locator('[aria-label="Useful"][aria-pressed="true"]').waitFor();
    await panel.press('n');
    await card.locator('[aria-label="Not useful"][aria-pressed="true"]').waitFor();
    assert.equal(await card.locator('[aria-label="Useful"][aria-pressed="true"]').count(), 0);
    await panel.press('n');
    await card.locator('[aria-label="Not useful"][aria-pressed="false"]').waitFor();
    const lines = await until('kept judgements', kept, (all) => all.length === 3);
    const rows = lines.map((line) => JSON.parse(line) as Record<string, unknown>);
    assert.deepEqual(
      rows.map((row) => row['verdict']),
      ['useful', 'not-useful', 'none'],
    );
    assert.ok(lines[0]?.includes(JSON.stringify(sentence)), 'the judged sentence is kept');
  });

  it('follows cards, and goes back by Escape to where the reader was', async () => {
    const { workbench } = editor();
    const panel = new Panel(workbench);
    const answer = await panel.sentences();
    let from = 1;
    for (const [key, label] of [
      ['s', 'Specify'],
      ['b', 'Broaden'],
      ['a', 'Address'],
    ] as const) {
      await panel.focusCard(from);
      const sentence = await panel.sentence(from);
      await panel.press(key);
      await panel.answered(label, sentence);
      assert.ok(!(await panel.sentences()).includes(sentence), 'a card is no answer to itself');
      from = 0;
    }
    assert.equal(await panel.frame.locator('.trail li').count(), 4);
    await workbench.screenshot('panel-trail');
    for (let back = 3; back > 0; back--) {
      await panel.press('Escape');
      await panel.frame.locator(`.trail li:nth-child(${back}) [aria-current=step]`).waitFor();
      await until(
        'a card has the focus',
        () => panel.focused(),
        (index) => index >= 0,
      );
    }
    await panel.answered('Address', TUNING.whole);
    assert.deepEqual(await panel.sentences(), answer);
    await until(
      'the card left is focused',
      () => panel.focused(),
      (index) => index === 1,
    );
  });

  it('brings more', async () => {
    const { workbench } = editor();
    const panel = new Panel(workbench);
    await move(editor(), 'Address', 'draft.tex', FLUENT.part);
    await panel.answered('Address', FLUENT.whole);
    const first = await panel.sentences();
    await panel.frame.locator('.more vscode-button').click();
    await until(
      'cards',
      () => panel.cards.count(),
      (count) => count === 40,
    );
    assert.deepEqual((await panel.sentences()).slice(0, 20), first, 'nothing moves');
  });

  it('filters by year', async () => {
    const { workbench } = editor();
    const panel = new Panel(workbench);
    const { frame } = panel;
    await frame.locator('.filter-button').click();
    const from = frame.locator('[data-year="from"] input');
    await from.fill('2025');
    await from.press('Enter');
    await frame.locator('.filter-button.on').waitFor();
    const years = () => panel.cards.locator('.byline').allInnerTexts();
    await until(
      'years',
      years,
      (lines) => lines.length > 0 && lines.every((line) => line.includes('2025')),
    );
    await workbench.screenshot('panel-filters');
    await from.fill('20x5');
    await from.press('Enter');
    await frame.locator('.filter-problem').waitFor();
    await frame.locator('.clear').click();
    await until('years', years, (lines) =>
      lines.some((line) => line !== '' && !line.includes('2025')),
    );
    await frame.locator('.filter-button').click();
  });

  it('shows foreign text as text', async () => {
    const { workbench, bridge, server } = editor();
    const panel = new Panel(workbench);
    const source = join(server.folder, 'hostile.jsonl');
    writeFileSync(source, `${JSON.stringify(HOSTILE)}\n`);
    // From a terminal, on the same data folder: the editor's next move asks the new pool too.
    const cli = join(extensionUnderTest, 'dist', 'cli.js');
    execFileSync(process.execPath, [cli, 'pool', 'add', 'hostile', source], {
      env: { ...process.env, RATIO_HOME: server.ratioHome },
      stdio: 'pipe',
    });
    await bridge.setConfiguration('ratio.pools', ['hostile']);
    await move(editor(), 'Broaden', 'draft.tex', TUNING.part);
    await panel.answered('Broaden', TUNING.whole);
    const card = panel.cards.first();
    const text = await card.innerText();
    for (const markup of ['<img src=x', '<script>', '<iframe']) {
      assert.ok(text.includes(markup), `${markup} is not shown: this shows nothing\n${text}`);
    }
    assert.equal(await card.locator('img, script, iframe, svg').count(), 0);
    assert.equal(await card.locator('a').count(), 0, 'a script address is no link');
    assert.ok(await card.locator('[aria-label^="Open paper"]').isDisabled());
    await workbench.screenshot('panel-hostile', card);
    const hits = await Promise.all(
      workbench.page.frames().map((frame) => frame.evaluate('typeof window.ratioHit')),
    );
    assert.deepEqual(new Set(hits), new Set(['undefined']));
    await bridge.setConfiguration('ratio.pools', undefined);
    execFileSync(process.execPath, [cli, 'pool', 'remove', 'hostile'], {
      env: { ...process.env, RATIO_HOME: server.ratioHome },
      stdio: 'pipe',
    });
  });

  it('says when nothing is close', async () => {
    const { workbench } = editor();
    const panel = new Panel(workbench);
    await workbench.openFile('kitchen.md');
    await move(editor(), 'Address', 'kitchen.md', 'dough');
    const message = await panel.message('Nothing close in these pools');
    assert.match(await message.innerText(), /Asked: starter/);
    assert.equal(await panel.cards.count(), 0);
    await workbench.screenshot('panel-weak');
  });

  it('survives being hidden, and a reload of the window', async () => {
    const { workbench, bridge } = editor();
    const panel = new Panel(workbench);
    await move(editor(), 'Specify', 'draft.tex', TUNING.part);
    await panel.answered('Specify', TUNING.whole);
    const sentence = await panel.sentence(4);
    await panel.focusCard(4);
    await panel.press('a');
    await panel.answered('Address', sentence);
    await panel.focusCard(3);
    const cards = await panel.sentences();
    const same = async () => {
      await panel.answered('Address', sentence);
      assert.deepEqual(await panel.sentences(), cards);
      assert.equal(await panel.frame.locator('.trail li').count(), 2);
      await panel.frame.locator('article.card:nth-of-type(4).active').waitFor();
      const top = () => panel.frame.locator('#ratio').evaluate((root) => root.scrollTop as number);
      assert.ok((await until('scrolled as before', top, (value) => value > 0)) > 0);
    };
    await workbench.page.waitForTimeout(600);
    await workbench.openView('Explorer');
    await panel.frame.locator('body').waitFor({ state: 'hidden' });
    await workbench.openView('Ratio');
    await same();
    await workbench.page.waitForTimeout(600);
    await workbench.reload();
    await bridge.ready();
    await same();
    // The restored trail is alive: one step back, and the card can be followed again.
    await panel.focusCard(3);
    await panel.press('Escape');
    await panel.answered('Specify', TUNING.whole);
  });

  it('shows that the engine starts, and what was asked', async () => {
    const { workbench, bridge } = editor();
    const panel = new Panel(workbench);
    await workbench.openFile('draft.tex');
    await statusIs(workbench, /ready/);
    await bridge.placeCursor('draft.tex', FLUENT.part);
    // Not by the palette: the engine would be up before it is asked.
    void bridge.execute('ratio.restartEngine');
    void bridge.execute('ratio.address');
    await panel.frame.locator('.starting', { hasText: 'Starting the engine' }).waitFor();
    await panel.frame.locator('.taken-text', { hasText: FLUENT.whole }).waitFor();
    await workbench.screenshot('panel-starting');
    await panel.answered('Address', FLUENT.whole);
  });

  it('says what to do when the engine cannot start, and recovers', async () => {
    const { workbench, bridge, server } = editor();
    const panel = new Panel(workbench);
    const empty = join(server.folder, 'no-encoder');
    mkdirSync(empty);
    await bridge.setConfiguration('ratio.engine.encoderPath', empty);
    await move(editor(), 'Broaden', 'draft.tex', FLUENT.part);
    const message = await panel.message('The answer could not be computed');
    const text = await message.innerText();
    assert.ok(text.includes(empty), text);
    assert.equal(await panel.takenText(), FLUENT.whole, 'what was asked is not lost');
    assert.match(text, /missing\. Install Ratio again, or choose another model folder/);
    await statusIs(workbench, /missing/);
    await workbench.screenshot('panel-error');
    await bridge.setConfiguration('ratio.engine.encoderPath', undefined);
    await message.locator('vscode-button', { hasText: 'Restart Engine' }).click();
    await statusIs(workbench, /ready/);
    await panel.frame.locator('vscode-button', { hasText: 'Try Again' }).first().click();
    await panel.answered('Broaden', FLUENT.whole);
  });
});
