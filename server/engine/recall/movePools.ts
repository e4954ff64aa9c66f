/** The pools that a move asks, less those that turn out to be broken while it reads them. */
import { RatioError } from '../engine';
import { errorText, userError } from '../errors';
import type { OpenPool } from '../store/pool';

/** The pools of one move. One that cannot be read is left out, with a notice, and the others answer. */
export class MovePools {
  /** `onBroken` is told of a pool that is left out. */
  constructor(
    private pools: readonly OpenPool[],
    private readonly notices: string[],
    private readonly onBroken: (pool: OpenPool) => void,
  ) {}

  /** Those that can be read, as far as is known. */
  get usable(): readonly OpenPool[] {
    return this.pools;
  }

  /** Whether the pool of this name is among them. */
  has(name: string): boolean {
    return this.pools.some((pool) => pool.name === name);
  }

  /** The one of this name. */
  find(name: string): OpenPool {
    const pool = this.pools.find((one) => one.name === name);
    if (!pool) throw new Error(`Pool ${name} is not part of this move`);
    return pool;
  }

  /**
   * What `work` reads of one pool; null where damage or the disk kept it from that: the pool is left out from
   * then on. Throws the pool's fault where no other pool is left, and what is no fault of a pool.
   */
  read<T extends object | boolean>(pool: OpenPool, work: () => T): T | null {
    try {
      return work();
    } catch (error) {
      const shown = userError(error, 'reading a pool', pool.folder);
      if (!(shown instanceof RatioError)) throw error;
      const rest = this.pools.filter((one) => one !== pool);
      if (rest.length === 0) throw shown;
      this.pools = rest;
      this.notices.push(`Pool “${pool.name}” was left out. ${errorText(shown)}`);
      this.onBroken(pool);
      return null;
    }
  }
}
