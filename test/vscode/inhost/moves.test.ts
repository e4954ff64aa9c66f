import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { open, PROBLEM, rangeOf, ratio, View } from './support';

const FLUENT = 'Language models produce fluent explanations.';

describe('moves by command', function () {
  this.timeout(90_000);
  let view: View;

  before(async () => {
    view = new View((await ratio()).panel);
  });
  after(() => view.detach());

  it('take the sentence under the cursor', async () => {
    const editor = await open('draft.tex');
    for (const move of ['address', 'broaden', 'specify'] as const) {
      const { start } = rangeOf(editor.document, 'unclear');
      editor.selection = new vscode.Selection(start, start);
      await vscode.commands.executeCommand(`ratio.${move}`);
      const entry = await view.answered(PROBLEM);
      assert.equal(entry.move, move);
      const cards = entry.snapshot?.inspirations ?? [];
      assert.equal(cards.length, 20);
      assert.ok(cards.every(({ paper }) => paper.title !== ''));
      const range = rangeOf(editor.document, PROBLEM);
      assert.deepEqual(entry.taken?.range?.start, { line: range.start.line, character: 0 });
    }
  });

  it('are made where their argument says', async () => {
    const editor = await open('draft.tex');
    editor.selection = new vscode.Selection(0, 0, 0, 0);
    const { start, end } = rangeOf(editor.document, FLUENT);
    await vscode.commands.executeCommand('ratio.broaden', {
      uri: editor.document.uri.toString(),
      range: {
        start: { line: start.line, character: start.character },
        end: { line: end.line, character: end.character },
      },
    });
    assert.equal((await view.answered(FLUENT)).move, 'broaden');
  });

  it('follow a card and come back', async () => {
    const [card] = view.entry?.snapshot?.inspirations ?? [];
    const entry = view.entry?.id;
    assert.ok(card && entry);
    view.send({ type: 'chain', entry, id: card.id, move: 'specify' });
    const chained = await view.answered(card.text);
    assert.equal(chained.from?.id, card.id);
    view.send({ type: 'goTo', index: 0 });
    assert.equal((await view.answered(FLUENT)).id, entry);
  });

  it('show no paper twice as often as allowed', async () => {
    const papers = (view.entry?.snapshot?.inspirations ?? []).map(({ paper }) => paper.id);
    for (const id of new Set(papers)) {
      assert.ok(papers.filter((each) => each === id).length <= 2, id);
    }
  });
});
