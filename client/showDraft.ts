/** Opens and shows the draft that a search began in or a row stands in. */
import * as vscode from 'vscode';

/**
 * The document at a draft's address, opened where it is not.
 * @throws with what to do, where the draft is not where it was
 */
export async function openDraft(address: string): Promise<vscode.TextDocument> {
  const uri = vscode.Uri.parse(address, true);
  const open = vscode.workspace.textDocuments.find((each) => each.uri.toString() === address);
  if (open) return open;
  const gone = new Error(
    `${vscode.workspace.asRelativePath(uri)} is not there any more: it was saved under another name, moved or deleted. Make the move again from the draft.`,
  );
  // VS Code would make an empty one.
  if (uri.scheme === 'untitled') throw gone;
  try {
    return await vscode.workspace.openTextDocument(uri);
  } catch (error) {
    const there = await vscode.workspace.fs.stat(uri).then(
      () => true,
      () => false,
    );
    throw there ? error : gone;
  }
}

/**
 * Shows a draft where it is open, else in a group whose front is not Ratio's panel.
 * @param selection what is selected in it; without, its editor keeps what it has
 */
export async function showDraft(
  document: vscode.TextDocument,
  selection?: vscode.Range,
): Promise<void> {
  const viewColumn = columnOf(document.uri.toString());
  await vscode.window.showTextDocument(document, {
    ...(selection && { selection }),
    ...(viewColumn && { viewColumn }),
  });
}

function columnOf(address: string): vscode.ViewColumn | undefined {
  const { activeTextEditor, visibleTextEditors, tabGroups } = vscode.window;
  const isOf = (editor: vscode.TextEditor | undefined): boolean =>
    editor?.viewColumn !== undefined && editor.document.uri.toString() === address;
  const visible = isOf(activeTextEditor) ? activeTextEditor : visibleTextEditors.find(isOf);
  if (visible) return visible.viewColumn;
  const holds = ({ input }: vscode.Tab): boolean =>
    input instanceof vscode.TabInputText && input.uri.toString() === address;
  const isPanel = (tab: vscode.Tab | undefined): boolean =>
    tab?.input instanceof vscode.TabInputWebview && tab.input.viewType.includes('ratio.panel');
  const { activeTabGroup: active, all } = tabGroups;
  const group =
    all.find(({ tabs }) => tabs.some(holds)) ??
    [active, ...all].find(({ activeTab }) => !isPanel(activeTab));
  return group?.viewColumn;
}
