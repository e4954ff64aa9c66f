import assert from 'node:assert/strict';
import { recordedMoves } from '../host/recorded';
import { useEditor } from '../host/session';
import { clipboard, EXAMPLES, move, Panel, statusIs, statusItem, TUNING, until } from './support';

const ENGINE = /dist[\\/]engine\.js/;

describe('the setting that refines the order', function () {
  this.timeout(120_000);
  const editor = useEditor({ workspace: EXAMPLES, extension: 'recorded' });
  const asked = (text: string) => recordedMoves().filter((each) => each.text === text);

  it('is on, and keeps the first results on show until the order is refined', async () => {
    const { bridge, workbench } = editor();
    await workbench.openFile('draft.tex');
    assert.equal(await bridge.configuration('ratio.rerank.enabled'), true);
    await move(editor(), 'Address', 'draft.tex', TUNING.part);
    const panel = new Panel(workbench);
    await panel.answered('Address', TUNING.whole);
    assert.ok(asked(TUNING.whole).every(({ rerank }) => rerank === true));
    await panel.frame.locator('.order.refined').waitFor();
  });

  it('reaches the engine without a restart, for what is shown', async () => {
    const { bridge, server, workbench } = editor();
    const engines = server.find(ENGINE).map(({ pid }) => pid);
    assert.ok(engines.length > 0);
    const last = (wanted: boolean) =>
      until(
        `the shown answer is asked for anew, ${wanted}`,
        () => asked(TUNING.whole).at(-1)?.rerank,
        (value) => value === wanted,
      );
    await bridge.setConfiguration('ratio.rerank.enabled', false);
    await last(false);
    await new Panel(workbench).frame.locator('.order.refined').waitFor({ state: 'detached' });
    await bridge.setConfiguration('ratio.rerank.enabled', undefined);
    await last(true);
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
    assert.match(text, /^Reranker: loaded, \d+ passages, setting on/m);
    await workbench.clearToasts();
    await statusItem(workbench).hover();
    const tooltip = workbench.page.locator('.monaco-hover:visible', { hasText: 'Device' });
    await tooltip.waitFor();
    assert.match(await tooltip.innerText(), /Reranker: reads up to \d+ passages/);
    await workbench.screenshot('rerank-tooltip');
  });
});
