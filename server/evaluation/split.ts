/** One split of a benchmark folder: its queries with their golds, and the pool they are sought in. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';
import { RatioError } from '../engine/engine';
import { PAIR_MOVES, type PairMove } from '../mining/pairMoves';
import { lineError, readRows } from './jsonl';
import { derivedSeed, sample, seeded } from './random';

/** Ids stand in run files, whose columns are parted by white space. */
const id = z.string().regex(/^\S+$/, 'an id is text without white space');

export const pairSchema = z.object({
  id,
  move: z.enum(PAIR_MOVES),
  marker: z.string().nullish(),
  query: z.string().min(1),
  goldId: id,
  paper: z.string(),
  date: z.string().nullish(),
  /** Pool id of the query's own sentence, where it is known. */
  queryId: id.nullish(),
});
export type Pair = z.infer<typeof pairSchema>;

export const sentenceSchema = z.object({
  id,
  text: z.string(),
  paper: z.string(),
  title: z.string().nullish(),
  doi: z.string().nullish(),
  section: z.string().nullish(),
  index: z.number().nullish(),
  kind: z.string().nullish(),
});
export type Sentence = z.infer<typeof sentenceSchema>;

export type Split = {
  folder: string;
  pairs: Pair[];
  pool: Sentence[];
  /** Place in the pool of a sentence's id. */
  places: Map<string, number>;
  /** Places of all golds of a set, ascending, those of pairs that `limit` left out included. */
  golds: Map<PairMove, number[]>;
};

export type SplitOptions = {
  /** Sets to keep; all by default. */
  moves?: readonly PairMove[] | undefined;
  /** So many queries a set at most, drawn with `seed`. */
  limit?: number | undefined;
  seed?: number | undefined;
};

/** Sentences of a `pool.jsonl`; an id that stands there twice is an error. */
export async function readPool(
  path: string,
): Promise<{ pool: Sentence[]; places: Map<string, number> }> {
  const pool: Sentence[] = [];
  const places = new Map<string, number>();
  for await (const { line, row } of readRows(path, sentenceSchema)) {
    if (places.has(row.id)) throw lineError(path, line, `the id ${row.id} stands there twice.`);
    places.set(row.id, pool.length);
    pool.push(row);
  }
  if (pool.length === 0) throw new RatioError('bad-input', `${path} holds no sentence.`);
  return { pool, places };
}

/** Reads `DIR/SPLIT`. Rejects with `not-found` or `bad-input`, with file and line. */
export async function loadSplit(
  bench: string,
  split: string,
  { moves = PAIR_MOVES, limit, seed = 1 }: SplitOptions = {},
): Promise<Split> {
  const folder = join(bench, split);
  if (!existsSync(folder)) {
    throw new RatioError(
      'not-found',
      `There is no folder ${folder}. "ratio bench build" makes a benchmark with its splits.`,
    );
  }
  const { pool, places } = await readPool(join(folder, 'pool.jsonl'));
  const path = join(folder, 'pairs.jsonl');
  const seen = new Set<string>();
  const sets = new Map<PairMove, Pair[]>(moves.map((move) => [move, []]));
  const golds = new Map<PairMove, Set<number>>(moves.map((move) => [move, new Set()]));
  for await (const { line, row } of readRows(path, pairSchema)) {
    if (seen.has(row.id)) throw lineError(path, line, `the id ${row.id} stands there twice.`);
    seen.add(row.id);
    const gold = places.get(row.goldId);
    if (gold === undefined) {
      throw lineError(path, line, `the gold ${row.goldId} is not in ${folder}'s pool.jsonl.`);
    }
    sets.get(row.move)?.push(row);
    golds.get(row.move)?.add(gold);
  }
  const pairs = [...sets].flatMap(([move, all]) =>
    limit === undefined ? all : sample(all, limit, seeded(derivedSeed(seed, move))),
  );
  if (pairs.length === 0) {
    throw new RatioError('bad-input', `${path} holds no pair of ${moves.join(', ')}.`);
  }
  const ascending = [...golds].map(([move, own]): [PairMove, number[]] => [
    move,
    [...own].sort((a, b) => a - b),
  ]);
  return { folder, pairs, pool, places, golds: new Map(ascending) };
}
