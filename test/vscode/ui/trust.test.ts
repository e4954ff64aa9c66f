import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, readdirSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { useEditor } from '../host/session';
import { clipboard, EXAMPLES, move, Panel, statusIs, TUNING, until } from './support';

const hostile = realpathSync(mkdtempSync(join(tmpdir(), 'ratio-hostile-')));
const encoder = join(hostile, 'encoder');
const home = join(hostile, 'home');

describe('a workspace that is not trusted', function () {
  this.timeout(120_000);
  const workspaceSettings = {
    'ratio.engine.encoderPath': encoder,
    'ratio.dataFolder': home,
    'ratio.engine.device': 'webgpu',
  };
  const editor = useEditor({
    workspace: EXAMPLES,
    trust: true,
    trusted: false,
    files: { '.vscode/settings.json': JSON.stringify(workspaceSettings) },
  });

  before(() => {
    mkdirSync(encoder, { recursive: true });
    mkdirSync(home, { recursive: true });
  });
  after(() => rmSync(hostile, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 }));

  it('is answered, but chooses neither model nor data folder nor device', async () => {
    const { workbench, bridge, server } = editor();
    assert.equal((await bridge.ready()).trusted, false);
    await workbench.openFile('draft.tex');
    await move(editor(), 'Address', 'draft.tex', TUNING.part);
    const panel = new Panel(workbench);
    await panel.answered('Address', TUNING.whole);
    await statusIs(workbench, /^Ratio: ready$/);
    assert.deepEqual(readdirSync(home), [], 'nothing is written where the workspace says');
    assert.ok(readdirSync(server.ratioHome).length > 0, 'the pools are the user’s');
    await workbench.runCommand('Ratio: Copy Debug Information');
    const text = await until(
      'the clipboard',
      () => clipboard(workbench),
      (copied) => /Engine:/.test(copied),
    );
    assert.match(text, /Workspace trusted: false/);
    assert.match(text, /Engine: ready/);
    assert.match(text, /Device: asked auto/);
    await workbench.screenshot('untrusted');
  });

  it('has its say once it is trusted', async () => {
    const { workbench, bridge } = editor();
    await workbench.runCommand('Workspaces: Manage Workspace Trust');
    await workbench.page
      .locator('.workspace-trust-editor .monaco-button', { hasText: /^Trust$/ })
      .first()
      .click();
    await until(
      'trust',
      () => bridge.ready(),
      ({ trusted }) => trusted,
    );
    // The folder holds no encoder: that this is told shows that it is used now.
    const label = await statusIs(workbench, /missing/);
    assert.ok(label.includes(encoder), label);
  });
});
