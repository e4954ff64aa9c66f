/** The draft sentence that began the panel's trail, tracked while its document is edited. */
import * as vscode from 'vscode';
import { shiftSpan, type Span } from './track';

export class OriginTracker implements vscode.Disposable {
  private tracked: { uri: string; span: Span; text: string } | null = null;
  private readonly listener: vscode.Disposable;

  constructor() {
    this.listener = vscode.workspace.onDidChangeTextDocument(({ document, contentChanges }) => {
      if (this.tracked?.uri !== document.uri.toString()) return;
      for (const change of contentChanges) {
        this.tracked.span = shiftSpan(this.tracked.span, {
          offset: change.rangeOffset,
          length: change.rangeLength,
          inserted: change.text.length,
        });
      }
    });
  }

  /** Follows this range from now on. */
  follow(document: vscode.TextDocument, range: vscode.Range, text: string): void {
    const span = { start: document.offsetAt(range.start), end: document.offsetAt(range.end) };
    this.tracked = { uri: document.uri.toString(), span, text };
  }

  /** Where the sentence stands now; null when another or none is followed. */
  range(document: vscode.TextDocument, text: string): vscode.Range | null {
    if (this.tracked?.uri !== document.uri.toString() || this.tracked.text !== text) return null;
    const { start, end } = this.tracked.span;
    return new vscode.Range(document.positionAt(start), document.positionAt(end));
  }

  dispose(): void {
    this.listener.dispose();
  }
}
