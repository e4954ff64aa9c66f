/** What a reload of the window and the trail bring back. */
import assert from 'node:assert/strict';
import { inspirations, snapshot, taken } from './support/samples';
import { card, ids, lastStep, order, usePanel } from './support/suite';

describe('the panel in a browser: reload', function () {
  this.timeout(60_000);
  const { start, withCards } = usePanel();

  it('comes back after a reload of the window: trail, cards, place, judgement', async () => {
    const opened = await withCards();
    const { page } = opened;
    for (const key of ['ArrowDown', 'ArrowDown', 'ArrowDown', 'Enter', 'u']) {
      await page.keyboard.press(key);
    }
    await opened.drawn();
    await page.evaluate(`document.getElementById('ratio').scrollTop = 300`);
    await opened.drawn();
    const again = await opened.reload();
    assert.deepEqual(await order(again), ids);
    const third = card(again, ids[2] ?? '');
    assert.equal(await third.getAttribute('tabindex'), '0');
    assert.match((await third.getAttribute('class')) ?? '', /expanded/);
    assert.equal(await third.locator('[aria-label="Useful"]').getAttribute('aria-pressed'), 'true');
    assert.equal(await page.evaluate(`document.getElementById('ratio').scrollTop`), 300);
    // The new host can act on them.
    await third.locator('.cite').click();
    await again.drawn();
    assert.equal(again.calls.at(-1)?.name, 'cite');
    assert.deepEqual(again.core.origin(), taken);
  });

  it('keeps the order in which cards were shown over a reload and along the trail', async () => {
    const opened = await start();
    const { page, core } = opened;
    const step = core.begin('address', taken);
    core.setSnapshot(step.run, taken, snapshot({ sequence: 0, final: false }));
    await opened.drawn();
    await card(opened, ids[0] ?? '').focus();
    // Refining takes it down, yet it is kept where it is read.
    const cards = inspirations(12);
    const [first, second, third, ...rest] = cards;
    assert.ok(first && second && third);
    const refinedCards = [second, third, first, ...rest];
    core.setSnapshot(step.run, taken, snapshot({ sequence: 1, inspirations: refinedCards }));
    await opened.drawn();
    assert.deepEqual(await order(opened), ids);
    await page.keyboard.press('b');
    await opened.drawn();
    await page.keyboard.press('Escape');
    await opened.drawn();
    assert.deepEqual(await order(opened), ids);
    await new Promise((resolve) => setTimeout(resolve, 400));
    const again = await opened.reload();
    assert.deepEqual(await order(again), ids);
    // Another answer has its own order.
    await page.getByRole('button', { name: 'Show More', exact: true }).click();
    await again.drawn();
    const more = snapshot({ sequence: 0, inspirations: refinedCards });
    again.core.setSnapshot(lastStep(again).run, taken, more);
    await again.drawn();
    assert.equal((await order(again)).length, 12);
  });

  it('offers to ask again what a reload interrupted', async () => {
    const opened = await start();
    opened.core.begin('address', taken);
    await opened.page.waitForSelector('.skeleton');
    const again = await opened.reload();
    await again.page.getByText('Ask Again').click();
    await again.drawn();
    assert.equal(lastStep(again).text, taken.text);
  });
});
