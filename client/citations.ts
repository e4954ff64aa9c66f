/** What becomes of citations once they are made: their undo and redo, and what is saved then. */
import { createHash } from 'node:crypto';
import * as vscode from 'vscode';
import { savesBibliography } from './settings';
import { showDraft } from './showDraft';

/** A citation's edit of a .bib, as digests of the text before and after. */
interface Step {
  before: string;
  after: string;
  /** Citing saved it, so undoing and redoing it save too. */
  saved: boolean;
}

/** A .bib that was cited into, by its text and not by versions: those count anew when it is opened again. */
interface Bibliography {
  steps: Step[];
  /** Digest of its present text; null where that is not worth knowing. */
  now: string | null;
  /** Digest of what is on disk, as far as known. */
  disk: string | null;
}

/** The edit of a citation, once it is made. */
export interface Citation {
  /** The draft; null where only the .bib was edited. */
  draft: string | null;
  /** The .bib with its texts; null where only the draft was edited. */
  bib: { uri: string; before: string; after: string } | null;
}

const MOST_STEPS = 100;

/** Follows .bib files that were cited into, and whether the last citation is the last thing done. */
export class CitationHistory implements vscode.Disposable {
  private readonly bibliographies = new Map<string, Bibliography>();
  private last: { draft: string; bib: string | null } | null = null;
  private readonly listeners: vscode.Disposable;

  /**
   * @param changed told after an undo or redo in a .bib that was cited into
   * @param undoable told whether undo in the draft would take the last citation back
   */
  constructor(
    private readonly changed: () => void,
    private readonly undoable: (can: boolean) => void,
  ) {
    this.listeners = vscode.Disposable.from(
      vscode.workspace.onDidChangeTextDocument((event) => this.edited(event)),
      vscode.workspace.onDidSaveTextDocument((document) => this.onDisk(document)),
      vscode.workspace.onDidOpenTextDocument((document) => this.onDisk(document)),
      vscode.workspace.onDidCloseTextDocument((document) => {
        if (document.uri.toString() === this.last?.draft) this.setLast(null);
      }),
    );
  }

  /** Notes a citation; what is returned is to be called when its .bib was saved. */
  made({ draft, bib }: Citation): () => void {
    this.setLast(draft === null ? null : { draft, bib: bib?.uri ?? null });
    if (bib === null) return () => undefined;
    const step = { before: digest(bib.before), after: digest(bib.after), saved: false };
    const known = this.bibliographies.get(bib.uri);
    this.bibliographies.set(bib.uri, {
      steps: [...(known?.steps ?? []), step].slice(-MOST_STEPS),
      now: step.after,
      disk: known?.disk ?? null,
    });
    return () => {
      step.saved = true;
    };
  }

  /** Shows the draft and takes the last citation back there, while nothing was done after it. */
  async undo(): Promise<void> {
    const { last } = this;
    const document = vscode.workspace.textDocuments.find(
      ({ uri }) => uri.toString() === last?.draft,
    );
    if (last === null || document === undefined) return;
    await showDraft(document);
    const shown = vscode.window.activeTextEditor?.document === document;
    // Typed meanwhile, undo would take that back; elsewhere, what was done there.
    if (shown && this.last === last) await vscode.commands.executeCommand('undo');
  }

  dispose(): void {
    this.listeners.dispose();
  }

  private edited({ document, contentChanges, reason }: vscode.TextDocumentChangeEvent): void {
    // Only whether it has unsaved changes is different.
    if (contentChanges.length === 0) return;
    const uri = document.uri.toString();
    if (uri === this.last?.draft || uri === this.last?.bib) this.setLast(null);
    const bib = this.bibliographies.get(uri);
    if (bib === undefined) return;
    const { now: was } = bib;
    if (reason === undefined) {
      bib.now = null;
      return;
    }
    const now = digest(document.getText());
    bib.now = now;
    const back = reason === vscode.TextDocumentChangeReason.Undo;
    const step = bib.steps.findLast(({ before, after }) =>
      back ? was === after && now === before : was === before && now === after,
    );
    // Unsaved work of the author's stays unsaved, and so does what he undoes of it.
    const saves = step?.saved === true && was === bib.disk && savesBibliography();
    void this.follow(document, saves);
  }

  private async follow(document: vscode.TextDocument, saves: boolean): Promise<void> {
    if (saves) await document.save();
    this.changed();
  }

  /** It was opened or saved. */
  private onDisk(document: vscode.TextDocument): void {
    const bib = this.bibliographies.get(document.uri.toString());
    if (bib === undefined) return;
    bib.now = digest(document.getText());
    bib.disk = document.isDirty ? null : bib.now;
  }

  private setLast(last: { draft: string; bib: string | null } | null): void {
    if (last === null && this.last === null) return;
    this.last = last;
    this.undoable(last !== null);
  }
}

function digest(text: string): string {
  return createHash('sha1').update(text).digest('base64');
}
