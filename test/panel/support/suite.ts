/** Chromium and the built panel for a suite, and what the suites ask of the page. */
import assert from 'node:assert/strict';
import type { Browser, Locator } from 'playwright-core';
import type { PanelStep } from '../../../client/panel/state';
import { skipBecause } from '../../skip';
import {
  buildPanel,
  chromiumPath,
  launch,
  openPanel,
  type Opened,
  type OpenOptions,
} from './harness';
import { inspirations, snapshot, status, taken } from './samples';

export interface PanelSuite {
  /** Opens the panel as it is before anything was asked. */
  start(options?: OpenOptions): Promise<Opened>;
  /** Opens the panel with an answer of twelve cards. */
  withCards(options?: OpenOptions): Promise<Opened>;
  /** Closes a panel before its test ends. */
  finish(opened: Opened): Promise<void>;
}

let built: Promise<void> | undefined;

/**
 * Call it in a `describe`: a browser before the suite, which is skipped without Chromium; panels
 * are closed after each test, and a breach of the policy or an error in the page fails the test
 * that caused it.
 */
export function usePanel(): PanelSuite {
  let browser: Browser | undefined;
  const open: Opened[] = [];

  before('start a browser', async function () {
    const executable = chromiumPath();
    if (executable === null) skipBecause(this, 'no Chromium found (set RATIO_CHROMIUM to one)');
    built ??= buildPanel();
    await built;
    browser = await launch(executable);
  });

  after('close the browser', async () => browser?.close());

  afterEach('close the panels', async () => {
    for (const each of open.splice(0)) {
      assert.deepEqual(each.problems, []);
      await each.close();
    }
  });

  async function start(options: OpenOptions = {}): Promise<Opened> {
    if (!browser) throw new Error('The browser is open only while tests of its suite run.');
    const opened = await openPanel(browser, options);
    open.push(opened);
    return opened;
  }

  return {
    start,
    withCards: async (options) => {
      const opened = await start(options);
      opened.core.setStatus(status());
      const step = opened.core.begin('address', taken);
      opened.core.setSnapshot(step.run, taken, snapshot());
      await opened.drawn();
      return opened;
    },
    finish: async (opened) => {
      open.splice(open.indexOf(opened), 1);
      assert.deepEqual(opened.problems, []);
      await opened.close();
    },
  };
}

/** Ids of the twelve cards of an answer, in their order. */
export const ids = inspirations(12).map((each) => each.id);

export const card = ({ page }: Opened, id: string): Locator =>
  page.locator(`.card[data-id="${id}"]`);

/** Id of the card that has the focus, or within which it is. */
export const focusedCard = async ({ page }: Opened): Promise<string | null> =>
  page.evaluate(`document.activeElement.closest('.card')?.dataset.id ?? null`);

/** Ids of the cards as they are shown. */
export const order = async ({ page }: Opened): Promise<string[]> =>
  page.evaluate(`[...document.querySelectorAll('.card')].map((card) => card.dataset.id)`);

/** Where a card begins, in CSS pixels from the top of the window. */
export const topOf = async (opened: Opened, id: string): Promise<number> =>
  (await card(opened, id).boundingBox())?.y ?? Number.NaN;

/** The same of its sentence: marks may come above that in its card. */
export const sentenceTop = async (opened: Opened, id: string): Promise<number> =>
  (await card(opened, id).locator('.sentence').boundingBox())?.y ?? Number.NaN;

/** What a screen reader was told last. */
export const spoken = async ({ page }: Opened): Promise<string> =>
  (await page.locator('.sr-only[aria-live]').textContent())?.trim() ?? '';

/** The question that the host was asked last. */
export const lastStep = ({ calls }: Opened): PanelStep =>
  calls.filter((call) => call.name === 'inspire').at(-1)?.given as PanelStep;
