/** Keeps cards still under the reader, and moves the others gently (FLIP: first, last, invert, play). */

const DURATION_MS = 180;

export function reducedMotion(): boolean {
  return (
    matchMedia('(prefers-reduced-motion: reduce)').matches ||
    document.body.classList.contains('vscode-reduce-motion')
  );
}

/** Where the cards stood in the viewport before a change. */
export interface Positions {
  tops: Map<string, number>;
  /** Card whose place in the viewport must not change, or null. */
  anchor: string | null;
}

function cardsOf(scroller: HTMLElement): HTMLElement[] {
  return [...scroller.querySelectorAll<HTMLElement>('.card[data-id]')];
}

export function positions(scroller: HTMLElement, anchor: string | null): Positions {
  const tops = new Map<string, number>();
  for (const card of cardsOf(scroller)) {
    if (card.dataset['id'] !== undefined) {
      tops.set(card.dataset['id'], card.getBoundingClientRect().top);
    }
  }
  return { tops, anchor };
}

/** Scrolls so that the anchor is where it was, then lets the cards that moved glide to their place. */
export function settle(scroller: HTMLElement, before: Positions): void {
  const cards = cardsOf(scroller);
  if (before.anchor !== null) {
    const anchor = cards.find((card) => card.dataset['id'] === before.anchor);
    const top = before.tops.get(before.anchor);
    if (anchor !== undefined && top !== undefined) {
      scroller.scrollTop += anchor.getBoundingClientRect().top - top;
    }
  }
  if (before.tops.size === 0 || reducedMotion()) return;
  const height = scroller.clientHeight;
  for (const card of cards) {
    const id = card.dataset['id'];
    if (id === undefined) continue;
    const was = before.tops.get(id);
    const { top, bottom } = card.getBoundingClientRect();
    if (bottom < 0 || top > height) continue;
    if (was === undefined) {
      card.animate([{ opacity: 0 }, { opacity: 1 }], { duration: DURATION_MS, easing: 'ease-out' });
    } else if (Math.abs(was - top) > 1) {
      card.animate([{ transform: `translateY(${was - top}px)` }, { transform: 'none' }], {
        duration: DURATION_MS,
        easing: 'ease-out',
      });
    }
  }
}
