/** What is shown while there is no answer, or none as it was wanted. */
import assert from 'node:assert/strict';
import { snapshot, taken } from './support/samples';
import { card, ids, lastStep, usePanel } from './support/suite';

describe('the panel in a browser: states', function () {
  this.timeout(60_000);
  const { start } = usePanel();

  it('shows no skeleton before a fast answer, and one before a slow one', async () => {
    const opened = await start();
    const { page, core } = opened;
    await page.evaluate(`window.seen = 0; new MutationObserver(() => {
      window.seen += document.querySelectorAll('.skeleton').length;
    }).observe(document.getElementById('ratio'), { childList: true, subtree: true })`);
    const step = core.begin('address', taken);
    await opened.drawn();
    core.setSnapshot(step.run, taken, snapshot());
    await new Promise((resolve) => setTimeout(resolve, 250));
    assert.equal(await page.evaluate('window.seen'), 0);
    core.begin('broaden', taken);
    await page.waitForSelector('.skeleton');
  });

  it('offers to ask again what was called off while its order was refined', async () => {
    const opened = await start();
    const { page, core } = opened;
    const step = core.begin('address', taken);
    core.setSnapshot(step.run, taken, snapshot({ sequence: 0, final: false }));
    await opened.drawn();
    const stopped = page.getByText('Stopped before the answer was complete.');
    assert.equal(await stopped.count(), 0);
    await card(opened, ids[0] ?? '').focus();
    await page.keyboard.press('b');
    await opened.drawn();
    await page.keyboard.press('Escape');
    await opened.drawn();
    assert.equal(await stopped.count(), 1);
    await page.getByRole('button', { name: 'Ask Again' }).click();
    await opened.drawn();
    assert.equal(lastStep(opened).text, taken.text);
    core.setSnapshot(lastStep(opened).run, taken, snapshot());
    await opened.drawn();
    assert.equal(await stopped.count(), 0);
  });

  it('offers what to do when something is wrong', async () => {
    const opened = await start();
    const { page, core, calls } = opened;
    const step = core.begin('address', taken);
    core.setError(step.run, 'The disk is full.');
    await opened.drawn();
    assert.match((await page.locator('[role=alert]').textContent()) ?? '', /The disk is full\./);
    for (const name of ['Restart Engine', 'Show Logs', 'Try Again']) {
      await page.getByRole('button', { name }).click();
    }
    await opened.drawn();
    assert.deepEqual(
      calls.map((call) => (call.name === 'command' ? call.given : call.name)),
      ['restartEngine', 'showLogs', 'inspire'],
    );
  });
});
