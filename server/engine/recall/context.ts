/**
 * Recall with context: a problem is matched, and what responds to it is returned. A paper that
 * states the query's problem goes on with its answer, which need not be near the query itself. So
 * the sentences that follow the nearest ones become candidates too, and every candidate is also
 * scored by the best match among the sentences before it.
 */
import { dot } from '../index/exact';
import type { OpenPool } from '../store/pool';
import { FUSION } from './fuse';
import { Surroundings } from './surroundings';

/** A sentence of one pool that may become a candidate. */
export type Hit = {
  pool: OpenPool;
  id: number;
  /** Cosine and BM25 by which the dense and the lexical list hold it; null where they do not. */
  listed: { cosine: number | null; bm25: number | null };
  /** Likeness to the query as a plain sentence, by which the list of what states the same holds it. */
  alike: number | null;
};

/** A query as the encoder sees it: as the question of a move, and as a sentence like any other. */
export type QueryVectors = { vector: Float32Array; plain: Float32Array };

/** A hit with all that its neighbours tell. */
export type PlacedHit = Hit & {
  /** Exact; null where its vector is of another encoder. */
  cosine: number | null;
  /** Exact likeness to the query as a plain sentence; null where its vector is of another encoder. */
  plain: number | null;
  /** The sentence before it that is most like the query; null where there is none with a vector. */
  best: { id: number; cosine: number } | null;
};

/** The `expandFrom` of all pools' hits that are most like the query: they state what it states. */
export function nearest(hits: readonly Hit[]): Set<Hit> {
  return new Set(
    hits
      .filter(({ alike }) => alike !== null)
      .sort((a, b) => (b.alike ?? 0) - (a.alike ?? 0) || byPlace(a, b))
      .slice(0, FUSION.expandFrom),
  );
}

/** A fixed order of hits that are alike. */
export function byPlace(a: Hit, b: Hit): number {
  const [one, other] = [a.pool.name, b.pool.name];
  return one < other ? -1 : one > other ? 1 : a.id - b.id;
}

/**
 * The hits of one pool with those that follow the `expanding` ones in their section, all with
 * cosines. `allowed` are the sentences that the years leave (null: all). Two reads of the database,
 * whatever the number of hits.
 */
export function withContext(
  { vector, plain }: QueryVectors,
  pool: OpenPool,
  encoder: string,
  own: readonly Hit[],
  expanding: ReadonlySet<Hit>,
  allowed: ReadonlySet<number> | null,
  context: boolean,
): PlacedHit[] {
  // A move that gives context no weight reads none.
  const placed = context ? own.map(({ id }) => id) : [];
  const around = new Surroundings(pool.reader.around(placed, FUSION.before, FUSION.after));
  const hits = new Map(own.map((hit) => [hit.id, hit]));
  for (const hit of own) {
    if (!expanding.has(hit)) continue;
    for (const id of around.after(hit.id, FUSION.after)) {
      if (hits.has(id) || (allowed && !allowed.has(id))) continue;
      hits.set(id, { pool, id, listed: { cosine: null, bm25: null }, alike: null });
    }
  }
  const before = new Map([...hits.keys()].map((id) => [id, around.before(id, FUSION.before)]));
  const needed = new Set([...hits.keys(), ...[...before.values()].flat()]);
  const cosines = new Map<number, { asked: number; plain: number }>();
  for (const [id, stored] of pool.reader.vectors(encoder, [...needed])) {
    const likeness = dot(plain, stored, 0);
    cosines.set(id, {
      asked: vector === plain ? likeness : dot(vector, stored, 0),
      plain: likeness,
    });
  }
  return [...hits.values()].map((hit) => {
    let best: PlacedHit['best'] = null;
    for (const id of before.get(hit.id) ?? []) {
      const cosine = cosines.get(id)?.plain;
      if (cosine !== undefined && (best === null || cosine > best.cosine)) best = { id, cosine };
    }
    const own = cosines.get(hit.id);
    return { ...hit, cosine: own?.asked ?? null, plain: own?.plain ?? null, best };
  });
}
