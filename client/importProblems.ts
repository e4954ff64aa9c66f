/** What an import could not read, as a read-only document of its own. */
import * as vscode from 'vscode';
import type { ImportReport } from '../server/protocol';

const SCHEME = 'ratio-import';

/** Shows the documents; made with the first one. */
let problems: ImportProblems | null = null;

class ImportProblems implements vscode.TextDocumentContentProvider {
  private readonly texts = new Map<string, string>();
  private readonly changed = new vscode.EventEmitter<vscode.Uri>();
  readonly onDidChange = this.changed.event;

  provideTextDocumentContent(uri: vscode.Uri): string {
    return this.texts.get(uri.path) ?? 'This report is gone: import again to see what is left.\n';
  }

  put(uri: vscode.Uri, text: string): void {
    this.texts.set(uri.path, text);
    // The report of an earlier import into the pool may still be open.
    this.changed.fire(uri);
  }
}

/** Opens the list of what the import of this report could not read. */
export async function showImportProblems(report: ImportReport): Promise<void> {
  if (!problems) {
    problems = new ImportProblems();
    vscode.workspace.registerTextDocumentContentProvider(SCHEME, problems);
  }
  const uri = vscode.Uri.from({ scheme: SCHEME, path: `/Import problems of ${report.pool}.txt` });
  problems.put(uri, problemsText(report));
  await vscode.window.showTextDocument(await vscode.workspace.openTextDocument(uri));
}

function problemsText({ pool, issues, issueCount }: ImportReport): string {
  const lines = issues.map(({ source, line, message }) =>
    line === null ? `${source}: ${message}` : `${source}:${line}: ${message}`,
  );
  const rest = issueCount - issues.length;
  return [
    `What the last import into the pool “${pool}” could not read. The rest is stored; correct the files and update the pool.`,
    '',
    ...lines,
    ...(rest > 0 ? [`… and ${rest.toLocaleString()} more.`] : []),
    '',
  ].join('\n');
}
