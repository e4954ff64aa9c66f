/** The panel in a real browser: keyboard, focus, places that do not jump, hostile text, widths. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import type { Browser, Locator } from 'playwright-core';
import type { PanelStep } from '../../../client/panel/state';
import {
  buildPanel,
  chromiumPath,
  launch,
  openPanel,
  type Opened,
} from '../../panel-preview/harness';
import {
  hostile,
  inspiration,
  inspirations,
  longTaken,
  refined,
  relative,
  snapshot,
  status,
  taken,
} from '../../panel-preview/samples';
import { refining, scenes } from '../../panel-preview/scenes';

/** axe-core, where it is installed. */
function axePath(): string | null {
  try {
    return require.resolve('axe-core/axe.min.js');
  } catch {
    return null;
  }
}

/** Controls and landmarks without an accessible name, or with one that refers to nothing. */
const nameless = `
  [...document.querySelectorAll('button, a, vscode-button, [role=feed], [role=toolbar], nav, .card')]
    .filter((each) => {
      const named = each.getAttribute('aria-label') || each.textContent.trim();
      const by = each.getAttribute('aria-labelledby');
      return !named || (by && by.split(' ').some((id) => document.getElementById(id) === null));
    })
    .map((each) => each.outerHTML.slice(0, 120))`;

/** The first element that sticks out of the page; what is kept to one line ends in an ellipsis. */
const tooWide = `(() => {
  const root = document.getElementById('ratio');
  const wide = [...root.querySelectorAll('*')].find((element) => {
    const box = element.getBoundingClientRect();
    return box.width > 0 && box.right > innerWidth + 0.5 && !element.closest('.trail, .bar-text, .relative-citation');
  });
  if (wide) return wide.outerHTML.slice(0, 200);
  return root.scrollWidth > root.clientWidth ? 'the page' : null;
})()`;

const violations = `axe
  .run(document, { rules: { 'page-has-heading-one': { enabled: false } } })
  .then((result) => result.violations.flatMap((each) => each.nodes.map(
    (node) => each.id + ': ' + node.html.slice(0, 160) + ' ' + (node.any[0]?.message ?? ''))))`;

describe('the panel in a browser', function () {
  this.timeout(60_000);
  let browser: Browser;
  const open: Opened[] = [];

  before(async function () {
    const executable = chromiumPath();
    if (executable === null) {
      console.log('      skipped: no Chromium found (set RATIO_CHROMIUM to one)');
      return this.skip();
    }
    await buildPanel();
    browser = await launch(executable);
  });

  after(async () => browser?.close());

  afterEach(async () => {
    for (const each of open.splice(0)) {
      // A breach of the policy or an error in the page fails whichever test caused it.
      assert.deepEqual(each.problems, []);
      await each.close();
    }
  });

  async function start(options: Parameters<typeof openPanel>[1] = {}): Promise<Opened> {
    const opened = await openPanel(browser, options);
    open.push(opened);
    return opened;
  }

  async function withCards(options: Parameters<typeof openPanel>[1] = {}): Promise<Opened> {
    const opened = await start(options);
    opened.core.setStatus(status());
    const step = opened.core.begin('address', taken);
    opened.core.setSnapshot(step.run, taken, snapshot());
    await opened.drawn();
    return opened;
  }

  const card = ({ page }: Opened, id: string): Locator => page.locator(`.card[data-id="${id}"]`);
  const focusedCard = async ({ page }: Opened): Promise<string | null> =>
    page.evaluate(`document.activeElement.closest('.card')?.dataset.id ?? null`);
  const order = async ({ page }: Opened): Promise<string[]> =>
    page.evaluate(`[...document.querySelectorAll('.card')].map((card) => card.dataset.id)`);
  const topOf = async (opened: Opened, id: string): Promise<number> =>
    (await card(opened, id).boundingBox())?.y ?? Number.NaN;
  /** Marks may come above it in its card. */
  const sentenceTop = async (opened: Opened, id: string): Promise<number> =>
    (await card(opened, id).locator('.sentence').boundingBox())?.y ?? Number.NaN;
  const spoken = async ({ page }: Opened): Promise<string> =>
    (await page.locator('.sr-only[aria-live]').textContent())?.trim() ?? '';
  const lastStep = ({ calls }: Opened): PanelStep =>
    calls.filter((call) => call.name === 'inspire').at(-1)?.given as PanelStep;
  const ids = inspirations(12).map((each) => each.id);

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

  it('does not move a focused card when a snapshot replaces another', async () => {
    const opened = await start();
    const { page, core } = opened;
    const step = core.begin('address', taken);
    core.setSnapshot(step.run, taken, snapshot({ sequence: 1, final: false }));
    await opened.drawn();
    for (let press = 0; press < 4; press += 1) await page.keyboard.press('ArrowDown');
    await opened.drawn();
    const id = ids[3] ?? '';
    const before = await topOf(opened, id);
    const shuffled = [...inspirations(12)].reverse().map((each, index) => ({
      ...each,
      rank: index + 1,
      // Other heights above: only scrolling can keep the place.
      before: 'A neighbour that was not there before. '.repeat(2),
    }));
    core.setSnapshot(step.run, taken, snapshot({ sequence: 2, inspirations: shuffled }));
    await opened.drawn();
    assert.notDeepEqual(await order(opened), ids);
    assert.equal(await focusedCard(opened), id);
    assert.ok(Math.abs((await topOf(opened, id)) - before) <= 1);
    assert.equal((await order(opened))[3], id);
  });

  it('does not move the card under the pointer, nor take it away', async () => {
    const opened = await start();
    const { core } = opened;
    const step = core.begin('address', taken);
    core.setSnapshot(step.run, taken, snapshot({ sequence: 1, final: false }));
    await opened.drawn();
    const id = ids[1] ?? '';
    await card(opened, id).hover();
    const before = await sentenceTop(opened, id);
    const others = inspirations(12).filter((each) => each.id !== id);
    core.setSnapshot(step.run, taken, snapshot({ sequence: 2, inspirations: others.reverse() }));
    await opened.drawn();
    assert.ok(Math.abs((await sentenceTop(opened, id)) - before) <= 1);
    assert.equal(await card(opened, id).locator('.dropped').count(), 1);
    // It can still be acted on.
    await card(opened, id).locator('.cite').click();
    await opened.drawn();
    assert.equal(opened.calls.at(-1)?.name, 'cite');
  });

  describe('when the order is refined', () => {
    const refinedIds = refined().inspirations.map((each) => each.id);

    it('says so quietly, then that it is, and once to a screen reader', async () => {
      const opened = await start();
      await opened.page.evaluate(`window.said = []; new MutationObserver(() => {
        window.said.push(document.querySelector('.sr-only[aria-live]').textContent);
      }).observe(document.querySelector('.sr-only[aria-live]'), { childList: true, characterData: true })`);
      const run = await refining(opened);
      const summary = opened.page.locator('.summary');
      assert.match((await summary.textContent()) ?? '', /Refining the order…/);
      const before = await summary.boundingBox();
      opened.core.setSnapshot(run, taken, refined());
      await opened.drawn();
      assert.match((await summary.textContent()) ?? '', /512 ms\s*Order refined/);
      assert.deepEqual(await summary.boundingBox(), before, 'nothing jumps');
      assert.deepEqual(await opened.page.evaluate('window.said'), [
        '12 inspirations for Address, order refined',
      ]);
      assert.deepEqual(await order(opened), refinedIds);
    });

    it('says nothing of an order where there is no reranker', async () => {
      const opened = await start();
      const now = status();
      const reranker = { loaded: false, passages: 0, reason: null };
      opened.core.setStatus({ ...now, engine: now.engine && { ...now.engine, reranker } });
      const step = opened.core.begin('address', taken);
      opened.core.setSnapshot(step.run, taken, snapshot({ final: false, rerankAsked: true }));
      opened.core.setSnapshot(step.run, taken, snapshot({ sequence: 2, rerankAsked: true }));
      await opened.drawn();
      assert.equal(await opened.page.locator('.order').count(), 0);
    });

    // The fifth and the tenth leave the refined results, the others move in them.
    for (const at of [0, 2, 4, 9]) {
      for (const within of ['card', 'action'] as const) {
        it(`leaves card ${at} where it is, the focus on its ${within}`, async () => {
          const opened = await start();
          const run = await refining(opened);
          for (let press = 0; press <= at; press += 1)
            await opened.page.keyboard.press('ArrowDown');
          if (within === 'action') {
            for (const key of ['ArrowRight', 'ArrowRight']) await opened.page.keyboard.press(key);
          }
          await opened.drawn();
          const id = ids[at] ?? '';
          await opened.page.evaluate(`document.activeElement.dataset.here = 'yes'`);
          const before = await sentenceTop(opened, id);
          opened.core.setSnapshot(run, taken, refined());
          await opened.drawn();
          assert.ok(Math.abs((await sentenceTop(opened, id)) - before) <= 1);
          assert.equal((await order(opened))[at], id);
          assert.equal(await opened.page.evaluate('document.activeElement.dataset.here'), 'yes');
          const dropped = await card(opened, id).locator('.dropped').count();
          assert.equal(dropped === 1, !refinedIds.includes(id));
        });
      }
    }

    it('leaves the focused card where it is when those above it become shorter', async () => {
      const opened = await start();
      const run = await refining(opened);
      for (const key of ['ArrowDown', 'ArrowDown']) await opened.page.keyboard.press(key);
      const id = ids[1] ?? '';
      const before = await sentenceTop(opened, id);
      const short = inspiration(14, { text: 'Short.', before: null, after: null, role: null });
      const rest = inspirations(12).filter((each) => each.id !== ids[0]);
      opened.core.setSnapshot(run, taken, refined({ inspirations: [short, ...rest] }));
      await opened.drawn();
      assert.ok(Math.abs((await sentenceTop(opened, id)) - before) <= 1);
      assert.equal((await order(opened))[1], id);
      assert.equal(await focusedCard(opened), id);
    });

    it('leaves the last of few cards where it is, though there is nothing to scroll', async () => {
      const opened = await start({ height: 1100 });
      opened.core.setStatus(status());
      const step = opened.core.begin('address', taken);
      const two = inspirations(2);
      opened.core.setSnapshot(
        step.run,
        taken,
        snapshot({ final: false, more: false, inspirations: two }),
      );
      await opened.drawn();
      for (const key of ['ArrowDown', 'ArrowDown']) await opened.page.keyboard.press(key);
      const before = await sentenceTop(opened, ids[1] ?? '');
      const grown = two.map((each) => ({ ...each, relatives: [relative(2), relative(3)] }));
      opened.core.setSnapshot(step.run, taken, refined({ more: false, inspirations: grown }));
      await opened.drawn();
      assert.ok(Math.abs((await sentenceTop(opened, ids[1] ?? '')) - before) <= 1);
      // The room that this took is given back with the next answer.
      const room = `document.querySelector('.content').style.paddingBottom`;
      assert.notEqual(await opened.page.evaluate(room), '');
      const next = opened.core.begin('broaden', taken);
      opened.core.setSnapshot(next.run, taken, snapshot());
      await opened.drawn();
      assert.equal(await opened.page.evaluate(room), '');
    });

    it('moves no button under the pointer', async () => {
      const opened = await start();
      const run = await refining(opened);
      const cite = card(opened, ids[1] ?? '').locator('.actions .cite');
      await cite.hover();
      const before = (await cite.boundingBox())?.y ?? Number.NaN;
      opened.core.setSnapshot(run, taken, refined());
      await opened.drawn();
      assert.ok(Math.abs(((await cite.boundingBox())?.y ?? Number.NaN) - before) <= 1);
    });

    it('keeps all between two cards that are read, and the focused one where it is', async () => {
      const opened = await start({ height: 1200 });
      const run = await refining(opened);
      await opened.page.keyboard.press('ArrowDown');
      await card(opened, ids[2] ?? '').hover();
      const before = await sentenceTop(opened, ids[0] ?? '');
      opened.core.setSnapshot(run, taken, refined());
      await opened.drawn();
      assert.deepEqual((await order(opened)).slice(0, 3), ids.slice(0, 3));
      assert.ok(Math.abs((await sentenceTop(opened, ids[0] ?? '')) - before) <= 1);
    });

    it('keeps what is selected', async () => {
      const opened = await start();
      const run = await refining(opened);
      const id = ids[2] ?? '';
      await opened.page.evaluate(`(() => {
        const { childNodes } = document.querySelector('.card[data-id="${id}"] .sentence');
        const text = [...childNodes].find((node) => node.nodeType === Node.TEXT_NODE && node.data !== '');
        document.getSelection().setBaseAndExtent(text, 3, text, 17);
      })()`);
      const selected = await opened.page.evaluate('String(document.getSelection())');
      assert.equal(selected, inspiration(2).text.slice(3, 17));
      opened.core.setSnapshot(run, taken, refined());
      await opened.drawn();
      assert.equal((await order(opened))[2], id);
      assert.equal(await opened.page.evaluate('String(document.getSelection())'), selected);
    });
  });

  describe('relatives of a card', () => {
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
      assert.equal(
        await page.locator('.relative-body').count(),
        2,
        'from within, r is for that one',
      );
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

  it('takes the new order where nobody reads yet', async () => {
    const opened = await start();
    const { core } = opened;
    const step = core.begin('address', taken);
    core.setSnapshot(step.run, taken, snapshot({ sequence: 1, final: false }));
    await opened.drawn();
    core.setSnapshot(
      step.run,
      taken,
      snapshot({ sequence: 2, inspirations: inspirations(12).reverse() }),
    );
    await opened.drawn();
    assert.deepEqual(await order(opened), [...ids].reverse());
  });

  it('shows hostile text as text and links only to the web', async () => {
    const opened = await start();
    const { page, core } = opened;
    const step = core.begin('address', { ...taken, text: '<img src=x onerror=window.pwned=8>' });
    core.setSnapshot(
      step.run,
      { ...taken, text: '<img src=x onerror=window.pwned=8>' },
      snapshot({ inspirations: [hostile, ...inspirations(3)], notices: ['<b>notice</b>'] }),
    );
    core.setStatus(status({ problem: '<img src=x onerror=window.pwned=9>' }));
    await opened.drawn();
    assert.equal(await page.evaluate('typeof window.pwned'), 'undefined');
    assert.equal(await page.locator('#ratio img, #ratio script, #ratio svg, #ratio b').count(), 0);
    const first = card(opened, hostile.id);
    await first.locator('.relative-head').click();
    await opened.drawn();
    assert.equal(await page.evaluate('typeof window.pwned'), 'undefined');
    assert.equal(await page.locator('#ratio iframe, #ratio svg, #ratio img').count(), 0);
    assert.equal(await first.locator('.relative-text').textContent(), hostile.relatives?.[0]?.text);
    assert.ok(await first.locator('.relative [aria-label^="Open paper"]').isDisabled());
    assert.equal(await first.locator('.title').textContent(), hostile.paper.title);
    assert.equal(await first.locator('a').count(), 0);
    assert.equal(await first.locator('.why').textContent(), 'follows a sentence like yours');
    assert.equal(
      await first.locator('.why').getAttribute('title'),
      'Before it in its paper, cosine 0.500: "><img src=x onerror="window.pwned=10">',
    );
    const links: string[] = await page.evaluate(
      `[...document.querySelectorAll('a')].map((link) => link.href)`,
    );
    assert.ok(links.length > 0);
    for (const link of links) assert.match(link, /^https?:/);
    // A click is the host's to follow.
    await page.locator('a.title').first().click();
    await opened.drawn();
    assert.equal(opened.calls.at(-1)?.name, 'open');
  });

  for (const scene of scenes) {
    it(`names every control and never scrolls sideways: ${scene.name}`, async () => {
      const opened = await start();
      await scene.play(opened);
      assert.deepEqual(await opened.page.evaluate(nameless), []);
      for (const width of [260, 300, 320, 500, 800]) {
        await opened.page.setViewportSize({ width, height: 720 });
        await opened.drawn();
        assert.equal(await opened.page.evaluate(tooWide), null, `${width} px`);
      }
    });
  }

  for (const theme of ['dark', 'light', 'contrast'] as const) {
    it(`breaks no rule of axe-core: ${theme}`, async function () {
      this.timeout(180_000);
      const axe = axePath();
      if (axe === null) {
        console.log('      skipped: axe-core is not installed');
        return this.skip();
      }
      const source = readFileSync(axe, 'utf8');
      // The rules but those on contrast do not depend on the theme: some states do for two of them.
      const some = [
        'empty',
        'cards-focus',
        'relatives',
        'filters',
        'help',
        'weak',
        'engine-failed',
      ];
      for (const scene of scenes) {
        if (theme !== 'dark' && !some.includes(scene.name)) continue;
        const opened = await start({ theme });
        await scene.play(opened);
        await opened.page.evaluate(source);
        assert.deepEqual(await opened.page.evaluate(violations), [], scene.name);
        await opened.close();
        open.pop();
      }
    });
  }

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

  it('says what came to a screen reader', async () => {
    const opened = await withCards();
    const { core } = opened;
    assert.equal(await spoken(opened), '12 inspirations for Address');
    core.setCited('p1', 'maravall2022');
    await opened.drawn();
    assert.equal(await spoken(opened), 'Cited as maravall2022');
    assert.equal(
      await card(opened, ids[0] ?? '')
        .locator('.in-bib code')
        .textContent(),
      'maravall2022',
    );
    const step = core.begin('broaden', taken);
    core.setSnapshot(step.run, taken, snapshot({ inspirations: [], weak: true, more: false }));
    await opened.drawn();
    assert.equal(await spoken(opened), 'Nothing close in these pools');
    core.setSnapshot(
      core.begin('broaden', taken).run,
      taken,
      snapshot({ inspirations: [], weak: false, more: false }),
    );
    await opened.drawn();
    assert.equal(await spoken(opened), 'No paper of these years in these pools');
    const heading = opened.page.locator('.message h2');
    assert.equal(await heading.textContent(), 'No paper of these years in these pools');
  });

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

  it('folds a long text and shows all of it on demand', async () => {
    const opened = await start();
    const step = opened.core.begin('address', longTaken);
    opened.core.setSnapshot(step.run, longTaken, snapshot());
    await opened.drawn();
    const text = opened.page.locator('.taken-text');
    const folded = (await text.boundingBox())?.height ?? 0;
    await opened.page.getByText('Show all').click();
    assert.ok(((await text.boundingBox())?.height ?? 0) > folded * 2);
    await opened.page.locator('.place').click();
    await opened.drawn();
    assert.deepEqual(opened.calls.at(-1), { name: 'revealTaken', given: longTaken });
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

  it('glides to a new order unless motion is reduced', async () => {
    for (const reducedMotion of [false, true]) {
      const opened = await start({ reducedMotion });
      const step = opened.core.begin('address', taken);
      opened.core.setSnapshot(step.run, taken, snapshot({ sequence: 1, final: false }));
      await opened.drawn();
      await opened.page.evaluate(`window.glides = 0;
        const animate = Element.prototype.animate;
        Element.prototype.animate = function (...given) { window.glides += 1; return animate.apply(this, given); };`);
      opened.core.setSnapshot(
        step.run,
        taken,
        snapshot({ sequence: 2, inspirations: inspirations(12).reverse() }),
      );
      await opened.drawn();
      assert.equal((await opened.page.evaluate<number>('window.glides')) > 0, !reducedMotion);
    }
  });
});
