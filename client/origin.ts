/** The draft sentence that began the panel's trail, tracked while its document is edited. */
import * as vscode from 'vscode';
import { isFinished, shiftSpan, swallows, type Span } from './track';

/** Follows one sentence through the edits of its document, until it is cut or its document closes. */
export class OriginTracker implements vscode.Disposable {
  private tracked: { uri: string; span: Span; text: string; finished: boolean } | null = null;
  private readonly listener: vscode.Disposable;

  constructor() {
    this.listener = vscode.Disposable.from(
      vscode.workspace.onDidChangeTextDocument(({ document, contentChanges }) => {
        const { tracked } = this;
        if (tracked?.uri !== document.uri.toString()) return;
        for (const { rangeOffset, rangeLength, text } of contentChanges) {
          const change = { offset: rangeOffset, length: rangeLength, inserted: text.length };
          // Cut, or part of a larger piece that was replaced: where it is now has to be sought.
          if (swallows(change, tracked.span)) return this.forget();
          tracked.span = shiftSpan(tracked.span, change, tracked.finished);
          if (tracked.span.start === tracked.span.end) return this.forget();
        }
      }),
      // What happens to a closed document is not told; its sentence is sought when it is cited in.
      vscode.workspace.onDidCloseTextDocument((document) => {
        if (this.tracked?.uri === document.uri.toString()) this.forget();
      }),
    );
  }

  /** Follows nothing any more. */
  forget(): void {
    this.tracked = null;
  }

  /** Follows this range from now on. */
  follow(document: vscode.TextDocument, range: vscode.Range, text: string): void {
    const span = { start: document.offsetAt(range.start), end: document.offsetAt(range.end) };
    const finished = isFinished(document.getText(range));
    this.tracked = { uri: document.uri.toString(), span, text, finished };
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
