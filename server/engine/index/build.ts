/** Brings a pool's index file up to date with its database. The caller holds the writer lock. */
import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { RatioError } from '../engine';
import { errorText, throwIfCancelled } from '../errors';
import type { PoolReader } from '../store/reader';
import { HNSW, HnswIndex, loadHnsw } from './hnsw';
import { indexFile, installIndex, matchesStamp, readStamp, stampFile, type Stamp } from './stamp';

/** Fewer sentences than this are left to exact search where there is no index file. */
export const TAIL_MIN = 200;
/** More than this are not left to it: upkeep indexes them. */
export const TAIL_MAX = 4000;
/** Share of those in the index file that may be new: writing it costs as much as it holds. */
const TAIL_SHARE = 0.005;
/** Share of dead entries above which the index is built anew instead of extended. */
const STALE_MAX = 0.2;
const READ_ROWS = 1024;
/** Points added before other work gets its turn: some 20 ms. */
const CHUNK = 32;

/** How many new sentences are worth writing an index file anew that has `count`; 0 without one. */
export function tailWorthIndexing(count: number): number {
  return Math.round(Math.min(TAIL_MAX, Math.max(TAIL_MIN, TAIL_SHARE * count)));
}

/** Graph parameters as the stamp has them: an index of others is built again. */
export const INDEX_PARAMETERS = `m${HNSW.m} ef${HNSW.efConstruction}`;

/**
 * What the index file of a pool needs: its stamp where it can be used, how many sentences up to the rowid
 * `last` it lacks, and how many of its entries are of sentences that are gone.
 */
export function indexState(
  reader: PoolReader,
  folder: string,
  encoder: string,
  last = Infinity,
): { stamp: Stamp | null; tail: number; stale: number } {
  const stamp = readStamp(folder);
  const usable =
    stamp !== null &&
    stamp.encoder === encoder &&
    stamp.parameters === INDEX_PARAMETERS &&
    stamp.covered <= reader.lastId();
  const beyond = last === Infinity ? 0 : reader.countAfter(last);
  const total = reader.countSentences();
  if (!usable) return { stamp: null, tail: total - beyond, stale: 0 };
  const after = reader.countAfter(stamp.covered);
  return {
    stamp,
    tail: Math.max(0, after - beyond),
    stale: Math.max(0, stamp.count - (total - after)),
  };
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
 * so few sentences are missing that they are not worth it and nothing is wrong. Of a pool with fewer
 * sentences, an index that cannot be used is removed. `last` is the greatest rowid that is taken in: while
 * a pool is encoded again, what is beyond it may lack vectors here and there. Resolves to whether a new
 * file was written.
 */
export async function updateIndex(
  reader: PoolReader,
  folder: string,
  encoder: { id: string; dimensions: number },
  options: { signal?: AbortSignal | undefined; last?: number; onProgress?: BuildProgress } = {},
): Promise<boolean> {
  const { module } = loadHnsw();
  if (!module) return false;
  removeLeftovers(folder);
  const last = options.last ?? Infinity;
  const state = indexState(reader, folder, encoder.id, last);
  const tooStale = state.stamp !== null && state.stale > STALE_MAX * Math.max(1, state.stamp.count);
  const intact = state.stamp !== null && (await matchesStamp(folder, state.stamp));

  const total = reader.countSentences() - (last === Infinity ? 0 : reader.countAfter(last));
  const tailMin = tailWorthIndexing(state.stamp?.count ?? 0);
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
      index?.free();
      if (isOutOfMemory(error)) return false;
      index = null;
    }
    if (index && state.tail < tailMin) {
      index.free();
      return false;
    }
  }
  if (!index) {
    covered = 0;
    index = HnswIndex.create(module, encoder.dimensions, total);
  }
  const built = index;
  try {
    const wanted = covered === 0 ? total : state.tail;
    covered = await extend(reader, encoder.id, built, { ...options, covered, last, wanted });
    await installIndex(
      folder,
      { encoder: encoder.id, parameters: INDEX_PARAMETERS, covered, count: built.size },
      async (path) => {
        await built.write(path);
        // hnswlib does not tell when the disk is full: the file is short then.
        try {
          (await HnswIndex.read(module, encoder.dimensions, path)).free();
          return true;
        } catch (error) {
          // For want of memory, with the one just built there too, says nothing of the file.
          if (isOutOfMemory(error)) return false;
          throw unreadable(folder, error);
        }
      },
    );
  } finally {
    built.free();
  }
  return true;
}

type Extension = {
  signal?: AbortSignal | undefined;
  onProgress?: BuildProgress;
  /** Greatest rowid in the index, and the greatest one to be taken in. */
  covered: number;
  last: number;
  /** How many are to be added. */
  wanted: number;
};

/** Adds the sentences that the index lacks; resolves to the greatest rowid in it. */
async function extend(
  reader: PoolReader,
  encoder: string,
  index: HnswIndex,
  { signal, onProgress, covered, last, wanted }: Extension,
): Promise<number> {
  let done = 0;
  for (;;) {
    const rows = reader.vectorsAfter(encoder, covered, READ_ROWS).filter(({ id }) => id <= last);
    if (rows.length === 0) return covered;
    index.reserve(index.size + rows.length);
    for (let i = 0; i < rows.length; i += CHUNK) {
      for (const { id, vector } of rows.slice(i, i + CHUNK)) index.add(id, vector);
      throwIfCancelled(signal);
      await nextTurn();
    }
    covered = rows[rows.length - 1]?.id ?? covered;
    done += rows.length;
    onProgress?.(done, Math.max(wanted, done));
  }
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
