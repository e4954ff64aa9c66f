import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { ID } from './support';

/** Far above what a quiet machine needs: the bench holds the real bound. */
const MOST_MS = 1_000;

describe('activation', () => {
  it('is short, since it awaits no process', async () => {
    const extension = vscode.extensions.getExtension(ID);
    assert.ok(extension, `${ID} is not among the extensions`);
    const started = performance.now();
    await extension.activate();
    const took = performance.now() - started;
    assert.ok(took < MOST_MS, `${took.toFixed(0)} ms`);
  });

  it('registers every command that is contributed', async () => {
    const manifest = vscode.extensions.getExtension(ID)?.packageJSON as {
      contributes: { commands: { command: string }[] };
    };
    const contributed = manifest.contributes.commands.map(({ command }) => command);
    assert.ok(contributed.length >= 13);
    const registered = new Set(await vscode.commands.getCommands(true));
    assert.deepEqual(
      contributed.filter((command) => !registered.has(command)),
      [],
    );
  });
});
