/** Every state of the panel, for screenshots. */
import type { Opened } from './harness';
import { hostile, inspirations, longTaken, refined, snapshot, status, taken } from './samples';

export interface Scene {
  name: string;
  play(opened: Opened): Promise<void>;
}

async function answered({ core, drawn }: Opened): Promise<void> {
  core.setStatus(status());
  const step = core.begin('address', taken);
  core.setSnapshot(step.run, taken, snapshot());
  await drawn();
}

/** First results, which a reranker is at. */
export async function refining({ core, drawn }: Opened): Promise<number> {
  core.setStatus(status());
  const { run } = core.begin('address', taken);
  core.setSnapshot(run, taken, snapshot({ final: false, rerankAsked: true }));
  await drawn();
  return run;
}

export const scenes: readonly Scene[] = [
  {
    name: 'empty',
    play: async ({ core, drawn }) => {
      core.setStatus(status());
      await drawn();
    },
  },
  {
    name: 'empty-no-pools',
    play: async ({ core, drawn }) => {
      const now = status();
      core.setStatus({ ...now, engine: now.engine && { ...now.engine, pools: [] } });
      await drawn();
    },
  },
  { name: 'cards', play: answered },
  {
    name: 'cards-focus',
    play: async (opened) => {
      await answered(opened);
      await opened.page.keyboard.press('ArrowDown');
      await opened.page.keyboard.press('ArrowDown');
      await opened.page.keyboard.press('Enter');
      await opened.page.keyboard.press('u');
      await opened.drawn();
      await opened.page.keyboard.press('ArrowRight');
      await opened.page.keyboard.press('ArrowRight');
      await opened.drawn();
    },
  },
  {
    name: 'refining',
    play: async (opened) => {
      await refining(opened);
      // It is told a moment after the first results.
      await opened.page.waitForTimeout(200);
    },
  },
  {
    name: 'refined',
    play: async (opened) => {
      const run = await refining(opened);
      opened.core.setSnapshot(run, taken, refined());
      await opened.drawn();
    },
  },
  {
    name: 'refined-under-focus',
    play: async (opened) => {
      const run = await refining(opened);
      // The fifth card of the first results is gone from the refined ones.
      for (let press = 0; press < 5; press += 1) await opened.page.keyboard.press('ArrowDown');
      opened.core.setSnapshot(run, taken, refined());
      await opened.drawn();
    },
  },
  {
    name: 'relatives',
    play: async (opened) => {
      const run = await refining(opened);
      opened.core.setSnapshot(run, taken, refined());
      await opened.drawn();
      await opened.page.keyboard.press('ArrowDown');
      await opened.page.keyboard.press('r');
      await opened.drawn();
      for (let press = 0; press < 9; press += 1) await opened.page.keyboard.press('ArrowRight');
      await opened.drawn();
    },
  },
  {
    name: 'unrefined',
    play: async ({ core, drawn }) => {
      core.setStatus(status());
      const step = core.begin('address', taken);
      core.setSnapshot(step.run, taken, snapshot({ rerankAsked: false }));
      await drawn();
    },
  },
  {
    name: 'cards-hover',
    play: async (opened) => {
      await answered(opened);
      await opened.page.locator('.card .icon-button[aria-label^="Broaden"]').first().hover();
      await opened.drawn();
    },
  },
  {
    name: 'scrolled',
    play: async (opened) => {
      await answered(opened);
      await opened.page.locator('.card').nth(2).hover();
      await opened.page.mouse.wheel(0, 420);
      await opened.drawn();
      await opened.page.mouse.move(5, 5);
      await opened.drawn();
    },
  },
  {
    name: 'chain',
    play: async (opened) => {
      await answered(opened);
      const { core, page, drawn } = opened;
      for (const key of ['b', 's']) {
        await page.keyboard.press('ArrowDown');
        await page.keyboard.press(key);
        await drawn();
        const step = opened.calls.filter((call) => call.name === 'inspire').at(-1)?.given as {
          run: number;
          text: string;
        };
        core.setSnapshot(
          step.run,
          { text: step.text, uri: null, range: null },
          snapshot({ elapsedMs: 61 }),
        );
        await drawn();
      }
    },
  },
  {
    name: 'filters',
    play: async (opened) => {
      const { core, page, drawn } = opened;
      core.setStatus(status());
      const step = core.begin('address', longTaken);
      core.setSnapshot(
        step.run,
        longTaken,
        snapshot({ notices: ['The pool botany-2020 is being imported; its papers follow.'] }),
      );
      await drawn();
      await page.locator('.filter-button').click();
      await page.locator('[data-year=from] input').fill('2020');
      await page.keyboard.press('Enter');
      await drawn();
      const again = opened.calls.filter((call) => call.name === 'inspire').at(-1)?.given as {
        run: number;
      };
      core.setSnapshot(again.run, longTaken, snapshot());
      await drawn();
    },
  },
  {
    name: 'help',
    play: async (opened) => {
      await answered(opened);
      await opened.page.keyboard.press('?');
      await opened.drawn();
    },
  },
  {
    name: 'loading',
    play: async ({ core, page, drawn }) => {
      core.setStatus(status());
      core.begin('broaden', taken);
      await drawn();
      await page.waitForSelector('.skeleton');
    },
  },
  {
    name: 'starting',
    play: async ({ core, page, drawn }) => {
      core.setStatus({ state: 'starting', problem: null, engine: null });
      core.begin('specify', taken);
      await drawn();
      await page.waitForSelector('.starting');
    },
  },
  {
    name: 'weak',
    play: async ({ core, drawn }) => {
      core.setStatus(status());
      const step = core.begin('address', taken);
      core.setSnapshot(step.run, taken, snapshot({ inspirations: [], weak: true, more: false }));
      await drawn();
    },
  },
  {
    name: 'filtered-out',
    play: async (opened) => {
      await answered(opened);
      await opened.page.locator('.filter-button').click();
      await opened.page.locator('[data-year=to] input').fill('1960');
      await opened.page.keyboard.press('Enter');
      await opened.drawn();
      const again = opened.calls.filter((call) => call.name === 'inspire').at(-1)?.given as {
        run: number;
      };
      opened.core.setSnapshot(again.run, taken, snapshot({ inspirations: [], more: false }));
      await opened.drawn();
    },
  },
  {
    name: 'no-prose',
    play: async ({ core, drawn }) => {
      core.setStatus(status());
      const step = core.begin('address', null);
      core.setResult(step.run, {
        kind: 'no-prose',
        message:
          'The selection holds only a figure. Select a sentence, or put the cursor in one, and ask again.',
      });
      await drawn();
    },
  },
  {
    name: 'error',
    play: async ({ core, drawn }) => {
      core.setStatus(status());
      const step = core.begin('address', taken);
      core.setError(
        step.run,
        'The pool “my library” could not be read: its file is damaged at page 18. Restart the engine to repair it.',
      );
      await drawn();
    },
  },
  {
    name: 'engine-failed',
    play: async (opened) => {
      await answered(opened);
      opened.core.setStatus(
        status({
          state: 'failed',
          problem:
            'The engine stopped five times within three minutes, the last time for want of memory.',
        }),
      );
      await opened.drawn();
    },
  },
  {
    name: 'hostile',
    play: async ({ core, drawn }) => {
      const step = core.begin('address', taken);
      core.setSnapshot(step.run, taken, snapshot({ inspirations: [hostile, ...inspirations(2)] }));
      await drawn();
    },
  },
];
