/** The panel by keyboard: cards, their actions, the trail, and where the focus goes. */
import assert from 'node:assert/strict';
import type { Opened } from './support/harness';
import { inspiration, inspirations, snapshot, status, taken } from './support/samples';
import { card, focusedCard, ids, lastStep, order, spoken, usePanel } from './support/suite';

describe('the panel in a browser: keyboard', function () {
  this.timeout(60_000);
  const { start, withCards } = usePanel();

  it('moves over the cards by arrow keys, with one tab stop', async () => {
    const opened = await withCards();
    const { page } = opened;
    const stops = (): Promise<number> => page.locator('.card[tabindex="0"]').count();
    assert.equal(await stops(), 1);
    for (const [key, expected] of [
      ['ArrowDown', ids[0]],
      ['ArrowDown', ids[1]],
      ['End', ids[11]],
      ['ArrowDown', ids[11]],
      ['ArrowUp', ids[10]],
      ['Home', ids[0]],
      ['ArrowUp', ids[0]],
    ] as const) {
      await page.keyboard.press(key);
      assert.equal(await focusedCard(opened), expected, key);
      assert.equal(await stops(), 1);
    }
    await opened.drawn();
    assert.equal(opened.core.focused()?.id, ids[0]);
    const tabbable = await page.evaluate(
      `document.querySelectorAll('.card:not(.active) [tabindex="0"], .card:not(.active) button:not([tabindex])').length`,
    );
    assert.equal(tabbable, 0, 'controls of other cards take no tab stops');
  });

  it('does by one letter what its help says', async () => {
    const opened = await withCards();
    const { page, calls } = opened;
    await page.keyboard.press('c');
    await opened.drawn();
    assert.equal(calls.length, 0, 'no card has the focus yet');
    await page.keyboard.press('ArrowDown');
    for (const key of ['c', 'y', 'o', 'u', 'n', 'n']) await page.keyboard.press(key);
    await opened.drawn();
    assert.deepEqual(
      calls.map((call) => call.name),
      ['cite', 'copy', 'open', 'feedback', 'feedback', 'feedback'],
    );
    const verdicts = calls.slice(3).map((call) => (call.given as { verdict: string }).verdict);
    assert.deepEqual(verdicts, ['useful', 'not-useful', 'none']);
    await page.keyboard.press('Control+c');
    await opened.drawn();
    assert.equal(calls.length, 6, 'Ctrl+C is the browser’s');
    for (const key of ['Control+k', 'c', 'Control+Alt+r', 'c']) await page.keyboard.press(key);
    await opened.drawn();
    assert.equal(calls.length, 6, 'the second key of a chord is VS Code’s');
    await page.keyboard.press('c');
    await opened.drawn();
    assert.equal(calls.length, 7);
    await page.keyboard.press('Enter');
    assert.match((await card(opened, ids[0] ?? '').getAttribute('class')) ?? '', /expanded/);
    await page.keyboard.press('?');
    assert.equal(await page.locator('.help').count(), 1);
    await page.keyboard.press('Escape');
    assert.equal(await page.locator('.help').count(), 0);
  });

  it('reaches a card’s actions by arrow keys and leaves them by Escape', async () => {
    const opened = await withCards();
    const { page, calls } = opened;
    const label = (): Promise<string> =>
      page.evaluate(
        `document.activeElement.getAttribute('aria-label') ?? document.activeElement.textContent.trim()`,
      );
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('ArrowRight');
    assert.equal(await label(), 'Cite');
    await page.keyboard.press('Enter');
    await page.keyboard.press('ArrowRight');
    assert.equal(await label(), 'Copy sentence and citation');
    await page.keyboard.press('Enter');
    await opened.drawn();
    assert.deepEqual(
      calls.map((call) => call.name),
      ['cite', 'copy'],
    );
    await page.keyboard.press('Escape');
    assert.equal(await page.evaluate(`document.activeElement.classList.contains('card')`), true);
  });

  it('chains by a key and comes back by Escape, to the card it left', async () => {
    const opened = await withCards();
    const { page, core } = opened;
    for (const key of ['ArrowDown', 'ArrowDown', 's']) await page.keyboard.press(key);
    await opened.drawn();
    const step = lastStep(opened);
    assert.equal(step.text, inspiration(1).text);
    assert.equal(step.move, 'specify');
    core.setSnapshot(
      step.run,
      { text: inspiration(1).text, uri: null, range: null },
      snapshot({ inspirations: inspirations(3) }),
    );
    await opened.drawn();
    assert.equal(await page.locator('.crumb').count(), 2);
    assert.equal(await focusedCard(opened), ids[0], 'the keyboard goes on in the new cards');
    await page.keyboard.press('Escape');
    await opened.drawn();
    await opened.drawn();
    assert.equal((await order(opened)).length, 12);
    assert.equal(await focusedCard(opened), ids[1]);
    assert.equal(
      await page.locator('.crumb[aria-current]').getAttribute('aria-label'),
      'Address, Draft',
    );
  });

  it('goes on from Show More with the keyboard', async () => {
    const opened = await withCards();
    const { page, core } = opened;
    await card(opened, ids[0] ?? '').focus();
    for (let presses = 0; presses < 30; presses += 1) {
      await page.keyboard.press('Tab');
      const name = await page.evaluate(`document.activeElement.textContent.trim()`);
      if (name === 'Show More') break;
    }
    await page.keyboard.press('Enter');
    await opened.drawn();
    assert.equal(await focusedCard(opened), null);
    const answer = snapshot({ inspirations: inspirations(15) });
    core.setSnapshot(lastStep(opened).run, taken, answer);
    await opened.drawn();
    assert.equal(await focusedCard(opened), inspirations(15)[12]?.id);
  });

  describe('the focus of a control that goes', () => {
    const focused = ({ page }: Opened): Promise<string> =>
      page.evaluate(
        `(({ className, tagName, textContent }) => className || tagName + ' ' + textContent.trim())(document.activeElement)`,
      );

    it('goes to the button that shows the same', async () => {
      const opened = await withCards();
      const { page, core } = opened;
      await page.locator('.help-button').click();
      await page.getByRole('button', { name: 'Hide the keys' }).focus();
      await page.keyboard.press('Enter');
      assert.match(await focused(opened), /help-button/);
      await page.locator('.filter-button').click();
      await page.locator('[data-year=from] input').fill('2020');
      await page.keyboard.press('Enter');
      await opened.drawn();
      assert.deepEqual(lastStep(opened).years, { from: 2020, to: null });
      await page.getByRole('button', { name: 'Clear filters' }).focus();
      await page.keyboard.press('Enter');
      await opened.drawn();
      assert.match(await focused(opened), /filter-button/);
      core.setSnapshot(lastStep(opened).run, taken, snapshot());
      await opened.drawn();
      assert.match(await focused(opened), /filter-button/);
    });

    it('goes from Back, at the start of the trail, to the step that is shown', async () => {
      const opened = await withCards();
      const { page } = opened;
      await card(opened, ids[0] ?? '').focus();
      await page.keyboard.press('s');
      await opened.drawn();
      const of = { text: inspiration(0).text, uri: null, range: null };
      opened.core.setSnapshot(lastStep(opened).run, of, snapshot());
      await opened.drawn();
      assert.equal(await focusedCard(opened), ids[0]);
      await page.getByRole('button', { name: 'Back on the trail' }).focus();
      await page.keyboard.press('Enter');
      await opened.drawn();
      assert.equal(
        await page.locator('.crumb[aria-current]').getAttribute('aria-label'),
        'Address, Draft',
      );
      assert.match(await focused(opened), /^crumb/);
    });

    it('goes from Cancel to what can be done then, which is told', async () => {
      const opened = await start();
      const { page, core } = opened;
      core.setStatus({ ...status(), state: 'starting' });
      const step = core.begin('address', taken);
      await page.getByRole('button', { name: 'Cancel' }).focus();
      await page.keyboard.press('Enter');
      await opened.drawn();
      assert.equal(opened.calls.at(-1)?.given, step.run);
      assert.equal(await spoken(opened), 'Stopped');
      assert.equal(await focused(opened), 'VSCODE-BUTTON Ask Again');
      await page.keyboard.press('Enter');
      await opened.drawn();
      core.setSnapshot(lastStep(opened).run, taken, snapshot());
      await opened.drawn();
      assert.equal(await focusedCard(opened), ids[0]);
      assert.equal(core.focused()?.id, ids[0]);
    });
  });
});
