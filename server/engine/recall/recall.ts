/** First candidates of a move over several pools: dense and lexical recall, fused and filtered. */
import type { InspireRequest, Paper } from '../engine';
import type { OpenPool } from '../store/pool';
import type { VectorHit } from '../index/vector-index';
import { dot } from '../index/exact';
import { byRank, FUSION, fusedScore, type Candidate } from './fuse';
import { FLOOR, isWeak } from './floor';
import { lexicalSearch } from './lexical';
import { movePrior } from './prior';
import type { Stemmer } from './terms';
import { jaccard, normalise, words } from './text';

export type Recalled = {
  /** Best first, of every paper all that was found. */
  candidates: Candidate[];
  weak: boolean;
  /** False when the lists were cut, so that asking for more may bring more. */
  exhausted: boolean;
};

/** Above one of these a sentence is a near-copy of the query and tells the user nothing. */
export const NEAR_COPY = { cosine: 0.95, jaccard: 0.8 };

/** Years that leave fewer sentences than this are searched exactly, not through the graph. */
const FILTERED_EXACT = 4000;

export type Query = Required<Pick<InspireRequest, 'move' | 'text'>> & {
  vector: Float32Array;
  exclude: string[];
  years: { from: number | null; to: number | null };
};

type Hit = { pool: OpenPool; id: number; cosine: number | null; bm25: number | null };

/** Dense hits of one pool among sentences that the years' filter leaves. */
function denseSearch(
  pool: OpenPool,
  encoder: string,
  query: Query,
  allowed: ReadonlySet<number> | null,
  limit: number,
): VectorHit[] {
  if (allowed === null) return pool.index.search(query.vector, limit);
  if (allowed.size > FILTERED_EXACT || pool.index.kind === 'exact') {
    return pool.index.search(query.vector, limit, (id) => allowed.has(id));
  }
  const hits: VectorHit[] = [];
  for (const [id, vector] of pool.reader.vectors(encoder, [...allowed])) {
    hits.push({ id, score: dot(query.vector, vector, 0) });
  }
  return hits.sort((a, b) => b.score - a.score || a.id - b.id).slice(0, limit);
}

/**
 * Candidates of a query, best first. `depth` is how many are taken from each list. Sentences of
 * the draft itself and near-copies of the query are left out; every candidate has its exact
 * cosine, so pools of any size compare.
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
  let exhausted = true;
  let searched = 0;
  for (const pool of pools) {
    const allowed = pool.idsOfYears(query.years);
    const dense = denseSearch(pool, encoder, query, allowed, depth);
    const reachable = allowed ? allowed.size : pool.index.size;
    searched += reachable;
    if (dense.length < Math.min(reachable, pool.index.size) || reachable > depth) exhausted = false;
    for (const { id, score } of dense) {
      hits.set(`${pool.name}/${id}`, { pool, id, cosine: score, bm25: null });
    }
    // Full text is asked for more than will pass the years.
    const lexicalDepth = allowed ? depth * 4 : depth;
    for (const { id, bm25 } of lexicalSearch(pool, terms, lexicalDepth)) {
      if (allowed && !allowed.has(id)) continue;
      const key = `${pool.name}/${id}`;
      const known = hits.get(key);
      if (known) known.bm25 = bm25;
      else hits.set(key, { pool, id, cosine: null, bm25 });
    }
  }
  const candidates = toCandidates(query, pools, encoder, [...hits.values()]);
  const cosines = candidates.flatMap(({ cosine }) => (cosine === null ? [] : [cosine]));
  const bestCosine = cosines.length === 0 ? null : Math.max(...cosines);
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
  const weak = isWeak(bestCosine, overlap, searched);
  return { candidates: weak ? [] : candidates, weak, exhausted };
}

function toCandidates(query: Query, pools: OpenPool[], encoder: string, hits: Hit[]): Candidate[] {
  const denseRank = ranks(hits, (hit) => hit.cosine);
  const lexicalRank = ranks(hits, (hit) => hit.bm25);
  const bestBm25 = Math.max(0, ...hits.map((hit) => hit.bm25 ?? 0));
  const excluded = new Set(query.exclude.map(normalise));
  const queryText = normalise(query.text);
  const queryWords = new Set(words(query.text));
  const seen = new Set<string>();
  const candidates: Candidate[] = [];
  for (const pool of pools) {
    const own = hits.filter((hit) => hit.pool === pool);
    const sentences = pool.reader.sentences(own.map((hit) => hit.id));
    const papers = pool.reader.papers([
      ...new Set([...sentences.values()].map((sentence) => sentence.paper)),
    ]);
    const vectors = pool.reader.vectors(
      encoder,
      own.filter((hit) => hit.cosine === null).map((hit) => hit.id),
    );
    for (const hit of own) {
      const sentence = sentences.get(hit.id);
      const paper = sentence && papers.get(sentence.paper);
      // Deleted since the index was built.
      if (!sentence || !paper) continue;
      const text = normalise(sentence.text);
      if (text === queryText || excluded.has(text)) continue;
      const vector = vectors.get(hit.id);
      const cosine = hit.cosine ?? (vector ? dot(query.vector, vector, 0) : null);
      if (cosine !== null && cosine > NEAR_COPY.cosine) continue;
      if (jaccard(queryWords, new Set(words(sentence.text))) > NEAR_COPY.jaccard) continue;
      if (cosine !== null && cosine < FLOOR.candidate) continue;
      // The same sentence in two pools is one.
      if (seen.has(text)) continue;
      seen.add(text);
      const dense = denseRank.get(hit);
      const lexical = lexicalRank.get(hit);
      const prior =
        FUSION.priorWeight[query.move] * movePrior(query.move, sentence.text, sentence.role);
      candidates.push({
        pool: pool.name,
        sentence,
        paper,
        cosine,
        why: {
          dense: dense === undefined ? null : { rank: dense, cosine: cosine ?? 0 },
          lexical: lexical === undefined ? null : { rank: lexical, bm25: hit.bm25 ?? 0 },
        },
        score: fusedScore(cosine ?? 0, hit.bm25 ?? 0, bestBm25, prior),
      });
    }
  }
  return candidates.sort(byRank);
}

/** Ranks from 1 of the hits that have a value, highest first, over all pools. */
function ranks(hits: Hit[], value: (hit: Hit) => number | null): Map<Hit, number> {
  const ranked = hits
    .filter((hit) => value(hit) !== null)
    .sort(
      (a, b) =>
        (value(b) ?? 0) - (value(a) ?? 0) ||
        (a.pool.name < b.pool.name ? -1 : a.pool.name > b.pool.name ? 1 : 0) ||
        a.id - b.id,
    );
  return new Map(ranked.map((hit, i) => [hit, i + 1]));
}

/** A title shorter than this (letters and digits) may be shared by unrelated papers. */
const TELLING_TITLE = 20;

/**
 * One key for a paper however its sources name it: by its title, since a .bib and a list of papers
 * give the same paper other ids, and a preprint and its publication other DOIs.
 */
function paperKey({ id, title, doi }: Paper): string {
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
