/** Text of papers and drafts is only ever text, and folded where it is long. */
import assert from 'node:assert/strict';
import { hostile, inspirations, longTaken, snapshot, status, taken } from './support/samples';
import { card, usePanel } from './support/suite';

describe('the panel in a browser: text', function () {
  this.timeout(60_000);
  const { start } = usePanel();

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
});
