/** From sources to a pool: read, compare, encode, store, index; incremental and resumable. */
import { existsSync } from 'node:fs';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { RatioError, type ImportProgress, type ImportReport } from '../engine';
import type { SentenceEncoder } from '../encoderKind';
import { embeddedText, vectorKind } from '../encoder/textForm';
import { errorText, isCancellation, makeFolder, throwIfCancelled, userError } from '../errors';
import type { Heads } from '../heads';
import { dropForeignIndex } from '../index/build';
import { openForWriting } from '../store/database';
import { lockPool } from '../store/lock';
import { poolDatabase, poolFolder, poolsFolder } from '../store/names';
import { PoolWriter, type NewPaper, type Origin, type SourceRow } from '../store/writer';
import { toNewPaper } from './content';
import { listFiles, type SourceFile } from './files';
import { ImportIndexing, withReader } from './indexing';
import { fileOfOccurrence, occurrenceName } from './occurrence';
import { ImportTally } from './progress';
import { linkAway, PARTLY_READ, removeGone, type SourceState } from './removal';
import { reviseRoles, withRoles } from './roles';
import type { Importer } from './source';

/** Sentences encoded and stored in one transaction. */
const BATCH = 64;
/** Papers looked at before other work gets its turn. */
const TURN = 50;
export type ImportContext = {
  home: string;
  importers: readonly Importer[];
  encoder: () => Promise<SentenceEncoder>;
};

export type ImportOptions = {
  onProgress?: ((progress: ImportProgress) => void) | undefined;
  signal?: AbortSignal | undefined;
  /** Rejects with `pool-busy` instead of waiting while another writer holds the pool. */
  noWait?: boolean;
};

export type ImportJob = {
  pool: string;
  /** Sources to read; null reads again those that the pool has. Without any, null or none, no pool is made. */
  sources: SourceRow[] | null;
  /** Whether papers that their sources no longer hold are removed. */
  removeGone: boolean;
  /** Entered with the first papers; how the starter pool knows its file. */
  meta?: Record<string, string>;
  /** Sources are read but not entered as the pool's own, under this name instead of their path. */
  hiddenSource?: string;
  /** Asked once the lock is held, since it may have been waited for: false ends the import with nothing done. */
  stillNeeded?: () => boolean;
};

/**
 * Runs an import under the pool's writer lock. Resolves with `cancelled: true` when the signal
 * aborts; what was stored until then stays. Rejects with `no-pool` where the job brings no sources and the pool
 * is not there (any more), with `disk`, `pool-damaged` or `bad-input`, also where that came up while it was
 * being cancelled.
 */
export async function runImport(
  context: ImportContext,
  job: ImportJob,
  options: ImportOptions = {},
): Promise<ImportReport> {
  const tally = new ImportTally(job.pool, options.onProgress);
  try {
    const lock = await lockPool(context.home, job.pool, {
      signal: options.signal,
      onWait: () => {
        if (options.noWait) throw busy(job.pool);
        tally.progress('waiting');
      },
    });
    try {
      if (!(job.stillNeeded?.() ?? true)) return tally.report(false);
      checkStillThere(context.home, job);
      await new PoolImport(context, job, tally, options.signal).run();
    } finally {
      lock.release();
    }
    tally.progress('done', 1);
    return tally.report(false);
  } catch (error) {
    if (isCancellation(error, options.signal)) return tally.report(true);
    throw userError(error, 'the import', poolFolder(context.home, job.pool));
  }
}

function busy(pool: string): RatioError {
  return new RatioError(
    'pool-busy',
    `Pool “${pool}” is written to by another process. Do it again once that is done.`,
  );
}

/** What only keeps a pool must not make it anew where it was removed before its turn came. */
function checkStillThere(home: string, { pool, sources }: ImportJob): void {
  if (sources !== null && sources.length > 0) return;
  if (existsSync(poolDatabase(home, pool))) return;
  throw new RatioError(
    'no-pool',
    `There is no pool “${pool}” any more in ${poolsFolder(home)}. Add its sources again to have it back.`,
  );
}

/** A source with its files. */
type Listed = { row: SourceRow; files: SourceFile[]; state: SourceState };

/** One pass through a file, in the order of a run's passes. */
type Reading = {
  number: number;
  /** By key, which entry of a paper came last, where it was not the first. */
  repeated: Map<number, number>;
};

/** `file`: the name of the entry's origin, see `occurrence.ts`. */
type Pending = { entry: NewPaper; source: string; file: string; reading: Reading };

class PoolImport {
  private readonly folder: string;
  private writer!: PoolWriter;
  private encoder!: SentenceEncoder;
  private indexing!: ImportIndexing;
  private encoderKey = 0;
  private pending: Pending[] = [];
  private pendingSentences = 0;
  private readonly pendingIds = new Set<string>();
  /** Keys of the origins met in this run, and the reading that met each last. */
  private readonly seen = new Map<number, number>();
  private readings = 0;
  private bytesBefore = 0;
  private bytesTotal = 0;
  private changed = false;

  constructor(
    private readonly context: ImportContext,
    private readonly job: ImportJob,
    private readonly tally: ImportTally,
    private readonly signal: AbortSignal | undefined,
  ) {
    this.folder = poolFolder(context.home, job.pool);
  }

  async run(): Promise<void> {
    makeFolder(this.folder);
    const { home } = this.context;
    const { pool } = this.job;
    const path = poolDatabase(home, pool);
    this.writer = new PoolWriter(openForWriting(path));
    try {
      const sources = this.job.sources ?? this.writer.sources();
      if (this.job.hiddenSource === undefined) {
        this.writer.transaction(() => sources.forEach((source) => this.writer.addSource(source)));
      }
      await withReader(home, pool, (reader) => dropForeignIndex(reader, this.folder));
      this.encoder = await this.context.encoder();
      const kind = vectorKind(this.encoder);
      this.indexing = new ImportIndexing({ home, name: pool }, kind, this.tally, this.signal);
      this.encoderKey = this.writer.encoderKey(kind.id);
      await this.encodeAgain();
      const revised = await reviseRoles(this.writer, this.heads, this.encoderKey, this.signal);
      if (revised) this.changed = true;
      const lists = await this.readSources(sources);
      await this.flush();
      if (this.job.removeGone && !this.signal?.aborted) {
        const states = lists.map(({ state }) => state);
        const fewer = await removeGone(this.writer, states, this.seen, {
          report: this.tally.issue,
          onPage: (removed) => {
            this.tally.removed += removed;
            if (removed > 0) this.changed = true;
            this.tally.progress('reading');
          },
          signal: this.signal,
        });
        await this.readAgain(lists, fewer);
      }
      throwIfCancelled(this.signal);
      await this.indexing.finish();
      this.writer.transaction(() => {
        for (const [key, value] of Object.entries(this.job.meta ?? {})) {
          this.writer.setMeta(key, value);
        }
        if (this.changed) this.writer.setMeta('updated', new Date().toISOString());
      });
      this.writer.checkpoint();
    } finally {
      this.writer.close();
    }
  }

  private get heads(): Heads | null {
    return this.encoder.heads?.heads ?? null;
  }

  /**
   * Encodes again what another encoder encoded, oldest first: interrupted, it goes on there. The index
   * follows: up to the last one encoded again, every sentence has a vector of this encoder.
   */
  private async encodeAgain(): Promise<void> {
    const total = this.writer.countForeign(this.encoderKey);
    let done = 0;
    let after = 0;
    while (done < total) {
      throwIfCancelled(this.signal);
      const rows = this.writer.foreignAfter(this.encoderKey, after, BATCH);
      if (rows.length === 0) break;
      const vectors = await this.encode(rows.map((row) => row.text));
      this.writer.transaction(() =>
        rows.forEach((row, i) => {
          const vector = vectors[i];
          if (vector) this.writer.replaceVector(row.id, this.encoderKey, vector);
        }),
      );
      this.changed = true;
      after = rows[rows.length - 1]?.id ?? after;
      done += rows.length;
      this.tally.progress('encoding', done / total);
      await nextTurn();
      await this.indexing.meanwhile(rows.length, after);
    }
    if (this.writer.countForeign(this.encoderKey) === 0) {
      this.writer.forgetOtherEncoders(this.encoderKey);
    }
  }

  private async encode(texts: string[]): Promise<Float32Array[]> {
    const prefix = this.encoder.prompts?.documentPrefix ?? '';
    const forms = texts.map((text) => prefix + embeddedText(text));
    const vectors = await this.encoder.encode(forms, {
      ...(this.signal && { signal: this.signal }),
      batchSize: BATCH,
    });
    throwIfCancelled(this.signal);
    return vectors;
  }

  private async readSources(sources: SourceRow[]): Promise<Listed[]> {
    const lists: Listed[] = [];
    for (const row of sources) {
      this.tally.progress('reading', null, row.path);
      const { files, readable, empty, away } = await listFiles(
        row.path,
        this.context.importers,
        this.tally.issue,
        this.signal,
      );
      const source = this.job.hiddenSource ?? row.path;
      const doubtful = new Map([...away].map(([link, reason]) => [link, linkAway(reason)]));
      lists.push({ row, files, state: { source, readable, empty, doubtful } });
      for (const file of files) this.bytesTotal += file.bytes;
    }
    for (const { row, files, state } of lists) {
      for (const file of files) {
        await this.readFile(row, file, state);
        this.bytesBefore += file.bytes;
      }
    }
    return lists;
  }

  /**
   * Of papers that lost a file: where that was the one whose text is stored, what another file says is
   * stored instead. Cut short, the next update does it.
   */
  private async readAgain(lists: readonly Listed[], papers: ReadonlySet<number>): Promise<void> {
    const unsaid = this.writer.unsaid(papers);
    if (unsaid.length === 0) return;
    const only = new Set(unsaid.map(({ id }) => id));
    const wanted = new Set(
      unsaid.map(({ source, file }) => JSON.stringify([source, fileOfOccurrence(file)])),
    );
    for (const { row, files, state } of lists) {
      for (const file of files) {
        const name = this.job.hiddenSource ?? file.path;
        if (!wanted.has(JSON.stringify([state.source, name]))) continue;
        await this.readFile(row, file, state, only);
      }
    }
    await this.flush();
  }

  /** `only`: ids of papers that are looked at once more; all others have been. */
  private async readFile(
    row: SourceRow,
    file: SourceFile,
    state: SourceState,
    only: ReadonlySet<string> | null = null,
  ): Promise<void> {
    const signal = this.signal ?? new AbortController().signal;
    let bytes = 0;
    let turn = 0;
    const progress = (): void => {
      const done = (this.bytesBefore + Math.min(bytes, file.bytes)) / Math.max(1, this.bytesTotal);
      this.tally.progress('reading', done, file.path);
    };
    // Errors of our own (a full disk) must not be taken for those of the file being read.
    const own: unknown[] = [];
    const name = this.job.hiddenSource ?? file.path;
    const reading: Reading = { number: ++this.readings, repeated: new Map() };
    try {
      const papers = file.importer.read(
        file.path,
        {
          categories: row.categories,
          since: row.since,
          until: row.until,
          onBytes: (read) => {
            bytes = read;
            progress();
          },
        },
        (issue, whole = false) => {
          // It was told when the file was first read.
          if (only) return;
          if (!whole) state.doubtful.set(name, PARTLY_READ);
          this.tally.issue(issue);
        },
        signal,
      );
      for await (const paper of papers) {
        try {
          throwIfCancelled(this.signal);
          if (!only) this.tally.read++;
          const entry = toNewPaper(paper);
          if (only && !(entry && only.has(entry.paper.id))) continue;
          if (!entry) {
            this.tally.issue({
              source: file.path,
              line: null,
              message: `“${paper.paper.title || paper.paper.id}” has no sentence to index.`,
            });
            continue;
          }
          await this.take({ entry, source: state.source, file: name, reading }, only !== null);
          progress();
          if (++turn % TURN === 0) await nextTurn();
        } catch (error) {
          own.push(error);
          throw error;
        }
      }
    } catch (error) {
      if (own.length > 0) throw own[0];
      throwIfCancelled(this.signal);
      state.doubtful.set(name, PARTLY_READ);
      this.tally.issue({
        source: file.path,
        line: null,
        // Importers' own errors say what and where already.
        message:
          error instanceof RatioError
            ? error.message
            : `The file could not be read to its end: ${errorText(error)}`,
      });
    }
  }

  /**
   * The name of the origin that an entry of a stored paper has: another one for every entry of one reading, so
   * that each is compared with what it said itself before. And the origin, where it is known.
   */
  private originOf(paper: number, { source, file, reading }: Pending): [string, Origin | null] {
    const { number, repeated } = reading;
    for (let n = repeated.get(paper) ?? 1; ; n++) {
      const name = occurrenceName(file, n);
      const origin = this.writer.origin(paper, source, name);
      if (origin === null || this.seen.get(origin.key) !== number) {
        if (n > 1) repeated.set(paper, n);
        return [name, origin];
      }
    }
  }

  /** `again`: it was met before in this run, and counted as unchanged. */
  private async take(item: Pending, again: boolean): Promise<void> {
    const { entry, source, reading } = item;
    if (this.pendingIds.has(entry.paper.id)) await this.flush();
    let { file } = item;
    const stored = this.writer.stored(entry.paper.id);
    if (stored) {
      const [name, origin] = this.originOf(stored.key, item);
      file = name;
      const same = entry.hash === stored.hash;
      const asBefore = origin?.hash === entry.hash;
      // A bare title never replaces an abstract that another entry still gives, in this file or another one.
      const poorer =
        entry.titleOnly && !stored.titleOnly && this.writer.isSaid(stored, origin?.key);
      const richer = !entry.titleOnly && stored.titleOnly;
      // What no file says any more is replaced by whatever one says.
      if (same || poorer || (asBefore && !richer && this.writer.isSaid(stored))) {
        const key = asBefore
          ? origin.key
          : this.writer.setOrigin(stored.key, source, file, entry.hash);
        this.seen.set(key, reading.number);
        if (!again) this.tally.unchanged++;
        return;
      }
    }
    if (again) this.tally.unchanged--;
    this.pending.push({ ...item, file });
    this.pendingIds.add(entry.paper.id);
    this.pendingSentences += entry.sentences.length;
    if (this.pendingSentences >= BATCH) await this.flush();
  }

  /** Encodes and stores what is pending; papers count as stored once they are committed. */
  private async flush(): Promise<void> {
    const batch = this.pending;
    if (batch.length === 0) return;
    const vectors = await this.vectorsOf(batch);
    this.writer.transaction(() => {
      for (const { entry, source, file, reading } of batch) {
        const own = entry.sentences.map((sentence) => {
          const vector = vectors.get(sentence.text);
          if (!vector) throw new Error(`No vector for a sentence of ${entry.paper.id}`);
          return vector;
        });
        const told = withRoles(entry, own, this.heads);
        const key = this.writer.putPaper(told, this.encoderKey, own);
        this.seen.set(this.writer.setOrigin(key, source, file, entry.hash), reading.number);
      }
      this.writer.setMeta('updated', new Date().toISOString());
    });
    this.changed = true;
    this.pending = [];
    this.pendingIds.clear();
    this.pendingSentences = 0;
    for (const { entry } of batch) {
      this.tally.stored++;
      this.tally.sentences += entry.sentences.length;
      if (entry.titleOnly) this.tally.titleOnly++;
    }
    await nextTurn();
    await this.indexing.meanwhile(
      batch.reduce((sum, { entry }) => sum + entry.sentences.length, 0),
    );
  }

  /** Vectors by text; those that the pool has for a changed paper's sentences are used again. */
  private async vectorsOf(batch: Pending[]): Promise<Map<string, Float32Array>> {
    const vectors = new Map<string, Float32Array>();
    for (const { entry } of batch) {
      const stored = this.writer.stored(entry.paper.id);
      if (!stored) continue;
      for (const [text, vector] of this.writer.vectorsByText(stored.key, this.encoderKey)) {
        vectors.set(text, vector);
      }
    }
    const missing = new Set<string>();
    for (const { entry } of batch) {
      for (const { text } of entry.sentences) if (!vectors.has(text)) missing.add(text);
    }
    const texts = [...missing];
    for (let i = 0; i < texts.length; i += BATCH) {
      const part = texts.slice(i, i + BATCH);
      const encoded = await this.encode(part);
      part.forEach((text, j) => {
        const vector = encoded[j];
        if (vector) vectors.set(text, vector);
      });
      await nextTurn();
    }
    return vectors;
  }
}
