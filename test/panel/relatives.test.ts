/** Relatives of a card: sentences of other papers that say much the same. */
import assert from 'node:assert/strict';
import type { Opened } from './support/harness';
import { refined, taken } from './support/samples';
import { refining } from './support/scenes';
import { card, focusedCard, lastStep, usePanel } from './support/suite';

describe('the panel in a browser: relatives of a card', function () {
  this.timeout(60_000);
  const { start } = usePanel();

  const [first] = refined().inspirations;
  const own = first?.relatives ?? [];

  async function withRelatives(): Promise<Opened> {
    const opened = await start();
    const run = await refining(opened);
    opened.core.setSnapshot(run, taken, refined());
    await opened.drawn();
    await opened.page.keyboard.press('ArrowDown');
    return opened;
  }
  const label = ({ page }: Opened): Promise<string> =>
    page.evaluate(
      `document.activeElement.getAttribute('aria-label') ?? document.activeElement.textContent.trim().replace(/\\s+/g, ' ')`,
    );

  it('are folded to their citations and unfold to their sentences, by key and by click', async () => {
    const opened = await withRelatives();
    const { page } = opened;
    const heads = card(opened, first?.id ?? '').locator('.relative-head');
    assert.equal(await heads.count(), 2);
    assert.equal(await page.locator('.relative-body').count(), 0);
    assert.equal(await heads.first().getAttribute('aria-expanded'), 'false');
    await page.keyboard.press('r');
    assert.deepEqual(
      await page.locator('.relative-text').allTextContents(),
      own.map((each) => each.text),
    );
    const body = await heads.first().getAttribute('aria-controls');
    assert.equal(await page.locator(`[id="${body ?? ''}"]`).count(), 1);
    await heads.nth(1).click();
    assert.deepEqual(await page.locator('.relative-text').allTextContents(), [own[0]?.text]);
    await page.keyboard.press('r');
    assert.equal(await page.locator('.relative-body').count(), 2, 'from within, r is for that one');
    await page.keyboard.press('Escape');
    assert.equal(await page.evaluate(`document.activeElement.classList.contains('card')`), true);
    await page.keyboard.press('r');
    assert.equal(await page.locator('.relative-body').count(), 0);
  });

  it('are reached by arrow keys, and cited, copied and opened by their own paper', async () => {
    const opened = await withRelatives();
    const { page, calls } = opened;
    const stops = await page.locator('.card.active .relative-head[tabindex="0"]').count();
    assert.equal(stops, 2);
    for (let press = 0; press < 8; press += 1) {
      await page.keyboard.press('ArrowRight');
      if ((await label(opened)).startsWith('Also in')) break;
    }
    assert.match(await label(opened), /^Also in Maravall et al\. 2022 Turning Back the Pages/);
    await page.keyboard.press('Enter');
    await page.keyboard.press('ArrowRight');
    assert.equal(await label(opened), 'Cite');
    await page.keyboard.press('Enter');
    for (const key of ['c', 'y', 'o']) await page.keyboard.press(key);
    await opened.drawn();
    assert.deepEqual(
      calls.map((call) => call.name),
      ['cite', 'cite', 'copy', 'open'],
    );
    for (const call of calls) assert.deepEqual(call.given, own[0]);
    assert.deepEqual(opened.core.focused(), own[0]);
    // What concerns the card's own sentence is not done from here.
    for (const key of ['a', 'u']) await page.keyboard.press(key);
    await opened.drawn();
    assert.equal(calls.length, 4);
    await page.keyboard.press('Escape');
    await page.keyboard.press('c');
    await opened.drawn();
    assert.equal((calls.at(-1)?.given as { id: string }).id, first?.id);
  });

  it('are cited no more by c once they are folded, but the card is', async () => {
    const opened = await withRelatives();
    const { page, core } = opened;
    await page.keyboard.press('r');
    await page.locator('.relative-actions .cite').first().focus();
    await opened.drawn();
    assert.deepEqual(core.focused(), own[0]);
    await page.keyboard.press('r');
    await opened.drawn();
    assert.equal(await focusedCard(opened), first?.id);
    assert.equal(core.focused()?.id, first?.id, 'the host knows');
  });

  it('say that the .bib has them, and stay unfolded over a reload', async () => {
    const opened = await withRelatives();
    await opened.page.keyboard.press('r');
    opened.core.setCited(own[0]?.paper.id ?? '', 'maravall2022');
    await opened.drawn();
    const marks = card(opened, first?.id ?? '').locator('.relative .in-bib code');
    assert.deepEqual(await marks.allTextContents(), ['maravall2022']);
    await new Promise((resolve) => setTimeout(resolve, 300));
    const again = await opened.reload();
    assert.equal(await again.page.locator('.relative-body').count(), 2);
  });

  it('take the focus with them to the card when they go', async () => {
    const opened = await withRelatives();
    const { page } = opened;
    await page.keyboard.press('r');
    await page.locator('.relative-actions .cite').first().focus();
    await opened.drawn();
    opened.core.refresh();
    const { run } = lastStep(opened);
    const bare = refined().inspirations.map((each) => ({ ...each, relatives: [] }));
    opened.core.setSnapshot(run, taken, refined({ sequence: 0, inspirations: bare }));
    await opened.drawn();
    assert.equal(await page.locator('.relatives').count(), 0);
    assert.equal(await focusedCard(opened), first?.id);
  });
});
