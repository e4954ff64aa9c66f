/** First candidates of a move over several pools: dense and lexical recall, fused and filtered. */
import type { Paper } from '../engine';
import type { OpenPool } from '../store/pool';
import type { VectorHit } from '../index/vectorIndex';
import { dot } from '../index/exact';
import { hitKey, toCandidates, type Query } from './candidates';
import type { Hit } from './context';
import { FUSION, type Candidate } from './fuse';
import { isWeak } from './floor';
import { lexicalSearch } from './lexical';
import type { Stemmer } from './terms';

export type Recalled = {
  /** Best first, of every paper all that was found. */
  candidates: Candidate[];
  /** Nothing is close. False with no candidates: the pools have no paper of the years asked for. */
  weak: boolean;
  /** False when the lists were cut, so that asking for more may bring more. */
  exhausted: boolean;
};

/** Years that leave fewer sentences than this are searched exactly, not through the graph. */
const FILTERED_EXACT = 4000;

/** Dense hits of one pool among sentences that the years' filter leaves. */
function denseSearch(
  pool: OpenPool,
  encoder: string,
  vector: Float32Array,
  allowed: ReadonlySet<number> | null,
  limit: number,
): VectorHit[] {
  if (allowed === null) return pool.index.search(vector, limit);
  if (allowed.size > FILTERED_EXACT || pool.index.kind === 'exact') {
    return pool.index.search(vector, limit, (id) => allowed.has(id));
  }
  const hits: VectorHit[] = [];
  for (const [id, stored] of pool.reader.vectors(encoder, [...allowed])) {
    hits.push({ id, score: dot(vector, stored, 0) });
  }
  return hits.sort((a, b) => b.score - a.score || a.id - b.id).slice(0, limit);
}

/**
 * Candidates of a query, best first. `depth` is how many are taken from each list, `encoder` the
 * id of the vectors (`vectorKind`). Sentences of the draft itself and near-copies of the query are
 * left out; every candidate has its exact cosine, so pools of any size compare.
 */
export function recall(
  query: Query,
  pools: OpenPool[],
  encoder: string,
  stemmer: Stemmer,
  depth: number,
): Recalled {
  const terms = stemmer.terms(query.text);
  const hits = new Map<string, Hit>();
  const allowedIds = new Map<OpenPool, ReadonlySet<number>>();
  let exhausted = true;
  let searched = 0;
  for (const pool of pools) {
    const allowed = pool.idsOfYears(query.years);
    if (allowed) allowedIds.set(pool, allowed);
    const dense = denseSearch(pool, encoder, query.vector, allowed, depth);
    const reachable = allowed ? allowed.size : pool.index.size;
    searched += reachable;
    if (dense.length < Math.min(reachable, pool.index.size) || reachable > depth) exhausted = false;
    const hit = (id: number): Hit => {
      const key = hitKey({ pool, id });
      let known = hits.get(key);
      if (!known) {
        known = { pool, id, listed: { cosine: null, bm25: null }, alike: null };
        hits.set(key, known);
      }
      return known;
    };
    for (const { id, score } of dense) hit(id).listed.cosine = score;
    // An encoder that knows moves leads away from what only states the query again: that is looked
    // for by itself, for what follows it.
    const alike =
      query.plain === query.vector
        ? dense
        : denseSearch(pool, encoder, query.plain, allowed, FUSION.expandFrom);
    for (const { id, score } of alike) hit(id).alike = score;
    const lexical = lexicalSearch(pool, terms, depth, allowed && query.years);
    // Where vectors are of another encoder, or none, words alone reach what there is.
    if (lexical.length === depth) exhausted = false;
    for (const { id, bm25 } of lexical) hit(id).listed.bm25 = bm25;
  }
  const candidates = toCandidates(query, pools, encoder, [...hits.values()], allowedIds);
  const likenesses = candidates.flatMap(({ alike, features }) =>
    alike === null ? [] : [Math.max(alike, features.before)],
  );
  const likeness = likenesses.length === 0 ? null : Math.max(...likenesses);
  const stems = terms.map((term) => term.stem);
  const lexicalBest = candidates
    .filter((candidate) => candidate.why.lexical !== null)
    .sort((a, b) => (a.why.lexical?.rank ?? 0) - (b.why.lexical?.rank ?? 0))
    .slice(0, 5);
  let overlap = 0;
  for (const candidate of lexicalBest) {
    const held = new Set(stemmer.terms(candidate.sentence.text).map((term) => term.stem));
    const shared = stems.filter((stem) => held.has(stem)).length;
    if (stems.length > 0) overlap = Math.max(overlap, shared / stems.length);
  }
  // Then it is the years that leave nothing, not the distance.
  const noneOfYears = pools.length > 0 && pools.every((pool) => allowedIds.get(pool)?.size === 0);
  const found = stems.filter((stem) =>
    pools.some((pool) => pool.reader.documentFrequency(stem) > 0),
  ).length;
  const known = stems.length === 0 ? 0 : found / stems.length;
  const weak = !noneOfYears && isWeak(likeness, { overlap, known }, searched);
  return { candidates: weak ? [] : candidates, weak, exhausted };
}

/** A title shorter than this (letters and digits) may be shared by unrelated papers. */
const TELLING_TITLE = 20;

/**
 * One key for a paper however its sources name it: by its title, since a .bib and a list of papers
 * give the same paper other ids, and a preprint and its publication other DOIs.
 */
export function paperKey({ id, title, doi }: Pick<Paper, 'id' | 'title' | 'doi'>): string {
  const letters = title.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, '');
  if (letters.length >= TELLING_TITLE) return `title:${letters}`;
  return doi ? `doi:${doi.toLowerCase()}` : `id:${id}`;
}

/** At most `perPaper` candidates of a paper, in order; a paper in two pools counts once. */
export function limitPerPaper(candidates: Candidate[], perPaper: number): Candidate[] {
  const taken = new Map<string, number>();
  return candidates.filter(({ paper }) => {
    const key = paperKey(paper);
    const count = taken.get(key) ?? 0;
    taken.set(key, count + 1);
    return count < perPaper;
  });
}

/** How many candidates to take from each list for `limit` inspirations. */
export function depthFor(limit: number): number {
  return Math.min(
    FUSION.maxCandidates,
    Math.max(FUSION.minCandidates, FUSION.candidatesPerResult * limit),
  );
}
