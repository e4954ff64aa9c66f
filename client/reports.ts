/** What a user can take out: debug information for a bug report, and the kept judgements. */
import { homedir, release } from 'node:os';
import * as vscode from 'vscode';
import { messageOf, type Connection } from './connection';
import { rerankerLine } from './rerankerWords';
import { reranks } from './settings';

/** Puts versions, platform, engine state and pools' sizes on the clipboard; no text, no names of files. */
export async function copyDebugInformation(
  context: vscode.ExtensionContext,
  connection: Connection,
): Promise<void> {
  const manifest = context.extension.packageJSON as { version: string };
  const lines = [
    `Ratio ${manifest.version}, VS Code ${vscode.version}, Node ${process.versions.node}`,
    `${process.platform} ${process.arch} ${release()}, remote: ${vscode.env.remoteName ?? 'none'}`,
    `Workspace trusted: ${vscode.workspace.isTrusted}`,
  ];
  try {
    const { state, problem, engine } = await connection.status();
    lines.push(`Engine: ${state}${problem === null ? '' : ` (${problem})`}`);
    if (engine) {
      const { device, index, encoder, reranker, pools, rssBytes } = engine;
      lines.push(
        `Device: asked ${device.requested}, runs ${device.active}${device.reason === null ? '' : ` (${device.reason})`}`,
        `Index: ${index.kind}${index.reason === null ? '' : ` (${index.reason})`}`,
        `Encoder: ${encoder.id}, memory ${Math.round(rssBytes / 1e6)} MB`,
        rerankerLine(reranker, reranks()),
        ...pools.map(
          ({ papers, sentences, index: kind, unindexed, problem: wrong }, i) =>
            `Pool ${i + 1}: ${papers} papers, ${sentences} sentences, ${kind}, ${unindexed} unindexed${wrong === null ? '' : `, ${wrong}`}`,
        ),
      );
    }
  } catch (error) {
    lines.push(`Language server: ${messageOf(error)}`);
  }
  await vscode.env.clipboard.writeText(withoutHome(`${lines.join('\n')}\n`));
  void vscode.window.showInformationMessage('Ratio: debug information is on the clipboard.');
}

/** A reason may name a folder: the user's own is left out of it. */
function withoutHome(text: string): string {
  const home = homedir();
  return home.length > 1 ? text.replaceAll(home, '~') : text;
}

/** Copies the judgements' file to where the user wants it. */
export async function exportFeedback(connection: Connection): Promise<void> {
  const { path, count } = await connection.feedbackFile();
  if (count === 0) {
    void vscode.window.showInformationMessage(
      'Ratio: nothing has been marked Useful or Not useful yet.',
    );
    return;
  }
  const target = await vscode.window.showSaveDialog({
    filters: { 'JSON lines': ['jsonl'] },
    saveLabel: 'Export',
    title: `Export ${count} judgements`,
  });
  if (!target) return;
  await vscode.workspace.fs.copy(vscode.Uri.file(path), target, { overwrite: true });
}
