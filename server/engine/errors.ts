/** Turns errors of the database and the file system into what a user can act on. */
import { mkdirSync } from 'node:fs';
import { RatioError } from './engine';

/** Code of a SQLite or Node file-system error, or undefined. */
export function errorCode(error: unknown): string | undefined {
  if (typeof error !== 'object' || error === null || !('code' in error)) return undefined;
  return typeof error.code === 'string' ? error.code : undefined;
}

/** What a thrown value says, without its stack. */
export function errorText(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

const FULL = new Set(['SQLITE_FULL', 'ENOSPC', 'EDQUOT']);
const DENIED = new Set(['SQLITE_READONLY', 'SQLITE_PERM', 'EROFS', 'EACCES', 'EPERM']);
const IO = new Set(['SQLITE_CANTOPEN', 'SQLITE_IOERR', 'EIO', 'EMFILE', 'ENFILE', 'ENOTDIR']);
const DAMAGED = new Set(['SQLITE_CORRUPT', 'SQLITE_NOTADB']);

/** SQLite's extended codes (SQLITE_IOERR_WRITE, SQLITE_READONLY_DBMOVED, …) by their family. */
function family(code: string): string {
  return code.startsWith('SQLITE_') ? code.split('_').slice(0, 2).join('_') : code;
}

/** Whether SQLite gave up since another connection holds a lock. */
export function isBusy(error: unknown): boolean {
  const code = errorCode(error);
  return code !== undefined && ['SQLITE_BUSY', 'SQLITE_LOCKED'].includes(family(code));
}

/** Whether SQLite found the file to be damaged or none of its own. */
export function isDamaged(error: unknown): boolean {
  const code = errorCode(error);
  return code !== undefined && DAMAGED.has(family(code));
}

/**
 * The error to show for what went wrong while `doing` something `where` (a path): a
 * {@link RatioError} for full disks, missing rights, damage and busy databases, else the error
 * itself.
 */
export function userError(error: unknown, doing: string, where: string): unknown {
  if (error instanceof RatioError) return error;
  const code = errorCode(error);
  const text = errorText(error);
  const kind = code === undefined ? '' : family(code);
  if (FULL.has(kind)) {
    return new RatioError(
      'disk',
      `The disk is full: ${doing} in ${where} stopped. What was stored before is kept. ` +
        'Free some space and do it again; it goes on from there.',
    );
  }
  if (DENIED.has(kind)) {
    return new RatioError(
      'disk',
      `No right to write: ${doing} in ${where} failed (${text}). ` +
        'Make the folder writable, or choose another data folder (RATIO_HOME or the setting).',
    );
  }
  // libsql reports a database that cannot be opened as a plain error without a code.
  if (IO.has(kind) || text.startsWith('ConnectionFailed')) {
    return new RatioError(
      'disk',
      `The disk failed: ${doing} in ${where} (${text}). Check the disk and the folder's rights.`,
    );
  }
  if (DAMAGED.has(kind)) {
    return new RatioError(
      'pool-damaged',
      `The pool at ${where} is damaged (${text}). Remove it and add its sources again.`,
    );
  }
  if (isBusy(error)) {
    return new RatioError('pool-busy', `The pool at ${where} is busy. Try again in a moment.`);
  }
  return error;
}

/**
 * Makes a folder of the data folder, and those above it. Throws `disk` where that cannot be: a file
 * stands in the way, a file system may only be read, a drive is gone.
 */
export function makeFolder(folder: string): void {
  try {
    mkdirSync(folder, { recursive: true });
  } catch (error) {
    if (FULL.has(errorCode(error) ?? '')) throw userError(error, 'making a folder', folder);
    throw new RatioError(
      'disk',
      `The data folder cannot be written: ${folder} could not be made (${errorText(error)}). ` +
        'Make it writable, or choose another data folder (RATIO_HOME or the setting).',
    );
  }
}

/** Throws the {@link RatioError} of a cancelled call when the signal has aborted. */
export function throwIfCancelled(signal: AbortSignal | undefined): void {
  if (signal?.aborted) throw new RatioError('cancelled', 'Cancelled.');
}

/** Whether an error is that of a cancelled call, and not one that came up meanwhile. */
export function isCancellation(error: unknown, signal: AbortSignal | undefined): boolean {
  if (!signal?.aborted) return false;
  if (error instanceof RatioError) return error.code === 'cancelled';
  return error === signal.reason || (error instanceof Error && error.name === 'AbortError');
}

/** What `work` gives; rejects with `cancelled` as soon as the signal aborts, while `work` goes on. */
export async function abortable<T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (!signal) return work;
  throwIfCancelled(signal);
  let stop: () => void = () => undefined;
  const aborted = new Promise<void>((resolve) => {
    stop = resolve;
    signal.addEventListener('abort', stop, { once: true });
  });
  try {
    await Promise.race([work, aborted]);
  } finally {
    signal.removeEventListener('abort', stop);
  }
  throwIfCancelled(signal);
  return work;
}
