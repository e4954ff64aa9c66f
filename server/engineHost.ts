/**
 * The engine as the language server holds it: made from the settings, made anew when they change,
 * and described by a status that the editor shows.
 */
import { join } from 'node:path';
import type {
  Engine,
  EngineStatus,
  ImportProgress,
  ImportReport,
  ImportRequest,
  InspireRequest,
  PoolInfo,
  ProblemScores,
  Snapshot,
} from './engine/engine';
import { RatioError } from './engine/engine';
import { EngineClient } from './engine/process/client';
import { dataHome, packageRoot } from './paths';
import type { ServerSettings, Status } from './protocol';

interface MoveOptions {
  onSnapshot?: (snapshot: Snapshot) => void;
  signal?: AbortSignal;
}
interface ImportOptions {
  onProgress?: (progress: ImportProgress) => void;
  signal?: AbortSignal;
}

/** Minutes without a request after which the engine stops, unless the settings say otherwise. */
const DEFAULT_IDLE_MINUTES = 15;

/** The one engine of a window. It is made at the first call and rejects with `engine-down` once it is closed. */
export class EngineHost implements Engine {
  private client: EngineClient | null = null;
  private made = '';
  private closed = false;
  private settings: Pick<ServerSettings, 'device' | 'encoderPath' | 'home' | 'idleMinutes'> = {
    device: 'auto',
    encoderPath: null,
    home: null,
    idleMinutes: DEFAULT_IDLE_MINUTES,
  };
  private described: EngineStatus | null = null;
  private readonly poolListeners = new Set<() => void>();

  /**
   * @param report gets every change of state
   * @param log gets the engine's own lines
   */
  constructor(
    private readonly report: (status: Status) => void,
    private readonly log: (line: string) => void,
  ) {}

  /** Takes the settings; an engine that runs under others is stopped and made anew when needed. */
  configure(settings: ServerSettings): void {
    const { device, encoderPath, home, idleMinutes } = settings;
    this.settings = { device, encoderPath, home, idleMinutes };
    if (this.client && this.made !== JSON.stringify(this.settings)) {
      const running = this.client.state.state !== 'stopped';
      const old = this.client;
      this.client = null;
      this.described = null;
      void old.close();
      if (running) this.warm();
    }
  }

  /** Starts the engine ahead of the first move. */
  warm(): void {
    if (!this.closed) void this.engine().start();
  }

  /** Data folder of pools and judgements. */
  home(): string {
    return this.settings.home ?? dataHome();
  }

  /** A text that is another once a pool may have changed, whoever wrote to it. Never starts the engine. */
  poolsState(): string {
    return this.engine().poolsState();
  }

  /** Calls `listener` after this engine has written to pools, at a request or by itself. */
  onPoolsChanged(listener: () => void): void {
    this.poolListeners.add(listener);
  }

  /** Whether the engine runs, so that it answers without being started first. */
  get ready(): boolean {
    const state = this.client?.state.state;
    return state === 'ready' || state === 'importing';
  }

  /** State and, where the engine runs, its description. Never starts it. */
  async currentStatus(): Promise<Status> {
    const client = this.engine();
    if (client.state.state === 'ready' || client.state.state === 'importing') {
      this.described = await client.status().catch(() => this.described);
    }
    return { ...client.state, engine: this.described };
  }

  /** Stops the engine and starts a fresh one, also after too many deaths. */
  async restart(): Promise<void> {
    this.described = null;
    await this.engine().restart();
  }

  status(): Promise<EngineStatus> {
    return this.ask((engine) => engine.status());
  }

  async inspire(request: InspireRequest, options: MoveOptions = {}): Promise<Snapshot> {
    // Snapshots of a move that is asked again go on counting.
    let sequence = 0;
    let last: Snapshot | null = null;
    const result = await this.ask((engine) =>
      engine.inspire(request, {
        ...options,
        onSnapshot: (snapshot) => {
          last = { ...snapshot, sequence: sequence++ };
          options.onSnapshot?.(last);
        },
      }),
    );
    return last ?? result;
  }

  problems(texts: string[], options?: { signal?: AbortSignal }): Promise<ProblemScores | null> {
    return this.ask((engine) => engine.problems(texts, options));
  }

  pools(): Promise<PoolInfo[]> {
    return this.ask((engine) => engine.pools());
  }

  addToPool(request: ImportRequest, options?: ImportOptions): Promise<ImportReport> {
    return this.changingPools((engine) => engine.addToPool(request, options));
  }

  updatePool(pool: string, options?: ImportOptions): Promise<ImportReport> {
    return this.changingPools((engine) => engine.updatePool(pool, options));
  }

  removePool(pool: string): Promise<void> {
    return this.changingPools((engine) => engine.removePool(pool));
  }

  /**
   * Asks the engine; where new settings have replaced it meanwhile, asks the new one (imports go on
   * where they were).
   */
  private async ask<T>(call: (engine: EngineClient) => Promise<T>): Promise<T> {
    for (;;) {
      const engine = this.engine();
      try {
        return await call(engine);
      } catch (error) {
        const replaced = this.client !== engine && !this.closed;
        if (!replaced || !(error instanceof RatioError) || error.code !== 'engine-down')
          throw error;
      }
    }
  }

  async close(): Promise<void> {
    this.closed = true;
    const { client } = this;
    this.client = null;
    await client?.close();
  }

  private engine(): EngineClient {
    if (this.closed) throw new RatioError('engine-down', 'The language server is shutting down.');
    if (this.client) return this.client;
    const { device, encoderPath, idleMinutes } = this.settings;
    const client = new EngineClient({
      entry: join(packageRoot(), 'dist', 'engine.js'),
      home: this.home(),
      modelDir: encoderPath ?? join(packageRoot(), 'models', 'encoder'),
      rerankerDir: join(packageRoot(), 'models', 'reranker'),
      device,
      starterPool: join(packageRoot(), 'media', 'starter-pool.jsonl'),
      idleMs: idleMinutes * 60_000,
      log: this.log,
    });
    this.made = JSON.stringify(this.settings);
    let importing = false;
    client.onState(({ state }) => {
      // It may have put pools in order by itself.
      if (importing && state !== 'importing') this.poolsChanged();
      importing = state === 'importing';
      if (this.client === client) void this.tell();
    });
    return (this.client = client);
  }

  /** Reports the state at once, and the description when the engine has given it. */
  private async tell(): Promise<void> {
    const { client } = this;
    if (!client) return;
    if (client.state.state === 'stopped' || client.state.state === 'failed') this.described = null;
    this.report({ ...client.state, engine: this.described });
    if (client.state.state !== 'ready') return;
    const status = await this.currentStatus();
    if (this.client === client) this.report(status);
  }

  private async changingPools<T>(work: (engine: EngineClient) => Promise<T>): Promise<T> {
    try {
      return await this.ask(work);
    } finally {
      this.poolsChanged();
      void this.tell();
    }
  }

  private poolsChanged(): void {
    for (const listener of this.poolListeners) listener();
  }
}
