/** The browser side of the panel: draws the host's state and sends back what the reader wants. */
import { render } from 'lit';
import type { Move } from '../../../server/protocol';
import type { HostMessage, MoveKeys, PanelCommand, ViewMessage } from '../messages';
import type { Entry, PanelState, Verdict } from '../state';
import type { Bridge, EntryMemory } from './bridge';
import { Deck } from './deck';
import { glide, hold, positions, release } from './flip';
import { FocusKeeper } from './focus';
import type { CardAction } from './intents';
import { Memory } from './memory';
import { Navigation, type Navigated } from './navigation';
import { pageTemplate } from './page';
import { onMac } from './platform';
import { Reader } from './reader';
import { Speaker } from './speaker';

/** A fast answer shows no skeleton: nothing may flash. */
const SKELETON_AFTER_MS = 150;

/** The page: keeps what the host last said, draws it, and passes on what the reader does. */
export class PanelApp implements Navigated {
  private state: PanelState | null = null;
  private keys: MoveKeys = {};
  /** The last citation can be taken back. */
  private undoable = false;
  private help = false;
  private yearProblem: string | null = null;
  private deck = Deck.empty;
  private skeleton = false;
  private skeletonTimer: number | undefined;
  private drawing = false;
  private wantsFocus = false;
  /** The last card when more were asked for by the keyboard; null once the focus has gone on from there. */
  private moreAfter: string | null = null;
  private textOverflows = false;
  private readonly judgements = new Map<string, Verdict>();
  private readonly speaker: Speaker;
  private readonly reader: Reader;
  private readonly memory: Memory;
  private readonly navigation: Navigation;
  private readonly focus: FocusKeeper;

  /** @param root the scrolling element that everything is drawn in. */
  constructor(
    private readonly root: HTMLElement,
    private readonly bridge: Bridge,
  ) {
    this.speaker = new Speaker(root);
    this.reader = new Reader(root);
    this.memory = new Memory(bridge, () => this.state);
    this.navigation = new Navigation(this, this.reader, root);
    this.focus = new FocusKeeper(this, this.reader, root);
    root.addEventListener('scroll', () => this.onScroll(), { passive: true });
    new ResizeObserver(() => this.measureText()).observe(root);
    // The request for the focus may come before VS Code has given it to the webview.
    window.addEventListener('focus', () => this.focusIfWanted());
    // Where the reader points counts for more.
    window.addEventListener(
      'pointerdown',
      () => {
        this.wantsFocus = false;
        this.focus.letGo();
      },
      { capture: true },
    );
  }

  start(): void {
    const saved = this.memory.recall();
    this.bridge.listen((message) => this.receive(message));
    this.bridge.post({ type: 'ready', saved });
  }

  // What the host says.

  private receive(message: HostMessage): void {
    switch (message.type) {
      case 'announce':
        return this.speaker.say(message.text);
      case 'focus':
        this.wantsFocus = true;
        return this.focusIfWanted();
      case 'state':
        this.keys = onMac() ? message.keys.mac : message.keys.other;
        this.undoable = message.undoable;
        return this.show(message.state);
    }
  }

  private show(state: PanelState): void {
    const before = this.entry();
    this.state = state;
    const entry = this.entry();
    const moved = entry?.id !== before?.id;
    if (moved) this.yearProblem = null;
    // Judgements are of one answer to one move.
    if (moved || entry?.move !== before?.move) this.judgements.clear();
    this.overlayJudgements();
    this.memory.forget(state);
    this.awaitAnswer(entry);
    const snapshot = entry?.snapshot ?? null;
    const replaces = entry !== null && snapshot !== null && !this.deck.shows(entry);
    const continues = entry !== null && this.deck.continues(entry);
    let settled: (() => void) | null = null;
    if (replaces && continues) {
      settled = this.replace(entry);
    } else if (entry !== null && snapshot !== null) {
      if (replaces) {
        release(this.root);
        settled = () => this.toScroll(moved ? (this.own?.scroll ?? 0) : 0);
      }
      // The same cards with other marks: their order stays as it is.
      this.deck = this.deck.next(entry, new Set(this.deck.order), this.own?.shown);
    } else if (entry?.phase !== 'busy') this.deck = Deck.empty;
    this.draw();
    settled?.();
    this.rememberOrder(entry);
    this.speaker.sayChange(before, entry);
    this.focusIfWanted();
    this.focusMore();
    this.memory.keepSoon();
  }

  /**
   * Takes a snapshot that replaces the one on show. Once it is drawn, what it returns puts the
   * reader's card where it was and lets the others glide.
   */
  private replace(entry: Entry): () => void {
    const { deck } = this;
    const opened = (this.own?.unfolded ?? []).map(([card]) => card);
    const pinned = entry.further
      ? new Set(deck.order)
      : this.reader.pinned([...(this.own?.expanded ?? []), ...opened]);
    const anchor = this.reader.anchor(pinned);
    const was = positions(this.root, anchor);
    this.deck = deck.next(entry, pinned);
    return () => {
      if (!hold(this.root, was)) {
        // There is too little above it now to scroll to: what stood there stays too.
        this.deck = deck.next(entry, deck.withAbove(anchor, pinned));
        this.draw();
        hold(this.root, was);
      }
      glide(this.root, was);
    };
  }

  /** Cards come back from a hidden panel, a reload or further down the trail in the order they had. */
  private rememberOrder(entry: Entry | null): void {
    const { deck, own } = this;
    if (entry === null || own === null || !deck.isOf(entry) || deck.snapshot === null) return;
    own.shown = { snapshot: deck.snapshot, ids: deck.order };
  }

  /** Starts or ends the wait after which cards to come are outlined. */
  private awaitAnswer(entry: Entry | null): void {
    const waiting = entry?.phase === 'busy' && entry.snapshot === null;
    if (!waiting) {
      window.clearTimeout(this.skeletonTimer);
      this.skeletonTimer = undefined;
      this.skeleton = false;
    } else if (this.skeletonTimer === undefined && !this.skeleton) {
      this.skeletonTimer = window.setTimeout(() => {
        this.skeleton = true;
        this.skeletonTimer = undefined;
        this.deck = Deck.empty;
        this.draw();
        this.speaker.say('Looking for inspirations');
      }, SKELETON_AFTER_MS);
    }
  }

  /** Judgements given here hold until the host's state has caught up with them. */
  private overlayJudgements(): void {
    const entry = this.entry();
    for (const [id, verdict] of this.judgements) {
      if (entry === null || entry.verdicts[id] === verdict) this.judgements.delete(id);
      else entry.verdicts[id] = verdict;
    }
  }

  // Drawing.

  private draw(): void {
    const { state } = this;
    if (state === null) return;
    // Moving an element takes its focus away, and what is selected in it: it gets them back, without
    // a report that it lost them.
    const refocus = this.focus.keep();
    const reselect = keepSelection();
    this.drawing = true;
    render(
      pageTemplate(
        {
          state,
          keys: this.keys,
          deck: this.deck,
          own: this.own,
          filtersOpen: this.memory.filtersOpen,
          helpOpen: this.help,
          skeleton: this.skeleton,
          textOverflows: this.textOverflows,
          yearProblem: this.yearProblem,
          typingYears: document.hasFocus() && document.activeElement?.closest('.years') != null,
          setYearProblem: (problem) => {
            // A field that goes while it is typed in may still report.
            this.yearProblem = this.memory.filtersOpen ? problem : null;
            this.draw();
          },
        },
        this,
      ),
      this.root,
    );
    const heir = refocus();
    reselect();
    this.drawing = false;
    // It has the focus now, no relative of it that was folded.
    if (heir !== null) this.activate(heir);
    this.measureText();
  }

  /** "Show all" is offered only where the taken text does not fit. */
  private measureText(): void {
    const text = this.root.querySelector<HTMLElement>('.taken-text:not(.whole)');
    if (text === null) return;
    const overflows = text.scrollHeight > text.clientHeight + 1;
    if (overflows === this.textOverflows) return;
    this.textOverflows = overflows;
    this.draw();
  }

  private toScroll(top: number): void {
    this.root.scrollTop = top;
  }

  private onScroll(): void {
    const { own } = this;
    const entry = this.entry();
    if (own === null || entry === null) return;
    const taken = this.root.querySelector<HTMLElement>('.taken');
    const bar = this.root.querySelector<HTMLElement>('.bar');
    // Once the question has scrolled away, the bar repeats it in one line.
    const gone =
      taken !== null &&
      bar !== null &&
      taken.getBoundingClientRect().bottom < bar.getBoundingClientRect().bottom;
    bar?.classList.toggle('scrolled', gone);
    if (!this.deck.isOf(entry)) return;
    own.scroll = this.root.scrollTop;
    this.memory.keepSoon();
  }

  private focusIfWanted(): void {
    const entry = this.entry();
    if (!this.wantsFocus || entry === null || !this.deck.isOf(entry) || !document.hasFocus())
      return;
    if (this.navigation.toCards()) this.wantsFocus = false;
  }

  /** The button that asked for more is gone: the first of them gets the focus, for who goes by keys. */
  private focusMore(): void {
    const { moreAfter } = this;
    if (moreAfter === null) return;
    const order = this.order();
    const next = order[order.indexOf(moreAfter) + 1];
    if (next === undefined && this.entry()?.phase === 'busy') return;
    this.moreAfter = null;
    if (document.activeElement !== document.body) return;
    this.reader.card(next ?? moreAfter)?.focus();
  }

  // What the navigation asks.

  entry(): Entry | null {
    return this.state?.trail[this.state.current] ?? null;
  }

  order(): readonly string[] {
    return this.deck.order;
  }

  active(): string | null {
    return this.own?.active ?? null;
  }

  helpOpen(): boolean {
    return this.help;
  }

  back(): boolean {
    if (this.state === null || this.state.current < 1) return false;
    this.wantsFocus = true;
    this.goTo(this.state.current - 1);
    return true;
  }

  private get own(): EntryMemory | null {
    const entry = this.entry();
    return entry === null ? null : this.memory.of(entry.id);
  }

  // What the reader wants.

  private post(message: ViewMessage): void {
    this.bridge.post(message);
  }

  /** Sends a message about a card of the current entry; cards of an earlier one are not acted on. */
  private postCard(id: string, make: (entry: string) => ViewMessage): void {
    const entry = this.entry();
    if (entry !== null && this.deck.isOf(entry) && this.deck.card(id) !== null) {
      this.post(make(entry.id));
    }
  }

  act(action: CardAction, id: string, relative?: string): void {
    this.postCard(id, (entry) => ({ type: action, entry, id, ...named(relative) }));
  }

  chain(move: Move, id: string): void {
    this.wantsFocus = this.reader.focused() !== null;
    this.postCard(id, (entry) => ({ type: 'chain', entry, id, move }));
  }

  judge(verdict: Verdict, id: string): void {
    this.postCard(id, (entry) => ({ type: 'feedback', entry, id, verdict }));
    // At once: a second press must see the first, whatever the host is doing.
    this.judgements.set(id, verdict);
    const entry = this.entry();
    if (entry !== null) entry.verdicts[id] = verdict;
    this.draw();
    const words = { useful: 'Useful', 'not-useful': 'Not useful', none: 'Judgement withdrawn' };
    this.speaker.say(words[verdict]);
  }

  expand(id: string): void {
    const { own } = this;
    if (own === null) return;
    own.expanded = own.expanded.includes(id)
      ? own.expanded.filter((each) => each !== id)
      : [...own.expanded, id];
    this.draw();
    this.memory.keepSoon();
  }

  unfold(id: string, relative?: string): void {
    const { own } = this;
    const all = (this.deck.card(id)?.relatives ?? []).map((each) => each.id);
    if (own === null || all.length === 0) return;
    const meant = relative === undefined ? all : [relative];
    const isOpen = (each: string): boolean =>
      own.unfolded.some(([card, other]) => card === id && other === each);
    const closed = meant.filter((each) => !isOpen(each));
    own.unfolded =
      closed.length > 0
        ? [...own.unfolded, ...closed.map((each): [string, string] => [id, each])]
        : own.unfolded.filter(([card, each]) => card !== id || !meant.includes(each));
    this.draw();
    this.memory.keepSoon();
  }

  activate(id: string): void {
    const { own } = this;
    const entry = this.entry();
    if (this.drawing || own === null || entry === null || !this.deck.isOf(entry)) return;
    const relative = this.reader.relative() ?? undefined;
    this.post({ type: 'focused', entry: entry.id, id, ...named(relative) });
    if (own.active === id) return;
    own.active = id;
    this.draw();
    this.memory.keepSoon();
  }

  move(move: Move): void {
    const entry = this.entry();
    if (entry === null || entry.move === move) return;
    this.post({ type: 'rerun', entry: entry.id, move });
  }

  goTo(index: number): void {
    this.post({ type: 'goTo', index });
  }

  filter(filters: Entry['filters']): void {
    const entry = this.entry();
    this.yearProblem = null;
    this.post({ type: 'rerun', entry: entry?.id ?? null, filters });
    // At once: fields show what is filtered by, and would go back until the host has answered.
    if (entry !== null) entry.filters = filters;
    this.draw();
  }

  undo(): boolean {
    if (!this.undoable) return false;
    // A second press must not undo what was done before the citation.
    this.undoable = false;
    this.post({ type: 'undo' });
    return true;
  }

  more(): void {
    const entry = this.entry();
    if (entry === null) return;
    if (byKeyboard()) this.moreAfter = this.order().at(-1) ?? null;
    this.post({ type: 'rerun', entry: entry.id, more: true });
  }

  command(id: PanelCommand): void {
    this.post({ type: 'command', id });
  }

  // Passed on by templates as they are, so bound.

  readonly again = (): void => {
    // Its button goes as soon as it is pressed.
    this.wantsFocus ||= byKeyboard();
    this.post({ type: 'rerun', entry: this.entry()?.id ?? null });
  };
  readonly cancel = (): void => this.post({ type: 'cancel' });
  readonly reveal = (): void => this.post({ type: 'revealTaken' });

  readonly toggleFilters = (): void => {
    this.memory.filtersOpen = !this.memory.filtersOpen;
    // What was to be mended goes with its field: the next one shows what is filtered by.
    this.yearProblem = null;
    this.draw();
    if (this.memory.filtersOpen) this.toScroll(0);
    this.memory.keepSoon();
  };

  readonly toggleWholeText = (): void => {
    if (this.own !== null) this.own.wholeText = !this.own.wholeText;
    this.draw();
    this.memory.keepSoon();
  };

  readonly toggleHelp = (): void => {
    this.help = !this.help;
    this.draw();
    if (this.help) this.toScroll(0);
  };
}

/** Whether the control that is pressed has the focus of someone who goes by keys. */
function byKeyboard(): boolean {
  return document.activeElement?.matches(':focus-visible') ?? false;
}

/** The part of a message that names a card's relative. */
function named(relative: string | undefined): { relative?: string } {
  return relative === undefined ? {} : { relative };
}

/** Remembers what is selected; the returned function selects it again if its nodes are still there. */
function keepSelection(): () => void {
  const selection = document.getSelection();
  if (selection === null || selection.isCollapsed) return () => undefined;
  const { anchorNode, anchorOffset, focusNode, focusOffset } = selection;
  return () => {
    if (anchorNode?.isConnected !== true || focusNode?.isConnected !== true) return;
    if (selection.anchorNode === anchorNode && selection.focusNode === focusNode) return;
    selection.setBaseAndExtent(anchorNode, anchorOffset, focusNode, focusOffset);
  };
}
