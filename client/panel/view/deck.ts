/**
 * The cards on show and their order. Replaces one snapshot by the next without moving what is under
 * the reader; knows nothing of how cards are drawn. A deck never changes: {@link Deck.next} makes
 * the one after it.
 */
import type { ShownInspiration } from '../../../server/protocol';
import type { Entry } from '../state';
import { mergeOrder } from './merge';

/** The cards on show: which snapshot they are of, their order, and which of them a later one dropped. */
export class Deck {
  static readonly empty = new Deck([], new Map(), new Set(), null, null, null);

  private constructor(
    readonly order: readonly string[],
    private readonly cards: ReadonlyMap<string, ShownInspiration>,
    /** Shown though the latest snapshot lacks it. */
    readonly dropped: ReadonlySet<string>,
    private readonly entry: string | null,
    private readonly answered: string | null,
    /** Names the snapshot among those of its entry. */
    readonly snapshot: string | null,
  ) {}

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
    return this.continues(entry) && this.snapshot === sequenceOf(entry);
  }

  /**
   * The deck of the entry's snapshot. `pinned` cards keep their place if it continues this one; else `before`, the
   * order in which the same snapshot was shown before, is taken up again.
   */
  next(
    entry: Entry,
    pinned: ReadonlySet<string>,
    before: { snapshot: string; ids: readonly string[] } | null = null,
  ): Deck {
    const incoming = entry.snapshot?.inspirations ?? [];
    const cards = new Map(incoming.map((card) => [card.id, card]));
    const ids = [...cards.keys()];
    const kept = before !== null && before.snapshot === sequenceOf(entry) ? before.ids : [];
    const order = this.continues(entry)
      ? mergeOrder(this.order, ids, pinned)
      : [...new Set([...kept.filter((id) => cards.has(id)), ...ids])];
    const dropped = new Set<string>();
    for (const id of order) {
      if (cards.has(id)) continue;
      const card = this.cards.get(id);
      if (card === undefined) continue;
      const { [card.paper.id]: citedAs = card.citedAs } = entry.cited;
      cards.set(id, { ...card, citedAs });
      dropped.add(id);
    }
    const shown = order.filter((id) => cards.has(id));
    return new Deck(shown, cards, dropped, entry.id, entry.answered, sequenceOf(entry));
  }

  /** `pinned` and every card above `anchor`, for where its place can be kept no other way. */
  withAbove(anchor: string | null, pinned: ReadonlySet<string>): Set<string> {
    const at = anchor === null ? -1 : this.order.indexOf(anchor);
    return new Set([...pinned, ...this.order.slice(0, Math.max(0, at))]);
  }
}

/** Names a snapshot among those of its entry. */
function sequenceOf(entry: Entry): string | null {
  return entry.snapshot === null ? null : `${entry.answeredRun}.${entry.snapshot.sequence}`;
}
