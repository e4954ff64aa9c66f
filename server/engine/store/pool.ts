/** One pool opened for reading: its database and its index, kept in step with other processes. */
import { statSync } from 'node:fs';
import { join } from 'node:path';
import type { PoolInfo } from '../engine';
import { PoolIndex } from '../index/poolIndex';
import { indexState, TAIL_MIN } from '../index/build';
import { loadHnsw } from '../index/hnsw';
import type { VectorKind } from '../encoder/textForm';
import { openForReading } from './database';
import { poolDatabase, poolFolder } from './names';
import { PoolReader, type Years } from './reader';

/** Identity of a database file: changes when the pool is removed and made again. */
function fileIdentity(path: string): string | null {
  try {
    const { dev, ino } = statSync(path);
    return `${dev}:${ino}`;
  } catch {
    return null;
  }
}

/** Made by {@link OpenPool.open}. What it reads is as of the last {@link OpenPool.refresh}. */
export class OpenPool {
  private yearsKey = '';
  private yearsIds = new Set<number>();
  private sentenceCount = 0;
  private countVersion = -1;
  private users = 0;
  private retired = false;

  private constructor(
    readonly name: string,
    readonly folder: string,
    readonly reader: PoolReader,
    readonly index: PoolIndex,
    private readonly encoder: VectorKind,
    private readonly path: string,
    private readonly identity: string | null,
  ) {}

  /** Null while there is no such pool yet; throws where it is damaged. */
  static open(home: string, name: string, encoder: VectorKind): OpenPool | null {
    const path = poolDatabase(home, name);
    const database = openForReading(path);
    if (!database) return null;
    const folder = poolFolder(home, name);
    const reader = new PoolReader(database);
    const index = new PoolIndex(reader, folder, encoder);
    return new OpenPool(name, folder, reader, index, encoder, path, fileIdentity(path));
  }

  /** Whether the files opened are still the pool's. */
  get current(): boolean {
    return this.identity !== null && fileIdentity(this.path) === this.identity;
  }

  /** Takes in what other processes have committed; cheap when nothing has changed. */
  async refresh(): Promise<void> {
    const version = this.reader.dataVersion();
    await this.index.refresh(version);
    if (version !== this.countVersion) {
      this.sentenceCount = this.reader.countSentences();
      this.yearsKey = '';
      this.countVersion = version;
    }
  }

  /** Number of sentences as of the last refresh. */
  get sentences(): number {
    return this.sentenceCount;
  }

  /** Rowids of the sentences published in these years; null when all pass. */
  idsOfYears(years: Years): ReadonlySet<number> | null {
    if (years.from === null && years.to === null) return null;
    const key = `${years.from}…${years.to}`;
    if (key !== this.yearsKey) {
      this.yearsIds = new Set(this.reader.idsOfYears(years));
      this.yearsKey = key;
    }
    return this.yearsIds;
  }

  /** Whether some sentences have no vector of the present encoder. */
  get foreign(): boolean {
    return this.reader.hasForeignVectors(this.encoder.id);
  }

  /**
   * Whether a writer should put the pool in order: vectors of another encoder, an index file that
   * is missing, damaged, or lacks more than `tailMax` sentences.
   */
  needsUpkeep(tailMax: number): boolean {
    if (this.foreign) return true;
    if (!loadHnsw().module) return false;
    if (this.index.fault !== null) return true;
    const { stamp, tail } = indexState(this.reader, this.folder, this.encoder.id);
    return tail > (stamp ? tailMax : TAIL_MIN);
  }

  /** What lists of pools show of it. */
  info(): PoolInfo {
    const counts = this.reader.counts();
    const { stamp, tail } = indexState(this.reader, this.folder, this.encoder.id);
    return {
      name: this.name,
      ...counts,
      bytes: folderBytes(this.folder),
      updated: this.reader.meta('updated'),
      encoder: this.reader.encoder(),
      index:
        counts.sentences === 0 ? 'none' : stamp && this.index.kind === 'hnsw' ? 'hnsw' : 'exact',
      unindexed: stamp ? tail : counts.sentences,
      sources: this.reader.sources(),
      problem: this.foreign
        ? `Its vectors are of another encoder. Update the pool to encode it again; until then only its words are searched.`
        : null,
    };
  }

  /** Keeps its files open, also past `retire`, until the function that it returns is called. */
  hold(): () => void {
    this.users++;
    let held = true;
    return () => {
      if (!held) return;
      held = false;
      this.users--;
      if (this.retired && this.users === 0) this.close();
    };
  }

  /** Closes its files once nobody uses them: a move that runs ends on what it began with. */
  retire(): void {
    this.retired = true;
    if (this.users === 0) this.close();
  }

  /** Closes its files now. */
  close(): void {
    this.index.close();
    try {
      this.reader.close();
    } catch {
      // A damaged database may fail to close; there is nothing to keep of it.
    }
  }
}

const FILES = ['pool.db', 'pool.db-wal', 'index.hnsw', 'index.json'];

function folderBytes(folder: string): number {
  let bytes = 0;
  for (const name of FILES) {
    try {
      bytes += statSync(join(folder, name)).size;
    } catch {
      // Not every pool has every file.
    }
  }
  return bytes;
}
