/** The view "Problem Statements": the active draft's sentences that state a problem, in its order. */
import * as vscode from 'vscode';
import type { ProblemsResult, Status } from '../server/protocol';
import { vscodeRange } from './cite';
import { isCancelled, messageOf, type Connection } from './connection';
import { isDraft } from './drafts';
import { openDraft, showDraft } from './showDraft';
import { shiftSpan, type Span } from './track';

/** Quiet time after an edit before the list is asked for again. */
const QUIET_MS = 800;
/** Characters of a sentence in its row: the section's title stands behind it. */
const ROW_LENGTH = 70;

/** What the view says in place of rows (`viewsWelcome` of package.json). */
type State = 'no-draft' | 'loading' | 'empty' | 'failed' | 'listed';

/** A row. `span` follows edits until the list is asked for again. */
export interface ProblemRow {
  readonly uri: string;
  readonly text: string;
  readonly section: string | null;
  readonly probability: number;
  span: Span;
}

/** The view as activation makes it, before this bundle is loaded. */
export interface ProblemView {
  readonly view: vscode.TreeView<ProblemRow>;
  readonly changed: vscode.EventEmitter<void>;
}

/** The rows of the view: asked for while it is visible, moved along with edits meanwhile. */
export class ProblemList implements vscode.Disposable {
  private rows: ProblemRow[] = [];
  private shown: vscode.TextDocument | null = null;
  /** Version of the text that the rows are of; null when they have to be asked for. */
  private version: number | null = null;
  private learned = true;
  /** The last request brought an error. */
  private failed = false;
  private timer: NodeJS.Timeout | undefined;
  private running: vscode.CancellationTokenSource | undefined;
  private readonly listeners: vscode.Disposable[];

  constructor(
    private readonly connection: Connection,
    private readonly log: (line: string) => void,
    private readonly place: ProblemView,
  ) {
    this.setState('no-draft');
    this.listeners = [
      place.view.onDidChangeVisibility(() => this.refreshSoon(0)),
      vscode.window.onDidChangeActiveTextEditor(() => this.refreshSoon(0)),
      vscode.workspace.onDidChangeTextDocument((event) => this.edited(event)),
      vscode.workspace.onDidCloseTextDocument((document) => {
        if (document !== this.shown) return;
        this.show(null);
        this.refreshSoon(0);
      }),
    ];
    this.refreshSoon(0);
  }

  /** An engine that is back may tell more than cue words did. */
  setStatus({ state }: Status): void {
    if (state !== 'ready') return;
    if (!this.failed && (this.learned || this.version === null)) return;
    this.learned = true;
    this.failed = false;
    this.version = null;
    this.refreshSoon(0);
  }

  /** Rows of the tree: it has one level. */
  children(row?: ProblemRow): ProblemRow[] {
    return row ? [] : this.rows;
  }

  item(row: ProblemRow): vscode.TreeItem {
    const item = new vscode.TreeItem(shorten(row.text));
    if (row.section !== null) item.description = row.section;
    item.tooltip = row.section === null ? row.text : `${row.text}\n\n${row.section}`;
    item.contextValue = 'problem';
    item.command = { command: 'ratio.revealProblem', title: 'Show in Draft', arguments: [row] };
    item.accessibilityInformation = {
      label: row.section === null ? row.text : `${row.text} ${row.section}`,
    };
    return item;
  }

  /** Selects a row's sentence in its draft. */
  async reveal(row: unknown): Promise<void> {
    const at = await placeOf(row);
    if (at) await showDraft(at.document, at.range);
  }

  /** Where a row's sentence stands now, as a move takes it; null for anything but a row. */
  async target(row: unknown): Promise<{ uri: string; range: vscode.Range } | null> {
    const at = await placeOf(row);
    return at && { uri: at.document.uri.toString(), range: at.range };
  }

  dispose(): void {
    clearTimeout(this.timer);
    this.running?.cancel();
    for (const listener of this.listeners) listener.dispose();
  }

  private edited({ document, contentChanges }: vscode.TextDocumentChangeEvent): void {
    if (document !== this.shown || contentChanges.length === 0) return;
    for (const { rangeOffset, rangeLength, text } of contentChanges) {
      const change = { offset: rangeOffset, length: rangeLength, inserted: text.length };
      for (const row of this.rows) row.span = shiftSpan(row.span, change);
    }
    this.refreshSoon(QUIET_MS);
  }

  private refreshSoon(delay: number): void {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => void this.refresh(), delay);
  }

  /** Asks for the list where the view is visible and does not have it. */
  private async refresh(): Promise<void> {
    const { view } = this.place;
    if (!view.visible) return;
    const active = vscode.window.activeTextEditor?.document;
    // A .bib, say, or the panel has the focus: the draft's list stays.
    const draft = active && isDraft(active) ? active : this.shown;
    if (draft !== this.shown) this.show(draft);
    if (!draft) return this.setState('no-draft');
    if (this.version === draft.version) return;
    this.running?.cancel();
    const source = (this.running = new vscode.CancellationTokenSource());
    if (this.version === null && this.rows.length === 0) this.setState('loading');
    try {
      const { version } = draft;
      const uri = draft.uri.toString();
      const result = await this.connection.problems({ uri, version }, source.token);
      if (source.token.isCancellationRequested || draft !== this.shown) return;
      // Otherwise the edit that came between has its own refresh on the way.
      if (draft.version === (result?.version ?? version)) this.take(draft, result);
    } catch (error) {
      if (source.token.isCancellationRequested || isCancelled(error)) return;
      this.log(`Problem statements: ${messageOf(error)}`);
      this.rows = [];
      this.version = null;
      this.failed = true;
      this.setState('failed');
    } finally {
      if (this.running === source) this.running = undefined;
      source.dispose();
    }
  }

  private take(draft: vscode.TextDocument, result: ProblemsResult): void {
    const uri = draft.uri.toString();
    this.version = draft.version;
    this.failed = false;
    this.learned = result === null || result.notice === null;
    this.rows = (result?.problems ?? []).map(({ range, text, section, probability }) => {
      const { start, end } = vscodeRange(range);
      return {
        uri,
        text,
        section,
        probability,
        span: { start: draft.offsetAt(start), end: draft.offsetAt(end) },
      };
    });
    this.place.view.message =
      this.learned || this.rows.length === 0
        ? undefined
        : 'Found by cue words alone: the engine does not answer.';
    if (result?.notice) this.log(`Problem statements by cue words alone: ${result.notice}`);
    this.setState(result === null ? 'no-draft' : this.rows.length > 0 ? 'listed' : 'empty');
  }

  private show(draft: vscode.TextDocument | null): void {
    this.running?.cancel();
    this.shown = draft;
    this.rows = [];
    this.version = null;
    this.failed = false;
    this.place.view.message = undefined;
    this.setState(draft ? 'loading' : 'no-draft');
  }

  private setState(state: State): void {
    void vscode.commands.executeCommand('setContext', 'ratio.problems', state);
    this.place.changed.fire();
  }
}

async function placeOf(
  row: unknown,
): Promise<{ document: vscode.TextDocument; range: vscode.Range } | null> {
  if (!isRow(row)) return null;
  const document = await openDraft(row.uri);
  const { start, end } = row.span;
  return {
    document,
    range: new vscode.Range(document.positionAt(start), document.positionAt(end)),
  };
}

function isRow(value: unknown): value is ProblemRow {
  if (typeof value !== 'object' || value === null) return false;
  const { uri, span } = value as Partial<ProblemRow>;
  return typeof uri === 'string' && typeof span?.start === 'number';
}

/** The beginning of a sentence, cut between words. */
function shorten(text: string): string {
  if (text.length <= ROW_LENGTH) return text;
  const cut = text.slice(0, ROW_LENGTH);
  return `${cut.slice(0, Math.max(cut.lastIndexOf(' '), ROW_LENGTH / 2)).trimEnd()}…`;
}
