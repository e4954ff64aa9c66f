/**
 * One writer a pool, over all processes: an exclusive transaction held on a small SQLite file.
 * The lock is the operating system's, so it dies with the process that holds it.
 */
import { truncateSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import Database from 'libsql';
import { isBusy, isDamaged, makeFolder, throwIfCancelled, userError } from '../errors';

const RETRY_MS = 100;

export type WriterLock = { release(): void };

/** The locks stand beside the pools, so that a pool's folder can be renamed while it is locked. */
function lockFile(home: string, pool: string): string {
  return join(home, 'locks', `${pool}.lock`);
}

/** Holds nothing, so whatever a damaged lock file holds can go; an emptied file keeps its identity. */
function tryLock(file: string): WriterLock | null {
  try {
    return tryLockFile(file);
  } catch (error) {
    if (!isDamaged(error)) throw error;
    truncateSync(file);
    return tryLockFile(file);
  }
}

function tryLockFile(file: string): WriterLock | null {
  const database = new Database(file, { timeout: 0 });
  try {
    // The rollback journal in memory leaves one file; an exclusive transaction on it is the lock.
    database.pragma('journal_mode = MEMORY');
    database.exec('BEGIN EXCLUSIVE');
  } catch (error) {
    database.close();
    if (isBusy(error)) return null;
    throw error;
  }
  return {
    release() {
      if (!database.open) return;
      try {
        database.exec('ROLLBACK');
      } finally {
        database.close();
      }
    },
  };
}

/**
 * Takes the writer lock of a pool, waiting while another writer holds it; `onWait` is called once
 * when it has to. Rejects with `cancelled` when the signal aborts, `disk` when it cannot be made.
 */
export async function lockPool(
  home: string,
  pool: string,
  options: { signal?: AbortSignal | undefined; onWait?: () => void } = {},
): Promise<WriterLock> {
  let waited = false;
  for (;;) {
    throwIfCancelled(options.signal);
    const lock = tryLockPool(home, pool);
    if (lock) return lock;
    if (!waited) options.onWait?.();
    waited = true;
    await sleep(RETRY_MS);
  }
}

/** Takes the writer lock when it is free at this moment, else null. */
export function tryLockPool(home: string, pool: string): WriterLock | null {
  const file = lockFile(home, pool);
  try {
    makeFolder(join(home, 'locks'));
    return tryLock(file);
  } catch (error) {
    throw userError(error, 'taking the writer lock', file);
  }
}
