/** Passages of a move: windows round the first candidates, read from the pools. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { embeddedText } from '../encoder/textForm';
import { throwIfCancelled } from '../errors';
import { dot } from '../index/exact';
import type { Paper } from '../engine';
import { Copies, NEAR_COPY } from '../recall/copies';
import type { Candidate } from '../recall/fuse';
import { paperKey } from '../recall/recall';
import type { StageContext } from '../recall/stage';
import { normalise } from '../recall/text';
import type { PlacedSentence } from '../store/rows';
import { bestBefore } from './features';
import { growWindow, type Passage, type WindowLimits } from './passages';
import type { RerankInput } from './reranker';

/** A sentence of a passage with what the retriever says of it. */
export type WindowSentence = {
  row: PlacedSentence;
  /** In the form in which it is embedded. */
  form: string;
  /** Cosine with the move's question and with the plain query; null without a comparable vector. */
  cosine: number | null;
  plain: number | null;
};

/** A passage of a pool's paper. */
export type PoolPassage = Passage<WindowSentence> & Pick<Candidate, 'pool' | 'paper'>;

/** Windows opened before the event loop turns: their words are cut into tokens. */
const OPENED_A_TURN = 4;

/** What the windows of a move are made by. */
export type WindowMaker = {
  limits: WindowLimits;
  queryTokens: number;
  /** Most passages. */
  most: number;
  tokens(text: string): number;
};

type Opened = Pick<Candidate, 'pool' | 'paper'> & { hit: number; rows: PlacedSentence[] };

/**
 * Passages round the candidates, in their order, until there are `most`. A candidate that stands in
 * an earlier window opens none, and windows of a paper never overlap. Copies of the query are passed
 * over, as in training: BM25 is told over the best, and nothing shares as many words as they do. One
 * read of each pool's sentences (a second where many candidates share windows) and one of its vectors.
 */
export async function passagesOf(
  candidates: readonly Candidate[],
  context: StageContext,
  maker: WindowMaker,
): Promise<PoolPassage[]> {
  const opened: Opened[] = [];
  // By text: a paper may stand in two pools, and recall keeps now the one's sentence, now the other's.
  const covered = new Set<string>();
  const keys = new Map<Paper, string>();
  const plains = new Map<string, string>();
  // Each sentence is looked at several times while its window grows.
  const plainOf = (text: string): string => {
    let plain = plains.get(text);
    if (plain === undefined) plains.set(text, (plain = normalise(text)));
    return plain;
  };
  const placeOf = (paper: Paper, text: string): string => {
    let key = keys.get(paper);
    if (key === undefined) keys.set(paper, (key = paperKey(paper)));
    return `${key}\n${plainOf(text)}`;
  };
  const copies = new Copies({ text: context.text, exclude: [] });
  const forms = new Map<PlacedSentence, string>();
  const form = (row: PlacedSentence): string => {
    let known = forms.get(row);
    if (known === undefined) forms.set(row, (known = embeddedText(row.text)));
    return known;
  };
  for (let from = 0; from < candidates.length && opened.length < maker.most;) {
    const hits = candidates.slice(from, from + 2 * maker.most);
    from += hits.length;
    const papers = surroundings(hits, context, maker.limits.maxSentences - 1);
    for (const { pool, sentence, paper } of hits) {
      if (opened.length === maker.most) break;
      if (covered.has(placeOf(paper, sentence.text))) continue;
      const places = papers.get(`${pool}/${sentence.paper}`);
      const hit = places?.get(sentence.position);
      // Deleted meanwhile.
      if (!places || !hit) continue;
      const free = (at: number): PlacedSentence | null => {
        const row = places.get(at);
        const fits = row && row.section === hit.section && !covered.has(placeOf(paper, row.text));
        return fits ? row : null;
      };
      // By place, the hit's being 0: the sentences of its section that may be read.
      const run = new Map([[0, hit]]);
      const rowAt = (place: number): PlacedSentence | null => {
        const step = Math.sign(place);
        const inner = run.get(place - step);
        if (step === 0 || !inner) return run.get(place) ?? null;
        for (let at = inner.position + step; ; at += step) {
          const row = free(at);
          if (row && copies.has(plainOf(row.text), null)) continue;
          if (row) run.set(place, row);
          return row;
        }
      };
      const tokensAt = (place: number): number | null => {
        const row = rowAt(place);
        return row && maker.tokens(form(row));
      };
      const window = growWindow(tokensAt, 0, maker.queryTokens, maker.limits);
      const rows: PlacedSentence[] = [];
      for (let place = window.from; place <= window.to; place++) {
        const row = run.get(place);
        if (row) rows.push(row);
      }
      for (const row of rows) covered.add(placeOf(paper, row.text));
      opened.push({ pool, paper, hit: -window.from, rows });
      if (opened.length % OPENED_A_TURN === 0) {
        await nextTurn();
        throwIfCancelled(context.signal);
      }
    }
  }
  const likeness = likenesses(opened, context);
  return opened.map(({ pool, paper, hit, rows }) => {
    const told = rows.map((row) => ({
      row,
      form: form(row),
      ...(likeness.get(`${pool}/${row.id}`) ?? { cosine: null, plain: null }),
    }));
    // Some copies only their vectors tell; the hit is none.
    const kept = told.filter((sentence, at) => at === hit || !isCopy(sentence));
    const before = told.slice(0, hit).filter(isCopy).length;
    return { pool, paper, hit: hit - before, sentences: kept };
  });
}

function isCopy({ plain }: WindowSentence): boolean {
  return (plain ?? 0) > NEAR_COPY.cosine;
}

/** A passage's sentences and features as the reranker takes them. */
export function rerankInput({ sentences }: PoolPassage): RerankInput['passages'][number] {
  const plain = sentences.map((sentence) => sentence.plain ?? 0);
  return {
    sentences: sentences.map(({ form }) => form),
    cosine: sentences.map(({ cosine }) => cosine ?? 0),
    before: bestBefore(plain),
    plain,
  };
}

/** Sentences around the hits, by paper and position. */
function surroundings(
  hits: readonly Candidate[],
  { reader }: StageContext,
  reach: number,
): Map<string, Map<number, PlacedSentence>> {
  const papers = new Map<string, Map<number, PlacedSentence>>();
  for (const pool of new Set(hits.map((hit) => hit.pool))) {
    const ids = hits.flatMap((hit) => (hit.pool === pool ? [hit.sentence.id] : []));
    for (const row of reader(pool).surrounding(ids, reach)) {
      const key = `${pool}/${row.paper}`;
      let paper = papers.get(key);
      if (!paper) papers.set(key, (paper = new Map()));
      paper.set(row.position, row);
    }
  }
  return papers;
}

/** Cosines of the passages' sentences that have a vector. */
function likenesses(
  opened: readonly Opened[],
  { vector, plain, encoder, reader }: StageContext,
): Map<string, { cosine: number; plain: number }> {
  const found = new Map<string, { cosine: number; plain: number }>();
  for (const pool of new Set(opened.map((passage) => passage.pool))) {
    const ids = opened.flatMap((passage) =>
      passage.pool === pool ? passage.rows.map(({ id }) => id) : [],
    );
    for (const [id, stored] of reader(pool).vectors(encoder, ids)) {
      const alike = dot(plain, stored, 0);
      const asked = vector === plain ? alike : dot(vector, stored, 0);
      found.set(`${pool}/${id}`, { cosine: asked, plain: alike });
    }
  }
  return found;
}
