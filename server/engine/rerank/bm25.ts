/**
 * BM25 in Lucene's variant, as BM25S computes it with `method="lucene"` (Lù, 2024; Kamphuis et al.,
 * ECIR 2020):
 *
 *   score(q, d) = Σ over the terms t of q, repeats included, of
 *     ln(1 + (N − df + 0.5) / (df + 0.5)) · tf / (tf + k1 · (1 − b + b · |d| / avgdl))
 *
 * The bi- and trigram variants add the runs of two (and three) content words to the single ones,
 * in documents, queries and lengths alike.
 */
import { terms } from './words';

export type Bm25Options = {
  /** Longest run of words that is a term of its own: 1, 2 or 3. Default 1. */
  grams?: 1 | 2 | 3;
  /** Default 0.9. */
  k1?: number;
  /** Default 0.4. */
  b?: number;
  /**
   * Only the first so many texts are the collection that N, df and avgdl are of; the others are
   * scored by its statistics. Default: all of them.
   */
  collection?: number;
};

/** A typed array that grows. */
class Ints {
  private items = new Int32Array(1 << 16);
  length = 0;

  push(value: number): void {
    if (this.length === this.items.length) {
      const larger = new Int32Array(this.items.length * 2);
      larger.set(this.items);
      this.items = larger;
    }
    this.items[this.length++] = value;
  }

  view(): Int32Array {
    return this.items.subarray(0, this.length);
  }
}

/** Ids of words and of runs of words: a run is its shorter run's id and the last word's. */
class Vocabulary {
  private readonly words = new Map<string, number>();
  private readonly runs: Map<number, number>[];
  size = 0;

  constructor(grams: number) {
    this.runs = Array.from({ length: grams - 1 }, () => new Map<number, number>());
  }

  /** Term ids of a text, -1 for those that are unknown and not to be added. */
  ids(text: string, add: boolean): number[] {
    const words = terms(text);
    const singles = words.map((word) => this.id(this.words, word, add));
    const result = [...singles];
    let shorter = singles;
    for (const runs of this.runs) {
      const longer: number[] = [];
      for (let i = 0; i + 1 < shorter.length; i++) {
        const head = shorter[i] ?? -1;
        const last = singles[i + (singles.length - shorter.length) + 1] ?? -1;
        const known = head >= 0 && last >= 0;
        // Both ids are below 2^26, so the key is an exact integer.
        longer.push(known ? this.id(runs, head * 2 ** 26 + last, add) : -1);
      }
      result.push(...longer);
      shorter = longer;
    }
    return result;
  }

  private id<K>(map: Map<K, number>, key: K, add: boolean): number {
    const known = map.get(key);
    if (known !== undefined) return known;
    if (!add) return -1;
    map.set(key, this.size);
    return this.size++;
  }
}

/** An index of texts in memory, in the order in which they were given. */
export class Bm25 {
  private constructor(
    /** Number of texts that are scored. */
    readonly size: number,
    private readonly vocabulary: Vocabulary,
    /** Postings of term t are the places starts[t]…starts[t + 1]. */
    private readonly starts: Int32Array,
    private readonly texts: Int32Array,
    private readonly impacts: Float32Array,
  ) {}

  /** Indexes texts; time and memory grow with their words. */
  static build(
    texts: Iterable<string>,
    { grams = 1, k1 = 0.9, b = 0.4, collection = Infinity }: Bm25Options = {},
  ): Bm25 {
    const vocabulary = new Vocabulary(grams);
    const ids = new Ints();
    const counts = new Ints();
    const ends = new Ints();
    const lengths = new Ints();
    let collected = 0;
    let collectedLength = 0;
    const seen = new Map<number, number>();
    for (const text of texts) {
      const all = vocabulary.ids(text, true);
      seen.clear();
      for (const id of all) seen.set(id, (seen.get(id) ?? 0) + 1);
      for (const [id, count] of seen) {
        ids.push(id);
        counts.push(count);
      }
      ends.push(ids.length);
      lengths.push(all.length);
      if (lengths.length <= collection) {
        collected++;
        collectedLength += all.length;
      }
    }
    const terms = vocabulary.size;
    const starts = new Int32Array(terms + 1);
    const frequency = new Int32Array(terms);
    const idView = ids.view();
    const countView = counts.view();
    const endView = ends.view();
    const collectedPostings = collected === 0 ? 0 : (endView[collected - 1] ?? 0);
    idView.forEach((id, place) => {
      starts[id + 1] = (starts[id + 1] ?? 0) + 1;
      if (place < collectedPostings) frequency[id] = (frequency[id] ?? 0) + 1;
    });
    for (let t = 0; t < terms; t++) starts[t + 1] = (starts[t + 1] ?? 0) + (starts[t] ?? 0);
    const next = starts.slice(0, terms);
    const postings = new Int32Array(ids.length);
    const impacts = new Float32Array(ids.length);
    const average = collected === 0 ? 1 : collectedLength / collected;
    let place = 0;
    endView.forEach((end, text) => {
      const norm = k1 * (1 - b + (b * (lengths.view()[text] ?? 0)) / average);
      for (; place < end; place++) {
        const id = idView[place] ?? 0;
        const df = frequency[id] ?? 0;
        const tf = countView[place] ?? 0;
        const idf = Math.log(1 + (collected - df + 0.5) / (df + 0.5));
        const at = next[id] ?? 0;
        next[id] = at + 1;
        postings[at] = text;
        impacts[at] = (idf * tf) / (tf + norm);
      }
    });
    return new Bm25(endView.length, vocabulary, starts, postings, impacts);
  }

  /** Scores of every text for a query, written to `into` (made when it is not given). */
  scores(query: string, into: Float32Array = new Float32Array(this.size)): Float32Array {
    into.fill(0);
    for (const id of this.vocabulary.ids(query, false)) {
      if (id < 0) continue;
      const end = this.starts[id + 1] ?? 0;
      for (let at = this.starts[id] ?? 0; at < end; at++) {
        const text = this.texts[at] ?? 0;
        into[text] = (into[text] ?? 0) + (this.impacts[at] ?? 0);
      }
    }
    return into;
  }
}
