/** What becomes of citations once they are made: their undo and redo, and what is saved then. */
import { createHash } from 'node:crypto';
import * as vscode from 'vscode';
import { savesBibliography } from './settings';
import { showDraft } from './showDraft';

/** A citation's edit of a .bib, as digests of the text before and after. */
interface Step {
  before: string;
  after: string;
  /** It made the file, which VS Code deletes itself when that is undone. */
  creates: boolean;
  /** Citing saved it, so undoing and redoing it save too. */
  saved: boolean;
}

/** An undo or a redo: the digest of the text before it, null where that is not known, and the citation that it is of. */
interface Turn {
  was: string | null;
  step: Step | undefined;
  back: boolean;
}

/** A .bib that was cited into, by its text and not by versions: those count anew when it is opened again. */
interface Bibliography {
  steps: Step[];
  /** Digest of its present text; null where that is not worth knowing. */
  now: string | null;
  /** What was undone and redone since anything else was done in it. */
  turns: Turn[];
  /** Digest of the text that whoever asks after changes knows of. */
  told: string | null;
  /** Saving, one after another: ends when the last is done. */
  saving: Promise<unknown>;
}

/** The edit of a citation, once it is made. */
export interface Citation {
  /** The draft; null where only the .bib was edited. */
  draft: string | null;
  /** The .bib with its texts; null where only the draft was edited. */
  bib: { uri: string; before: string; after: string; created: boolean } | null;
}

/** What came of saving a .bib: `changed` where saving itself changed its text, as formatters do. */
export type Saved = 'saved' | 'changed' | 'failed';

const MOST_STEPS = 100;
/** How long a .bib is to be left alone before its changes are told of. */
const PAUSE_MS = 300;

/** Follows .bib files that were cited into, and whether the last citation is the last thing done. */
export class CitationHistory implements vscode.Disposable {
  private readonly bibliographies = new Map<string, Bibliography>();
  private last: { draft: string; bib: string | null } | null = null;
  private undoing = false;
  /** Bibliographies that changed since that was told. */
  private readonly fresh = new Set<vscode.TextDocument>();
  private timer: NodeJS.Timeout | undefined;
  private readonly listeners: vscode.Disposable;

  /**
   * @param changed told after changes in a .bib that was cited into, citing itself left out
   * @param undoable told whether undo in the draft would take the last citation back
   */
  constructor(
    private readonly changed: () => void,
    private readonly undoable: (can: boolean) => void,
    private readonly pauseMs = PAUSE_MS,
  ) {
    this.listeners = vscode.Disposable.from(
      vscode.workspace.onDidChangeTextDocument((event) => this.edited(event)),
      vscode.workspace.onDidSaveTextDocument((document) => this.known(document)),
      vscode.workspace.onDidOpenTextDocument((document) => {
        const bib = this.known(document);
        // Another text may have been read than the one that was let go.
        if (bib) bib.turns = [];
      }),
      vscode.workspace.onDidCloseTextDocument((document) => {
        if (document.uri.toString() === this.last?.draft) this.setLast(null);
      }),
    );
  }

  /** Notes a citation; what is returned saves its .bib. */
  made({ draft, bib }: Citation): (document: vscode.TextDocument) => Promise<Saved> {
    this.setLast(draft === null ? null : { draft, bib: bib?.uri ?? null });
    if (bib === null) return () => Promise.resolve('saved');
    const step: Step = {
      before: digest(bib.before),
      after: digest(bib.after),
      creates: bib.created,
      saved: false,
    };
    const noted = this.bibliographies.get(bib.uri) ?? {
      steps: [],
      now: null,
      turns: [],
      told: step.before,
      saving: Promise.resolve(),
    };
    this.bibliographies.set(bib.uri, noted);
    noted.steps = [...noted.steps, step].slice(-MOST_STEPS);
    noted.now = step.after;
    // Else something was changed just before, which is still to be told.
    if (noted.told === step.before) noted.told = step.after;
    return (document) =>
      inTurn(noted, async () => {
        const before = digest(document.getText());
        step.saved = await isSaved(document);
        if (!step.saved) return 'failed';
        if (digest(document.getText()) === before) return 'saved';
        // It may have been edited, or undone, meanwhile, and not by saving.
        const disk = await digestOnDisk(document);
        return disk === null || disk === before ? 'saved' : 'changed';
      });
  }

  /** Shows the draft and takes the last citation back there, while nothing was done after it. */
  async undo(): Promise<void> {
    const { last } = this;
    const document = vscode.workspace.textDocuments.find(
      ({ uri }) => uri.toString() === last?.draft,
    );
    // VS Code's question about an undo may still be open.
    if (last === null || document === undefined || this.undoing) return;
    this.undoing = true;
    try {
      await showDraft(document);
      const shown = vscode.window.activeTextEditor?.document === document;
      // Typed meanwhile, undo would take that back; elsewhere, what was done there.
      if (shown && this.last === last) await vscode.commands.executeCommand('undo');
    } finally {
      this.undoing = false;
    }
  }

  dispose(): void {
    clearTimeout(this.timer);
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
      bib.turns = [];
      this.tellSoon(document);
      return;
    }
    const now = digest(document.getText());
    bib.now = now;
    const back = reason === vscode.TextDocumentChangeReason.Undo;
    const step = bib.steps.findLast(({ before, after }) =>
      back ? was === after && now === before : was === before && now === after,
    );
    bib.turns = [...bib.turns, { was, step, back }].slice(-MOST_STEPS);
    void this.follow(document, bib, step !== undefined);
  }

  /** Saves a .bib where nothing but citations was undone or redone since what is on disk, then tells of the change. */
  private async follow(
    document: vscode.TextDocument,
    bib: Bibliography,
    ofCitation: boolean,
  ): Promise<void> {
    if (ofCitation) {
      const failed = await inTurn(
        bib,
        async () => (await this.isToSave(document, bib)) && !(await isSaved(document)),
      );
      if (failed) {
        void vscode.window.showWarningMessage(
          `Ratio: ${vscode.workspace.asRelativePath(document.uri)} has changed with its citation, but could not be saved. Save it in its editor.`,
        );
      }
    }
    this.tellSoon(document);
  }

  /** Unsaved work of the author's stays unsaved, so does what he undoes of it, and nothing of another program is lost. */
  private async isToSave(document: vscode.TextDocument, bib: Bibliography): Promise<boolean> {
    if (!savesBibliography()) return false;
    const disk = await digestOnDisk(document);
    if (disk === null || disk === bib.now) return false;
    const from = bib.turns.findLastIndex(({ was }) => was === disk);
    if (from < 0) return false;
    return bib.turns
      .slice(from)
      .every(({ step, back }) => step?.saved === true && !(step.creates && back));
  }

  /** Notes the text of a document that was opened or saved, if it is a .bib that was cited into. */
  private known(document: vscode.TextDocument): Bibliography | undefined {
    const bib = this.bibliographies.get(document.uri.toString());
    if (bib) bib.now = digest(document.getText());
    return bib;
  }

  /** Tells of changes once there are no more of them for a moment: whoever hears it asks the engine again. */
  private tellSoon(document: vscode.TextDocument): void {
    this.fresh.add(document);
    clearTimeout(this.timer);
    this.timer = setTimeout(() => {
      let changed = false;
      for (const each of this.fresh) {
        const bib = this.bibliographies.get(each.uri.toString());
        const now = digest(each.getText());
        if (bib === undefined || bib.told === now) continue;
        bib.told = now;
        changed = true;
      }
      this.fresh.clear();
      if (changed) this.changed();
    }, this.pauseMs);
  }

  private setLast(last: { draft: string; bib: string | null } | null): void {
    if (last === null && this.last === null) return;
    this.last = last;
    this.undoable(last !== null);
  }
}

/** Does it once what else is saving the .bib has ended. Neither may fail. */
function inTurn<T>(bib: Bibliography, work: () => Promise<T>): Promise<T> {
  const turn = bib.saving.then(work);
  bib.saving = turn;
  return turn;
}

/** Saves a document; false where that failed, in either way in which VS Code says so. */
async function isSaved(document: vscode.TextDocument): Promise<boolean> {
  try {
    return await document.save();
  } catch {
    return false;
  }
}

/** Digest of a document's text as it is on disk; null where it can't be read. */
async function digestOnDisk({ uri, encoding }: vscode.TextDocument): Promise<string | null> {
  try {
    const bytes = await vscode.workspace.fs.readFile(uri);
    const text = await vscode.workspace.decode(bytes, { encoding });
    // A document's text has no byte order mark.
    return digest(text.replace(/^\uFEFF/, ''));
  } catch {
    return null;
  }
}

function digest(text: string): string {
  return createHash('sha1').update(text).digest('base64');
}
