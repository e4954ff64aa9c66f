/** What a user can take out: debug information for a bug report, and the kept judgements. */
import { homedir, release } from 'node:os';
import * as vscode from 'vscode';
import { messageOf, type Connection } from './connection';
import { redact } from './redact';
import { rerankerLine } from './rerankerWords';
import { reranks, serverSettings } from './settings';

/** Puts versions, platform, engine state and pools' sizes on the clipboard; no text, no names of files or pools. */
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
  // Messages of others may name pools and files.
  let names = connection.poolNames;
  const roots = knownFolders();
  const clean = (text: string): string => redact(text, names, roots);
  const because = (reason: string | null): string => (reason === null ? '' : ` (${clean(reason)})`);
  try {
    const { state, problem, engine } = await connection.status();
    if (engine) names = engine.pools.map(({ name }) => name);
    lines.push(`Engine: ${state}${because(problem)}`);
    if (engine) {
      const { device, index, encoder, reranker, pools, rssBytes } = engine;
      const told = reranker && {
        ...reranker,
        reason: reranker.reason === null ? null : clean(reranker.reason),
      };
      lines.push(
        `Device: asked ${device.requested}, runs ${device.active}${because(device.reason)}`,
        `Index: ${index.kind}${because(index.reason)}`,
        `Encoder: ${clean(encoder.id)}, memory ${Math.round(rssBytes / 1e6)} MB`,
        rerankerLine(told, reranks()),
        ...pools.map(
          ({ papers, sentences, index: kind, unindexed, problem: wrong }, i) =>
            `Pool ${i + 1}: ${papers} papers, ${sentences} sentences, ${kind}, ${unindexed} unindexed${wrong === null ? '' : `, ${clean(wrong)}`}`,
        ),
      );
    }
  } catch (error) {
    lines.push(`Language server: ${clean(messageOf(error))}`);
  }
  await vscode.env.clipboard.writeText(`${lines.join('\n')}\n`);
  void vscode.window.showInformationMessage('Ratio: debug information is on the clipboard.');
}

/** Folders of this machine that a message may name. */
function knownFolders(): string[] {
  const { home, encoderPath } = serverSettings();
  const open = (vscode.workspace.workspaceFolders ?? []).map(({ uri }) => uri.fsPath);
  // settings.json takes anything.
  return [homedir(), process.env['RATIO_HOME'], home, encoderPath, ...open].filter(
    (folder) => typeof folder === 'string',
  );
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
