/** Cards keep the place where they are read, whatever order comes. */
import assert from 'node:assert/strict';
import {
  inspiration,
  inspirations,
  refined,
  relative,
  snapshot,
  status,
  taken,
} from './support/samples';
import { refining } from './support/scenes';
import { card, focusedCard, ids, order, sentenceTop, topOf, usePanel } from './support/suite';

describe('the panel in a browser: order of the cards', function () {
  this.timeout(60_000);
  const { start } = usePanel();

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
});
