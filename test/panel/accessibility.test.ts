/** Names, widths, the rules of axe-core, and what a screen reader is told. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { skipBecause } from '../skip';
import { snapshot, taken } from './support/samples';
import { scenes } from './support/scenes';
import { card, ids, spoken, usePanel } from './support/suite';

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

describe('the panel in a browser: accessibility', function () {
  this.timeout(60_000);
  const { start, withCards, finish } = usePanel();

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
      if (axe === null) skipBecause(this, 'axe-core is not installed');
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
        await finish(opened);
      }
    });
  }

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
});
