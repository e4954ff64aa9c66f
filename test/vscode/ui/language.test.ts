import assert from 'node:assert/strict';
import { useEditor } from '../host/session';
import { Panel, until } from './support';

const PROBLEM =
  'It remains unclear how to tell a faithful explanation from a merely plausible one.';

describe('hover and light bulb', function () {
  this.timeout(120_000);
  const editor = useEditor();

  it('a problem statement shows inspirations that open in the panel', async () => {
    const { workbench, bridge } = editor();
    await workbench.openFile('draft.tex');
    await bridge.placeCursor('draft.tex', 'Proof assistants');
    const hover = await workbench.hover('It remains unclear', 'open in panel', 60_000);
    const text = await hover.innerText();
    assert.match(text, /Ratio/);
    assert.equal(text.split('—').length - 1, 3, text);
    assert.match(text, /\(?(19|20)\d\d/);
    await workbench.screenshot('hover');
    await hover.locator('a', { hasText: 'open in panel' }).click();
    await new Panel(workbench).answered('Address', PROBLEM);
  });

  it('other sentences show nothing', async () => {
    const { workbench, bridge } = editor();
    await bridge.placeCursor('draft.tex', 'Proof assistants');
    await workbench.page.keyboard.press('Escape');
    await workbench.page.locator('.monaco-hover:visible').waitFor({ state: 'hidden' });
    await assert.rejects(
      workbench.hover('We rank candidate', 'open in panel', 3_000),
      /No hover with/,
    );
  });

  it('can be switched off', async () => {
    const { workbench, bridge } = editor();
    await bridge.setConfiguration('ratio.hover.enabled', false);
    await workbench.page.keyboard.press('Escape');
    await assert.rejects(workbench.hover('It remains unclear', 'open in panel', 3_000), /No hover/);
    await bridge.setConfiguration('ratio.hover.enabled', undefined);
    await workbench.hover('It remains unclear', 'open in panel');
  });

  it('a selection offers the three moves', async () => {
    const { workbench, bridge } = editor();
    const panel = new Panel(workbench);
    const part = 'they do not explain why a step was taken';
    for (const [title, label] of [
      ['Ratio: address this problem', 'Address'],
      ['Ratio: broaden this statement', 'Broaden'],
      ['Ratio: specify this statement', 'Specify'],
    ] as const) {
      await bridge.selectText('draft.tex', part);
      await workbench.page.locator('.editor-instance .monaco-editor.focused').first().waitFor();
      const row = workbench.page.locator('.action-widget .monaco-list-row', { hasText: title });
      // Asked in the moment of the selection's change, VS Code says that there are none.
      await until(
        'the actions are offered',
        async () => {
          await workbench.page.keyboard.press('Control+.');
          const shown = await row.waitFor({ timeout: 3_000 }).then(
            () => true,
            () => false,
          );
          if (!shown) await workbench.page.keyboard.press('Escape');
          return shown;
        },
        Boolean,
      );
      if (label === 'Address') await workbench.screenshot('light-bulb');
      await until(
        'the action is chosen',
        async () => {
          const chosen = /focused/.test((await row.getAttribute('class')) ?? '');
          if (!chosen) await workbench.page.keyboard.press('ArrowDown');
          return chosen;
        },
        Boolean,
      );
      await workbench.page.keyboard.press('Enter');
      await panel.answered(label, part);
    }
  });

  it('the bulb can be switched off', async () => {
    const { workbench, bridge } = editor();
    await bridge.setConfiguration('ratio.codeActions.enabled', false);
    await bridge.selectText('draft.tex', 'Students give up on long proofs');
    await workbench.page.keyboard.press('Control+.');
    await workbench.page.waitForTimeout(1_500);
    const rows = workbench.page.locator('.action-widget .monaco-list-row', { hasText: 'Ratio' });
    assert.equal(await rows.count(), 0);
    await workbench.page.keyboard.press('Escape');
    await bridge.setConfiguration('ratio.codeActions.enabled', undefined);
  });
});
