/** The keyboard in the panel: where the focus goes, and which intent a key stands for. */
import type { Entry } from '../state';
import { reducedMotion } from './flip';
import type { Intents } from './intents';
import { Chords, commandFor, type KeyCommand, type Zone } from './keyboard';
import { tabStop } from './merge';
import type { Reader } from './reader';

/** What the navigation needs to know of the app. */
export interface Navigated extends Intents {
  order(): readonly string[];
  /** The card with the roving tab stop, as last set. */
  active(): string | null;
  entry(): Entry | null;
  helpOpen(): boolean;
  /** One entry back on the trail; false at its start. */
  back(): boolean;
  /** Takes the last citation back; false where it can't be. */
  undo(): boolean;
}

/** Listens to the keyboard and does what a key stands for where the focus is. */
export class Navigation {
  private readonly chords = new Chords();

  constructor(
    private readonly app: Navigated,
    private readonly reader: Reader,
    private readonly scroller: HTMLElement,
  ) {
    document.addEventListener('keydown', (event) => this.onKey(event));
  }

  /** Takes the keyboard to the card with the tab stop; false where there is none. */
  toCards(): boolean {
    const id = tabStop(this.app.order(), this.app.active());
    const card = this.reader.card(id);
    card?.focus({ preventScroll: true });
    return card !== null;
  }

  private onKey(event: KeyboardEvent): void {
    if (this.chords.take(event, event.timeStamp) || event.defaultPrevented) return;
    const command = commandFor(event, this.zone(event));
    if (command === null || !this.run(command)) return;
    event.preventDefault();
    event.stopPropagation();
  }

  private zone(event: KeyboardEvent): Zone {
    // The first of the path is the element inside a component's shadow root.
    const target = event.composedPath()[0];
    if (!(target instanceof Element)) return 'page';
    if (target.matches('input, textarea, select')) return 'field';
    if (target.matches('.card')) return 'card';
    if (this.reader.focused() !== null) return 'action';
    const focused = document.activeElement;
    return focused === document.body || focused === this.scroller ? 'page' : 'control';
  }

  /** Runs a command; false leaves the key to others. */
  private run(command: KeyCommand): boolean {
    const order = this.app.order();
    const active = this.reader.focused();
    const at = active === null ? -1 : order.indexOf(active);
    switch (command.do) {
      case 'help':
        this.app.toggleHelp();
        return true;
      case 'escape':
        return this.escape(active);
      case 'undo':
        return this.app.undo();
      case 'next':
        return this.focus(active === null ? tabStop(order, this.app.active()) : order[at + 1]);
      case 'previous':
        // Above the first card is the question: the view scrolls back to it.
        if (at === 0) this.toTop();
        return this.focus(order[at - 1]);
      case 'first':
        this.toTop();
        return this.focus(order[0]);
      case 'last':
        return this.focus(order.at(-1));
    }
    return active === null ? false : this.runOn(active, command);
  }

  private runOn(card: string, command: KeyCommand): boolean {
    const relative = this.reader.relative();
    switch (command.do) {
      case 'next-action':
        return this.focusAction(card, 1);
      case 'previous-action':
        return this.focusAction(card, -1);
      case 'expand':
        this.app.expand(card);
        return true;
      case 'unfold':
        this.app.unfold(card, relative ?? undefined);
        return true;
      case 'chain':
        // Moves and judgements are about the card's sentence, which is not the one looked at.
        if (relative !== null) return false;
        this.app.chain(command.move, card);
        return true;
      case 'useful':
      case 'not-useful': {
        if (relative !== null) return false;
        const withdrawn = this.app.entry()?.verdicts[card] === command.do;
        this.app.judge(withdrawn ? 'none' : command.do, card);
        return true;
      }
      case 'cite':
      case 'copy':
      case 'open':
        this.app.act(command.do, card, relative ?? undefined);
        return true;
      default:
        return false;
    }
  }

  /** Out of the innermost thing: the help, a card's actions, the filters, a chained move. */
  private escape(card: string | null): boolean {
    const focused = document.activeElement;
    if (this.app.helpOpen()) {
      this.app.toggleHelp();
      return true;
    }
    if (card !== null && focused?.matches('.card') === false) return this.focus(card);
    if (focused?.closest('.filters') != null) {
      this.app.toggleFilters();
      this.scroller.querySelector<HTMLElement>('.filter-button')?.focus();
      return true;
    }
    return this.app.back();
  }

  private focus(id: string | null | undefined): boolean {
    const card = this.reader.card(id);
    if (card === null) return false;
    card.focus({ preventScroll: true });
    card.scrollIntoView({ block: 'nearest', behavior: reducedMotion() ? 'auto' : 'smooth' });
    return true;
  }

  private focusAction(id: string, by: 1 | -1): boolean {
    const actions = [
      ...(this.reader
        .card(id)
        ?.querySelectorAll<HTMLElement>(':is(.actions, .relatives) button:not(:disabled)') ?? []),
    ];
    const at = actions.findIndex((action) => action === document.activeElement);
    const next = at === -1 && by === -1 ? undefined : actions[at + by];
    if (next !== undefined) next.focus();
    // Left of the first action is the card itself.
    else if (by === -1) return this.focus(id);
    return true;
  }

  private toTop(): void {
    this.scroller.scrollTo({ top: 0 });
  }
}
