/** Where sentences stand in their papers: what goes before and what follows in the same section. */
import type { SentencePlace } from '../store/rows';

/** The sentences around some of one pool. */
export class Surroundings {
  private readonly places = new Map<number, SentencePlace>();
  private readonly papers = new Map<number, Map<number, SentencePlace>>();

  /** The same place may be given more than once. */
  constructor(places: readonly SentencePlace[]) {
    for (const place of places) {
      this.places.set(place.id, place);
      let paper = this.papers.get(place.paper);
      if (!paper) this.papers.set(place.paper, (paper = new Map()));
      paper.set(place.position, place);
    }
  }

  /** Rowids of up to `count` sentences before one, the nearest first. */
  before(id: number, count: number): number[] {
    return this.run(id, -1, count);
  }

  /** Rowids of up to `count` sentences that follow one. */
  after(id: number, count: number): number[] {
    return this.run(id, 1, count);
  }

  /** Goes on as far as its section does: another section of the same heading is another one. */
  private run(id: number, step: 1 | -1, count: number): number[] {
    const start = this.places.get(id);
    const paper = start && this.papers.get(start.paper);
    if (!paper) return [];
    const ids: number[] = [];
    for (let n = 1; n <= count; n++) {
      const place = paper.get(start.position + step * n);
      if (!place || place.section !== start.section) break;
      ids.push(place.id);
    }
    return ids;
  }
}
