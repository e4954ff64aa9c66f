/** What a mining run counted: the same input gives the same report, byte for byte. */
import type { PaperCounts } from './papers';
import { PAIR_MOVES, type PairMove } from './pairMoves';

export interface MarkerCount {
  marker: string;
  move: PairMove;
  /** Sentences that it opened. */
  fired: number;
  /** Pairs that were kept. */
  kept: number;
}

export interface MineReport {
  inputs: string[];
  papers: PaperCounts;
  sentences: number;
  pool: { gold: number; distractor: number; other: number };
  pairs: Record<PairMove, number>;
  /** Markers that fired and made no pair, by reason. */
  dropped: Record<string, number>;
  markers: MarkerCount[];
}

/** Counts while papers go by. */
export class Tally {
  sentences = 0;
  readonly pool = { gold: 0, distractor: 0, other: 0 };
  private readonly pairs = new Map<PairMove, number>();
  private readonly dropped = new Map<string, number>();
  private readonly markers = new Map<string, MarkerCount>();

  /** Counts a marker that fired, and the pair it made where that is kept. */
  fired(marker: string, move: PairMove, kept: boolean): void {
    const key = `${move}\t${marker}`;
    const count = this.markers.get(key) ?? { marker, move, fired: 0, kept: 0 };
    this.markers.set(key, count);
    count.fired++;
    if (!kept) return;
    count.kept++;
    this.pairs.set(move, (this.pairs.get(move) ?? 0) + 1);
  }

  /** Counts a marker that made no pair, by the reason. */
  drop(reason: string): void {
    this.dropped.set(reason, (this.dropped.get(reason) ?? 0) + 1);
  }

  /** All counts, sorted, so that the same papers give the same report; `inputs` are names of files. */
  report(inputs: string[], papers: PaperCounts): MineReport {
    const pairs = Object.fromEntries(
      PAIR_MOVES.map((move) => [move, this.pairs.get(move) ?? 0]),
    ) as Record<PairMove, number>;
    const byName = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
    return {
      inputs,
      papers: { ...papers },
      sentences: this.sentences,
      pool: { ...this.pool },
      pairs,
      dropped: Object.fromEntries([...this.dropped].sort(([a], [b]) => byName(a, b))),
      markers: [...this.markers.values()].sort(
        (a, b) =>
          byName(a.move, b.move) ||
          b.kept - a.kept ||
          b.fired - a.fired ||
          byName(a.marker, b.marker),
      ),
    };
  }
}
