/** Keeps cards still under the reader, and moves the others gently (FLIP: first, last, invert, play). */

const DURATION_MS = 220;
const EASING = 'cubic-bezier(0.2, 0, 0, 1)';

/** Whether the reader wants nothing to move. */
export function reducedMotion(): boolean {
  return (
    matchMedia('(prefers-reduced-motion: reduce)').matches ||
    document.body.classList.contains('vscode-reduce-motion')
  );
}

/** Where the cards stood in the viewport before a change. */
export interface Positions {
  tops: Map<string, { top: number; bottom: number }>;
  /** Card whose sentence must not change its place in the viewport, and where that was, or null. */
  anchor: { id: string; top: number } | null;
}

function cardsOf(scroller: HTMLElement): HTMLElement[] {
  return [...scroller.querySelectorAll<HTMLElement>('.card[data-id]')];
}

/** Top of a card's sentence: what a later snapshot adds above it (a role) moves the card's edge. */
function sentenceTop(scroller: HTMLElement, id: string): number | null {
  const card = cardsOf(scroller).find((each) => each.dataset['id'] === id);
  return card?.querySelector('.sentence')?.getBoundingClientRect().top ?? null;
}

/** Where the cards stand now, and of the one to be kept its sentence. */
export function positions(scroller: HTMLElement, anchor: string | null): Positions {
  const tops = new Map<string, { top: number; bottom: number }>();
  for (const card of cardsOf(scroller)) {
    if (card.dataset['id'] !== undefined) {
      const { top, bottom } = card.getBoundingClientRect();
      tops.set(card.dataset['id'], { top, bottom });
    }
  }
  const top = anchor === null ? null : sentenceTop(scroller, anchor);
  return { tops, anchor: anchor === null || top === null ? null : { id: anchor, top } };
}

/**
 * Scrolls so that the anchor's sentence is where it was; room that is wanting below is added there.
 * False where it would have to scroll beyond the top.
 */
export function hold(scroller: HTMLElement, { anchor }: Positions): boolean {
  // A glide that is under way would be taken for a place.
  for (const card of cardsOf(scroller)) for (const each of card.getAnimations()) each.cancel();
  const now = anchor === null ? null : sentenceTop(scroller, anchor.id);
  if (anchor === null || now === null) return true;
  const wanted = scroller.scrollTop + now - anchor.top;
  scroller.scrollTop = wanted;
  if (wanted - scroller.scrollTop > 1) {
    const content = scroller.querySelector<HTMLElement>('.content');
    if (content !== null) {
      const had = Number.parseFloat(content.style.paddingBottom) || 0;
      const end = content.getBoundingClientRect().bottom - scroller.getBoundingClientRect().top;
      const lack = wanted + scroller.clientHeight - (end + scroller.scrollTop);
      content.style.paddingBottom = `${Math.ceil(had + lack)}px`;
      scroller.scrollTop = wanted;
    }
  }
  return wanted > -1;
}

/** Takes back the room that {@link hold} added. */
export function release(scroller: HTMLElement): void {
  scroller.querySelector<HTMLElement>('.content')?.style.removeProperty('padding-bottom');
}

/** Lets the cards in sight that moved glide to their place, and those that came into sight appear. */
export function glide(scroller: HTMLElement, before: Positions): void {
  if (before.tops.size === 0 || reducedMotion()) return;
  const height = scroller.clientHeight;
  for (const card of cardsOf(scroller)) {
    const was = before.tops.get(card.dataset['id'] ?? '');
    const { top, bottom } = card.getBoundingClientRect();
    if (bottom < 0 || top > height) continue;
    const from: Keyframe | null =
      was === undefined || was.bottom < 0 || was.top > height
        ? { opacity: 0, transform: 'translateY(8px)' }
        : Math.abs(was.top - top) > 1
          ? { transform: `translateY(${was.top - top}px)` }
          : null;
    if (from === null) continue;
    card.animate([from, { opacity: 1, transform: 'none' }], {
      duration: DURATION_MS,
      easing: EASING,
    });
  }
}
