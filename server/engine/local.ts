/** The engine in this process: what the terminal uses, and what runs in the engine process. */
import { existsSync, renameSync } from 'node:fs';
import { readdir, rm } from 'node:fs/promises';
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
  type Paper,
  type PoolInfo,
  type ProblemScores,
  type Snapshot,
} from './engine';
import { checkDate, checkSource, parse } from './checks';
import type { SentenceEncoder } from './encoder-kind';
import { prepareTextForm, vectorKind } from './encoder/text-form';
import { abortable, errorCode, errorText, throwIfCancelled, userError } from './errors';
import { isPoolName } from './pool-name';
import { runImport, type ImportContext, type ImportJob } from './import/import';
import type { Importer } from './import/source';
import {
  ensureStarter,
  forgetStarterRemoved,
  rememberStarterRemoved,
  STARTER,
  starterNeeded,
} from './import/starter';
import { loadEncoder } from './load-encoder';
import { TAIL_MAX } from './index/build';
import { loadHnsw } from './index/hnsw';
import { scoreProblems } from './problems';
import { Inspirer } from './recall/inspire';
import type { Stage } from './recall/stage';
import { BackgroundReranker } from './rerank/background';
import { tryLockPool } from './store/lock';
import { checkNewPoolName, checkPoolName, listPools, poolFolder, poolsFolder } from './store/names';
import { OpenPools } from './store/pools';
import type { PaperDates, PoolReader } from './store/reader';

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

/** What has to be put in order in a data folder. */
export type Upkeep = { starter: boolean; pools: string[] };

/** What the folder of a pool is called while it is deleted. */
const REMOVED = '.removed-';

/** Deletes what a process that was killed while it removed a pool has left. */
async function removeLeftovers(home: string): Promise<void> {
  const folder = poolsFolder(home);
  const names = await readdir(folder).catch(() => []);
  for (const name of names.filter((entry) => entry.startsWith(REMOVED))) {
    // Another process may be at it; what stays is met again at the next start.
    await rm(join(folder, name), { recursive: true, force: true }).catch(() => undefined);
  }
}

/** Time given to the first answers before GPUs are timed. */
const PROBE_DELAY_MS = 3000;

export class LocalEngine implements Engine {
  private readonly abort = new AbortController();
  private encoderPromise: Promise<SentenceEncoder> | null = null;
  private core: { encoder: SentenceEncoder; pools: OpenPools; inspirer: Inspirer } | null = null;
  private starterBuild: Promise<unknown> | null = null;
  /** Why upkeep failed; tells more than that there is no pool. */
  private upkeepFault: unknown = null;
  private readonly jobs = new Set<Promise<unknown>>();
  private readonly moves = new Set<Promise<unknown>>();
  private readonly reranker: BackgroundReranker | null;

  constructor(private readonly options: EngineOptions) {
    const { rerankerDir } = options;
    this.reranker =
      rerankerDir === undefined
        ? null
        : new BackgroundReranker(
            rerankerDir,
            (line) => this.log(line),
            async () => (await this.encoder()).id,
          );
  }

  /** Loads the encoder and starts upkeep; called by {@link createEngine}. */
  async open(): Promise<void> {
    if (!this.options.lazy) await this.ready();
    if ((this.options.upkeep ?? 'background') === 'background') {
      const missing = this.starterMissing();
      let onStarter = (): void => undefined;
      const starter = new Promise<void>((resolve) => (onStarter = resolve));
      const work = this.track(this.keepUp({ onStarter })).catch((error: unknown) => {
        this.upkeepFault = error;
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

  private readonly encoder = (): Promise<SentenceEncoder> => {
    if (!this.encoderPromise) {
      const made = this.options.createEncoder
        ? this.options.createEncoder()
        : loadEncoder(this.options);
      // While its files are read.
      prepareTextForm();
      this.encoderPromise = made;
      made.then(
        (encoder) => {
          if (encoder.heads?.reason) this.log(encoder.heads.reason);
          this.probeSoon(encoder);
        },
        // A failure is not kept: the model may be there at the next call.
        () => (this.encoderPromise = null),
      );
    }
    return this.encoderPromise;
  };

  /** Looks for a GPU once the first answers are out; an import, which is long, looks at once. */
  private probeSoon(encoder: SentenceEncoder): void {
    if (!encoder.probeDevice) return;
    const probe = (): void => {
      const { signal } = this.abort;
      if (signal.aborted) return;
      encoder
        .probeDevice?.({ cacheFile: join(this.options.home, 'device.json'), signal })
        .catch((error: unknown) => this.log(`No device was timed: ${errorText(error)}`));
    };
    if (this.options.lazy) probe();
    else setTimeout(probe, PROBE_DELAY_MS).unref();
  }

  private async ready(): Promise<NonNullable<LocalEngine['core']>> {
    const encoder = await this.encoder();
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

  private get importing(): ImportContext {
    const { home, importers } = this.options;
    return { home, importers, encoder: this.encoder };
  }

  private starterMissing(): boolean {
    const { home, starterPool } = this.options;
    try {
      return starterNeeded(home, starterPool);
    } catch (error) {
      this.log(errorText(error));
      return false;
    }
  }

  /** What encodes, once the encoder is loaded. */
  get device(): SentenceEncoder['device'] | null {
    return this.core?.encoder.device ?? null;
  }

  /** What {@link keepUp} would do: cheap, reads stamps and counts. */
  async upkeepNeeded(): Promise<Upkeep> {
    const { pools } = await this.ready();
    const names: string[] = [];
    for (const name of pools.names()) {
      try {
        const needed = await pools.read(name, (pool) => pool.needsUpkeep(TAIL_MAX));
        if (needed) names.push(name);
      } catch (error) {
        this.log(errorText(error));
      }
    }
    return { starter: this.starterMissing(), pools: names };
  }

  /**
   * Puts the data folder in order: builds the starter pool where it is missing or its file has
   * changed, encodes what another encoder encoded, repairs index files.
   */
  async keepUp(
    options: {
      onProgress?: ((progress: ImportProgress) => void) | undefined;
      signal?: AbortSignal | undefined;
      /** Called once the starter pool is there, or cannot be made. */
      onStarter?: (() => void) | undefined;
      /** Nothing but the starter pool. */
      starterOnly?: boolean;
    } = {},
  ): Promise<void> {
    const signal = this.signal(options.signal);
    const passed = { onProgress: options.onProgress, signal };
    const { home, starterPool } = this.options;
    // What goes wrong with one pool is told at the end, when the others are in order.
    const faults: unknown[] = [];
    const attempt = async (work: () => Promise<unknown>): Promise<void> => {
      if (signal.aborted) return;
      await work().catch((error: unknown) => faults.push(error));
    };
    await attempt(() => removeLeftovers(home));
    await attempt(() => ensureStarter(this.importing, starterPool, passed));
    options.onStarter?.();
    const { pools } = options.starterOnly ? { pools: [] } : await this.upkeepNeeded();
    for (const pool of pools) {
      await attempt(async () => {
        try {
          await this.putInOrder(pool, passed);
        } catch (error) {
          // Whoever writes to it puts it in order.
          if (!(error instanceof RatioError) || error.code !== 'pool-busy') throw error;
        }
      });
    }
    if (faults.length > 0) throw faults[0];
  }

  /**
   * Before an answer that is given once and not refreshed: makes the starter pool where it is missing, and
   * encodes again what another encoder encoded of the pools `names` (null: all; not with `starterOnly`). What
   * cannot be put in order, or is being written by another process, is told to `onFault`, and the answer does
   * without it.
   */
  async prepare(
    names: readonly string[] | null,
    options: CallOptions & {
      starterOnly?: boolean;
      onPool?: (pool: string, why: 'missing' | 'changed' | 'encoder') => void;
      onFault?: (pool: string, error: unknown) => void;
    } = {},
  ): Promise<void> {
    const { onProgress, onPool, onFault, starterOnly = false } = options;
    const signal = this.signal(options.signal);
    const passed = { onProgress, signal };
    const attempt = async (pool: string, work: () => Promise<unknown>): Promise<void> => {
      try {
        await work();
        throwIfCancelled(signal);
      } catch (error) {
        if (signal.aborted) throw error;
        onFault?.(pool, error);
        if (pool === STARTER) this.upkeepFault = error;
      }
    };
    if (this.starterMissing() && (names?.includes(STARTER) ?? true)) {
      onPool?.(STARTER, listPools(this.options.home).includes(STARTER) ? 'changed' : 'missing');
      await attempt(STARTER, () => ensureStarter(this.importing, this.options.starterPool, passed));
    }
    if (starterOnly) return;
    const { pools } = await this.ready();
    for (const name of names ?? pools.names()) {
      throwIfCancelled(signal);
      // What is no pool's name, and a damaged pool, are reported by the answer.
      if (!isPoolName(name)) continue;
      const foreign = await pools.read(name, (pool) => pool.foreign).catch(() => false);
      if (!foreign) continue;
      onPool?.(name, 'encoder');
      await attempt(name, () => this.track(this.putInOrder(name, passed)));
    }
  }

  /** Encodes again and indexes what a pool has; rejects with `pool-busy` where another process writes to it. */
  private putInOrder(
    pool: string,
    options: { onProgress: CallOptions['onProgress'] | undefined; signal: AbortSignal },
  ): Promise<ImportReport> {
    const job = { pool, sources: [], removeGone: false };
    return runImport(this.importing, job, { ...options, noWait: true });
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
        this.upkeepFault instanceof RatioError &&
        listPools(this.options.home).length === 0
        ? this.upkeepFault
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

  /**
   * The paper that one of the ids names, else one of the DOIs (as `normaliseDoi` gives them), the first that a
   * pool has; and what to know of pools that were left out. Rejects with `no-pool` where none of the pools named,
   * or of those there are, can be asked.
   */
  async findPaper(
    { ids, dois }: { ids: readonly string[]; dois: readonly string[] },
    names: string[] | null,
  ): Promise<{ found: { paper: Paper; pool: string } | null; notices: string[] }> {
    const { pools } = await this.ready();
    if (names === null && pools.names().length === 0) return { found: null, notices: [] };
    const used = await pools.use(names);
    const notices = [...used.notices];
    const readable = new Set(used.pools);
    const first = (
      read: (reader: PoolReader) => Paper | null,
    ): { paper: Paper; pool: string } | null => {
      for (const pool of readable) {
        try {
          const paper = read(pool.reader);
          if (paper) return { paper, pool: pool.name };
        } catch (error) {
          readable.delete(pool);
          const shown = userError(error, 'reading a pool', pool.folder);
          notices.push(`Pool “${pool.name}” was left out. ${errorText(shown)}`);
        }
      }
      return null;
    };
    const looks = [
      ...ids.map((id) => (reader: PoolReader) => reader.paperById(id)),
      ...dois.map((doi) => (reader: PoolReader) => reader.paperByDoi(doi)),
    ];
    try {
      for (const look of looks) {
        const found = first(look);
        if (found) return { found, notices };
      }
    } finally {
      used.release();
    }
    return { found: null, notices };
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
    if (!restored) this.checkExists(pool);
    if (pool === STARTER) {
      if (restored) forgetStarterRemoved(home);
      const signal = this.signal(options.signal);
      const built = await this.track(
        ensureStarter(this.importing, starterPool, { ...options, signal }),
      );
      if (built && (restored || built.cancelled)) return built;
    }
    return this.run({ pool, sources: null, removeGone: true }, options);
  }

  private run(job: ImportJob, options: CallOptions): Promise<ImportReport> {
    const signal = this.signal(options.signal);
    return this.track(runImport(this.importing, job, { ...options, signal }));
  }

  private checkExists(pool: string): void {
    checkPoolName(pool);
    const names = listPools(this.options.home);
    if (names.includes(pool)) return;
    const known = names.length > 0 ? `There are: ${names.join(', ')}.` : 'There is none yet.';
    throw new RatioError('no-pool', `There is no pool “${pool}”. ${known}`);
  }

  /** Closes this process's files of a pool, before another process removes it; the moves that run end first. */
  async release(pool: string): Promise<void> {
    await Promise.allSettled([...this.moves]);
    this.core?.pools.release(pool);
  }

  async removePool(pool: string): Promise<void> {
    this.checkExists(pool);
    const { home } = this.options;
    const folder = poolFolder(home, pool);
    const lock = tryLockPool(home, pool);
    if (!lock) {
      throw new RatioError(
        'pool-busy',
        `Pool “${pool}” is being written to by an import. Cancel that, or wait until it is done.`,
      );
    }
    try {
      await this.release(pool);
      const trash = join(poolsFolder(home), `${REMOVED}${pool}-${process.pid}-${Date.now()}`);
      try {
        // A rename first: the pool is gone as a whole or not at all.
        renameSync(folder, trash);
      } catch (error) {
        if (['EBUSY', 'EPERM', 'EACCES'].includes(errorCode(error) ?? '') && existsSync(folder)) {
          throw new RatioError(
            'pool-busy',
            `Pool “${pool}” at ${folder} could not be removed (${errorText(error)}). Close other ` +
              'windows that use it, or make the folder writable, and do it again.',
          );
        }
        throw userError(error, 'removing a pool', folder);
      }
      if (pool === STARTER) rememberStarterRemoved(home);
      await rm(trash, { recursive: true, force: true, maxRetries: 5 });
      await removeLeftovers(home);
    } finally {
      lock.release();
    }
  }

  async close(): Promise<void> {
    this.abort.abort();
    await Promise.allSettled([...this.jobs]);
    const { core } = this;
    this.core = null;
    core?.inspirer.close();
    core?.pools.close();
    await this.reranker?.close();
    const encoder = await this.encoderPromise?.catch(() => null);
    await encoder?.close();
  }
}
