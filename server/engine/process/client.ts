/**
 * The engine in processes of its own, as the language server uses it. One process answers moves;
 * a second one, at low priority and only while there is something to write, imports. A process
 * that dies is started again and what it was asked is asked once more.
 */
import {
  inspireRequestSchema,
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
} from '../engine';
import { parse } from '../checks';
import { STARTER } from '../poolName';
import { abortable, errorText, isCancellation, throwIfCancelled } from '../errors';
import { poolsState } from '../store/poolsState';
import { EngineChild, EngineDied, type CallOptions } from './child';
import { DeathCount } from './deaths';
import { ImportProcess } from './importer';
import type { MethodName, Params, ProcessConfig, Result } from './messages';

export type EngineState = {
  state: 'stopped' | 'starting' | 'ready' | 'importing' | 'failed';
  /** Why it failed, or what went wrong beside it; null when all is well. */
  problem: string | null;
};

export type EngineClientOptions = {
  /** Path of the bundled entry of the engine process (dist/engine.js). */
  entry: string;
  home: string;
  modelDir: string;
  /** Folder of the reranker; without it answers keep the order of recall. */
  rerankerDir?: string | undefined;
  device: string;
  starterPool?: string | undefined;
  /** Milliseconds without a request after which the process stops; 15 minutes by default. */
  idleMs?: number;
  log?: (line: string) => void;
  /** Progress of what the engine does by itself: starter pool, encoding again, index repair. */
  onUpkeep?: (progress: ImportProgress) => void;
  /** Deaths within a window that stop the engine; 5 in 3 minutes by default. */
  deaths?: { most: number; windowMs: number };
};

const IDLE_MS = 15 * 60_000;

type ImportCallOptions = {
  onProgress?: (progress: ImportProgress) => void;
  signal?: AbortSignal;
};

/**
 * Starts the processes when they are needed and stops them when they are not. Calls reject with `engine-down` once
 * it is closed, or where the engine died too often; {@link EngineClient.restart} mends the latter.
 */
export class EngineClient implements Engine {
  private server: EngineChild | null = null;
  private starting: Promise<EngineChild> | null = null;
  private readonly importer: ImportProcess;
  private readonly deaths: DeathCount;
  private readonly listeners = new Set<(state: EngineState) => void>();
  private idleTimer: NodeJS.Timeout | null = null;
  private imports = 0;
  private calls = 0;
  private upkeep: {
    starter: Promise<void> | null;
    done: Promise<void>;
    abort: AbortController;
  } | null = null;
  /** Pools that are being removed; upkeep would be in their way. */
  private removals = 0;
  private current: EngineState = { state: 'stopped', problem: null };
  private failure: string | null = null;
  private upkeepProblem: string | null = null;
  private closed = false;

  constructor(private readonly options: EngineClientOptions) {
    const { most, windowMs } = options.deaths ?? {};
    this.deaths = new DeathCount(most, windowMs);
    this.importer = new ImportProcess(options.entry, this.config('import'), (line) =>
      this.log(line),
    );
  }

  get state(): EngineState {
    return this.current;
  }

  /** Process id of the process that answers moves, while it runs. */
  get pid(): number | undefined {
    return this.server?.pid;
  }

  /** Process id of the import process, while it runs. */
  get importPid(): number | undefined {
    return this.importer.pid;
  }

  /** Calls `listener` at every change of state; returns what ends that. */
  onState(listener: (state: EngineState) => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  private setState(state: EngineState['state'], problem: string | null): void {
    if (this.current.state === state && this.current.problem === problem) return;
    this.current = { state, problem };
    for (const listener of this.listeners) listener(this.current);
  }

  private settle(): void {
    if (this.failure !== null) return this.setState('failed', this.failure);
    if (this.imports > 0) return this.setState('importing', this.upkeepProblem);
    this.setState(this.server ? 'ready' : 'stopped', this.upkeepProblem);
  }

  private log(line: string): void {
    this.options.log?.(line);
  }

  private config(role: ProcessConfig['role']): ProcessConfig {
    const { home, modelDir, rerankerDir, device, starterPool } = this.options;
    return {
      ...{ home, modelDir, device, role },
      rerankerDir: rerankerDir ?? null,
      starterPool: starterPool ?? null,
    };
  }

  private checkUsable(): void {
    if (this.closed) throw new RatioError('engine-down', 'The engine is closed.');
    if (this.failure !== null) throw new RatioError('engine-down', this.failure);
  }

  /** Starts the process ahead of the first request; errors show in the state. */
  async start(): Promise<void> {
    await this.serving().catch((error: unknown) => this.log(errorText(error)));
  }

  /** Stops the process and starts a fresh one, also after it was given up. */
  async restart(): Promise<void> {
    this.failure = null;
    this.upkeepProblem = null;
    this.deaths.reset();
    const old = this.server;
    this.server = null;
    // Ends a start that hangs, too.
    await old?.stop();
    await this.starting?.catch(() => undefined);
    await this.serving();
  }

  /** The process that answers moves, started when there is none. */
  private async serving(): Promise<EngineChild> {
    this.checkUsable();
    if (this.starting) return this.starting;
    // One that just ended may not have been cleared away yet.
    if (this.server && !this.server.dead) return this.server;
    this.starting = this.launch();
    try {
      return await this.starting;
    } finally {
      this.starting = null;
    }
  }

  private async launch(): Promise<EngineChild> {
    this.setState('starting', null);
    const child = new EngineChild(this.options.entry, this.config('serve'), (line) =>
      this.log(line),
    );
    this.server = child;
    void child.ended.then((how) => this.serverEnded(child, how));
    try {
      await child.ready;
      await this.checkUpkeep(child);
    } catch (error) {
      if (!(error instanceof EngineDied)) {
        // Refused (no model, say): a fresh try may do better once the user has acted.
        if (this.server === child) this.server = null;
        this.setState('failed', errorText(error));
        void child.stop();
      }
      throw error;
    }
    this.settle();
    this.watchIdle();
    return child;
  }

  private serverEnded(child: EngineChild, how: string | null): void {
    if (this.server === child) this.server = null;
    if (how === null) {
      if (!this.closed && this.current.state !== 'failed' && !this.server) this.settle();
      return;
    }
    this.log(`The engine process died: ${how}.`);
    if (this.deaths.add()) {
      this.failure =
        `The engine died too often and is not started again: ${how}. ` +
        'See the log, then restart it (“Ratio: Restart Engine”).';
    }
    this.settle();
  }

  /** Hands what has to be put in order to the import process. */
  private async checkUpkeep(child: EngineChild): Promise<void> {
    const hindered = (): boolean => this.upkeep !== null || this.removals > 0;
    if (hindered()) return;
    this.upkeepProblem = null;
    const needed = await child.call('upkeepNeeded', null);
    if ((!needed.starter && needed.pools.length === 0) || hindered()) return;
    const abort = new AbortController();
    const { signal } = abort;
    const keepUp = async (starterOnly: boolean): Promise<void> => {
      if (signal.aborted) return;
      const options = { onEvent: this.options.onUpkeep, signal };
      try {
        await this.importing('keepUp', { starterOnly }, options);
      } catch (error) {
        if (isCancellation(error, signal)) return;
        this.upkeepProblem = errorText(error);
        this.log(this.upkeepProblem);
      }
    };
    // The starter pool by itself, since the first move waits for it: the others may take half an hour.
    const starter = needed.starter ? keepUp(true) : null;
    const done =
      starter === null || needed.pools.length > 0
        ? Promise.resolve(starter).then(() => keepUp(false))
        : starter;
    const settled = done.then(() => {
      this.upkeep = null;
      this.settle();
    });
    this.upkeep = { starter, done: settled, abort };
  }

  /** The same once what runs of it has ended, where an import or a removal may have left something. */
  private async checkUpkeepAgain(): Promise<void> {
    await this.upkeep?.done;
    await this.starting?.catch(() => undefined);
    const { server } = this;
    // One that is started later checks by itself.
    if (!server || server.dead || this.closed) return;
    try {
      await this.checkUpkeep(server);
    } catch (error) {
      this.log(errorText(error));
    }
    if (!this.closed && !this.starting) this.settle();
  }

  private watchIdle(): void {
    if (this.idleTimer) clearTimeout(this.idleTimer);
    this.idleTimer = null;
    if (this.calls > 0 || this.closed || !this.server) return;
    this.idleTimer = setTimeout(() => {
      const idle = this.server;
      this.server = null;
      void idle?.stop().then(() => this.settle());
    }, this.options.idleMs ?? IDLE_MS);
    this.idleTimer.unref();
  }

  /** A call of the process that answers moves; asked once more when that dies meanwhile. */
  private async serve<M extends MethodName>(
    method: M,
    params: Params<M>,
    options: CallOptions<M> = {},
  ): Promise<Result<M>> {
    this.calls++;
    this.watchIdle();
    try {
      return await this.twice(options.signal, async () =>
        (await abortable(this.serving(), options.signal)).call(method, params, options),
      );
    } finally {
      this.calls--;
      this.watchIdle();
    }
  }

  private async twice<T>(
    signal: AbortSignal | undefined,
    call: (attempt: number) => Promise<T>,
  ): Promise<T> {
    for (let attempt = 0; ; attempt++) {
      throwIfCancelled(signal);
      try {
        return await call(attempt);
      } catch (error) {
        if (!(error instanceof EngineDied)) throw error;
        throwIfCancelled(signal);
        this.checkUsable();
        if (attempt > 0) {
          throw new RatioError(
            'engine-down',
            `The engine died twice at this request: ${error.message}. See the log.`,
          );
        }
        this.log('Asking once more.');
      }
    }
  }

  /**
   * A call of the import process, started when there is none; resumed once when it dies. `again` answers for an
   * error of that second time.
   */
  private async importing<M extends MethodName>(
    method: M,
    params: Params<M>,
    options: CallOptions<M> = {},
    again?: (error: unknown) => Result<M>,
  ): Promise<Result<M>> {
    if (this.closed) throw new RatioError('engine-down', 'The engine is closed.');
    this.imports++;
    this.importer.keep();
    this.settle();
    try {
      return await this.twice(options.signal, async (attempt) => {
        try {
          return await this.importer.get().call(method, params, options);
        } catch (error) {
          if (attempt === 0 || !again || error instanceof EngineDied) throw error;
          return again(error);
        }
      });
    } finally {
      this.imports--;
      this.settle();
      if (this.imports === 0 && !this.closed) this.importer.stopSoon();
    }
  }

  status(): Promise<EngineStatus> {
    return this.serve('status', null);
  }

  async inspire(
    request: InspireRequest,
    options: { onSnapshot?: (snapshot: Snapshot) => void; signal?: AbortSignal } = {},
  ): Promise<Snapshot> {
    const parsed = parse(() => inspireRequestSchema.parse(request));
    const { signal } = options;
    await abortable(this.serving(), signal).catch((error: unknown) => {
      // A death is dealt with below, by asking once more.
      if (!(error instanceof EngineDied)) throw error;
    });
    // The very first answer waits for the pool that ships.
    if (this.upkeep?.starter && (parsed.pools?.includes(STARTER) ?? true)) {
      await abortable(this.upkeep.starter, signal);
    }
    // Snapshots of a request that is asked once more go on counting.
    let sequence = 0;
    const number = (snapshot: Snapshot): Snapshot => ({ ...snapshot, sequence: sequence++ });
    let last: Snapshot | null = null;
    const result = await this.serve('inspire', parsed, {
      signal,
      onEvent: (snapshot) => {
        last = number(snapshot);
        options.onSnapshot?.(last);
      },
    });
    return last ?? number(result);
  }

  problems(texts: string[], options: { signal?: AbortSignal } = {}): Promise<ProblemScores | null> {
    return this.serve('problems', { texts }, { signal: options.signal });
  }

  pools(): Promise<PoolInfo[]> {
    return this.serve('pools', null);
  }

  /** A text that is another once a pool may have changed, whoever wrote to it. Starts nothing. */
  poolsState(): string {
    return poolsState(this.options.home);
  }

  addToPool(request: ImportRequest, options: ImportCallOptions = {}): Promise<ImportReport> {
    return this.importing('addToPool', request, {
      onEvent: options.onProgress,
      signal: options.signal,
    }).finally(() => void this.checkUpkeepAgain());
  }

  updatePool(pool: string, options: ImportCallOptions = {}): Promise<ImportReport> {
    return this.importing(
      'updatePool',
      { pool },
      { onEvent: options.onProgress, signal: options.signal },
    ).finally(() => void this.checkUpkeepAgain());
  }

  async removePool(pool: string): Promise<void> {
    this.removals++;
    try {
      // It may be writing to the pool; what else it was at is gone on with afterwards.
      this.upkeep?.abort.abort();
      await this.upkeep?.done;
      const { server } = this;
      // Windows cannot remove files that a process has open.
      if (server) await server.call('release', { pool }).catch(() => undefined);
      await this.importing('removePool', { pool }, {}, (error) => {
        // The process that died had removed it already, and not yet said so.
        if (error instanceof RatioError && error.code === 'no-pool') return null;
        throw error;
      });
    } finally {
      this.removals--;
      void this.checkUpkeepAgain();
    }
  }

  async close(): Promise<void> {
    this.closed = true;
    if (this.idleTimer) clearTimeout(this.idleTimer);
    const { server } = this;
    this.server = null;
    await Promise.all([server?.stop(), this.importer.stop()]);
    this.setState('stopped', null);
  }
}
