import assert from 'node:assert/strict';
import { recordedMoves } from '../host/recorded';
import { useEditor } from '../host/session';
import { clipboard, EXAMPLES, move, Panel, statusIs, statusItem, TUNING, until } from './support';

const ENGINE = /dist[\\/]engine\.js/;

/** These hold with a reranker and without one. */
describe('the setting that refines the order', function () {
  this.timeout(120_000);
  const editor = useEditor({ workspace: EXAMPLES, extension: 'recorded' });
  const asked = (text: string) => recordedMoves().filter((each) => each.text === text);

  it('is off unless it is asked for', async () => {
    const { bridge, workbench } = editor();
    await workbench.openFile('draft.tex');
    assert.equal(await bridge.configuration('ratio.rerank.enabled'), false);
    await move(editor(), 'Address', 'draft.tex', TUNING.part);
    const panel = new Panel(workbench);
    await panel.answered('Address', TUNING.whole);
    assert.ok(asked(TUNING.whole).every(({ rerank }) => rerank === false));
    assert.equal(await panel.frame.locator('.order.refined, .order.refining').count(), 0);
  });

  it('reaches the engine without a restart, for what is shown', async () => {
    const { bridge, server } = editor();
    const engines = server.find(ENGINE).map(({ pid }) => pid);
    assert.ok(engines.length > 0);
    const last = (wanted: boolean) =>
      until(
        `the shown answer is asked for anew, ${wanted}`,
        () => asked(TUNING.whole).at(-1)?.rerank,
        (value) => value === wanted,
      );
    await bridge.setConfiguration('ratio.rerank.enabled', true);
    await last(true);
    await bridge.setConfiguration('ratio.rerank.enabled', undefined);
    await last(false);
    assert.deepEqual(
      server.find(ENGINE).map(({ pid }) => pid),
      engines,
    );
  });

  it('is told of with the reranker’s state, and alarms nobody', async () => {
    const { workbench } = editor();
    await statusIs(workbench, /^Ratio: ready$/);
    await workbench.runCommand('Ratio: Copy Debug Information');
    const text = await until(
      'the clipboard',
      () => clipboard(workbench),
      (copied) => /Engine: ready/.test(copied),
    );
    assert.match(
      text,
      /^Reranker: (not part of this engine|not loaded|loaded, \d+ passages), setting off/m,
    );
    await workbench.clearToasts();
    await statusItem(workbench).hover();
    const tooltip = workbench.page.locator('.monaco-hover:visible', { hasText: 'Device' });
    await tooltip.waitFor();
    const told = /Reranker: (off|reads up to \d+ passages|none is installed|not in use)/;
    const shown = await tooltip.innerText();
    assert.equal(told.test(shown), !/not part of this engine/.test(text), shown);
    await workbench.screenshot('rerank-tooltip');
  });
});
