/** Keeps pools in order: the pool that ships, vectors of another encoder, index files. */
import { RatioError, type ImportProgress, type ImportReport } from './engine';
import { errorText, throwIfCancelled } from './errors';
import { runImport, type ImportContext, type ImportOptions } from './import/import';
import { ensureStarter, starterNeeded } from './import/starter';
import { TAIL_MAX } from './index/build';
import { isPoolName, STARTER } from './poolName';
import { removeLeftovers } from './poolRemoval';
import { listPools } from './store/names';
import type { OpenPools } from './store/pools';

/** Faults by which upkeep has nothing to do with a pool any more. */
const SETTLED: ReadonlySet<RatioError['code']> = new Set(['pool-busy', 'no-pool']);

/** What has to be put in order in a data folder. */
export type UpkeepNeeded = { starter: boolean; pools: string[] };

export type KeepUpOptions = {
  onProgress?: ((progress: ImportProgress) => void) | undefined;
  signal?: AbortSignal | undefined;
  /** Called once the starter pool is there, or cannot be made: with the reason then. */
  onStarter?: ((fault?: unknown) => void) | undefined;
  /** Nothing but the starter pool. */
  starterOnly?: boolean;
};

export type PrepareOptions = {
  onProgress?: (progress: ImportProgress) => void;
  signal?: AbortSignal;
  /** Nothing but the starter pool. */
  starterOnly?: boolean;
  /** Called before a pool is put in order. */
  onPool?: (pool: string, why: 'missing' | 'changed' | 'encoder') => void;
  onFault?: (pool: string, error: unknown) => void;
};

/** An abort signal has been made of the caller's and the engine's own. */
type Signalled<T> = T & { signal: AbortSignal };

/** What it takes of the engine. */
export type UpkeepParts = {
  context: ImportContext;
  /** JSONL of the pool that ships; without it there is no starter pool. */
  starterPool: string | undefined;
  /** The pools as this process reads them; loads the encoder, whose vectors they are to have. */
  pools: () => Promise<OpenPools>;
  log: (line: string) => void;
};

/** Finds what a data folder needs, and does it, under each pool's writer lock. */
export class Upkeep {
  /** Why it failed; tells more than that there is no pool. */
  fault: unknown = null;

  constructor(private readonly parts: UpkeepParts) {}

  /** Whether the pool that ships has to be built; false, with a line in the log, where that cannot be told. */
  get starterMissing(): boolean {
    const { context, starterPool, log } = this.parts;
    try {
      return starterNeeded(context.home, starterPool);
    } catch (error) {
      log(`Pool “${STARTER}” is not built. ${errorText(error)}`);
      return false;
    }
  }

  /** Builds the pool that ships where it is needed; null where it is not. */
  ensureStarter(options: ImportOptions): Promise<ImportReport | null> {
    return ensureStarter(this.parts.context, this.parts.starterPool, options);
  }

  /** What {@link keepUp} would do: cheap, reads stamps and counts. */
  async needed(): Promise<UpkeepNeeded> {
    const pools = await this.parts.pools();
    const names: string[] = [];
    for (const name of pools.names()) {
      try {
        const needed = await pools.read(name, (pool) => pool.needsUpkeep(TAIL_MAX));
        if (needed) names.push(name);
      } catch (error) {
        this.parts.log(`Pool “${name}” is not put in order. ${errorText(error)}`);
      }
    }
    return { starter: this.starterMissing, pools: names };
  }

  /**
   * Puts the data folder in order: builds the starter pool where it is missing or its file has
   * changed, encodes what another encoder encoded, repairs index files. The starter pool is waited for while another
   * process writes to it, which as a rule builds it; other pools are left to whoever does. Rejects with
   * the first fault when all that can be put in order is.
   */
  async keepUp(options: Signalled<KeepUpOptions>): Promise<void> {
    const { onProgress, signal } = options;
    const passed = { onProgress, signal };
    // What goes wrong with one pool is told at the end, when the others are in order.
    const faults: unknown[] = [];
    const attempt = async (work: () => Promise<unknown>): Promise<void> => {
      if (signal.aborted) return;
      await work().catch((error: unknown) => faults.push(error));
    };
    await attempt(() => removeLeftovers(this.parts.context.home));
    await attempt(() => this.ensureStarter(passed));
    options.onStarter?.(faults[0]);
    const { pools } = options.starterOnly || signal.aborted ? { pools: [] } : await this.needed();
    for (const pool of pools) {
      await attempt(async () => {
        try {
          await this.putInOrder(pool, passed);
        } catch (error) {
          // Whoever writes to it puts it in order, and one that was removed meanwhile needs none.
          const settled = error instanceof RatioError && SETTLED.has(error.code);
          if (!settled) throw error;
        }
      });
    }
    if (faults.length > 0) throw faults[0];
  }

  /**
   * Before an answer that is given once and not refreshed: makes the starter pool where it is missing, waiting
   * while another process does, and encodes again what another encoder encoded of the pools `names` (null: all; not
   * with `starterOnly`). What cannot be put in order, or of those is being written by another process, is told to
   * `onFault`, and the answer does without it. Rejects where it is cancelled.
   */
  async prepare(
    names: readonly string[] | null,
    options: Signalled<PrepareOptions>,
  ): Promise<void> {
    const { onProgress, onPool, onFault, signal, starterOnly = false } = options;
    const passed = { onProgress, signal };
    const attempt = async (pool: string, work: () => Promise<unknown>): Promise<void> => {
      try {
        await work();
        throwIfCancelled(signal);
      } catch (error) {
        if (signal.aborted) throw error;
        onFault?.(pool, error);
        if (pool === STARTER) this.fault = error;
      }
    };
    if (this.starterMissing && (names?.includes(STARTER) ?? true)) {
      const { home } = this.parts.context;
      onPool?.(STARTER, listPools(home).includes(STARTER) ? 'changed' : 'missing');
      await attempt(STARTER, () => this.ensureStarter(passed));
    }
    if (starterOnly) return;
    const pools = await this.parts.pools();
    for (const name of names ?? pools.names()) {
      throwIfCancelled(signal);
      // What is no pool's name, and a damaged pool, are reported by the answer.
      if (!isPoolName(name)) continue;
      const foreign = await pools.read(name, (pool) => pool.foreign).catch(() => false);
      if (!foreign) continue;
      onPool?.(name, 'encoder');
      await attempt(name, () => this.putInOrder(name, passed));
    }
  }

  /**
   * Encodes again and indexes what a pool has; rejects with `pool-busy` where another process writes to it, with
   * `no-pool` where it was removed.
   */
  private putInOrder(pool: string, options: ImportOptions): Promise<ImportReport> {
    const job = { pool, sources: [], removeGone: false };
    return runImport(this.parts.context, job, { ...options, noWait: true });
  }
}
