/** Nearest neighbours by cosine; vectors are L2-normalised, so the dot product is the cosine. */

/** `id` is a sentence's rowid in its pool, `score` the cosine. */
export type VectorHit = { id: number; score: number };

export interface VectorIndex {
  readonly size: number;
  /** At most `k` nearest of those that pass `filter`, nearest first, ties by id. */
  search(vector: Float32Array, k: number, filter?: (id: number) => boolean): VectorHit[];
}

/** Order of hits: nearest first, ties by rowid. */
export function byScore(a: VectorHit, b: VectorHit): number {
  return b.score - a.score || a.id - b.id;
}
