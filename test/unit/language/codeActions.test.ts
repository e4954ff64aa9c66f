import assert from 'node:assert/strict';
import type { TextDocuments } from 'vscode-languageserver';
import { TextDocument } from 'vscode-languageserver-textdocument';
import { Drafts } from '../../../server/drafts';
import { OpenFiles } from '../../../server/files';
import { moveActions } from '../../../server/language/codeActions';

const uri = 'file:///d.tex';
const TEXT = String.raw`Labels are noisy. We show
\[ a = b + c \]
and so on.
\begin{table}
  \begin{tabular}{ll} one & two \\ \end{tabular}
\end{table}
\begin{figure}
  \includegraphics{plot}
\end{figure}
`;

describe('moveActions', () => {
  const document = TextDocument.create(uri, 'latex', 1, TEXT);
  const open = [document];
  const documents = {
    get: (wanted: string) => open.find((each) => each.uri === wanted),
    all: () => open,
  } as unknown as TextDocuments<TextDocument>;
  const drafts = new Drafts(documents, new OpenFiles(() => open));

  const rangeOf = (part: string) => {
    const start = TEXT.indexOf(part);
    assert.ok(start >= 0, part);
    return { start: document.positionAt(start), end: document.positionAt(start + part.length) };
  };
  const actionsOn = (part: string) =>
    moveActions(uri, rangeOf(part), (of, range) => drafts.take(of, range));

  it('offers the three moves on a selection, with its place', () => {
    const actions = actionsOn('Labels are');
    assert.deepEqual(
      actions.map((action) => action.command?.command),
      ['ratio.address', 'ratio.broaden', 'ratio.specify'],
    );
    assert.deepEqual(actions[0]?.command?.arguments, [{ uri, range: rangeOf('Labels are') }]);
  });

  it('offers nothing without a selection', () => {
    const at = rangeOf('noisy').start;
    assert.deepEqual(
      moveActions(uri, { start: at, end: at }, (of, range) => drafts.take(of, range)),
      [],
    );
  });

  it('offers nothing on a figure, a table or math alone, but on these with prose', () => {
    for (const part of [
      '\\[ a = b + c \\]',
      'one & two',
      '\\begin{figure}',
      '\\includegraphics{plot}',
    ]) {
      assert.deepEqual(actionsOn(part), [], part);
    }
    const whole = TEXT.slice(TEXT.indexOf('\\begin{table}'));
    assert.deepEqual(actionsOn(whole.trimEnd()), []);
    assert.equal(actionsOn('on.\n\\begin{table}').length, 3);
  });
});
