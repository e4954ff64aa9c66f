/** What the UI suites know of Ratio's panel and status item, and how they wait for them. */
import { join } from 'node:path';
import type { FrameLocator, Locator } from 'playwright-core';
import type { Workbench } from '../host/browser';
import { repository } from '../host/paths';
import type { Session } from '../host/session';

export const ID = 'ratio-research.ratio';
/** The draft and notes that ship with Ratio. */
export const EXAMPLES = join(repository, 'examples');

/** A sentence of examples/draft.tex to ask from: a part of it to find it by, and all of it. */
export const TUNING = {
  part: 'reward models favour',
  whole:
    'Preference tuning makes this worse: reward models favour long and confident answers, so a policy that optimises them learns to sound right rather than to be right.',
} as const;
export const FLUENT = {
  part: 'state false facts',
  whole:
    'Language models state false facts as fluently as true ones, and readers cannot tell the two apart.',
} as const;

/** Engine start, embedding of the starter pool and a slow machine included. */
export const FIRST_ANSWER_MS = 60_000;

export type MoveLabel = 'Address' | 'Broaden' | 'Specify';

/** Reads until `good` holds, and returns that; throws with the last value otherwise. */
export async function until<T>(
  what: string,
  read: () => Promise<T> | T,
  good: (value: T) => boolean,
  timeoutMs = 20_000,
): Promise<T> {
  const end = Date.now() + timeoutMs;
  for (;;) {
    const value = await read();
    if (good(value)) return value;
    if (Date.now() > end)
      throw new Error(`Not in ${timeoutMs / 1000} s: ${what}; it is ${show(value)}`);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

function show(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value, null, 1);
}

/** The panel as a reader sees it: the view, or the editor beside the draft, whichever is visible. */
export class Panel {
  readonly frame: FrameLocator;
  readonly cards: Locator;
  /** Without cards that are kept for the reader though refining took them out. */
  readonly current: Locator;
  readonly taken: Locator;

  constructor(private readonly workbench: Workbench) {
    this.frame = workbench.webview(ID);
    this.cards = this.frame.locator('article.card');
    this.current = this.frame.locator('article.card:not(:has(.dropped))');
    this.taken = this.frame.locator('.taken-text');
  }

  /** Waits for the cards that answer this move on this text, refined results included. */
  async answered(move: MoveLabel, text: string, timeout = FIRST_ANSWER_MS): Promise<void> {
    const { frame } = this;
    const pressed = frame.locator('.segment[aria-pressed="true"]', { hasText: move });
    await this.explain(`${move} of “${text}” was not answered`, () =>
      frame
        .locator('body')
        .filter({ has: pressed })
        .filter({ has: frame.locator('.taken-text', { hasText: text }) })
        .locator('.cards[aria-busy="false"]:not(.stale) article.card')
        .first()
        .waitFor({ timeout }),
    );
  }

  /** Waits for a state that stands in place of cards, e.g. "No prose taken". */
  async message(heading: string, timeout = FIRST_ANSWER_MS): Promise<Locator> {
    const section = this.frame.locator('section.message', { hasText: heading });
    await this.explain(`“${heading}” is not shown`, () => section.waitFor({ timeout }));
    return section;
  }

  /** The plain text that the shown move took. */
  async takenText(): Promise<string> {
    return (await this.taken.innerText()).trim();
  }

  sentence(at: number): Promise<string> {
    return this.cards.nth(at).locator('.sentence').innerText();
  }

  sentences(): Promise<string[]> {
    return this.cards.locator('.sentence').allInnerTexts();
  }

  title(at: number): Promise<string> {
    return this.cards.nth(at).locator('.title').innerText();
  }

  /** Index of the card that has the keyboard, itself and not one of its buttons; -1 for none. */
  focused(): Promise<number> {
    return this.cards.evaluateAll((cards) =>
      cards.findIndex((card) => card === card.ownerDocument.activeElement),
    );
  }

  /** Puts the keyboard on a card. */
  async focusCard(at: number): Promise<void> {
    await this.cards.nth(at).locator('.sentence').click();
    await until(
      `card ${at} has the focus`,
      () => this.focused(),
      (index) => index === at,
    );
  }

  /** Presses `c` on a card and returns the key that the panel then says it is cited by. */
  async cite(at: number): Promise<string> {
    await this.focusCard(at);
    await this.workbench.page.keyboard.press('c');
    const key = this.cards.nth(at).locator('.in-bib code');
    await this.explain('The card is not marked as cited', () => key.waitFor());
    return key.innerText();
  }

  /** Keyboard presses, one after another. */
  async press(...keys: readonly string[]): Promise<void> {
    for (const key of keys) await this.workbench.page.keyboard.press(key);
  }

  text(): Promise<string> {
    return this.frame.locator('body').innerText({ timeout: 3_000 });
  }

  private async explain(what: string, wait: () => Promise<void>): Promise<void> {
    try {
      await wait();
    } catch (error) {
      const shown = await this.text().catch(() => '(the panel is not there)');
      const toasts = await this.workbench.page.locator('.notification-toast').allInnerTexts();
      throw new Error(
        `${what}. The panel: ${shown.slice(0, 600)}\nNotifications: ${toasts.join(' | ')}`,
        { cause: error },
      );
    }
  }
}

/** Ratio's item in the status bar. */
export function statusItem(workbench: Workbench): Locator {
  return workbench.page.locator(`.statusbar-item[id="${ID}.ratio.status"]`);
}

/** Waits until the status item's label for a screen reader is so, e.g. `/ready/`. */
export async function statusIs(workbench: Workbench, label: RegExp, timeoutMs = 60_000) {
  const item = statusItem(workbench).locator('a').first();
  return until(
    `the status item says ${String(label)}`,
    async () => (await item.getAttribute('aria-label')) ?? '',
    (text) => label.test(text),
    timeoutMs,
  );
}

/** Puts the cursor before `part` and runs a move from the palette. */
export async function move(
  { workbench, bridge }: Session,
  label: MoveLabel,
  file: string,
  part: string,
): Promise<void> {
  await bridge.placeCursor(file, part);
  await workbench.runCommand(`Ratio: ${label}`);
}

/** What is on the clipboard of the window. */
export function clipboard(workbench: Workbench): Promise<string> {
  return workbench.page.evaluate('navigator.clipboard.readText()');
}
