/** What the reader is looking at: which cards have the focus, the pointer, a selection or the view. */

/** Where the reader is: cards that have the focus, the pointer or a selection in them. */
export class Reader {
  private hovered: string | null = null;

  constructor(private readonly scroller: HTMLElement) {
    scroller.addEventListener('pointerover', (event) => {
      this.hovered = this.cardAt(event.target);
    });
    scroller.addEventListener('pointerleave', () => {
      this.hovered = null;
    });
  }

  /** Id of the card that holds a node, or null. */
  cardAt(target: EventTarget | null): string | null {
    const element =
      target instanceof Element ? target : target instanceof Node ? target.parentElement : null;
    return element?.closest<HTMLElement>('.card[data-id]')?.dataset['id'] ?? null;
  }

  /** Id of the relative, within a card, that has the keyboard focus, or null. */
  relative(): string | null {
    const within = document.activeElement?.closest<HTMLElement>('.relative[data-relative]');
    return within?.dataset['relative'] ?? null;
  }

  card(id: string | null | undefined): HTMLElement | null {
    return this.cards().find((card) => card.dataset['id'] === id) ?? null;
  }

  /** Id of the card that has the keyboard focus, itself or in one of its controls. */
  focused(): string | null {
    return this.cardAt(document.activeElement);
  }

  /** Cards that must keep their place: focused, hovered, selected, opened, or scrolled to. */
  pinned(opened: readonly string[]): Set<string> {
    const pinned = new Set(opened);
    const add = (id: string | null): void => {
      if (id !== null) pinned.add(id);
    };
    add(this.focused());
    add(this.hovered);
    const selection = document.getSelection();
    if (selection !== null && !selection.isCollapsed) add(this.cardAt(selection.anchorNode));
    const seen = this.inSight();
    const held = seen.flatMap((id, at) => (pinned.has(id) ? [at] : []));
    // Other heights between two of them would move one.
    const [from, to] = this.scroller.scrollTop > 0 ? [0, seen.length] : [held[0], held.at(-1)];
    for (const id of seen.slice(from ?? 0, to ?? 0)) add(id);
    return pinned;
  }

  /** The card whose place on the screen is kept: of those in sight the focused one, else a pinned one. */
  anchor(pinned: ReadonlySet<string>): string | null {
    const seen = this.inSight();
    const focused = this.focused();
    if (focused !== null && seen.includes(focused)) return focused;
    return this.hovered ?? seen.find((id) => pinned.has(id)) ?? focused;
  }

  private cards(): HTMLElement[] {
    return [...this.scroller.querySelectorAll<HTMLElement>('.card[data-id]')];
  }

  private inSight(): string[] {
    const top = this.scroller.querySelector('.bar')?.getBoundingClientRect().bottom ?? 0;
    const bottom = this.scroller.clientHeight;
    return this.cards()
      .filter((card) => {
        const box = card.getBoundingClientRect();
        return box.bottom > top && box.top < bottom;
      })
      .map((card) => card.dataset['id'] ?? '');
  }
}
