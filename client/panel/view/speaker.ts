/** What a screen reader is told without the focus moving. */
import type { Entry } from '../state';
import { counted, moveWords, nothingWords } from '../words';

/** A live region beside the page, and what is said in it. */
export class Speaker {
  private readonly live: HTMLElement;
  private said = '';

  /** @param root the element that is redrawn; what is said stands beside it, so is never redrawn. */
  constructor(root: HTMLElement) {
    this.live = document.createElement('div');
    this.live.className = 'sr-only';
    this.live.setAttribute('role', 'status');
    this.live.setAttribute('aria-live', 'polite');
    root.before(this.live);
  }

  say(text: string): void {
    // The same words again are read again only if something differs.
    this.said = text === this.said ? `${text}\u00a0` : text;
    this.live.textContent = this.said;
  }

  /** Says what came of the current entry, once it is settled. */
  sayChange(before: Entry | null, entry: Entry | null): void {
    if (entry === null || entry.phase === 'busy') return;
    if (entry.id === before?.id && entry.run === before.run && entry.phase === before.phase) return;
    const { snapshot } = entry;
    if (entry.message !== null) return this.say(entry.message);
    if (entry.phase === 'stopped') return this.say('Stopped');
    if (entry.phase !== 'done' || snapshot === null) return;
    const count = snapshot.inspirations.length;
    if (count === 0) this.say(nothingWords(snapshot));
    else {
      const order = snapshot.reranked ? ', order refined' : '';
      this.say(`${counted(count, 'inspiration')} for ${moveWords[entry.move].label}${order}`);
    }
  }
}
