/** What the reader is looking at: which cards have the focus, the pointer, a selection or the view. */

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
    if (this.scroller.scrollTop > 0) for (const card of this.inSight()) add(card);
    return pinned;
  }

  /** The card whose place on the screen is kept: the focused one, else one that is pinned. */
  anchor(pinned: ReadonlySet<string>): string | null {
    return this.focused() ?? this.hovered ?? this.inSight().find((id) => pinned.has(id)) ?? null;
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
