/**
 * The cards on show and their order. Replaces one snapshot by the next without moving what is under
 * the reader; knows nothing of how cards are drawn.
 */
import type { ShownInspiration } from '../../../server/protocol';
import type { Entry } from '../state';
import { mergeOrder } from './merge';

export class Deck {
  order: string[] = [];
  /** Shown though the latest snapshot lacks it. */
  readonly dropped = new Set<string>();
  private cards = new Map<string, ShownInspiration>();
  private entry: string | null = null;
  private answered: string | null = null;
  private sequence: string | null = null;

  card(id: string): ShownInspiration | null {
    return this.cards.get(id) ?? null;
  }

  /** True where the cards on show answer what the entry asks now. */
  answers(entry: Entry): boolean {
    return this.entry === entry.id && this.answered === entry.asked;
  }

  /** True where the cards on show are this entry's, if perhaps for an earlier question. */
  isOf(entry: Entry): boolean {
    return this.entry === entry.id;
  }

  /** True where the entry's snapshot is the next of those on show, whose places matter. */
  continues(entry: Entry): boolean {
    return this.entry === entry.id && this.answered !== null && this.answered === entry.answered;
  }

  /** True where the entry's snapshot is on show already, if perhaps with other marks on its cards. */
  shows(entry: Entry): boolean {
    return this.continues(entry) && this.sequence === sequenceOf(entry);
  }

  /** Takes the entry's snapshot. `pinned` cards keep their place if it continues what is on show. */
  take(entry: Entry, pinned: ReadonlySet<string>): void {
    const incoming = entry.snapshot?.inspirations ?? [];
    const cards = new Map(incoming.map((card) => [card.id, card]));
    const ids = [...cards.keys()];
    const order = this.continues(entry) ? mergeOrder(this.order, ids, pinned) : ids;
    this.dropped.clear();
    for (const id of order) {
      if (cards.has(id)) continue;
      const kept = this.cards.get(id);
      if (kept === undefined) continue;
      cards.set(id, kept);
      this.dropped.add(id);
    }
    this.order = order.filter((id) => cards.has(id));
    this.cards = cards;
    this.entry = entry.id;
    this.answered = entry.answered;
    this.sequence = sequenceOf(entry);
  }

  clear(): void {
    this.order = [];
    this.cards.clear();
    this.dropped.clear();
    this.entry = null;
    this.answered = null;
    this.sequence = null;
  }
}

/** Names a snapshot among those of its entry. */
function sequenceOf(entry: Entry): string | null {
  return entry.snapshot === null ? null : `${entry.answeredRun}.${entry.snapshot.sequence}`;
}
