/**
 * The panel without VS Code: holds the state, keeps every attached webview up to date and turns
 * what webviews ask for into calls of a {@link PanelHandler}.
 */
import type {
  FeedbackParams,
  InspireResult,
  Move,
  ShownInspiration,
  ShownRelative,
  ShownSnapshot,
  Status,
  Taken,
} from '../../server/protocol';
import {
  viewMessageSchema,
  type HostMessage,
  type KeyLabels,
  type PanelCommand,
  type ViewMessage,
} from './messages';
import * as change from './state';
import type { PanelState, PanelStep } from './state';
import { PAGE } from './words';

/** A sentence of a paper that can be cited, copied and opened. */
export type Source = ShownInspiration | ShownRelative;

/** What the panel asks of the rest of the client. */
export interface PanelHandler {
  /** Answer a step; report with the panel's `set…(step.run, …)`. The panel shows it as busy already. */
  inspire(step: PanelStep): void;
  /** Nobody waits for this run any more. */
  cancel(run: number): void;
  /** Cite a card's or a relative's paper into the draft sentence that began the trail (`panel.origin()`). */
  cite(source: Source): void;
  copy(source: Source): void;
  /** Open its paper; `paperLink` of `links.ts` says where, and only ever names web addresses. */
  open(source: Source): void;
  /**
   * Take the last citation back in the draft; only while {@link PanelCore.setUndoable} says it can be. Settles once
   * that is done, or VS Code's question about it was answered with no.
   */
  undo(): Promise<void>;
  /** Keep a judgement; `lost` is to be called where that failed, later than this call. */
  feedback(judgement: FeedbackParams, lost: () => void): void;
  /** Show the taken text in its draft; called only for text that has a place there. */
  revealTaken(taken: Taken): void;
  command(id: PanelCommand): void;
}

/** A webview that shows the panel. */
export interface Surface {
  post(message: HostMessage): void;
}

/** The panel's side of one webview. */
export interface Attachment {
  /** Takes a message of the webview, checked here; anything malformed is dropped and logged. */
  receive(message: unknown): void;
  detach(): void;
}

export interface CoreOptions {
  handler: PanelHandler;
  keys: KeyLabels;
  /** Told about messages that could not be understood. */
  log?: (message: string) => void;
  /** Name of this window's life, in entry ids; made up when absent. */
  session?: string;
  /** Inspirations asked for at first, and more at a time. */
  page?: () => number;
  /** Pools that moves ask without a filter; none named asks all. */
  pools?: () => readonly string[];
  /** Called when a trail of the window's last life is shown again. */
  onRestored?: () => void;
}

/** The state of the panel, the webviews that show it, and what they ask for; knows nothing of VS Code. */
export class PanelCore {
  private state: PanelState;
  private readonly surfaces = new Set<Surface>();
  private readonly ready = new Set<Surface>();
  private posting = false;
  private undoable = false;
  /** An undo that the panel asked for is under way. */
  private undoing = false;
  /** A webview that loads before this time takes the keyboard focus. */
  private focusUntil = 0;
  private focus: { entry: string; id: string; relative?: string | undefined } | null = null;
  /** Every card shown, by entry: one that a later snapshot dropped may still be under the reader. */
  private readonly seen = new Map<string, Map<string, ShownInspiration>>();

  constructor(private readonly options: CoreOptions) {
    this.state = change.initialState(options.session ?? Math.random().toString(36).slice(2, 10));
  }

  /**
   * Starts a new trail for text of the draft and shows it as busy.
   * @param taken the text, or null where the server is yet to say which ({@link setTaken}).
   * @returns the step to answer, filters of the panel included. It is not passed to the handler.
   */
  begin(move: Move, taken: Taken | null): PanelStep {
    this.cancelCurrent();
    this.update(change.began(this.state, move, taken, this.page()));
    this.focus = null;
    this.forget();
    return this.currentStep();
  }

  /** Says which text a run took. */
  setTaken(run: number, taken: Taken): void {
    this.update(change.took(this.state, run, taken));
  }

  /** The file or folder `from` is called `to` now: what began in it is cited there. */
  setMoved(from: string, to: string): void {
    this.update(change.moved(this.state, from, to));
  }

  /** Shows a snapshot; an out-of-date run or sequence number changes nothing. */
  setSnapshot(run: number, taken: Taken, snapshot: ShownSnapshot): void {
    this.update(change.snapshotArrived(this.state, run, taken, snapshot));
  }

  /** Shows the result of `ratio/inspire`. */
  setResult(run: number, result: InspireResult): void {
    this.update(change.finished(this.state, run, result));
  }

  /** Shows that a run failed, why, and (in the message) what to do. */
  setError(run: number, message: string): void {
    this.update(change.failed(this.state, run, message));
  }

  /** Shows that a run was cancelled. */
  setStopped(run: number): void {
    this.update(change.stopped(this.state, run));
  }

  /** Shows the engine's state. */
  setStatus(status: Status): void {
    this.update(change.statusChanged(this.state, status));
  }

  /** Marks a paper's cards as cited under `key` and says so to a screen reader. */
  setCited(paperId: string, key: string): void {
    this.update(change.citedAs(this.state, paperId, key));
    this.announce(`Cited as ${key}`);
  }

  /**
   * What the .bib holds has changed by other ways than {@link setCited}, an undo say: what is shown is asked again,
   * other steps of the trail when they are shown. One that was cancelled or failed is not.
   */
  citationsChanged(): void {
    this.update(change.citationsChanged(this.state));
    this.refreshOutdated();
  }

  /** A pool is gone: no filter names it any more. What it has answered stays on show. */
  poolRemoved(pool: string): void {
    this.update(change.poolRemoved(this.state, pool));
  }

  /** Says whether the last citation is the last thing done in its draft, so that undo takes it back. */
  setUndoable(undoable: boolean): void {
    if (undoable === this.undoable) return;
    this.undoable = undoable;
    this.postSoon();
  }

  /** Says something to a screen reader through every webview. */
  announce(text: string): void {
    for (const surface of this.ready) surface.post({ type: 'announce', text });
  }

  /** What keyboard commands act on, or null. Outlives the webview's loss of focus. */
  focused(): Source | null {
    if (this.focus === null) return null;
    const card = this.find(this.focus.entry, this.focus.id);
    return card === null ? null : (sourceOf(card, this.focus.relative) ?? card);
  }

  /** The draft text that began the trail, which cards are cited into; null for a free text. */
  origin(): Taken | null {
    return change.origin(this.state);
  }

  /** The text that the shown cards answer, and the move. */
  current(): { move: Move; taken: Taken | null } | null {
    const entry = change.currentEntry(this.state);
    return entry === null ? null : { move: entry.move, taken: entry.taken };
  }

  /** Other pools have been chosen for the workspace: what a filter said of pools goes, and what is shown is asked again. */
  poolsChosen(): void {
    this.update(change.poolFilterDropped(this.state));
    this.refresh();
  }

  /** Asks again what the panel shows, e.g. after the pools have changed. False where it is empty. */
  refresh(): boolean {
    const entry = change.currentEntry(this.state);
    if (entry === null || entry.taken === null) return false;
    this.ask({});
    return true;
  }

  /** Connects a webview. It gets the whole state once it says it is ready. */
  attach(surface: Surface): Attachment {
    this.surfaces.add(surface);
    return {
      receive: (message) => this.receive(surface, message),
      detach: () => {
        this.surfaces.delete(surface);
        this.ready.delete(surface);
      },
    };
  }

  /** Takes the keyboard focus to the cards of the webview that is shown next or already there. */
  protected focusCards(): void {
    // A hidden webview is not there to hear it: it loads anew when it is shown.
    this.focusUntil = Date.now() + 3000;
    for (const surface of this.ready) surface.post({ type: 'focus' });
  }

  private receive(surface: Surface, raw: unknown): void {
    const parsed = viewMessageSchema.safeParse(raw);
    if (!parsed.success) {
      this.options.log?.(`Panel: a message was dropped: ${parsed.error.message}`);
      return;
    }
    const message = parsed.data;
    switch (message.type) {
      case 'ready':
        return this.becameReady(surface, message.saved);
      case 'goTo':
        return this.goTo(message.index);
      case 'rerun':
        // A webview that has not drawn the latest entry yet speaks of another.
        if (message.entry === (change.currentEntry(this.state)?.id ?? null)) this.ask(message);
        return;
      case 'revealTaken': {
        const taken = this.state.trail[0]?.taken ?? null;
        if (taken !== null && taken.uri !== null && taken.range !== null) {
          this.options.handler.revealTaken(taken);
        }
        return;
      }
      case 'cancel':
        return this.cancelCurrent();
      case 'undo':
        return void this.undo();
      case 'command':
        return this.options.handler.command(message.id);
      case 'focused':
        this.focus = { entry: message.entry, id: message.id, relative: message.relative };
        return;
      default:
        return this.actOnCard(message);
    }
  }

  private actOnCard(
    message: Extract<ViewMessage, { type: 'chain' | 'cite' | 'copy' | 'open' | 'feedback' }>,
  ): void {
    const card = this.find(message.entry, message.id);
    if (card === null) return;
    const { handler } = this.options;
    switch (message.type) {
      case 'chain':
        this.cancelCurrent();
        this.focus = null;
        this.update(change.chained(this.state, message.move, card, this.page()));
        this.forget();
        return handler.inspire(this.currentStep());
      case 'cite':
      case 'copy':
      case 'open': {
        const source = sourceOf(card, message.relative);
        if (source !== null) handler[message.type](source);
        return;
      }
      case 'feedback': {
        const entry = this.state.trail.find((each) => each.id === message.entry);
        if (entry === undefined) return;
        const { verdict } = message;
        const before = entry.verdicts[card.id] ?? 'none';
        this.update(change.judged(this.state, entry.id, card.id, verdict));
        const { citedAs: _, relatives: __, ...inspiration } = card;
        return handler.feedback(
          { verdict, move: entry.move, query: entry.taken?.text ?? '', inspiration },
          () => this.update(change.judgementLost(this.state, entry.id, card.id, verdict, before)),
        );
      }
    }
  }

  private becameReady(surface: Surface, saved: unknown): void {
    this.ready.add(surface);
    if (this.state.trail.length === 0) {
      const before = change.restored(saved, this.state.status);
      // Other webviews that are open show the restored trail too.
      if (before !== null) {
        this.update(before);
        this.options.onRestored?.();
      }
    }
    surface.post(this.stateMessage());
    if (Date.now() < this.focusUntil) {
      this.focusUntil = 0;
      surface.post({ type: 'focus' });
    }
  }

  private ask(wanted: change.Rerun): void {
    const rerun =
      wanted.filters === undefined
        ? wanted
        : {
            ...wanted,
            filters: change.withoutEmptyFilter(
              this.state,
              wanted.filters,
              this.options.pools?.() ?? [],
            ),
          };
    const entry = change.currentEntry(this.state);
    // What holds no prose cannot be asked about again; what the next move is to ask with can be chosen.
    if (entry?.phase === 'no-prose' && entry.taken === null) {
      if (rerun.filters !== undefined) this.update(change.filtered(this.state, rerun.filters));
      return;
    }
    this.cancelCurrent();
    // Other cards come; what is only asked for again or refined may keep the one that is read.
    if (rerun.move !== undefined || rerun.filters !== undefined) this.focus = null;
    this.update(change.rerun(this.state, rerun, this.page()));
    if (entry !== null) this.options.handler.inspire(this.currentStep());
  }

  private async undo(): Promise<void> {
    if (!this.undoable || this.undoing) return;
    this.undoing = true;
    try {
      await this.options.handler.undo();
    } finally {
      this.undoing = false;
      // A webview offers its key no more once it was pressed, until it is told again.
      this.postSoon();
    }
  }

  private page(): number {
    return this.options.page?.() ?? PAGE;
  }

  private goTo(index: number): void {
    if (index === this.state.current) return;
    this.cancelCurrent();
    this.focus = null;
    this.update(change.wentTo(this.state, index));
    this.refreshOutdated();
  }

  private refreshOutdated(): void {
    const entry = change.currentEntry(this.state);
    // What was cancelled, or failed, is asked again only by its reader.
    if (!entry?.outdated || entry.phase === 'stopped' || entry.phase === 'error') return;
    this.refresh();
  }

  private cancelCurrent(): void {
    const entry = change.currentEntry(this.state);
    if (entry?.phase !== 'busy') return;
    this.update(change.stopped(this.state, entry.run));
    this.options.handler.cancel(entry.run);
  }

  private currentStep(): PanelStep {
    const entry = change.currentEntry(this.state);
    if (entry === null) throw new Error('The panel has no current entry.');
    return change.stepOf(this.state, entry);
  }

  private find(entry: string, id: string): ShownInspiration | null {
    return this.seen.get(entry)?.get(id) ?? null;
  }

  private forget(): void {
    const kept = new Set(this.state.trail.map((entry) => entry.id));
    for (const id of this.seen.keys()) if (!kept.has(id)) this.seen.delete(id);
  }

  private update(state: PanelState): void {
    if (state === this.state) return;
    this.state = state;
    for (const entry of state.trail) {
      const cards = this.seen.get(entry.id) ?? new Map<string, ShownInspiration>();
      for (const card of entry.snapshot?.inspirations ?? []) cards.set(card.id, card);
      this.seen.set(entry.id, cards);
    }
    this.postSoon();
  }

  private postSoon(): void {
    if (this.posting) return;
    // Changes made in one go are shown in one go.
    this.posting = true;
    queueMicrotask(() => {
      this.posting = false;
      for (const surface of this.ready) surface.post(this.stateMessage());
    });
  }

  private stateMessage(): HostMessage {
    const { state, undoable, undoing } = this;
    return { type: 'state', state, keys: this.options.keys, undoable: undoable && !undoing };
  }
}

/** The card, or the relative of it that is named; null where it has no such relative. */
function sourceOf(card: ShownInspiration, relative: string | undefined): Source | null {
  if (relative === undefined) return card;
  return card.relatives?.find(({ id }) => id === relative) ?? null;
}
