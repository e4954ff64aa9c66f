/** Mines pairs from papers into a folder. Streams: memory holds 12-byte hashes, no papers. */
import { mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { RatioError, type ImportIssue } from '../engine/engine';
import { userError } from '../engine/errors';
import { essence, TextMap } from './hashes';
import { LineFile } from './lineFile';
import { PaperReader } from './papers';
import { pairsOf, type Pair } from './pairs';
import { Tally, type MineReport } from './report';

export interface MineOptions {
  /** Told of rows that are left out. */
  onIssue?: (issue: ImportIssue) => void;
  /** Told now and then how far it is. */
  onProgress?: (papers: number, sentences: number, pairs: number) => void;
  signal?: AbortSignal;
}

/** Papers between two calls of `onProgress`. */
const STEP = 2000;

/** The four files of a mining run, none of which appears before all are whole. */
class Output {
  private readonly report: string;
  readonly pairs: LineFile;
  readonly pool: LineFile;
  readonly papers: LineFile;

  constructor(folder: string) {
    this.report = join(folder, 'report.json');
    this.pairs = new LineFile(join(folder, 'pairs.jsonl'));
    this.pool = new LineFile(join(folder, 'pool.jsonl'));
    this.papers = new LineFile(join(folder, 'papers.jsonl'));
  }

  async finish(report: MineReport): Promise<void> {
    const files = [this.pairs, this.pool, this.papers];
    await writeFile(`${this.report}.part`, `${JSON.stringify(report, null, 2)}\n`);
    // The disk may be full at any of them: what is there already stays until all are written.
    for (const file of files) await file.close();
    for (const file of files) await file.appear();
    await rename(`${this.report}.part`, this.report);
  }

  async discard(): Promise<void> {
    for (const file of [this.pairs, this.pool, this.papers]) await file.discard();
    await rm(`${this.report}.part`, { force: true });
  }
}

/** Tells pairs apart across papers: no pair twice, and no gold twice for one move. */
class Known {
  private readonly pairs = new TextMap();
  private readonly golds = new TextMap();

  /** Why the pair adds nothing, or null. */
  fault(pair: Pair): 'duplicate-pair' | 'duplicate-gold' | null {
    const gold = essence(pair.gold);
    if (!this.pairs.add(`${pair.move}\t${essence(pair.query)}\t${gold}`)) return 'duplicate-pair';
    return this.golds.add(`${pair.move}\t${gold}`) ? null : 'duplicate-gold';
  }
}

/**
 * Mines files of papers into `folder`: `pairs.jsonl`, `pool.jsonl`, `papers.jsonl`, `report.json`.
 * The same files in the same order give the same bytes.
 *
 * Throws a RatioError where a file cannot be read or holds no papers, or nothing can be written.
 */
export async function mine(
  files: readonly string[],
  folder: string,
  options: MineOptions = {},
): Promise<MineReport> {
  const signal = options.signal ?? new AbortController().signal;
  try {
    await mkdir(folder, { recursive: true });
  } catch (error) {
    throw userError(error, 'mining', folder);
  }
  const output = new Output(folder);
  const reader = new PaperReader(options.onIssue ?? (() => undefined));
  const tally = new Tally();
  const known = new Known();
  try {
    for (const file of files) {
      for await (const source of reader.read(file, signal)) {
        const waits = minePaper(source, output, tally, known);
        if (waits.length > 0) await Promise.all(waits);
        if (reader.counts.papers % STEP === 0) {
          options.onProgress?.(reader.counts.papers, tally.sentences, output.pairs.lines);
        }
      }
      if (signal.aborted) throw new RatioError('cancelled', 'Stopped; nothing was written.');
    }
    const report = tally.report(
      files.map((file) => basename(file)),
      reader.counts,
    );
    await output.finish(report);
    return report;
  } catch (error) {
    await output.discard();
    throw userError(error, 'mining', folder);
  }
}

type Source = Parameters<typeof pairsOf>[0];

function minePaper(source: Source, output: Output, tally: Tally, known: Known): Promise<void>[] {
  const { paper } = source;
  const mined = pairsOf(source);
  const waits: Promise<void>[] = [];
  const wait = (promise: Promise<void> | undefined): void => {
    if (promise) waits.push(promise);
  };
  for (const { move, family, reason } of mined.dropped) {
    tally.fired(family, move, false);
    tally.drop(reason);
  }
  const golds = new Set<string>();
  for (const pair of mined.pairs) {
    const fault = known.fault(pair);
    tally.fired(pair.family, pair.move, fault === null);
    if (fault !== null) {
      tally.drop(fault);
      continue;
    }
    golds.add(pair.goldId);
    const { id, move, marker, query, gold, goldId, queryId } = pair;
    wait(
      output.pairs.add({
        id,
        move,
        marker,
        query,
        gold,
        goldId,
        queryId,
        paper: paper.id,
        date: paper.date,
      }),
    );
  }
  tally.sentences += mined.sentences.length;
  for (const { id, text, section, index, kind: own } of mined.sentences) {
    if (text === '') continue;
    const kind = golds.has(id) ? 'gold' : own;
    tally.pool[kind]++;
    wait(output.pool.add({ id, text, paper: paper.id, title: paper.title, section, index, kind }));
  }
  wait(
    output.papers.add({
      ...paper,
      sentences: source.sentences.map(({ text, section }, index) => ({
        id: `${paper.id}#${index}`,
        text,
        ...(section === null ? {} : { section }),
      })),
    }),
  );
  return waits;
}
