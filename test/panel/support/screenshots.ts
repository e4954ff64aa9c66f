/**
 * Takes a screenshot of every state of the panel in three themes and two widths into out/panel.
 * Run: npx tsx test/panel/support/screenshots.ts [name…]
 */
import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { packageRoot } from '../../../server/paths';
import { buildPanel, chromiumPath, launch, openPanel } from './harness';
import { scenes } from './scenes';
import { themes } from './themes';

async function main(names: string[]): Promise<void> {
  const executable = chromiumPath();
  if (executable === null) throw new Error('No Chromium found; set RATIO_CHROMIUM to one.');
  const folder = path.join(packageRoot(), 'out', 'panel');
  mkdirSync(folder, { recursive: true });
  await buildPanel();
  const browser = await launch(executable);
  try {
    for (const theme of Object.keys(themes) as (keyof typeof themes)[]) {
      for (const width of [320, 800]) {
        for (const scene of scenes) {
          if (names.length > 0 && !names.includes(scene.name)) continue;
          const opened = await openPanel(browser, { theme, width, height: 760 });
          await scene.play(opened);
          const file = `${scene.name}-${width}-${theme}.png`;
          await opened.page.screenshot({ path: path.join(folder, file) });
          for (const problem of opened.problems) console.error(`${file}: ${problem}`);
          await opened.close();
        }
      }
    }
  } finally {
    await browser.close();
  }
}

main(process.argv.slice(2)).catch((error: unknown) => {
  console.error(error);
  process.exitCode = 1;
});
