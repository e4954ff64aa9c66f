import assert from 'node:assert/strict';
import { isAlive, signal } from '../host/processes';
import { useEditor } from '../host/session';
import {
  clipboard,
  EXAMPLES,
  FLUENT,
  move,
  Panel,
  statusIs,
  statusItem,
  TUNING,
  until,
} from './support';

const ENGINE = /dist[\\/]engine\.js/;
const SERVER = /dist[\\/]server\.js/;

describe('the engine', function () {
  this.timeout(120_000);
  // As at most users: there is no `node` to find.
  const editor = useEditor({ workspace: EXAMPLES, withoutNode: true });

  const engines = () => editor().server.find(ENGINE);

  it('starts ahead of the first move, without a node on the PATH, and says so', async () => {
    const { workbench } = editor();
    await workbench.openFile('draft.tex');
    await statusIs(workbench, /^Ratio: ready$/);
    assert.ok(engines().length >= 1, 'the engine has a process of its own');
    assert.match(await statusItem(workbench).innerText(), /Ratio/);
    await statusItem(workbench).hover();
    const tooltip = workbench.page.locator('.monaco-hover:visible', { hasText: 'Device' });
    await tooltip.waitFor();
    const text = await tooltip.innerText();
    assert.match(text, /Device: cpu/);
    assert.match(text, /starter: \d+ papers, [\d,.]+ sentences/);
    assert.match(text, /Restart engine/);
    await workbench.screenshot('status-tooltip');
  });

  it('answers the next move after it was killed', async () => {
    const { workbench } = editor();
    const panel = new Panel(workbench);
    await move(editor(), 'Address', 'draft.tex', TUNING.part);
    await panel.answered('Address', TUNING.whole);
    const killed = engines();
    for (const { pid } of killed) signal(pid, 'SIGKILL');
    await until(
      'it is dead',
      () => killed.some(({ pid }) => isAlive(pid)),
      (alive) => !alive,
    );
    await move(editor(), 'Broaden', 'draft.tex', FLUENT.part);
    await panel.answered('Broaden', FLUENT.whole);
    assert.ok(engines().every(({ pid }) => !killed.some((old) => old.pid === pid)));
    await statusIs(workbench, /^Ratio: ready$/);
  });

  it('answers a move during which it was killed', async () => {
    const { workbench } = editor();
    const panel = new Panel(workbench);
    // Stopped, it cannot answer before it is killed.
    for (const { pid } of engines()) signal(pid, 'SIGSTOP');
    await move(editor(), 'Specify', 'draft.tex', FLUENT.part);
    await panel.frame.locator('.skeleton').first().waitFor();
    await workbench.screenshot('panel-loading');
    for (const { pid } of engines()) signal(pid, 'SIGKILL');
    await panel.answered('Specify', FLUENT.whole);
  });

  it('is restarted by command', async () => {
    const { workbench } = editor();
    const panel = new Panel(workbench);
    const before = engines().map(({ pid }) => pid);
    assert.ok(before.length > 0);
    await workbench.runCommand('Ratio: Restart Engine');
    await until(
      'other processes',
      () => engines().map(({ pid }) => pid),
      (now) => now.length > 0 && now.every((pid) => !before.includes(pid)),
      40_000,
    );
    await move(editor(), 'Address', 'draft.tex', FLUENT.part);
    await panel.answered('Address', FLUENT.whole);
  });

  it('is described for a bug report without a word of the drafts', async () => {
    const { workbench, workspace, server } = editor();
    await workbench.runCommand('Ratio: Copy Debug Information');
    await workbench.toast('debug information is on the clipboard');
    const text = await until(
      'the clipboard',
      () => clipboard(workbench),
      (copied) => /Ratio \d/.test(copied),
    );
    assert.match(text, /VS Code \d+\.\d+/);
    assert.match(text, /Engine: ready/);
    assert.match(text, /Device: asked auto, runs cpu/);
    assert.match(text, /Pool 1: \d+ papers, \d+ sentences/);
    for (const part of [TUNING.part, FLUENT.part, 'draft.tex', workspace, server.folder]) {
      assert.ok(!text.includes(part), `“${part}” is in it:\n${text}`);
    }
    await workbench.clearToasts();
  });

  it('shows its log', async () => {
    const { workbench } = editor();
    await workbench.runCommand('Ratio: Show Logs');
    await workbench.page.locator('.panel .output-view, .part.panel').first().waitFor();
    const channel = workbench.page.locator('.part.panel select, .part.panel .monaco-select-box');
    assert.match((await channel.first().innerText()) || 'Ratio', /Ratio/);
    await workbench.page.keyboard.press('Control+J');
  });

  it('ends with the extension host, even one that was killed', async () => {
    const { bridge, server } = editor();
    const { pid } = await bridge.ready();
    const ours = [...engines(), ...server.find(SERVER)].map((entry) => entry.pid);
    assert.ok(ours.length >= 2, 'engine and language server run');
    signal(pid, 'SIGKILL');
    await until(
      'orphans',
      () => ours.filter(isAlive),
      (alive) => alive.length === 0,
      15_000,
    );
  });
});
