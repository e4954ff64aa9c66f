/** Candidates of every mined pair, as recall would find them, with all that ranks them. */
import Database from 'libsql';
import { join } from 'node:path';
import { Encoder } from '../../server/engine/encoder/encoder';
import { MOVES, type Move } from '../../server/engine/engine';
import { dot, ExactIndex } from '../../server/engine/index/exact';
import { movePrior } from '../../server/engine/recall/prior';
import { depthFor, NEAR_COPY } from '../../server/engine/recall/recall';
import { estimateRoles } from '../../server/engine/recall/roles';
import { anyOf, chooseTerms, Stemmer } from '../../server/engine/recall/terms';
import { jaccard, normalise, words } from '../../server/engine/recall/text';
import { openForReading } from '../../server/engine/store/database';
import { poolDatabase } from '../../server/engine/store/names';
import { PoolReader } from '../../server/engine/store/reader';
import type { SentenceRow } from '../../server/engine/store/rows';
import { packageRoot } from '../../server/paths';
import { pairsOf, type Pair } from './pairs';
import { POOL, type BenchPool } from './pool';
import { seeded, shuffled } from './statistics';

/** One sentence in the running for a pair. Ranks count from 1; null where a list lacks it. */
export type Entry = {
  role: SentenceRow['role'];
  cosine: number;
  bm25: number;
  denseRank: number | null;
  lexicalRank: number | null;
  prior: number;
  /** The prior of the text alone, its role unknown. */
  cues: number;
  /** BM25 over the score of a sentence of average length with all the query's terms once. */
  share: number;
  gold: boolean;
};

/** A pair's candidates; without the gold among them every ranking misses it. */
export type Case = { move: Move; entries: Entry[] };

export type FusionData = { cases: Case[]; mined: Record<Move, number>; sentences: number };

const SEED = 20251001;

type Golds = Map<number, { text: string; role: SentenceRow['role']; vector: Float32Array }>;

/** Full text with the golds' markers cut off, in memory. */
function lexicalCopy(rows: Iterable<SentenceRow>, golds: Golds): PoolReader {
  const database = new Database(':memory:');
  database.exec(
    `CREATE VIRTUAL TABLE sentences_fts USING fts5(text, content = '', tokenize = 'porter unicode61 remove_diacritics 2');
     CREATE VIRTUAL TABLE terms USING fts5vocab(sentences_fts, 'row');`,
  );
  const insert = database.prepare('INSERT INTO sentences_fts (rowid, text) VALUES (?, ?)');
  database.exec('BEGIN');
  for (const { id, text } of rows) insert.run([id, golds.get(id)?.text ?? text]);
  database.exec('COMMIT');
  return new PoolReader(database);
}

/**
 * Mines `perMove` pairs a move in the pool's papers and finds their candidates: the nearest by
 * exact cosine and the best by BM25, as many as a move takes, over all the pool's sentences. Golds
 * stand in the pool without their markers. The query's own sentence, near-copies of the query and
 * near-copies of the gold are out of the running.
 */
export async function fusionData(
  pool: BenchPool,
  perMove: number,
  tell: (line: string) => void,
): Promise<FusionData> {
  const database = openForReading(poolDatabase(pool.home, POOL));
  if (!database) throw new Error(`There is no pool in ${pool.home}.`);
  const reader = new PoolReader(database);
  const encoder = await Encoder.create({
    modelDir: join(packageRoot(), 'models', 'encoder'),
    device: 'cpu',
  });
  const stemmer = new Stemmer();
  try {
    const ids: number[] = [];
    for (let after = 0; ; after = ids[ids.length - 1] ?? after) {
      const next = reader.vectorsAfter(encoder.id, after, 4096).map(({ id }) => id);
      ids.push(...next);
      if (next.length === 0) break;
    }
    const rows = reader.sentences(ids);
    const byPaper = new Map<number, SentenceRow[]>();
    for (const row of rows.values()) {
      byPaper.set(row.paper, [...(byPaper.get(row.paper) ?? []), row]);
    }
    const found: { pair: Pair; paper: SentenceRow[] }[] = [];
    for (const paper of byPaper.values()) {
      paper.sort((a, b) => a.position - b.position);
      for (const pair of pairsOf(paper.map(({ text }) => text))) found.push({ pair, paper });
    }
    const mined = Object.fromEntries(
      MOVES.map((move) => [move, found.filter(({ pair }) => pair.move === move).length]),
    ) as Record<Move, number>;
    const random = seeded(SEED);
    const chosen = MOVES.flatMap((move) =>
      shuffled(
        found.filter(({ pair }) => pair.move === move),
        random,
      ).slice(0, perMove),
    );
    tell(
      `mined ${MOVES.map((move) => `${move} ${mined[move]}`).join(', ')}; taken ${chosen.length}`,
    );
    const goldVectors = await encoder.encode(chosen.map(({ pair }) => pair.goldText));
    const queryVectors = await encoder.encode(chosen.map(({ pair }) => pair.queryText));

    const golds: Golds = new Map();
    chosen.forEach(({ pair, paper }, i) => {
      const row = paper[pair.gold];
      const vector = goldVectors[i];
      if (!row || !vector) return;
      const texts = paper.map(({ text }, at) => (at === pair.gold ? pair.goldText : text));
      const roles = estimateRoles(
        texts,
        paper.map(() => null),
      );
      golds.set(row.id, { text: pair.goldText, role: roles[pair.gold] ?? null, vector });
    });
    const index = new ExactIndex(encoder.dimensions);
    for (let at = 0; at < ids.length; at += 4096) {
      const block = reader.vectors(encoder.id, ids.slice(at, at + 4096));
      index.add(
        [...block]
          .map(([id, vector]) => ({ id, vector: golds.get(id)?.vector ?? vector }))
          .sort((a, b) => a.id - b.id),
      );
    }
    tell(`${index.size} sentences in memory`);
    const lexical = lexicalCopy(rows.values(), golds);
    const depth = depthFor(20);

    const cases = chosen.flatMap(({ pair, paper }, i): Case[] => {
      const query = queryVectors[i];
      const gold = paper[pair.gold];
      const own = paper[pair.query];
      if (!query || !gold || !own) return [];
      const dense = index.search(query, depth);
      const terms = chooseTerms(
        stemmer.terms(pair.queryText),
        (stem) => lexical.documentFrequency(stem),
        ids.length,
      );
      const full = terms.reduce((total, { stem }) => {
        const n = lexical.documentFrequency(stem);
        return total + Math.log((ids.length - n + 0.5) / (n + 0.5));
      }, 0);
      const hits = terms.length === 0 ? [] : lexical.lexical(anyOf(terms), depth);
      const denseRank = new Map(dense.map(({ id }, at) => [id, at + 1]));
      const lexicalRank = new Map(hits.map(({ id }, at) => [id, at + 1]));
      const cosines = new Map(dense.map(({ id, score }) => [id, score]));
      const bm25 = new Map(hits.map((hit) => [hit.id, hit.bm25]));
      const vectors = reader.vectors(
        encoder.id,
        hits.map(({ id }) => id),
      );
      const queryWords = new Set(words(pair.queryText));
      const goldWords = new Set(words(pair.goldText));
      const seen = new Set<string>();
      const entries: Entry[] = [];
      // The gold first: of equal sentences it is the one that is kept.
      const union = new Set([gold.id, ...denseRank.keys(), ...lexicalRank.keys()]);
      for (const id of union) {
        const row = rows.get(id);
        if (!row || id === own.id) continue;
        if (!denseRank.has(id) && !lexicalRank.has(id)) continue;
        const text = golds.get(id)?.text ?? row.text;
        const vector = golds.get(id)?.vector ?? vectors.get(id);
        const cosine = cosines.get(id) ?? (vector ? dot(query, vector, 0) : 0);
        const its = new Set(words(text));
        const copy = normalise(text);
        if (cosine > NEAR_COPY.cosine || jaccard(queryWords, its) > NEAR_COPY.jaccard) continue;
        if (id !== gold.id && jaccard(goldWords, its) > NEAR_COPY.jaccard) continue;
        if (seen.has(copy)) continue;
        seen.add(copy);
        const role = golds.get(id)?.role ?? row.role;
        entries.push({
          role,
          cosine,
          bm25: bm25.get(id) ?? 0,
          denseRank: denseRank.get(id) ?? null,
          lexicalRank: lexicalRank.get(id) ?? null,
          prior: movePrior(pair.move, text, role),
          cues: movePrior(pair.move, text, null),
          share: (bm25.get(id) ?? 0) / Math.max(1, full),
          gold: id === gold.id,
        });
      }
      return [{ move: pair.move, entries }];
    });
    lexical.close();
    return { cases, mined, sentences: ids.length };
  } finally {
    stemmer.close();
    reader.close();
    await encoder.close();
  }
}
