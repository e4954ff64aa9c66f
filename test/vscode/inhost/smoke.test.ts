import assert from 'node:assert/strict';
import { join } from 'node:path';
import * as vscode from 'vscode';

const ID = 'ratio-research.ratio';

/** Opens a file of the workspace and waits until the extension is active, at most 20 s. */
async function opens(name: string): Promise<boolean> {
  const folder = vscode.workspace.workspaceFolders?.[0];
  assert.ok(folder, 'the fixture workspace is open');
  const extension = vscode.extensions.getExtension(ID);
  assert.ok(extension, `${ID} is there`);
  const document = await vscode.workspace.openTextDocument(join(folder.uri.fsPath, name));
  await vscode.window.showTextDocument(document);
  for (const end = Date.now() + 20_000; Date.now() < end && !extension.isActive;) {
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  return extension.isActive;
}

describe('the extension in VS Code', () => {
  it('is present', () => {
    assert.ok(vscode.extensions.getExtension(ID), `${ID} is not among the extensions`);
  });

  it('contributes the three moves and the panel', () => {
    const manifest = vscode.extensions.getExtension(ID)?.packageJSON as {
      contributes?: { commands?: { command: string }[] };
    };
    const contributed = (manifest.contributes?.commands ?? []).map((entry) => entry.command);
    for (const id of ['ratio.address', 'ratio.broaden', 'ratio.specify', 'ratio.showPanel']) {
      assert.ok(contributed.includes(id), `${id} is not contributed`);
    }
  });

  it('activates on a LaTeX document', async () => {
    assert.ok(await opens('draft.tex'));
  });

  it('registers its commands, and is active with a Markdown document', async () => {
    assert.ok(await opens('notes.md'));
    const registered = await vscode.commands.getCommands(true);
    for (const id of ['ratio.address', 'ratio.broaden', 'ratio.specify', 'ratio.showPanel']) {
      assert.ok(registered.includes(id), `${id} is not registered`);
    }
  });
});
