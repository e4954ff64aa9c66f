/** Builds the temporal benchmark: for each split, queries with their golds and one shared pool. */
import { createReadStream } from 'node:fs';
import { mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { throwIfCancelled, userError } from '../engine/errors';
import { essence, rankOf, TextMap } from './hashes';
import { LineFile } from './lineFile';
import { mine, type MineOptions } from './mine';
import { PAIR_MOVES, type PairMove } from './pairMoves';
import type { Kind } from './pairs';
import type { MineReport } from './report';

export const SPLITS = ['train', 'val', 'test'] as const;
export type Split = (typeof SPLITS)[number];

export interface BenchOptions extends MineOptions {
  /** Sentences of a split's pool; golds are kept even beyond it. Infinity keeps all. */
  poolSize: number;
  /** Queries a move at most. Infinity keeps all. */
  queries: number;
  seed: number;
  /**
   * Full text from which true Broaden pairs, which abstracts hardly have, are added to val and test:
   * those of one half of its papers each, without papers whose id the split has. Not to be trained on.
   */
  heldOut?: readonly string[];
}

/** A row of `pairs.jsonl`, as mined and as built. */
export interface PairRow {
  id: string;
  move: PairMove;
  marker: string;
  query: string;
  gold: string;
  goldId: string;
  queryId: string;
  paper: string;
  date: string | null;
}

/** A row of `pool.jsonl`. */
export interface PoolRow {
  id: string;
  text: string;
  paper: string;
  title: string;
  section: string | null;
  index: number;
  kind: Kind;
}

export interface SplitReport {
  split: Split;
  seed: number;
  queries: Record<PairMove, number>;
  pool: Record<Kind, number>;
  /** Broaden pairs that came from the held-out full text, before sampling. */
  heldOut: number;
  /** Held-out papers left out since the split has a paper of their id. */
  heldOutKnown: number;
  /** Sentences left out of the pool because another has the same text. */
  sameText: number;
  mined: MineReport;
}

/** What a split is built from: its own papers, mined, and the held-out Broaden pairs. */
interface Mined {
  work: string;
  report: MineReport;
  signal: AbortSignal | undefined;
  held: { work: string; pairs: Map<string, PairRow>; papers: Set<string>; known: number } | null;
}

/** Rows between two looks at the signal. */
const STEP = 2000;

/** Rows of a file that `mine` wrote. Rejects with `cancelled` once the signal aborts. */
async function* rows<Row>(path: string, signal: AbortSignal | undefined): AsyncGenerator<Row> {
  const input = createReadStream(path, 'utf8');
  let count = 0;
  try {
    for await (const line of createInterface({ input, crlfDelay: Infinity })) {
      if (count++ % STEP === 0) throwIfCancelled(signal);
      if (line !== '') yield JSON.parse(line) as Row;
    }
  } finally {
    // A file that is still open could not be removed everywhere.
    input.destroy();
  }
}

/** What a split's folder holds. */
const FILES = ['pool.jsonl', 'pairs.jsonl', 'papers.jsonl', 'report.json'] as const;

/**
 * Builds one split in `folder`: `pairs.jsonl`, `pool.jsonl`, `papers.jsonl`, `report.json`.
 *
 * The pool holds every gold, then distractors, then other sentences, sampled by seed up to its
 * size. Sentences of one text are one entry; pairs refer to it. A pair's `queryId` is the pool's
 * entry with the query's own text, where there is one: scoring leaves it out for that query. Streams:
 * memory holds the texts' 12-byte hashes, ranks and the ids that pairs refer to. Rejects with
 * `cancelled` when the signal aborts; the folder is then as it was.
 */
export async function buildSplit(
  split: Split,
  files: readonly string[],
  folder: string,
  options: BenchOptions,
): Promise<SplitReport> {
  const work = join(folder, '.work');
  await rm(work, { recursive: true, force: true });
  try {
    const mined = await mineSplit(split, files, work, options);
    // A pool beside the papers of an earlier build would be measured wrongly: all four or none.
    const whole = join(work, 'whole');
    await mkdir(whole);
    const report = await assemble(split, mined, whole, options);
    await copyPapers(mined, join(whole, 'papers.jsonl'));
    await writeFile(join(whole, 'report.json'), `${JSON.stringify(report, null, 2)}\n`);
    throwIfCancelled(options.signal);
    for (const name of FILES) await rename(join(whole, name), join(folder, name));
    return report;
  } catch (error) {
    throw userError(error, 'building the benchmark', folder);
  } finally {
    await rm(work, { recursive: true, force: true });
  }
}

async function mineSplit(
  split: Split,
  files: readonly string[],
  work: string,
  options: BenchOptions,
): Promise<Mined> {
  const report = await mine(files, work, options);
  const { signal } = options;
  if (split === 'train' || !options.heldOut?.length) return { work, report, signal, held: null };
  const heldWork = join(work, 'held-out');
  await mine(options.heldOut, heldWork, options);
  // Two papers of one id would give their sentences the same ids, and no measurement reads such a pool.
  const own = new TextMap();
  for await (const { id } of rows<{ id: string }>(join(work, 'papers.jsonl'), signal)) own.add(id);
  const pairs = new Map<string, PairRow>();
  const papers = new Set<string>();
  const known = new Set<string>();
  for await (const row of rows<PairRow>(join(heldWork, 'pairs.jsonl'), signal)) {
    const half = rankOf(row.paper, options.seed) < 0.5 ? 'val' : 'test';
    if (row.move !== 'broaden' || half !== split) continue;
    if (own.get(row.paper) !== undefined) {
      known.add(row.paper);
      continue;
    }
    pairs.set(row.goldId, row);
    papers.add(row.paper);
  }
  return { work, report, signal, held: { work: heldWork, pairs, papers, known: known.size } };
}

/** Pool rows of the split, then the golds of the held-out pairs, each with its number in this order. */
async function* poolRows({ work, held, signal }: Mined): AsyncGenerator<[PoolRow, number]> {
  let number = 0;
  for await (const row of rows<PoolRow>(join(work, 'pool.jsonl'), signal)) yield [row, number++];
  if (!held) return;
  for await (const row of rows<PoolRow>(join(held.work, 'pool.jsonl'), signal)) {
    if (held.pairs.has(row.id)) yield [row, number++];
  }
}

async function* pairRows({ work, held, signal }: Mined): AsyncGenerator<PairRow> {
  yield* rows<PairRow>(join(work, 'pairs.jsonl'), signal);
  if (held) yield* held.pairs.values();
}

async function copyPapers({ work, held, signal }: Mined, path: string): Promise<void> {
  if (!held) return rename(join(work, 'papers.jsonl'), path);
  const file = new LineFile(path);
  try {
    for await (const row of rows(join(work, 'papers.jsonl'), signal)) await file.add(row);
    for await (const row of rows<{ id: string }>(join(held.work, 'papers.jsonl'), signal)) {
      if (held.papers.has(row.id)) await file.add(row);
    }
    await file.finish();
  } catch (error) {
    await file.discard();
    throw error;
  }
}

/** The entry that stands for all sentences of one text, by its number: a gold if one is, else the first. */
class Canon {
  /** Number of the entry, doubled, and one more for a gold. */
  private readonly byText = new TextMap();
  sameText = 0;

  /** Registers a sentence. */
  add(row: PoolRow, number: number): void {
    const key = essence(row.text);
    const gold = row.kind === 'gold' ? 1 : 0;
    const known = this.byText.put(key, 2 * number + gold);
    if (known === undefined) return;
    this.sameText++;
    if (gold > known % 2) this.byText.set(key, 2 * number + gold);
  }

  /** Number of the entry with this text; undefined where none has it. */
  numberOf(text: string): number | undefined {
    const known = this.byText.get(essence(text));
    return known === undefined ? undefined : Math.floor(known / 2);
  }
}

async function assemble(
  split: Split,
  mined: Mined,
  folder: string,
  { poolSize, queries, seed }: BenchOptions,
): Promise<SplitReport> {
  const canon = new Canon();
  for await (const [row, number] of poolRows(mined)) canon.add(row, number);

  // Ranks of all candidates, to find the rank up to which each kind is taken.
  const ranks: Record<Kind, number[]> = { gold: [], distractor: [], other: [] };
  for await (const [row, number] of poolRows(mined)) {
    if (canon.numberOf(row.text) === number) ranks[row.kind].push(rankOf(row.id, seed));
  }
  const limits = thresholds(ranks, poolSize);
  const chosen = await chooseQueries(mined, queries, seed);
  const isChosen = ({ id, move }: PairRow): boolean => rankOf(id, seed) <= chosen[move];
  // Ids of the entries with the texts of pairs, by number; found as the pool is written.
  const ids = new Map<number, string | null>();
  for await (const row of pairRows(mined)) {
    if (!isChosen(row)) continue;
    for (const text of [row.gold, row.query]) {
      const number = canon.numberOf(text);
      if (number !== undefined) ids.set(number, null);
    }
  }

  const pool = new LineFile(join(folder, 'pool.jsonl'));
  const pairs = new LineFile(join(folder, 'pairs.jsonl'));
  const counts: Record<Kind, number> = { gold: 0, distractor: 0, other: 0 };
  const asked = Object.fromEntries(PAIR_MOVES.map((move) => [move, 0])) as Record<PairMove, number>;
  try {
    for await (const [row, number] of poolRows(mined)) {
      if (canon.numberOf(row.text) !== number) continue;
      if (ids.has(number)) ids.set(number, row.id);
      if (rankOf(row.id, seed) > limits[row.kind]) continue;
      counts[row.kind]++;
      await pool.add(row);
    }
    const idOf = (text: string, own: string): string => ids.get(canon.numberOf(text) ?? -1) ?? own;
    for await (const row of pairRows(mined)) {
      if (!isChosen(row)) continue;
      const goldId = idOf(row.gold, row.goldId);
      const queryId = idOf(row.query, row.queryId);
      // Nothing could be asked where query and gold are the same text.
      if (goldId === queryId) continue;
      asked[row.move]++;
      await pairs.add({ ...row, goldId, queryId });
    }
    await pool.finish();
    await pairs.finish();
  } catch (error) {
    await pool.discard();
    await pairs.discard();
    throw error;
  }
  return {
    split,
    seed,
    queries: asked,
    pool: counts,
    heldOut: mined.held?.pairs.size ?? 0,
    heldOutKnown: mined.held?.known ?? 0,
    sameText: canon.sameText,
    mined: mined.report,
  };
}

/** Rank up to which each kind is in the pool: all golds, then distractors, then others. */
function thresholds(ranks: Record<Kind, number[]>, poolSize: number): Record<Kind, number> {
  const distractors = Math.max(0, poolSize - ranks.gold.length);
  const others = Math.max(0, distractors - ranks.distractor.length);
  return {
    gold: 1,
    distractor: thresholdOf(ranks.distractor, distractors),
    other: thresholdOf(ranks.other, others),
  };
}

/** The rank at or below which just `count` of the ranks lie; -1 where none shall. */
function thresholdOf(ranks: readonly number[], count: number): number {
  if (count >= ranks.length) return 1;
  if (count <= 0) return -1;
  return Float64Array.from(ranks).sort()[count - 1] ?? -1;
}

async function chooseQueries(
  mined: Mined,
  queries: number,
  seed: number,
): Promise<Record<PairMove, number>> {
  const ranks = new Map<PairMove, number[]>();
  for await (const { id, move } of pairRows(mined)) {
    const known = ranks.get(move) ?? [];
    ranks.set(move, known);
    known.push(rankOf(id, seed));
  }
  return Object.fromEntries(
    PAIR_MOVES.map((move) => [move, thresholdOf(ranks.get(move) ?? [], queries)]),
  ) as Record<PairMove, number>;
}

/** Builds the splits that have files, each in a folder of its name. */
export async function buildBench(
  files: Readonly<Partial<Record<Split, readonly string[]>>>,
  folder: string,
  options: BenchOptions,
): Promise<SplitReport[]> {
  const reports: SplitReport[] = [];
  for (const split of SPLITS) {
    const given = files[split];
    if (!given || given.length === 0) continue;
    const target = join(folder, split);
    try {
      await mkdir(target, { recursive: true });
    } catch (error) {
      throw userError(error, 'building the benchmark', target);
    }
    reports.push(await buildSplit(split, given, target, options));
  }
  return reports;
}
