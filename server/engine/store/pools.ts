/** The pools of a data folder, opened for reading when they are first asked. */
import { existsSync } from 'node:fs';
import type { PoolInfo } from '../engine';
import { RatioError } from '../engine';
import type { VectorKind } from '../encoder/textForm';
import { errorText, userError } from '../errors';
import { checkPoolName, listPools, poolDatabase, poolFolder } from './names';
import { OpenPool } from './pool';

/** Pools that are open until `release` is called, and what to tell of those that are not. */
export type UsedPools = { pools: OpenPool[]; notices: string[]; release: () => void };

/** Keeps pools open between moves. A pool that was removed or made anew by another process is opened again. */
export class OpenPools {
  private readonly open = new Map<string, OpenPool>();

  constructor(
    readonly home: string,
    private readonly encoder: VectorKind,
  ) {}

  names(): string[] {
    return listPools(this.home);
  }

  /**
   * What `work` reads of a pool, in step with what others have written; null where there is none (yet). Rejects with
   * `pool-damaged`, `disk` or `pool-busy` where it cannot be read.
   */
  async read<T>(name: string, work: (pool: OpenPool) => T): Promise<T | null> {
    const held = await this.hold(name);
    if (!held) return null;
    try {
      return work(held.pool);
    } catch (error) {
      throw userError(error, 'reading a pool', poolFolder(this.home, name));
    } finally {
      held.release();
    }
  }

  private async hold(name: string): Promise<{ pool: OpenPool; release: () => void } | null> {
    let pool = this.open.get(name);
    if (pool && !pool.current) {
      this.release(name);
      pool = undefined;
    }
    if (!pool) {
      const opened = OpenPool.open(this.home, name, this.encoder);
      if (!opened) return null;
      this.open.set(name, (pool = opened));
    }
    const release = pool.hold();
    try {
      await pool.refresh();
    } catch (error) {
      // Unless another one has been opened in its place meanwhile.
      if (this.open.get(name) === pool) this.release(name);
      release();
      throw userError(error, 'reading a pool', poolFolder(this.home, name));
    }
    return { pool, release };
  }

  /**
   * The pools named, or all there are for null. A pool that cannot be used is left out with a
   * notice; `no-pool` when none can be. Who uses them releases them at the end: until then their
   * files stay open, whatever becomes of the pools.
   */
  async use(names: string[] | null): Promise<UsedPools> {
    const asked = names ? [...new Set(names)] : this.names();
    const pools: OpenPool[] = [];
    const notices: string[] = [];
    const releases: (() => void)[] = [];
    for (const name of asked) {
      try {
        checkPoolName(name);
        const held = await this.hold(name);
        if (held) {
          pools.push(held.pool);
          releases.push(held.release);
        } else if (names) notices.push(this.missing(name));
      } catch (error) {
        notices.push(`Pool “${name}” was left out. ${errorText(error)}`);
      }
    }
    if (pools.length > 0) {
      return { pools, notices, release: () => releases.forEach((release) => release()) };
    }
    const [notice] = notices;
    throw new RatioError(
      'no-pool',
      notice ??
        'There is no pool yet. Add papers to one: “Ratio: Add to Pool…” in the editor, or ' +
          '“ratio pool add NAME PATH” in a terminal.',
    );
  }

  private missing(name: string): string {
    const others = this.names();
    const known = others.length > 0 ? `There are: ${others.join(', ')}.` : 'There is none yet.';
    return existsSync(poolDatabase(this.home, name))
      ? `Pool “${name}” is being made.`
      : `There is no pool “${name}”. ${known}`;
  }

  /** What lists of pools show of one; null where there is none. Damage is told in `problem`. */
  async info(name: string): Promise<PoolInfo | null> {
    let problem: string;
    try {
      const info = await this.read(name, (pool) => pool.info());
      if (info) return info;
      if (existsSync(poolDatabase(this.home, name))) return emptyInfo(name, null);
      return null;
    } catch (error) {
      this.release(name);
      problem = errorText(error);
    }
    return emptyInfo(name, problem);
  }

  /** The same of all pools, by name. */
  async infos(): Promise<PoolInfo[]> {
    const infos: PoolInfo[] = [];
    for (const name of this.names()) {
      const info = await this.info(name);
      if (info) infos.push(info);
    }
    return infos;
  }

  /**
   * Closes a pool's files as soon as no move uses them, so that it can be removed (Windows keeps
   * open ones).
   */
  release(name: string): void {
    this.open.get(name)?.retire();
    this.open.delete(name);
  }

  /** Closes all files, at once. */
  close(): void {
    for (const pool of this.open.values()) pool.close();
    this.open.clear();
  }
}

function emptyInfo(name: string, problem: string | null): PoolInfo {
  return {
    name,
    papers: 0,
    sentences: 0,
    titleOnly: 0,
    bytes: 0,
    updated: null,
    encoder: null,
    index: 'none',
    unindexed: 0,
    sources: [],
    problem,
  };
}
