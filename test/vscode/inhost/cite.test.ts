import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import * as vscode from 'vscode';
import { open, rangeOf, ratio, until, View } from './support';

const SENTENCE = 'We need a cheaper sign of where a\nreader gets lost';

describe('citing by command', function () {
  this.timeout(90_000);
  let view: View;

  before(async () => {
    view = new View((await ratio()).panel);
  });
  after(() => view.detach());

  it('edits draft and .bib, saves the .bib, and is one undo', async () => {
    const bibEditor = await open('references.bib');
    const bib = bibEditor.document;
    const editor = await open('notes.md');
    const draft = editor.document;
    const before = { draft: draft.getText(), bib: bib.getText() };
    const { start } = rangeOf(draft, 'cheaper sign');
    editor.selection = new vscode.Selection(start, start);
    await vscode.commands.executeCommand('ratio.address');
    const entry = await view.answered(SENTENCE.replace('\n', ' ') + '.');
    const card = entry.snapshot?.inspirations[0];
    assert.ok(card);
    view.send({ type: 'focused', entry: entry.id, id: card.id });
    await vscode.commands.executeCommand('ratio.citeInspiration');

    const cited = view.entry?.snapshot?.inspirations[0]?.citedAs;
    assert.ok(cited, 'the card is marked');
    // The sentence cites already: the key joins that citation.
    assert.ok(draft.getText().includes(`[@hartwell2019goals; @${cited}].`), draft.getText());
    assert.ok(bib.getText().startsWith(before.bib.trimEnd()));
    assert.equal(bib.getText().split(`{${cited},`).length, 2);
    await until(
      'the .bib is saved',
      () => bib.isDirty,
      (dirty) => !dirty,
    );
    assert.equal(readFileSync(bib.uri.fsPath, 'utf8'), bib.getText());
    assert.ok(draft.isDirty, 'the draft is left to its author');

    await vscode.window.showTextDocument(draft);
    await vscode.commands.executeCommand('undo');
    await until(
      'the draft as it was',
      () => draft.getText(),
      (text) => text === before.draft,
    );
    await until(
      'the .bib as it was',
      () => bib.getText(),
      (text) => text === before.bib,
    );
    await until(
      'the .bib is saved as it was',
      () => bib.isDirty,
      (dirty) => !dirty,
    );
    assert.equal(readFileSync(bib.uri.fsPath, 'utf8'), before.bib);
    await draft.save();
  });

  it('is taken back from the panel while it is the last thing done', async () => {
    const editor = await open('notes.md');
    const draft = editor.document;
    const before = draft.getText();
    const { start } = rangeOf(draft, 'cheaper sign');
    editor.selection = new vscode.Selection(start, start);
    await vscode.commands.executeCommand('ratio.address');
    const entry = await view.answered(`${SENTENCE.replace('\n', ' ')}.`);
    const card = entry.snapshot?.inspirations[0];
    assert.ok(card);
    view.send({ type: 'focused', entry: entry.id, id: card.id });
    await vscode.commands.executeCommand('ratio.citeInspiration');
    assert.notEqual(draft.getText(), before);
    await until(
      'it can be undone',
      () => view.undoable,
      (can) => can,
    );
    view.send({ type: 'undo' });
    await until(
      'the draft as it was',
      () => draft.getText(),
      (text) => text === before,
    );
    await until(
      'nothing more to undo',
      () => view.undoable,
      (can) => !can,
    );
    await draft.save();
  });

  it('goes on in the same sentence after an undo, for what is asked for again', async () => {
    const editor = await open('notes.md');
    const draft = editor.document;
    const before = draft.getText();
    const text = `${SENTENCE.replace('\n', ' ')}.`;
    const { start } = rangeOf(draft, 'cheaper sign');
    editor.selection = new vscode.Selection(start, start);
    await vscode.commands.executeCommand('ratio.address');
    const entry = await view.answered(text);
    view.send({ type: 'rerun', entry: entry.id, move: 'specify' });
    const again = await until(
      'the other move',
      () => view.entry,
      (shown) => shown?.phase === 'done' && shown.move === 'specify',
    );
    const card = again?.snapshot?.inspirations[0];
    assert.ok(again && card);
    view.send({ type: 'focused', entry: again.id, id: card.id });
    await vscode.commands.executeCommand('ratio.citeInspiration');
    assert.match(draft.getText(), /\[@hartwell2019goals; @[^\]]+\]\./);
    await vscode.window.showTextDocument(draft);
    await vscode.commands.executeCommand('undo');
    await until(
      'the draft as it was',
      () => draft.getText(),
      (now) => now === before,
    );
    await draft.save();
  });

  it('follows a draft that is renamed', async () => {
    const folder = vscode.workspace.workspaceFolders?.[0]?.uri;
    assert.ok(folder);
    const at = (name: string): vscode.Uri => vscode.Uri.joinPath(folder, name);
    await vscode.workspace.fs.copy(at('notes.md'), at('first.md'), { overwrite: true });
    const editor = await open('first.md');
    const { start } = rangeOf(editor.document, 'cheaper sign');
    editor.selection = new vscode.Selection(start, start);
    await vscode.commands.executeCommand('ratio.address');
    const entry = await view.answered(`${SENTENCE.replace('\n', ' ')}.`);
    const rename = async (from: string, to: string): Promise<void> => {
      const edit = new vscode.WorkspaceEdit();
      edit.renameFile(at(from), at(to), { overwrite: true });
      assert.ok(await vscode.workspace.applyEdit(edit));
    };
    await rename('first.md', 'second.md');
    await until(
      'the new address',
      () => view.state?.trail[0]?.taken?.uri ?? '',
      (uri) => uri.endsWith('second.md'),
    );
    const card = entry.snapshot?.inspirations[0];
    assert.ok(card);
    view.send({ type: 'focused', entry: entry.id, id: card.id });
    await vscode.commands.executeCommand('ratio.citeInspiration');
    const renamed = await vscode.workspace.openTextDocument(at('second.md'));
    await until(
      'the citation',
      () => renamed.getText(),
      (text) => /\[@hartwell2019goals; @[^\]]+\]\./.test(text),
    );
    // Taken back, so that the next test finds the bibliography as it was.
    await vscode.window.showTextDocument(renamed);
    await vscode.commands.executeCommand('undo');
    await renamed.save();
    await vscode.workspace.fs.delete(at('second.md'));
  });

  it('shows the draft where it is open, not over the panel', async () => {
    const editor = await open('notes.md');
    const { start } = rangeOf(editor.document, 'cheaper sign');
    editor.selection = new vscode.Selection(start, start);
    await vscode.commands.executeCommand('ratio.address');
    await view.answered(`${SENTENCE.replace('\n', ' ')}.`);
    await vscode.commands.executeCommand('ratio.showPanelBeside');
    const { tabGroups } = vscode.window;
    await until(
      'the panel beside',
      () => tabGroups.all.length,
      (groups) => groups === 2,
    );
    await vscode.commands.executeCommand('workbench.action.focusSecondEditorGroup');
    view.send({ type: 'revealTaken' });
    await until(
      'the draft in its own group',
      () => vscode.window.activeTextEditor?.viewColumn,
      (column) => column === vscode.ViewColumn.One,
    );
    const tabs = tabGroups.all.flatMap((group) => group.tabs);
    assert.equal(tabs.filter((tab) => tab.label === 'notes.md').length, 1);
    await vscode.commands.executeCommand('workbench.action.focusSecondEditorGroup');
    await vscode.commands.executeCommand('workbench.action.closeEditorsInGroup');
  });

  it('forgets a pool that is removed in the user’s settings too', async () => {
    const { Global, Workspace } = vscode.ConfigurationTarget;
    const settings = (): vscode.WorkspaceConfiguration =>
      vscode.workspace.getConfiguration('ratio');
    await settings().update('pools', ['starter', 'gone'], Global);
    await settings().update('pools', ['gone'], Workspace);
    try {
      await (await ratio()).pools.forget('gone');
      assert.deepEqual(settings().get('pools'), ['starter']);
      await (await ratio()).pools.keepChoice([]);
      assert.deepEqual(settings().get('pools'), [], 'all, whatever the user’s settings name');
    } finally {
      await settings().update('pools', undefined, Workspace);
      await settings().update('pools', undefined, Global);
    }
  });
});
