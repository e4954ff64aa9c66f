/**
 * The stamp beside an index file: what the index is of. The file is derived from the database, so
 * whatever does not match its stamp is built again.
 */
import { closeSync, existsSync, openSync, readFileSync, readSync, rmSync, statSync } from 'node:fs';
import { open, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import { crc32 } from 'node:zlib';
import * as z from 'zod';
import { errorCode } from '../errors';

const stampSchema = z.object({
  format: z.literal(1),
  encoder: z.string(),
  /** Graph parameters that the index was built with. */
  parameters: z.string(),
  /** Greatest rowid in the index, and how many vectors. */
  covered: z.number().int().nonnegative(),
  count: z.number().int().nonnegative(),
  /** Of the index file: size, and CRC-32 of its content. */
  bytes: z.number().int().nonnegative(),
  crc32: z.number().int().nonnegative(),
  /** Whether the file was read back once it was written. */
  checked: z.boolean().optional(),
});
export type Stamp = z.infer<typeof stampSchema>;

/** The graph of the pool in `folder`. */
export function indexFile(folder: string): string {
  return join(folder, 'index.hnsw');
}

/** Its stamp. */
export function stampFile(folder: string): string {
  return join(folder, 'index.json');
}

/** Identity of the stamp file as it is now; changes when it is replaced; null without one. */
export function stampMark(folder: string): string | null {
  try {
    const { mtimeMs, ino, size } = statSync(stampFile(folder));
    return `${mtimeMs}:${ino}:${size}`;
  } catch {
    return null;
  }
}

/** The stamp, or null where there is none or it cannot be read. */
export function readStamp(folder: string): Stamp | null {
  try {
    return stampSchema.parse(JSON.parse(readFileSync(stampFile(folder), 'utf8')));
  } catch {
    return null;
  }
}

/** CRC-32 and size of a file, read in pieces so that other work goes on. */
export async function fileChecksum(path: string): Promise<{ bytes: number; crc32: number }> {
  const file = openSync(path, 'r');
  try {
    const piece = Buffer.alloc(4 << 20);
    let bytes = 0;
    let sum = 0;
    for (;;) {
      const n = readSync(file, piece, 0, piece.length, null);
      if (n === 0) return { bytes, crc32: sum };
      sum = crc32(piece.subarray(0, n), sum);
      bytes += n;
      await nextTurn();
    }
  } finally {
    closeSync(file);
  }
}

/** Whether the index file is the one that its stamp describes. */
export async function matchesStamp(folder: string, stamp: Stamp): Promise<boolean> {
  const path = indexFile(folder);
  if (!existsSync(path) || statSync(path).size !== stamp.bytes) return false;
  return (await fileChecksum(path)).crc32 === stamp.crc32;
}

async function flush(path: string): Promise<void> {
  const file = await open(path, 'r+');
  try {
    await file.sync();
  } finally {
    await file.close();
  }
}

/** Renames over an existing file; on Windows a reader may hold that one open for a moment. */
async function replace(from: string, to: string): Promise<void> {
  for (let attempt = 0; ; attempt++) {
    try {
      await rename(from, to);
      return;
    } catch (error) {
      const code = errorCode(error) ?? '';
      if (attempt >= 20 || !['EPERM', 'EBUSY', 'EACCES'].includes(code)) throw error;
      await sleep(100);
    }
  }
}

/**
 * Puts a new index in place: written by `write` to a temporary name, flushed, renamed, then its
 * stamp likewise. Between the two renames the old stamp does not match, which readers see.
 */
export async function installIndex(
  folder: string,
  stamp: Omit<Stamp, 'format' | 'bytes' | 'crc32' | 'checked'>,
  write: (path: string) => Promise<boolean>,
): Promise<void> {
  const temporary = join(folder, `index.${process.pid}.tmp`);
  const temporaryStamp = `${temporary}.json`;
  try {
    const checked = await write(temporary);
    await flush(temporary);
    const full: Stamp = { format: 1, ...stamp, ...(await fileChecksum(temporary)), checked };
    await writeFile(temporaryStamp, JSON.stringify(full));
    await flush(temporaryStamp);
    await replace(temporary, indexFile(folder));
    await replace(temporaryStamp, stampFile(folder));
  } finally {
    rmSync(temporary, { force: true });
    rmSync(temporaryStamp, { force: true });
  }
}
