/** The three moves: from editor or card to the panel, and what the panel's cards can do. */
import * as vscode from 'vscode';
import type { FeedbackParams, Move, Taken } from '../server/protocol';
import {
  citeFailed,
  citePaper,
  ORIGIN_GONE,
  originRange,
  vscodeRange,
  wireRange,
  type Citing,
} from './cite';
import { isCancelled, messageOf, type Connection } from './connection';
import { reached } from './contexts';
import type { DraftEditors } from './drafts';
import type { OriginTracker } from './origin';
import type { PanelHandler, Source } from './panel/core';
import { paperLink } from './panel/links';
import type { PanelCommand } from './panel/messages';
import type { RatioPanel } from './panel/panel';
import type { PanelStep } from './panel/state';
import { reranks } from './settings';
import { openDraft, showDraft } from './showDraft';

/** Where a move is made when its command carries arguments: a code action's or a hover's place. */
interface MoveTarget {
  uri: string;
  range: NonNullable<Taken['range']>;
}

/** Where the trail on show was begun: it is asked from there again while its text is not known. */
interface Beginning {
  document: vscode.TextDocument;
  version: number;
  range: vscode.Range;
  /** Tracks the text, once. */
  follow: (taken: Taken) => void;
}

/** How long the status bar says that something was copied. */
const COPIED_MS = 2000;

/** Makes moves, and does what the panel's cards are asked to. */
export class Moves implements PanelHandler {
  private panel: RatioPanel | null = null;
  private beginning: Beginning | null = null;
  private readonly running = new Map<number, vscode.CancellationTokenSource>();
  /** Ids of papers that are being cited. */
  private readonly underWay = new Set<string>();
  private readonly connection: Connection;
  private readonly tracker: OriginTracker;

  constructor(
    private readonly citing: Citing,
    private readonly editors: DraftEditors,
    private readonly output: vscode.LogOutputChannel,
  ) {
    this.connection = citing.connection;
    this.tracker = citing.tracker;
  }

  /** The panel that answers go to. */
  show(panel: RatioPanel): void {
    this.panel = panel;
  }

  /** Command of a move: at the arguments' place, else at the active editor's selection. */
  async make(move: Move, target: unknown): Promise<void> {
    const panel = this.panel;
    const place = await placeOfMove(target, this.editors);
    if (!panel || !place) return;
    const { document, range } = place;
    // The panel comes up before the answer does.
    const shown = panel.show(true);
    const step = panel.begin(move, null);
    reached('hasInspirations');
    const { version } = document;
    let followed = false;
    // Once, since the tracker keeps up with edits from then on and the range told does not.
    const follow = (taken: Taken): void => {
      if (followed || !taken.range) return;
      followed = true;
      if (document.version === version) {
        this.tracker.follow(document, vscodeRange(taken.range), taken.text);
      } else this.tracker.forget();
    };
    this.beginning = { document, version, range, follow };
    await this.askFrom(this.beginning, panel, step);
    await shown;
  }

  inspire(step: PanelStep): void {
    const { panel, beginning } = this;
    if (step.text !== null) {
      void this.ask(step, { uri: step.uri, range: null, text: step.text, follow: () => undefined });
    } else if (
      panel &&
      beginning &&
      !beginning.document.isClosed &&
      beginning.document.version === beginning.version
    ) {
      void this.askFrom(beginning, panel, step);
    } else panel?.setError(step.run, 'Make the move again from the draft.');
  }

  cancel(run: number): void {
    this.running.get(run)?.cancel();
  }

  cite(source: Source): void {
    void this.citeCard(source);
  }

  /** Cites the card that has the focus, or had it last. */
  async citeFocused(): Promise<void> {
    const card = this.panel?.focused() ?? null;
    if (card) return this.citeCard(card);
    void vscode.window.showInformationMessage(
      'Ratio: choose a card first. Make a move, then go to a card with the arrow keys.',
    );
    await this.panel?.show(false);
  }

  copy({ text, paper }: Source): void {
    const year = paper.date?.slice(0, 4);
    const record = [
      paper.authors.join(', ').replaceAll('\u00a0', ' '),
      paper.title,
      paper.venue,
      year,
      paper.url,
    ];
    void this.toClipboard(`${text}\n${record.filter(Boolean).join('. ')}`);
  }

  open({ paper }: Source): void {
    const link = paperLink(paper);
    if (link) void vscode.env.openExternal(vscode.Uri.parse(link, true));
    else {
      void vscode.window.showInformationMessage(
        `Ratio: the record of “${paper.title}” has no link.`,
      );
    }
  }

  async undo(): Promise<void> {
    try {
      await this.citing.history.undo();
    } catch (error) {
      void vscode.window.showErrorMessage(
        `Ratio: the citation was not taken back; undo in the draft does it. ${messageOf(error)}`,
      );
    }
  }

  feedback(judgement: FeedbackParams, lost: () => void): void {
    this.connection.feedback(judgement).catch((error: unknown) => {
      lost();
      void vscode.window.showErrorMessage(
        `Ratio: the judgement could not be kept. ${messageOf(error)}`,
      );
    });
  }

  revealTaken(taken: Taken): void {
    void this.reveal(taken);
  }

  command(id: PanelCommand): void {
    void vscode.commands.executeCommand(`ratio.${id}`);
  }

  /** Asks about what stands at the place of a move, while the panel does not know that text. */
  private async askFrom(
    { document, range, follow }: Beginning,
    panel: RatioPanel,
    step: PanelStep,
  ): Promise<void> {
    const where = { uri: document.uri.toString(), range: wireRange(range) };
    // Known long before an answer where the engine has to start, or can't.
    this.connection.take(where).then(
      (taken) => {
        if (!taken) return;
        follow(taken);
        panel.setTaken(step.run, taken);
      },
      () => undefined,
    );
    await this.ask(step, { ...where, text: null, follow });
  }

  private async ask(
    step: PanelStep,
    from: {
      uri: string | null;
      range: Taken['range'];
      text: string | null;
      follow: (taken: Taken) => void;
    },
  ): Promise<void> {
    const { panel, output } = this;
    if (!panel) return;
    const { run, move, years, pools, limit } = step;
    const source = new vscode.CancellationTokenSource();
    this.running.set(run, source);
    try {
      const result = await this.connection.inspire(
        {
          move,
          uri: from.uri,
          range: from.range,
          text: from.text,
          pools,
          years,
          limit,
          rerank: reranks(),
        },
        ({ taken, snapshot }) => {
          from.follow(taken);
          panel.setSnapshot(run, taken, snapshot);
        },
        source.token,
      );
      if (result.kind === 'answer') from.follow(result.taken);
      panel.setResult(run, result);
      if (result.kind === 'answer') {
        if (result.snapshot.inspirations.length > 0) reached('answered');
        this.connection.answered(result.snapshot).catch((error: unknown) => {
          output.warn(`The status could not be read again: ${messageOf(error)}`);
        });
      }
    } catch (error) {
      if (source.token.isCancellationRequested || isCancelled(error)) {
        panel.setStopped(run);
        return;
      }
      output.error(error instanceof Error ? error : String(error));
      panel.setError(run, messageOf(error));
    } finally {
      this.running.delete(run);
      source.dispose();
    }
  }

  private async citeCard(source: Source): Promise<void> {
    const { panel, underWay } = this;
    const { id } = source.paper;
    // A second press while the first is at work cites nothing twice.
    if (!panel || underWay.has(id)) return;
    underWay.add(id);
    try {
      const key = await citePaper(this.citing, source.paper, panel.origin());
      if (key === null) return;
      panel.setCited(id, key);
      reached('cited');
    } catch (error) {
      this.output.error(error instanceof Error ? error : String(error));
      citeFailed(error);
    } finally {
      underWay.delete(id);
    }
  }

  private async toClipboard(text: string): Promise<void> {
    try {
      await vscode.env.clipboard.writeText(text);
    } catch (error) {
      void vscode.window.showErrorMessage(`Ratio: nothing was copied. ${messageOf(error)}`);
      return;
    }
    this.panel?.announce('Copied');
    vscode.window.setStatusBarMessage('$(copy) Sentence and citation copied', COPIED_MS);
  }

  private async reveal(taken: Taken): Promise<void> {
    if (!taken.uri) return;
    try {
      const document = await openDraft(taken.uri);
      // Without the server nobody can say where the text stands now; the draft is shown all the same.
      const found = await originRange(this.connection, this.tracker, document, taken).then(
        (range) => ({ range }),
        () => null,
      );
      if (found?.range) return await showDraft(document, found.range);
      // Where it was, with nothing selected: what stands there now may be another text.
      const { start } = vscodeRange(taken.range);
      await showDraft(document, new vscode.Range(start, start));
      if (!found) return;
      void vscode.window.showInformationMessage(
        `Ratio: ${ORIGIN_GONE} Make the move again from the draft.`,
      );
    } catch (error) {
      void vscode.window.showErrorMessage(`Ratio: the draft cannot be shown: ${messageOf(error)}`);
    }
  }
}

/** The document and range of a move, or null after telling the user why there is none. */
async function placeOfMove(
  target: unknown,
  editors: DraftEditors,
): Promise<{ document: vscode.TextDocument; range: vscode.Range } | null> {
  if (isMoveTarget(target)) {
    const document = await vscode.workspace.openTextDocument(vscode.Uri.parse(target.uri, true));
    return { document, range: vscodeRange(target.range) };
  }
  const editor = editors.current();
  if (editor === null) {
    void vscode.window.showInformationMessage(
      'Ratio: open a LaTeX or Markdown draft of yours, so that it can be edited, and put the cursor in the sentence you are stuck at.',
    );
    return null;
  }
  return { document: editor.document, range: editor.selection };
}

function isMoveTarget(value: unknown): value is MoveTarget {
  if (typeof value !== 'object' || value === null) return false;
  const { uri, range } = value as Partial<MoveTarget>;
  return typeof uri === 'string' && typeof range?.start?.line === 'number';
}
