/**
 * Nearest neighbours in one pool, always up to date: the index file where there is one, and exact
 * search over the sentences that are newer than it. Sentences that are gone are never found: a paper
 * that changed is stored anew, and what it said before would take the places of what it says now.
 */
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import { errorText } from '../errors';
import type { PoolReader } from '../store/reader';
import { INDEX_PARAMETERS } from './build';
import { ExactIndex } from './exact';
import { HnswIndex, loadHnsw } from './hnsw';
import { indexFile, matchesStamp, readStamp, stampMark } from './stamp';
import { byScore, type VectorHit, type VectorIndex } from './vectorIndex';

const READ_ROWS = 2048;

/**
 * The index of one open pool; {@link PoolIndex.refresh} takes in what writers have committed. Only vectors of
 * `encoder` are searched.
 */
export class PoolIndex implements VectorIndex {
  private graph: HnswIndex | null = null;
  private covered = 0;
  /** How many entries of the graph are of sentences that the pool still has … */
  private graphLive = 0;
  /** … and which, by rowid; null while all are. */
  private live: Uint8Array | null = null;
  private tail: ExactIndex;
  private mark: string | null | undefined;
  private version = -1;
  private loading: Promise<void> | null = null;
  private closed = false;
  /** Why the index file is not used although hnswlib-node is there; null when all is well. */
  fault: string | null = null;

  constructor(
    private readonly reader: PoolReader,
    private readonly folder: string,
    private readonly encoder: { id: string; dimensions: number },
  ) {
    this.tail = new ExactIndex(encoder.dimensions);
  }

  get kind(): 'hnsw' | 'exact' {
    return this.graph ? 'hnsw' : 'exact';
  }

  /** How many sentences can be found. */
  get size(): number {
    return this.graphLive + this.tail.size;
  }

  /**
   * Takes in what other processes have written. A new index file is loaded beside the old one,
   * which serves meanwhile; only the first load is waited for. `version` is the database's.
   */
  async refresh(version: number): Promise<void> {
    const mark = stampMark(this.folder);
    if (mark !== this.mark && !this.loading) {
      // With nothing to serve meanwhile (the first load), or after a repair, it is waited for.
      const wait = this.mark === undefined || this.fault !== null;
      this.mark = mark;
      this.loading = this.load().finally(() => (this.loading = null));
      if (wait) await this.loading;
    }
    if (this.loading && this.version === -1) await this.loading;
    if (version !== this.version) {
      await this.extend(() => this.tail);
      await this.renewTail();
      this.screenGraph();
      this.version = version;
    }
  }

  private async load(): Promise<void> {
    const { module } = loadHnsw();
    if (!module) return;
    if (this.mark === null) {
      // No index file (yet): its first stamp changes the mark, and it is loaded then.
      this.fault = null;
      return;
    }
    try {
      let fits = await this.fits();
      if (!fits) {
        // A writer may be between its two renames.
        await sleep(250);
        fits = await this.fits();
      }
      if (!fits) return;
      const graph = await HnswIndex.read(module, this.encoder.dimensions, indexFile(this.folder));
      if (this.closed) return graph.free();
      const old = this.graph;
      this.graph = graph;
      old?.free();
      this.covered = fits.covered;
      this.tail = this.tail.after(fits.covered);
      this.graphLive = graph.size;
      this.live = null;
      this.screenGraph();
      this.fault = null;
    } catch (error) {
      this.fault = `its index file could not be read (${errorText(error)})`;
    }
  }

  private async fits(): Promise<{ covered: number } | null> {
    const stamp = readStamp(this.folder);
    if (!stamp) {
      this.fault = 'the stamp of its index file could not be read';
      return null;
    }
    if (stamp.encoder !== this.encoder.id || stamp.parameters !== INDEX_PARAMETERS) {
      this.fault = 'its index file is of another encoder';
      return null;
    }
    if (stamp.covered > this.reader.lastId()) {
      this.fault = 'its index file is of another database';
      return null;
    }
    if (!(await matchesStamp(this.folder, stamp))) {
      this.fault = 'its index file does not match its stamp';
      return null;
    }
    return stamp;
  }

  /** Adds what is newer; `current` is asked anew, since a load may put another tail in its place. */
  private async extend(current: () => ExactIndex): Promise<void> {
    for (;;) {
      const tail = current();
      const after = Math.max(this.covered, tail.lastId);
      const rows = this.reader.vectorsAfter(this.encoder.id, after, READ_ROWS);
      tail.add(rows);
      if (rows.length < READ_ROWS) return;
      await nextTurn();
    }
  }

  /**
   * Reads the tail anew where some of its sentences are gone, or some before its last were encoded
   * again since. An import that only adds papers leaves the number as it is, and costs a count. While a pool is
   * encoded again for this encoder, which changes it all the time, that is left for the end.
   */
  private async renewTail(): Promise<void> {
    const { covered, tail } = this;
    const { lastId } = tail;
    if (this.reader.hasOthers(this.encoder.id)) return;
    // From here on every sentence has a vector of this encoder.
    if (this.reader.countBetween(covered, lastId) === tail.size) return;
    const left = this.reader.sentenceIds().filter((id) => id > covered && id <= lastId);
    // What is left is there already, unless some were encoded again.
    if (tail.keep(left.sort((a, b) => a - b))) return;
    const renewed = new ExactIndex(this.encoder.dimensions);
    await this.extend(() => renewed);
    this.tail = this.covered === covered ? renewed : renewed.after(this.covered);
  }

  /** Finds out which entries of the graph are of sentences that are gone, where their number changed. */
  private screenGraph(): void {
    if (!this.graph || this.reader.hasOthers(this.encoder.id)) return;
    const count = this.reader.countBetween(0, this.covered);
    if (count === this.graphLive) return;
    this.graphLive = count;
    this.live = null;
    if (count >= this.graph.size) return;
    const live = new Uint8Array(this.covered + 1);
    // What is newer than the file is beyond the end, where nothing is set.
    for (const id of this.reader.sentenceIds()) live[id] = 1;
    this.live = live;
  }

  search(vector: Float32Array, k: number, filter?: (id: number) => boolean): VectorHit[] {
    const exact = this.tail.search(vector, k, filter);
    const { graph, live } = this;
    if (!graph) return exact;
    const passes = live ? (id: number) => live[id] === 1 && (filter?.(id) ?? true) : filter;
    const hits = [...graph.search(vector, k, passes), ...exact].sort(byScore);
    if (hits.length > k) hits.length = k;
    return hits;
  }

  /** Frees the graph. What searches after that finds what is not in the index file. */
  close(): void {
    this.closed = true;
    this.graph?.free();
    this.graph = null;
  }
}
