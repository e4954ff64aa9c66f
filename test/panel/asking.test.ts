/** Asking again: other moves, filters, more. */
import assert from 'node:assert/strict';
import { inspirations, snapshot, taken } from './support/samples';
import { ids, lastStep, order, usePanel } from './support/suite';

describe('the panel in a browser: asking again', function () {
  this.timeout(60_000);
  const { withCards } = usePanel();

  it('asks again for another move, other filters and more', async () => {
    const opened = await withCards();
    const { page, core, calls } = opened;
    await page.getByRole('button', { name: 'Show More', exact: true }).click();
    await opened.drawn();
    assert.equal(lastStep(opened).limit, 40);
    core.setSnapshot(lastStep(opened).run, taken, snapshot({ inspirations: inspirations(15) }));
    await opened.drawn();
    assert.deepEqual((await order(opened)).slice(0, 12), ids);
    assert.equal((await order(opened)).length, 15);
    await page.locator('.filter-button').click();
    await page.locator('[data-year=from] input').fill('20');
    await page.keyboard.press('Enter');
    await opened.drawn();
    assert.equal(
      await page.locator('.filter-problem').textContent(),
      'Write a year as four digits.',
    );
    const asked = calls.length;
    await page.locator('[data-year=from] input').fill('2020');
    await page.keyboard.press('Enter');
    await opened.drawn();
    assert.equal(calls.filter((call) => call.name === 'cancel').length, 0);
    assert.equal(calls.length, asked + 1);
    assert.deepEqual(lastStep(opened).years, { from: 2020, to: null });
    await page.locator('vscode-checkbox', { hasText: '' }).nth(0).click();
    await opened.drawn();
    assert.deepEqual(lastStep(opened).pools, ['my library']);
    await page.locator('.segment', { hasText: 'Specify' }).click();
    await opened.drawn();
    assert.equal(lastStep(opened).move, 'specify');
    assert.equal(lastStep(opened).text, taken.text);
    assert.deepEqual(lastStep(opened).years, { from: 2020, to: null });
  });

  it('ticks the pools that are asked, whatever became of a click', async () => {
    const opened = await withCards();
    const { page } = opened;
    await page.locator('.filter-button').click();
    const ticked = (): Promise<boolean[]> =>
      page.evaluate(`[...document.querySelectorAll('vscode-checkbox')].map((box) => box.checked)`);
    assert.deepEqual(await ticked(), [true, true, false]);
    for (const at of [0, 1]) {
      await page.locator('vscode-checkbox').nth(at).click();
      await opened.drawn();
    }
    // None ticked takes the filter away: those of the workspace are asked, and ticked.
    assert.equal(lastStep(opened).pools, null);
    assert.deepEqual(await ticked(), [true, true, false]);
  });
});
