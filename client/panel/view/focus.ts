/** Keeps the keyboard focus over a redraw, also where the control that had it goes. */
import type { Navigated } from './navigation';
import { tabStop } from './merge';
import type { Reader } from './reader';

/** What takes the focus of a control that is gone, by the part of the page that held it. */
const heirs: readonly [part: string, heir: string][] = [
  ['.help', '.help-button'],
  ['.filters', '.filter-button'],
  ['.trail', '.crumb[aria-current]'],
];

/** Keeps the keyboard focus over drawing, which moves and removes elements. */
export class FocusKeeper {
  /** A control has gone with the focus, and nothing was there yet to take it. */
  private adrift = false;

  constructor(
    private readonly app: Pick<Navigated, 'order' | 'active'>,
    private readonly reader: Reader,
    private readonly root: HTMLElement,
  ) {}

  /** The reader points elsewhere: no focus is owed any more. */
  letGo(): void {
    this.adrift = false;
  }

  /**
   * To be called before a redraw, and what it returns after it: that gives the focus back, or on. It returns the id of
   * the card that has inherited the focus, if one has.
   */
  keep(): () => string | null {
    const focused = document.activeElement;
    const card = this.reader.focused();
    const heir = heirs.find(([part]) => focused?.closest(part) != null)?.[1] ?? null;
    // The app itself goes on from Show More, once there are more.
    const waits = focused?.closest('.more') != null;
    const within = focused !== null && this.root.contains(focused);
    return () => {
      if (!(focused instanceof HTMLElement)) return null;
      const gone = within && (!this.root.contains(focused) || focused.matches(':disabled'));
      if (!gone && focused !== document.body) {
        this.adrift = false;
        if (focused !== document.activeElement) focused.focus({ preventScroll: true });
        return null;
      }
      if (waits || !(gone || this.adrift)) return null;
      if (gone && take(this.reader.card(card))) return card;
      // Not out of the draft, where a move may have been made meanwhile.
      if (!document.hasFocus()) return null;
      if (heir !== null && take(this.root.querySelector<HTMLElement>(heir))) return null;
      const stop = tabStop(this.app.order(), this.app.active());
      if (take(this.reader.card(stop))) return stop;
      const first = this.root.querySelector<HTMLElement>(
        '.content :is(button:not(:disabled), vscode-button)',
      );
      this.adrift = !take(first);
      if (this.adrift && first !== null) void this.takeOnceReady(first);
      return null;
    };
  }

  /** A component cannot have the focus before it has drawn itself. */
  private async takeOnceReady(component: HTMLElement & { updateComplete?: Promise<unknown> }) {
    await component.updateComplete;
    if (this.adrift && document.activeElement === document.body && take(component)) {
      this.adrift = false;
    }
  }
}

/** Focuses an element; false where there is none or it cannot have the focus. */
function take(element: HTMLElement | null): boolean {
  element?.focus({ preventScroll: true });
  return element !== null && document.activeElement === element;
}
