/** Exact search over vectors held in one block of memory. */
import { byScore, type VectorHit, type VectorIndex } from './vectorIndex';

/** Dot product of `a` and the vector at `offset` of `block`; four sums let the CPU overlap them. */
export function dot(a: Float32Array, block: Float32Array, offset: number): number {
  const n = a.length;
  let s0 = 0;
  let s1 = 0;
  let s2 = 0;
  let s3 = 0;
  let i = 0;
  for (; i + 3 < n; i += 4) {
    s0 += (a[i] as number) * (block[offset + i] as number);
    s1 += (a[i + 1] as number) * (block[offset + i + 1] as number);
    s2 += (a[i + 2] as number) * (block[offset + i + 2] as number);
    s3 += (a[i + 3] as number) * (block[offset + i + 3] as number);
  }
  for (; i < n; i++) s0 += (a[i] as number) * (block[offset + i] as number);
  return s0 + s1 + (s2 + s3);
}

/**
 * Every vector is compared: right by construction, linear in their number. Vectors of another size than
 * `dimensions` are a mistake of the caller and throw.
 */
export class ExactIndex implements VectorIndex {
  private ids = new Float64Array(0);
  private block = new Float32Array(0);
  private count = 0;

  constructor(private readonly dimensions: number) {}

  get size(): number {
    return this.count;
  }

  /** Rowid of the vector added last, 0 when there is none. Vectors are added by growing rowid. */
  get lastId(): number {
    return this.count === 0 ? 0 : (this.ids[this.count - 1] as number);
  }

  /** Adds vectors whose rowids are above all there are. */
  add(rows: { id: number; vector: Float32Array }[]): void {
    this.reserve(this.count + rows.length);
    for (const { id, vector } of rows) {
      if (vector.length !== this.dimensions) {
        throw new Error(`Vector of ${vector.length} dimensions, not ${this.dimensions}`);
      }
      this.ids[this.count] = id;
      this.block.set(vector, this.count * this.dimensions);
      this.count++;
    }
  }

  /** Drops all but these rowids, given in growing order. False, with nothing dropped, if it lacks one of them. */
  keep(ids: readonly number[]): boolean {
    const places: number[] = [];
    for (let i = 0; i < this.count && places.length < ids.length; i++) {
      if (this.ids[i] === ids[places.length]) places.push(i);
    }
    if (places.length < ids.length) return false;
    const n = this.dimensions;
    for (const [to, from] of places.entries()) {
      if (to === from) continue;
      this.ids[to] = this.ids[from] as number;
      this.block.copyWithin(to * n, from * n, (from + 1) * n);
    }
    this.count = places.length;
    return true;
  }

  /** A copy that holds only rowids above `id`. */
  after(id: number): ExactIndex {
    let first = 0;
    while (first < this.count && (this.ids[first] as number) <= id) first++;
    const rest = new ExactIndex(this.dimensions);
    rest.ids = this.ids.slice(first, this.count);
    rest.block = this.block.slice(first * this.dimensions, this.count * this.dimensions);
    rest.count = this.count - first;
    return rest;
  }

  private reserve(count: number): void {
    if (count <= this.ids.length) return;
    // A quarter more than asked, so that a growing tail is not copied at every batch.
    const room = count < 1024 ? count * 2 : Math.ceil(count * 1.25);
    const ids = new Float64Array(room);
    ids.set(this.ids.subarray(0, this.count));
    const block = new Float32Array(room * this.dimensions);
    block.set(this.block.subarray(0, this.count * this.dimensions));
    this.ids = ids;
    this.block = block;
  }

  search(vector: Float32Array, k: number, filter?: (id: number) => boolean): VectorHit[] {
    if (k < 1) return [];
    const best: VectorHit[] = [];
    let floor = -Infinity;
    for (let i = 0; i < this.count; i++) {
      const score = dot(vector, this.block, i * this.dimensions);
      if (score <= floor) continue;
      const id = this.ids[i] as number;
      if (filter && !filter(id)) continue;
      best.push({ id, score });
      // Kept unsorted up to twice k, then cut: cheaper than a heap for the k used here.
      if (best.length >= 2 * k + 16) {
        best.sort(byScore).length = k;
        floor = best[k - 1]?.score ?? -Infinity;
      }
    }
    best.sort(byScore);
    if (best.length > k) best.length = k;
    return best;
  }
}
