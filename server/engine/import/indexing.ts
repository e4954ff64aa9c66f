/** The index file of a pool that is being imported into: extended now and then, and at the end. */
import { RatioError } from '../engine';
import type { VectorKind } from '../encoder/textForm';
import { indexState, updateIndex } from '../index/build';
import { openForReading } from '../store/database';
import { poolDatabase, poolFolder } from '../store/names';
import { PoolReader } from '../store/reader';
import type { ImportTally } from './progress';

/** While importing, the index is extended once this many sentences wait, … */
const INDEX_EVERY = 8000;
/** … and they are at least this share of those indexed, since extending it writes it anew, … */
const INDEX_SHARE = 0.5;
/** … or as many as exact search takes without being slow. */
const INDEX_LATEST = 50_000;

/** How many sentences wait, while importing, for the index file, which has `count`. */
export function tailWhileImporting(count: number): number {
  return Math.max(INDEX_EVERY, Math.min(INDEX_SHARE * count, INDEX_LATEST));
}

/** Reads a pool through a connection of its own. Rejects with `disk` where the pool is gone. */
export async function withReader(
  home: string,
  pool: string,
  work: (reader: PoolReader) => Promise<void> | void,
): Promise<void> {
  const database = openForReading(poolDatabase(home, pool));
  if (!database) {
    throw new RatioError(
      'disk',
      `The pool at ${poolFolder(home, pool)} is gone: another program moved or deleted it while it was ` +
        'written to. Put it back, or add its sources again.',
    );
  }
  const reader = new PoolReader(database);
  try {
    await work(reader);
  } finally {
    reader.close();
  }
}

/** Extends one pool's index file; whoever calls it holds the pool's writer lock. */
export class ImportIndexing {
  private untilCheck = INDEX_EVERY;

  constructor(
    private readonly pool: { home: string; name: string },
    private readonly kind: VectorKind,
    private readonly tally: ImportTally,
    private readonly signal: AbortSignal | undefined,
  ) {}

  /** Extends the index where enough waits for it, after `count` more; no further than the rowid `last`. */
  async meanwhile(count: number, last = Infinity): Promise<void> {
    this.untilCheck -= count;
    if (this.untilCheck > 0) return;
    this.untilCheck = INDEX_EVERY;
    const { home, name } = this.pool;
    await withReader(home, name, async (reader) => {
      const { stamp, tail } = indexState(reader, poolFolder(home, name), this.kind.id, last);
      if (tail >= tailWhileImporting(stamp?.count ?? 0)) await this.extend(reader, last);
    });
  }

  /** Takes in all that waits. Rejects with `cancelled` when the signal aborts. */
  async finish(): Promise<void> {
    await withReader(this.pool.home, this.pool.name, (reader) => this.extend(reader));
  }

  private async extend(reader: PoolReader, last = Infinity): Promise<void> {
    const { home, name } = this.pool;
    await updateIndex(reader, poolFolder(home, name), this.kind, {
      ...{ signal: this.signal, last },
      onProgress: (done, total) => this.tally.progress('indexing', done / total),
    });
  }
}
