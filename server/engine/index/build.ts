/** Brings a pool's index file up to date with its database. The caller holds the writer lock. */
import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { RatioError } from '../engine';
import { errorText, throwIfCancelled } from '../errors';
import type { PoolReader } from '../store/reader';
import { HNSW, HnswIndex, loadHnsw } from './hnsw';
import { indexFile, installIndex, matchesStamp, readStamp, stampFile, type Stamp } from './stamp';

/** Fewer new sentences than this are left to exact search; writing the file costs more. */
export const TAIL_MIN = 200;
/** Share of dead entries above which the index is built anew instead of extended. */
const STALE_MAX = 0.2;
const READ_ROWS = 1024;
/** Points added before other work gets its turn: some 20 ms. */
const CHUNK = 32;

/** Graph parameters as the stamp has them: an index of others is built again. */
export const INDEX_PARAMETERS = `m${HNSW.m} ef${HNSW.efConstruction}`;

/**
 * What the index file of a pool needs. `indexed` is how many of its entries count; `tail` how
 * many sentences it lacks.
 */
export function indexState(
  reader: PoolReader,
  folder: string,
  encoder: string,
): { stamp: Stamp | null; tail: number; stale: number } {
  const stamp = readStamp(folder);
  const usable =
    stamp !== null &&
    stamp.encoder === encoder &&
    stamp.parameters === INDEX_PARAMETERS &&
    stamp.covered <= reader.lastId();
  if (!usable) return { stamp: null, tail: reader.counts().sentences, stale: 0 };
  const tail = reader.countAfter(stamp.covered);
  const live = reader.counts().sentences - tail;
  return { stamp, tail, stale: Math.max(0, stamp.count - live) };
}

/**
 * Removes an index that covers sentences which the database never had: the database was removed or
 * replaced by an older copy. Called before anything is stored, since new sentences get the rowids
 * that the index gives to others.
 */
export function dropForeignIndex(reader: PoolReader, folder: string): void {
  const stamp = readStamp(folder);
  if (stamp === null || stamp.covered <= reader.lastId()) return;
  removeIndex(folder);
}

function removeIndex(folder: string): void {
  rmSync(stampFile(folder), { force: true });
  rmSync(indexFile(folder), { force: true });
}

export type BuildProgress = (done: number, total: number) => void;

/**
 * Extends the index by the sentences that it lacks, or builds it anew where it is missing, of
 * another encoder, corrupt or more than a fifth stale. Does nothing without hnswlib-node, or when
 * fewer than `tailMin` sentences are missing and nothing is wrong. Of a pool with fewer sentences, an
 * index that cannot be used is removed. Resolves to whether a new file
 * was written.
 */
export async function updateIndex(
  reader: PoolReader,
  folder: string,
  encoder: { id: string; dimensions: number },
  options: { signal?: AbortSignal | undefined; tailMin?: number; onProgress?: BuildProgress } = {},
): Promise<boolean> {
  const { module } = loadHnsw();
  if (!module) return false;
  removeLeftovers(folder);
  const state = indexState(reader, folder, encoder.id);
  const tooStale = state.stamp !== null && state.stale > STALE_MAX * Math.max(1, state.stamp.count);
  const intact = state.stamp !== null && (await matchesStamp(folder, state.stamp));

  const total = reader.counts().sentences;
  const tailMin = options.tailMin ?? TAIL_MIN;
  if (!state.stamp && total < tailMin) {
    // A small pool is searched exactly as fast; a file left there would be met as a fault for ever.
    removeIndex(folder);
    return false;
  }
  let index: HnswIndex | null = null;
  let covered = 0;
  if (intact && !tooStale && state.stamp) {
    if (state.stamp.checked && state.tail < tailMin) return false;
    try {
      // Also where nothing is to be added: what was written badly matches its stamp all the same.
      index = await HnswIndex.read(module, encoder.dimensions, indexFile(folder));
      covered = state.stamp.covered;
      if (state.tail >= tailMin) index.reserve(index.size + state.tail);
    } catch (error) {
      if (isOutOfMemory(error)) return false;
      index = null;
    }
    if (index && state.tail < tailMin) return false;
  }
  if (!index) {
    covered = 0;
    index = HnswIndex.create(module, encoder.dimensions, total);
  }
  const wanted = covered === 0 ? total : state.tail;
  let done = 0;
  for (;;) {
    const rows = reader.vectorsAfter(encoder.id, covered, READ_ROWS);
    if (rows.length === 0) break;
    index.reserve(index.size + rows.length);
    for (let i = 0; i < rows.length; i += CHUNK) {
      for (const { id, vector } of rows.slice(i, i + CHUNK)) index.add(id, vector);
      throwIfCancelled(options.signal);
      await nextTurn();
    }
    covered = rows[rows.length - 1]?.id ?? covered;
    done += rows.length;
    options.onProgress?.(done, Math.max(wanted, done));
  }
  const built = index;
  await installIndex(
    folder,
    { encoder: encoder.id, parameters: INDEX_PARAMETERS, covered, count: built.size },
    async (path) => {
      await built.write(path);
      // hnswlib does not tell when the disk is full: the file is short then.
      try {
        await HnswIndex.read(module, encoder.dimensions, path);
        return true;
      } catch (error) {
        // For want of memory, with the one just built there too, says nothing of the file.
        if (isOutOfMemory(error)) return false;
        throw unreadable(folder, error);
      }
    },
  );
  return true;
}

function isOutOfMemory(error: unknown): boolean {
  return /not enough memory|bad_alloc/i.test(errorText(error));
}

function unreadable(folder: string, error: unknown): RatioError {
  return new RatioError(
    'disk',
    `The index of the pool at ${folder} could not be read back after it was written ` +
      `(${errorText(error)}): the disk may be full or failing. The pool is searched without the new ` +
      'index; free some space and update the pool.',
  );
}

/** Temporary files of a build that was killed. */
function removeLeftovers(folder: string): void {
  for (const name of readdirSync(folder)) {
    if (/^index\.\d+\.tmp(\.json)?$/.test(name)) rmSync(join(folder, name), { force: true });
  }
}
