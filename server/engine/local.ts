/** The engine in this process: what the terminal uses, and what runs in the engine process. */
import { join } from 'node:path';
import {
  importRequestSchema,
  inspireRequestSchema,
  problemsRequestSchema,
  RatioError,
  type Engine,
  type EngineStatus,
  type ImportProgress,
  type ImportReport,
  type ImportRequest,
  type InspireRequest,
  type PoolInfo,
  type ProblemScores,
  type Snapshot,
} from './engine';
import { checkDate, checkSource, parse } from './checks';
import type { SentenceEncoder } from './encoderKind';
import { LazyEncoder } from './encoder/lazyEncoder';
import { vectorKind } from './encoder/textForm';
import { abortable, errorText } from './errors';
import { runImport, type ImportContext, type ImportJob } from './import/import';
import type { Importer } from './import/source';
import { forgetStarterRemoved } from './import/starter';
import { loadEncoder } from './loadEncoder';
import { loadHnsw } from './index/hnsw';
import { STARTER } from './poolName';
import { removePool } from './poolRemoval';
import { scoreProblems } from './problems';
import { Inspirer } from './recall/inspire';
import type { Stage } from './recall/stage';
import { BackgroundReranker } from './rerank/background';
import { findPaper } from './store/findPaper';
import { checkNewPoolName, checkPoolExists, listPools } from './store/names';
import { OpenPools } from './store/pools';
import type { PaperDates } from './store/reader';
import { Upkeep, type KeepUpOptions, type PrepareOptions, type UpkeepNeeded } from './upkeep';

export type EngineOptions = {
  /** The data folder; made when something is first stored. */
  home: string;
  /** Folder of the encoder's weights and tokenizer. */
  modelDir: string;
  /** One of `DEVICES`; anything else is rejected with `bad-input` when the encoder is loaded. */
  device: string;
  importers: readonly Importer[];
  /** JSONL of the pool that ships; without it there is no starter pool. */
  starterPool?: string | undefined;
  /** Folder of the reranker; without it answers keep the order of recall. */
  rerankerDir?: string | undefined;
  /** Stages after recall and before the reranker, each with its snapshot. */
  stages?: readonly Stage[];
  log?: ((line: string) => void) | undefined;
  /** Makes the encoder; the default loads it from `modelDir`. */
  createEncoder?: () => Promise<SentenceEncoder>;
  /**
   * `background` (the default) keeps pools in order in this process: starter pool, damaged index
   * files, vectors of another encoder. `none` leaves that to another process, see `upkeep`.
   */
  upkeep?: 'background' | 'none';
  /** Loads the encoder only when it is needed: for a process that only imports. */
  lazy?: boolean;
};

type CallOptions = {
  onProgress?: (progress: ImportProgress) => void;
  signal?: AbortSignal;
};

/** Opens the engine. Rejects with `model-missing` or `model-broken` where there is no encoder. */
export async function createEngine(options: EngineOptions): Promise<LocalEngine> {
  const engine = new LocalEngine(options);
  await engine.open();
  return engine;
}

/** What answers moves and keeps pools, in this process. Made by {@link createEngine}, ended by `close`. */
export class LocalEngine implements Engine {
  private readonly abort = new AbortController();
  private readonly encoder: LazyEncoder;
  private readonly upkeep: Upkeep;
  private core: { encoder: SentenceEncoder; pools: OpenPools; inspirer: Inspirer } | null = null;
  private starterBuild: Promise<unknown> | null = null;
  private readonly jobs = new Set<Promise<unknown>>();
  private readonly moves = new Set<Promise<unknown>>();
  private readonly reranker: BackgroundReranker | null;
  private readonly importing: ImportContext;

  constructor(private readonly options: EngineOptions) {
    const { home, importers, rerankerDir, starterPool } = options;
    const log = (line: string): void => this.log(line);
    this.encoder = new LazyEncoder({
      load: () => options.createEncoder?.() ?? loadEncoder(options),
      verdictFile: join(home, 'device.json'),
      // An import is long.
      probeAtOnce: options.lazy ?? false,
      ...{ log, signal: this.abort.signal },
    });
    this.importing = { home, importers, encoder: this.encoder.get };
    this.upkeep = new Upkeep({
      ...{ context: this.importing, starterPool, log },
      pools: async () => (await this.ready()).pools,
    });
    this.reranker =
      rerankerDir === undefined
        ? null
        : new BackgroundReranker(rerankerDir, log, async () => (await this.encoder.get()).id);
  }

  /** Loads the encoder and starts upkeep; called by {@link createEngine}. */
  async open(): Promise<void> {
    if (!this.options.lazy) await this.ready();
    if ((this.options.upkeep ?? 'background') === 'background') {
      const missing = this.upkeep.starterMissing;
      let tell = (): void => undefined;
      const starter = new Promise<void>((resolve) => (tell = resolve));
      const onStarter = (fault: unknown): void => {
        // Known before the first move goes on, which asks for it.
        this.upkeep.fault = fault ?? null;
        tell();
      };
      const work = this.keepUp({ onStarter }).catch((error: unknown) => {
        this.upkeep.fault = error;
        this.log(errorText(error));
      });
      if (missing) this.starterBuild = Promise.race([starter, work]);
    }
  }

  private log(line: string): void {
    this.options.log?.(line);
  }

  /** Resolves when no move runs. */
  private async idle(): Promise<void> {
    while (this.moves.size > 0) await Promise.allSettled([...this.moves]);
  }

  /**
   * Loads the reranker now, for a process whose first answer is to be reranked. Never rejects:
   * where it cannot be loaded, {@link status} says why.
   */
  async loadReranker(): Promise<void> {
    await this.reranker?.load();
  }

  private track<T>(job: Promise<T>): Promise<T> {
    this.jobs.add(job);
    const done = (): void => void this.jobs.delete(job);
    job.then(done, done);
    return job;
  }

  private async ready(): Promise<NonNullable<LocalEngine['core']>> {
    const encoder = await this.encoder.get();
    if (!this.core) {
      const pools = new OpenPools(this.options.home, vectorKind(encoder));
      const inspirer = new Inspirer(pools, encoder, async () => [
        ...(this.options.stages ?? []),
        ...((await this.reranker?.stages()) ?? []),
      ]);
      this.core = { encoder, pools, inspirer };
    }
    return this.core;
  }

  /** What encodes, once the encoder is loaded. */
  get device(): SentenceEncoder['device'] | null {
    return this.core?.encoder.device ?? null;
  }

  /** What {@link keepUp} would do: cheap, reads stamps and counts. */
  upkeepNeeded(): Promise<UpkeepNeeded> {
    return this.upkeep.needed();
  }

  /** Puts the data folder in order, see {@link Upkeep.keepUp}. */
  keepUp(options: KeepUpOptions = {}): Promise<void> {
    return this.track(this.upkeep.keepUp({ ...options, signal: this.signal(options.signal) }));
  }

  /** Puts pools in order before an answer that is given once, see {@link Upkeep.prepare}. */
  prepare(names: readonly string[] | null, options: PrepareOptions = {}): Promise<void> {
    return this.track(
      this.upkeep.prepare(names, { ...options, signal: this.signal(options.signal) }),
    );
  }

  private signal(given: AbortSignal | undefined): AbortSignal {
    return given ? AbortSignal.any([given, this.abort.signal]) : this.abort.signal;
  }

  async status(): Promise<EngineStatus> {
    const { encoder, pools } = await this.ready();
    const hnsw = loadHnsw();
    return {
      encoder: { id: encoder.id, dimensions: encoder.dimensions },
      heads: {
        loaded: (encoder.heads?.heads ?? null) !== null,
        reason: encoder.heads?.reason ?? null,
      },
      ...(this.reranker && { reranker: this.reranker.status }),
      device: { ...encoder.device },
      index: { kind: hnsw.module ? 'hnsw' : 'exact', reason: hnsw.reason },
      pools: await pools.infos(),
      home: this.options.home,
      pid: process.pid,
      rssBytes: process.memoryUsage.rss(),
    };
  }

  async inspire(
    request: InspireRequest,
    options: { onSnapshot?: (snapshot: Snapshot) => void; signal?: AbortSignal } = {},
  ): Promise<Snapshot> {
    const parsed = parse(() => inspireRequestSchema.parse(request));
    const { inspirer } = await this.ready();
    // Only the very first answer waits, for the pool that ships: a few seconds.
    if (this.starterBuild && (parsed.pools?.includes(STARTER) ?? true)) {
      await abortable(this.starterBuild, options.signal);
      this.starterBuild = null;
    }
    const move = inspirer.inspire(parsed, options);
    this.moves.add(move);
    const done = (): void => void this.moves.delete(move);
    move.then(done, done);
    return move.catch((error: unknown) => {
      const none = error instanceof RatioError && error.code === 'no-pool';
      throw none &&
        this.upkeep.fault instanceof RatioError &&
        listPools(this.options.home).length === 0
        ? this.upkeep.fault
        : error;
    });
  }

  async problems(
    texts: string[],
    options: { signal?: AbortSignal } = {},
  ): Promise<ProblemScores | null> {
    const parsed = parse(() => problemsRequestSchema.parse({ texts }));
    const { encoder } = await this.ready();
    return scoreProblems(encoder, parsed.texts, {
      signal: this.signal(options.signal),
      turn: () => this.idle(),
    });
  }

  /** A paper by its ids or DOIs, see `store/findPaper.ts`. */
  async findPaper(
    named: { ids: readonly string[]; dois: readonly string[] },
    names: string[] | null,
  ): ReturnType<typeof findPaper> {
    const { pools } = await this.ready();
    return findPaper(pools, named, names);
  }

  async pools(): Promise<PoolInfo[]> {
    const { pools } = await this.ready();
    return pools.infos();
  }

  /** Dates of a pool's papers; null where there is no such pool. Rejects where it is damaged. */
  async paperDates(name: string): Promise<PaperDates | null> {
    const { pools } = await this.ready();
    return pools.read(name, ({ reader }) => reader.paperDates());
  }

  async addToPool(request: ImportRequest, options: CallOptions = {}): Promise<ImportReport> {
    const parsed = parse(() => importRequestSchema.parse(request));
    const { pool, categories, since, until } = parsed;
    checkNewPoolName(this.options.home, pool);
    checkDate(since, 'since');
    checkDate(until, 'until');
    for (const path of parsed.sources) await checkSource(path);
    const sources = parsed.sources.map((path) => ({ path, categories, since, until }));
    const report = await this.run({ pool, sources, removeGone: false }, options);
    if (pool === STARTER) forgetStarterRemoved(this.options.home);
    return report;
  }

  /** The pool that ships is also restored by it, after it was removed. */
  async updatePool(pool: string, options: CallOptions = {}): Promise<ImportReport> {
    const { home, starterPool } = this.options;
    const restored =
      pool === STARTER && starterPool !== undefined && !listPools(home).includes(STARTER);
    if (!restored) checkPoolExists(home, pool);
    if (pool === STARTER) {
      if (restored) forgetStarterRemoved(home);
      const signal = this.signal(options.signal);
      const built = await this.track(this.upkeep.ensureStarter({ ...options, signal }));
      if (built && (restored || built.cancelled)) return built;
    }
    return this.run({ pool, sources: null, removeGone: true }, options);
  }

  private run(job: ImportJob, options: CallOptions): Promise<ImportReport> {
    const signal = this.signal(options.signal);
    return this.track(runImport(this.importing, job, { ...options, signal }));
  }

  /**
   * Closes this process's files of a pool, before another process removes it; the moves that run end first. Rejects
   * with `cancelled` where the engine is closed meanwhile.
   */
  async release(pool: string): Promise<void> {
    await abortable(Promise.allSettled([...this.moves]), this.abort.signal);
    this.core?.pools.release(pool);
  }

  async removePool(pool: string): Promise<void> {
    const { home } = this.options;
    checkPoolExists(home, pool);
    await this.track(removePool(home, pool, () => this.release(pool)));
  }

  /** Ends what writes, at a batch, and waits until it has; a removal is done as a whole or not begun. */
  async close(): Promise<void> {
    this.abort.abort();
    await Promise.allSettled([...this.jobs]);
    const { core } = this;
    this.core = null;
    core?.inspirer.close();
    core?.pools.close();
    await this.reranker?.close();
    await this.encoder.close();
  }
}
