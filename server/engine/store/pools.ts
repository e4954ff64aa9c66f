/** The pools of a data folder, opened for reading when they are first asked. */
import { existsSync } from 'node:fs';
import type { PoolInfo } from '../engine';
import { RatioError } from '../engine';
import type { VectorKind } from '../encoder/text-form';
import { errorText, isDamaged, userError } from '../errors';
import { checkPoolName, listPools, poolDatabase, poolFolder } from './names';
import { OpenPool } from './pool';

export class OpenPools {
  private readonly open = new Map<string, OpenPool>();

  constructor(
    readonly home: string,
    private readonly encoder: VectorKind,
  ) {}

  names(): string[] {
    return listPools(this.home);
  }

  /** The pool, in step with what others have written; null where there is none (yet). */
  async get(name: string): Promise<OpenPool | null> {
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
    try {
      await pool.refresh();
    } catch (error) {
      this.release(name);
      throw userError(error, 'reading a pool', poolFolder(this.home, name));
    }
    return pool;
  }

  /**
   * The pools named, or all there are for null. A pool that cannot be used is left out with a
   * notice; `no-pool` when none can be.
   */
  async use(names: string[] | null): Promise<{ pools: OpenPool[]; notices: string[] }> {
    const asked = names ? [...new Set(names)] : this.names();
    const pools: OpenPool[] = [];
    const notices: string[] = [];
    for (const name of asked) {
      try {
        checkPoolName(name);
        const pool = await this.get(name);
        if (pool) pools.push(pool);
        else if (names) notices.push(this.missing(name));
      } catch (error) {
        notices.push(`Pool “${name}” was left out. ${errorText(error)}`);
      }
    }
    if (pools.length > 0) return { pools, notices };
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

  async info(name: string): Promise<PoolInfo | null> {
    let problem: string;
    try {
      const pool = await this.get(name);
      if (pool) return pool.info();
      if (existsSync(poolDatabase(this.home, name))) return emptyInfo(name, null);
      return null;
    } catch (error) {
      this.release(name);
      const shown = isDamaged(error)
        ? userError(error, 'reading a pool', poolFolder(this.home, name))
        : error;
      problem = errorText(shown);
    }
    return emptyInfo(name, problem);
  }

  async infos(): Promise<PoolInfo[]> {
    const infos: PoolInfo[] = [];
    for (const name of this.names()) {
      const info = await this.info(name);
      if (info) infos.push(info);
    }
    return infos;
  }

  /** Closes a pool's files, so that it can be removed (Windows keeps open ones). */
  release(name: string): void {
    const pool = this.open.get(name);
    this.open.delete(name);
    try {
      pool?.close();
    } catch {
      // A damaged database may fail to close; there is nothing to keep of it.
    }
  }

  close(): void {
    for (const name of [...this.open.keys()]) this.release(name);
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
