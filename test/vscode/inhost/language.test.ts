import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { open, PROBLEM, rangeOf, ratio, until, View } from './support';

describe('language features', function () {
  this.timeout(90_000);

  async function hoverAt(document: vscode.TextDocument, text: string): Promise<string> {
    const hovers = await vscode.commands.executeCommand<vscode.Hover[]>(
      'vscode.executeHoverProvider',
      document.uri,
      rangeOf(document, text).start,
    );
    return hovers
      .flatMap(({ contents }) => contents)
      .map((content) => (typeof content === 'string' ? content : content.value))
      .filter((content) => content.includes('**Ratio**'))
      .join('\n');
  }

  it('hover shows cited inspirations over a problem statement only', async () => {
    const { document } = await open('draft.tex');
    const text = await until('a hover', () => hoverAt(document, 'unclear how'), Boolean);
    assert.equal(text.split('\n— ').length - 1, 3, text);
    assert.match(text, /command:ratio\.address\?/);
    assert.equal(await hoverAt(document, 'rank candidate'), '');
  });

  it('code actions offer the moves on a selection, and run', async () => {
    const { document } = await open('draft.tex');
    const at = (range: vscode.Range) =>
      vscode.commands.executeCommand<vscode.CodeAction[]>(
        'vscode.executeCodeActionProvider',
        document.uri,
        range,
      );
    const range = rangeOf(document, PROBLEM);
    const actions = (await at(range)).filter(({ title }) => title.startsWith('Ratio: '));
    assert.deepEqual(
      actions.map(({ command }) => command?.command),
      ['ratio.address', 'ratio.broaden', 'ratio.specify'],
    );
    const none = await at(new vscode.Range(range.start, range.start));
    assert.equal(none.filter(({ title }) => title.startsWith('Ratio: ')).length, 0);

    const view = new View((await ratio()).panel);
    const command = actions[2]?.command;
    assert.ok(command);
    await vscode.commands.executeCommand(command.command, ...(command.arguments ?? []));
    assert.equal((await view.answered(PROBLEM)).move, 'specify');
    view.detach();
  });
});
