/** The panel as a part of VS Code: its links, its keys by platform, its filters, judgements and undo. */
import assert from 'node:assert/strict';
import { status, taken, snapshot } from './support/samples';
import { card, ids, lastStep, usePanel } from './support/suite';

describe('the panel in a browser: as part of VS Code', function () {
  this.timeout(60_000);
  const { start, withCards } = usePanel();

  it('opens a paper once: VS Code’s own listener for links is not reached', async () => {
    const opened = await withCards();
    const { page, calls } = opened;
    const link = page.locator('a.title').first();
    await link.click();
    await opened.drawn();
    assert.deepEqual(
      calls.map((call) => call.name),
      ['open'],
    );
    assert.deepEqual(await page.evaluate('window.clickedLinks'), []);
    await page.evaluate(`(() => {
      const other = document.createElement('a');
      other.href = 'https://example.org/';
      document.body.append(other);
      other.click();
      other.remove();
    })()`);
    assert.deepEqual(await page.evaluate('window.clickedLinks'), ['https://example.org/']);
  });

  it('names keys as they are where the page is shown', async () => {
    const opened = await start();
    const { page } = opened;
    const shown = (): Promise<string | null> => page.locator('.moves kbd').first().textContent();
    assert.equal(await shown(), 'Ctrl+Alt+A');
    await page.addInitScript(`Object.defineProperty(navigator, 'userAgent', {
      get: () => 'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7)',
    })`);
    const again = await opened.reload();
    await again.drawn();
    assert.equal(await shown(), '⌃⌘A');
  });

  it('forgets a year that was wrong with the message about it', async () => {
    const opened = await withCards();
    const { page } = opened;
    const from = page.locator('[data-year=from] input');
    const problem = page.locator('.filter-problem');
    await page.locator('.filter-button').click();
    const mistype = async (): Promise<void> => {
      await from.fill('20x');
      await page.keyboard.press('Enter');
      await opened.drawn();
      assert.equal(await problem.count(), 1);
      assert.equal(await from.inputValue(), '20x', 'what is wrong stays to be mended');
    };
    await mistype();
    await page.locator('vscode-checkbox').first().click();
    await opened.drawn();
    assert.equal(await problem.count(), 0);
    assert.equal(await from.inputValue(), '');
    assert.deepEqual(lastStep(opened).years, { from: null, to: null });
    await mistype();
    await page.locator('.clear').click();
    await opened.drawn();
    assert.equal(await problem.count(), 0);
    assert.equal(await from.inputValue(), '');
  });

  it('keeps a year that is filtered by when filters are closed over a wrong one', async () => {
    const opened = await withCards();
    const { page, core } = opened;
    const toggle = page.locator('.filter-button');
    const field = (name: string) => page.locator(`[data-year=${name}] input`);
    const type = async (name: string, text: string): Promise<void> => {
      await field(name).fill(text);
      await page.keyboard.press('Enter');
      await opened.drawn();
    };
    await toggle.click();
    await type('from', '2015');
    core.setSnapshot(lastStep(opened).run, taken, snapshot());
    await type('from', '20x');
    assert.equal(await page.locator('.filter-problem').count(), 1);
    await toggle.click();
    await opened.drawn();
    await toggle.click();
    await opened.drawn();
    assert.equal(await page.locator('.filter-problem').count(), 0);
    assert.equal(await field('from').inputValue(), '2015');
    await type('to', '2020');
    assert.deepEqual(lastStep(opened).years, { from: 2015, to: 2020 });
  });

  it('leaves a year that is being typed alone', async () => {
    const opened = await withCards();
    const { page, core } = opened;
    await page.locator('.filter-button').click();
    await page.locator('[data-year=from] input').fill('20');
    core.setStatus(status({ problem: 'The disk is nearly full.' }));
    await opened.drawn();
    assert.equal(await page.locator('.notice.warning').count(), 1);
    assert.equal(await page.locator('[data-year=from] input').inputValue(), '20');
  });

  it('lists the pools also once the engine rests', async () => {
    const opened = await withCards();
    const { page, core } = opened;
    await page.locator('.filter-button').click();
    const pools = (): Promise<number> => page.locator('.pool-list vscode-checkbox').count();
    assert.equal(await pools(), 3);
    core.setStatus(status({ state: 'stopped', engine: null }));
    await opened.drawn();
    assert.equal(await pools(), 3);
  });

  it('lets a thumb go that another move’s answer did not get', async () => {
    const opened = await withCards();
    const { page, core } = opened;
    const id = ids[0] ?? '';
    const pressed = (): Promise<string | null> =>
      card(opened, id).locator('[aria-keyshortcuts="u"]').getAttribute('aria-pressed');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('u');
    await opened.drawn();
    assert.equal(await pressed(), 'true');
    await page.locator('.segment', { hasText: 'Specify' }).click();
    await opened.drawn();
    core.setSnapshot(lastStep(opened).run, taken, snapshot());
    await opened.drawn();
    assert.equal(await pressed(), 'false');
  });

  it('takes a citation back by the keys of undo, while that can be undone', async () => {
    const opened = await withCards();
    const { page, core, calls } = opened;
    const undone = (): number => calls.filter((call) => call.name === 'undo').length;
    await page.evaluate(
      `window.left = 0; window.addEventListener('keydown', (event) => { if (event.key === 'z') window.left += 1; })`,
    );
    const left = (): Promise<number> => page.evaluate('window.left');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Control+z');
    await opened.drawn();
    assert.equal(undone(), 0, 'nothing was cited');
    assert.equal(await left(), 1, 'the key is left to VS Code');
    core.setUndoable(true);
    await opened.drawn();
    await page.locator('.filter-button').click();
    await page.locator('[data-year=from] input').focus();
    await page.keyboard.press('Control+z');
    await opened.drawn();
    assert.equal(undone(), 0, 'a field has its own undo');
    await card(opened, ids[0] ?? '').focus();
    await page.keyboard.press('Control+Shift+z');
    await opened.drawn();
    assert.equal(undone(), 0, 'redo is another key');
    const before = await left();
    await page.keyboard.press('Control+z');
    await page.keyboard.press('Control+z');
    await opened.drawn();
    assert.equal(undone(), 1, 'once');
    assert.equal(await left(), before + 1);
    core.setUndoable(false);
    core.setUndoable(true);
    await opened.drawn();
    await page.keyboard.press('Meta+z');
    await opened.drawn();
    assert.equal(undone(), 1, 'the first is still under way');
    const settle = calls.find((call) => call.name === 'undo')?.given as () => void;
    settle();
    await opened.drawn();
    await page.keyboard.press('Meta+z');
    await opened.drawn();
    assert.equal(undone(), 2, 'VS Code’s question was answered with Cancel');
  });
});
