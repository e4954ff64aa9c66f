/** From hits to candidates: what may be shown of them, scored, best first. */
import type { InspireRequest, Move } from '../engine';
import type { OpenPool } from '../store/pool';
import type { Years } from '../store/reader';
import {
  byPlace,
  nearest,
  withContext,
  type Hit,
  type PlacedHit,
  type QueryVectors,
} from './context';
import { Copies, onceEach } from './copies';
import { FLOOR } from './floor';
import { byRank, FUSION, fusedScore, type Candidate } from './fuse';
import { movePrior } from './prior';
import { normalise } from './text';

export type Query = Required<Pick<InspireRequest, 'move' | 'text'>> &
  QueryVectors & {
    exclude: string[];
    years: Years;
  };

/** Ranks from 1 of the hits that a list holds, highest value first, over all pools. */
function ranks(hits: readonly Hit[], list: keyof Hit['listed']): Map<string, number> {
  const ranked = hits
    .filter(({ listed }) => listed[list] !== null)
    .sort((a, b) => (b.listed[list] ?? 0) - (a.listed[list] ?? 0) || byPlace(a, b));
  return new Map(ranked.map((hit, i) => [hitKey(hit), i + 1]));
}

/** What tells a hit from those of all pools. */
export function hitKey({ pool, id }: Pick<Hit, 'pool' | 'id'>): string {
  return `${pool.name}/${id}`;
}

/** Whether a hit is so far from the query, itself and by its context, that it is not shown. */
function isFar({ cosine, best }: PlacedHit): boolean {
  if (cosine === null || cosine >= FLOOR.candidate) return false;
  return (best?.cosine ?? 0) < FLOOR.context;
}

/**
 * Candidates of the pools' hits and of what follows the nearest of them, best first. Left out are
 * the query, its near-copies, sentences of the draft, what is far, and the second of two that are
 * the same. `allowed` are the sentences that the years leave, by pool (none: all).
 */
export function toCandidates(
  query: Query,
  pools: readonly OpenPool[],
  encoder: string,
  hits: readonly Hit[],
  allowed: ReadonlyMap<OpenPool, ReadonlySet<number>>,
): Candidate[] {
  const denseRank = ranks(hits, 'cosine');
  const lexicalRank = ranks(hits, 'bm25');
  const expanding = nearest(hits);
  const copies = new Copies(query);
  const candidates: { candidate: Candidate; text: string }[] = [];
  for (const pool of pools) {
    const near = withContext(
      query,
      pool,
      encoder,
      hits.filter((hit) => hit.pool === pool),
      expanding,
      allowed.get(pool) ?? null,
      FUSION.weights[query.move].before > 0,
    ).filter((hit) => !isFar(hit));
    const sentences = pool.reader.sentences(near.map(({ id }) => id));
    const papers = pool.reader.papers([
      ...new Set([...sentences.values()].map((sentence) => sentence.paper)),
    ]);
    for (const hit of near) {
      const sentence = sentences.get(hit.id);
      const paper = sentence && papers.get(sentence.paper);
      // Deleted since the move began.
      if (!sentence || !paper) continue;
      const { listed, cosine, plain, best } = hit;
      const text = normalise(sentence.text);
      if (copies.has(text, plain)) continue;
      const dense = denseRank.get(hitKey(hit));
      const lexical = lexicalRank.get(hitKey(hit));
      const features = {
        cosine: cosine ?? 0,
        before: Math.max(0, best?.cosine ?? 0),
        bm25: listed.bm25 ?? 0,
        prior: movePrior(query.move, sentence.text, sentence.role),
      };
      // What only its context has brought is explained by it in any case.
      const unlisted = dense === undefined && lexical === undefined;
      const candidate: Candidate = {
        pool: pool.name,
        sentence,
        paper,
        cosine,
        alike: plain,
        features,
        why: {
          dense: dense === undefined ? null : { rank: dense, cosine: cosine ?? 0 },
          lexical: lexical === undefined ? null : { rank: lexical, bm25: listed.bm25 ?? 0 },
        },
        context: best && (unlisted || best.cosine > (plain ?? 0)) ? best : null,
        score: 0,
      };
      candidates.push({ candidate, text });
    }
  }
  score(
    query.move,
    candidates.map(({ candidate }) => candidate),
  );
  candidates.sort((a, b) => byRank(a.candidate, b.candidate));
  // Of the same sentence in two papers the one whose context fits best.
  return onceEach(candidates).map(({ candidate }) => candidate);
}

/** Scores candidates; the best BM25 is that of what may be shown: a copy of the query tells nothing. */
function score(move: Move, candidates: readonly Candidate[]): void {
  const best = candidates.reduce((most, { features }) => Math.max(most, features.bm25), 0);
  for (const candidate of candidates) {
    if (best > 0) candidate.features.bm25 /= best;
    candidate.score = fusedScore(candidate.features, FUSION.weights[move]);
  }
}
