/** Removing a pool: gone as a whole or not at all, also where the process is killed meanwhile. */
import { existsSync, renameSync } from 'node:fs';
import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { RatioError } from './engine';
import { errorCode, errorText, userError } from './errors';
import { forgetStarterRemoved, rememberStarterRemoved } from './import/starter';
import { STARTER } from './poolName';
import { tryLockPool } from './store/lock';
import { poolFolder, poolsFolder } from './store/names';

/** What the folder of a pool is called while it is deleted. */
const REMOVED = '.removed-';

/** Deletes the folders of removed pools, also those that a process which was killed meanwhile has left. */
export async function removeLeftovers(home: string): Promise<void> {
  const folder = poolsFolder(home);
  const names = await readdir(folder).catch(() => []);
  for (const name of names.filter((entry) => entry.startsWith(REMOVED))) {
    // Another process may be at it, or have a file of it open; what stays is met again at the next start.
    const options = { recursive: true, force: true, maxRetries: 5 };
    await rm(join(folder, name), options).catch(() => undefined);
  }
}

/**
 * Deletes a pool that there is; files that cannot be deleted now are at the next start. `release` closes this
 * process's files of it, once no import can open it again.
 * Rejects with `pool-busy` where another process writes to it or has it open, with `disk` where its folder
 * cannot be renamed for another reason.
 */
export async function removePool(
  home: string,
  pool: string,
  release: () => Promise<void>,
): Promise<void> {
  const folder = poolFolder(home, pool);
  const lock = tryLockPool(home, pool);
  if (!lock) {
    throw new RatioError(
      'pool-busy',
      `Pool “${pool}” is being written to by an import. Cancel that, or wait until it is done.`,
    );
  }
  try {
    await release();
    const trash = join(poolsFolder(home), `${REMOVED}${pool}-${process.pid}-${Date.now()}`);
    // Before the pool is gone: a process that is killed in between leaves a pool that is removed at the next try,
    // not one that comes back.
    if (pool === STARTER) rememberStarterRemoved(home);
    try {
      // A rename first: the pool is gone as a whole or not at all.
      renameSync(folder, trash);
    } catch (error) {
      if (pool === STARTER) forgetStarterRemoved(home);
      if (['EBUSY', 'EPERM', 'EACCES'].includes(errorCode(error) ?? '') && existsSync(folder)) {
        throw new RatioError(
          'pool-busy',
          `Pool “${pool}” at ${folder} could not be removed (${errorText(error)}). Close other ` +
            'windows that use it, or make the folder writable, and do it again.',
        );
      }
      throw userError(error, 'removing a pool', folder);
    }
    await removeLeftovers(home);
  } finally {
    lock.release();
  }
}
