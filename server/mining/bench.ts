/** Builds the temporal benchmark: for each split, queries with their golds and one shared pool. */
import { createReadStream } from 'node:fs';
import { mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { userError } from '../engine/errors';
import { essence, rankOf } from './hashes';
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
   * those of one half of its papers each. Not to be trained on.
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
  /** Sentences left out of the pool because another has the same text. */
  sameText: number;
  mined: MineReport;
}

/** What a split is built from: its own papers, mined, and the held-out Broaden pairs. */
interface Mined {
  work: string;
  report: MineReport;
  held: { work: string; pairs: Map<string, PairRow>; papers: Set<string> } | null;
}

/** Rows of a file that `mine` wrote. */
async function* rows<Row>(path: string): AsyncGenerator<Row> {
  const lines = createInterface({ input: createReadStream(path, 'utf8'), crlfDelay: Infinity });
  for await (const line of lines) {
    if (line !== '') yield JSON.parse(line) as Row;
  }
}

/** What a split's folder holds. */
const FILES = ['pool.jsonl', 'pairs.jsonl', 'papers.jsonl', 'report.json'] as const;

/**
 * Builds one split in `folder`: `pairs.jsonl`, `pool.jsonl`, `papers.jsonl`, `report.json`.
 *
 * The pool holds every gold, then distractors, then other sentences, sampled by seed up to its
 * size. Sentences of one text are one entry; pairs refer to it. A pair's `queryId` is the pool's
 * entry with the query's own text, where there is one: scoring leaves it out for that query.
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
  if (split === 'train' || !options.heldOut?.length) return { work, report, held: null };
  const heldWork = join(work, 'held-out');
  await mine(options.heldOut, heldWork, options);
  const pairs = new Map<string, PairRow>();
  const papers = new Set<string>();
  for await (const row of rows<PairRow>(join(heldWork, 'pairs.jsonl'))) {
    const half = rankOf(row.paper, options.seed) < 0.5 ? 'val' : 'test';
    if (row.move !== 'broaden' || half !== split) continue;
    pairs.set(row.goldId, row);
    papers.add(row.paper);
  }
  return { work, report, held: { work: heldWork, pairs, papers } };
}

/** Pool rows of the split, then the golds of the held-out pairs. */
async function* poolRows({ work, held }: Mined): AsyncGenerator<PoolRow> {
  yield* rows<PoolRow>(join(work, 'pool.jsonl'));
  if (!held) return;
  for await (const row of rows<PoolRow>(join(held.work, 'pool.jsonl'))) {
    if (held.pairs.has(row.id)) yield row;
  }
}

async function* pairRows({ work, held }: Mined): AsyncGenerator<PairRow> {
  yield* rows<PairRow>(join(work, 'pairs.jsonl'));
  if (held) yield* held.pairs.values();
}

async function copyPapers({ work, held }: Mined, path: string): Promise<void> {
  if (!held) return rename(join(work, 'papers.jsonl'), path);
  const file = new LineFile(path);
  try {
    for await (const row of rows(join(work, 'papers.jsonl'))) await file.add(row);
    for await (const row of rows<{ id: string }>(join(held.work, 'papers.jsonl'))) {
      if (held.papers.has(row.id)) await file.add(row);
    }
    await file.finish();
  } catch (error) {
    await file.discard();
    throw error;
  }
}

/** The entry that stands for all sentences of one text: a gold if one is, else the first. */
class Canon {
  private readonly byText = new Map<string, { id: string; gold: boolean }>();
  sameText = 0;

  /** Registers a sentence; whether it stands for its text so far. */
  add(row: PoolRow): void {
    const key = essence(row.text);
    const known = this.byText.get(key);
    const gold = row.kind === 'gold';
    if (!known) this.byText.set(key, { id: row.id, gold });
    else {
      this.sameText++;
      if (gold && !known.gold) this.byText.set(key, { id: row.id, gold });
    }
  }

  /** Id of the entry with this text; `own` where none has it. */
  idOf(text: string, own: string): string {
    return this.byText.get(essence(text))?.id ?? own;
  }
}

async function assemble(
  split: Split,
  mined: Mined,
  folder: string,
  { poolSize, queries, seed }: BenchOptions,
): Promise<SplitReport> {
  const canon = new Canon();
  for await (const row of poolRows(mined)) canon.add(row);

  // Ranks of all candidates, to find the rank up to which each kind is taken.
  const ranks: Record<Kind, number[]> = { gold: [], distractor: [], other: [] };
  const stands = (row: PoolRow): boolean => canon.idOf(row.text, row.id) === row.id;
  for await (const row of poolRows(mined)) {
    if (stands(row)) ranks[row.kind].push(rankOf(row.id, seed));
  }
  const limits = thresholds(ranks, poolSize);

  const pool = new LineFile(join(folder, 'pool.jsonl'));
  const pairs = new LineFile(join(folder, 'pairs.jsonl'));
  const counts: Record<Kind, number> = { gold: 0, distractor: 0, other: 0 };
  const asked = Object.fromEntries(PAIR_MOVES.map((move) => [move, 0])) as Record<PairMove, number>;
  try {
    for await (const row of poolRows(mined)) {
      if (!stands(row) || rankOf(row.id, seed) > limits[row.kind]) continue;
      counts[row.kind]++;
      await pool.add(row);
    }
    const chosen = await chooseQueries(mined, queries, seed);
    for await (const row of pairRows(mined)) {
      if (rankOf(row.id, seed) > chosen[row.move]) continue;
      const goldId = canon.idOf(row.gold, row.goldId);
      const queryId = canon.idOf(row.query, row.queryId);
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
