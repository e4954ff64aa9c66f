/**
 * Latency of moves in the order of recall through the language server, alone and during an import,
 * and engine memory.
 */
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { writeIncoming } from './corpus';
import type { Draft } from '../unit/prose/drafts';
import { draftQueries, rangeAt, type DraftQuery } from './queries';
import { Session, type Timing } from './session';
import { quantile } from './statistics';

/** Milliseconds between a keystroke and the move after it. */
const AFTER_KEYSTROKE_MS = 50;
const WARM_UP = 10;
const IMPORT_POOL = 'incoming';
/** Papers of an import that outlasts the moves made meanwhile. */
const IMPORT_PAPERS = 6000;

export type Latency = {
  count: number;
  first: { p50: number; p95: number };
  all: { p50: number; p95: number };
  /** Of those in the largest draft, right after a keystroke. */
  typed: { count: number; first: { p50: number; p95: number }; all: { p50: number; p95: number } };
  weak: number;
};

export type MovesReport = {
  alone: Latency;
  /** `imported`: sentences stored meanwhile; `ended`: the import was done before the moves were. */
  duringImport: Latency & { imported: number; ended: boolean };
  engineMb: number;
  /** Processor time of language server and engine a move, alone; other work does not change it. */
  processorMs: number;
  /** Language server, engine and, during the import, its process. */
  allProcessesMb: { alone: number | null; duringImport: number | null };
};

type Timed = Timing & { typed: boolean };

/** Percentiles of the answers, in milliseconds, and of those right after a keystroke apart. */
export function split(timings: readonly Timed[]): Latency {
  const part = (of: readonly Timed[], which: 'first' | 'all') => {
    const values = of.map((timing) => timing[which]);
    return { p50: quantile(values, 0.5), p95: quantile(values, 0.95) };
  };
  const typed = timings.filter((timing) => timing.typed);
  return {
    count: timings.length,
    first: part(timings, 'first'),
    all: part(timings, 'all'),
    typed: { count: typed.length, first: part(typed, 'first'), all: part(typed, 'all') },
    weak: timings.filter(({ weak }) => weak).length,
  };
}

/** Asks queries one after another in open drafts, typing before those that say so. */
export class Asker {
  private readonly versions = new Map<string, number>();

  constructor(
    private readonly session: Session,
    private readonly uris: ReadonlyMap<string, string>,
    private readonly rerank: boolean,
  ) {}

  /** Opens the drafts. */
  static async open(session: Session, drafts: readonly Draft[], rerank: boolean): Promise<Asker> {
    const uris = new Map<string, string>();
    for (const { path, source } of drafts) uris.set(path, await session.open(path, source));
    return new Asker(session, uris, rerank);
  }

  private async type(uri: string, query: DraftQuery, length: number, text: string): Promise<void> {
    const version = (this.versions.get(uri) ?? 1) + 1;
    this.versions.set(uri, version);
    const range = rangeAt(query.draft.source, query.space, length);
    await this.session.change(uri, version, range, text);
  }

  /** Times one query; a keystroke before it is taken back. Rejects where its draft is not open. */
  async ask(query: DraftQuery): Promise<Timed> {
    const uri = this.uris.get(query.draft.path);
    if (uri === undefined) throw new Error(`${query.draft.name} is not open.`);
    const range = rangeAt(query.draft.source, query.cursor);
    if (query.typed) {
      await this.type(uri, query, 0, ' ');
      await sleep(AFTER_KEYSTROKE_MS);
    }
    const timing = await this.session.inspire(query.move, { uri, range }, this.rerank);
    if (query.typed) await this.type(uri, query, 1, '');
    return { ...timing, typed: query.typed };
  }

  /** Asks the queries one after another; timings are in their order. */
  async askAll(queries: readonly DraftQuery[]): Promise<Timed[]> {
    const timings: Timed[] = [];
    for (const query of queries) timings.push(await this.ask(query));
    return timings;
  }
}

function megabytes(processes: { bytes: number }[] | null): number | null {
  return processes && processes.reduce((sum, { bytes }) => sum + bytes, 0) / 2 ** 20;
}

/** Measures `count` queries on the pools of `home`, then as many during an import. */
export async function benchMoves(
  stage: string,
  home: string,
  count: number,
  tell: (line: string) => void,
): Promise<MovesReport> {
  const { queries, drafts } = draftQueries(count);
  const incoming = join(home, 'incoming.jsonl');
  await writeIncoming(incoming, IMPORT_PAPERS);
  const session = await Session.start(stage, home);
  try {
    const asker = await Asker.open(session, drafts, false);
    await asker.askAll(queries.slice(0, WARM_UP));
    tell(`${count} moves alone`);
    const processes = session.memory() ?? [];
    const processor = (): number =>
      processes.reduce((sum, { pid }) => sum + Session.processorMs(pid), 0);
    const before = processor();
    const alone = split(await asker.askAll(queries));
    const processorMs = processes.length === 0 ? NaN : (processor() - before) / count;
    const status = await session.status();
    const engineMb = (status.engine?.rssBytes ?? NaN) / 2 ** 20;
    const aloneMb = megabytes(session.memory());

    tell(`${count} moves during an import`);
    let imported = 0;
    let ended = false;
    const work = session.import(
      IMPORT_POOL,
      incoming,
      (progress) => (imported = progress.sentences),
    );
    const over = work.done.finally(() => (ended = true));
    over.catch(() => undefined);
    while (imported === 0 && !ended) await sleep(50);
    const atFirst = imported;
    const timings = await asker.askAll(queries);
    const [endedBefore, during] = [ended, imported - atFirst];
    const importMb = megabytes(session.memory());
    work.stop();
    await over.catch((error: unknown) => tell(`the import: ${String(error)}`));
    await session.removePool(IMPORT_POOL);
    return {
      alone,
      duringImport: { ...split(timings), imported: during, ended: endedBefore },
      engineMb,
      processorMs,
      allProcessesMb: { alone: aloneMb, duringImport: importMb },
    };
  } finally {
    await session.stop();
    rmSync(incoming, { force: true });
  }
}
