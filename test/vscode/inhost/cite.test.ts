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
    await bib.save();
    await draft.save();
  });
});
