/** The pool that ships: built from its JSONL at first start, and again when that file changes. */
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as z from 'zod';
import { paperSchema, roleSchema, type ImportReport } from '../engine';
import { makeFolder, userError } from '../errors';
import { STARTER } from '../poolName';
import { isBrokenDatabase, openForReading } from '../store/database';
import { tryLockPool } from '../store/lock';
import { poolDatabase, poolFolder, poolsFolder } from '../store/names';
import { PoolReader } from '../store/reader';
import { runImport, type ImportContext, type ImportOptions } from './import';
import type { Importer } from './source';

const META_KEY = 'starter';

const rowSchema = paperSchema.extend({
  sentences: z.array(z.object({ text: z.string(), role: roleSchema.nullable().default(null) })),
});

const starterImporter: Importer = {
  name: 'starter pool',
  accepts: () => true,
  async *read(path, _options, report, signal) {
    const lines = (await readFile(path, 'utf8')).split(/\r?\n/);
    for (const [i, line] of lines.entries()) {
      if (line.trim() === '') continue;
      if (signal.aborted) return;
      try {
        const { sentences, ...paper } = rowSchema.parse(JSON.parse(line));
        yield {
          paper,
          sentences: sentences.map((sentence) => ({ ...sentence, section: null })),
          titleOnly: false,
        };
      } catch (error) {
        report({
          source: path,
          line: i + 1,
          message: `Not a row of the starter pool: ${error instanceof Error ? error.message : ''}`,
        });
      }
    }
  },
};

/** Remembers, in the data folder, that the user removed the starter pool. */
function removedMark(home: string): string {
  return join(home, 'starter-removed');
}

/** Notes that the user removed the starter pool, so that no start builds it again. Throws `disk`. */
export function rememberStarterRemoved(home: string): void {
  const path = removedMark(home);
  try {
    writeFileSync(path, 'The starter pool was removed; delete this file to have it back.\n');
  } catch (error) {
    throw userError(error, 'removing the starter pool', path);
  }
}

/** Forgets a removal: the user made a pool of that name again, or it could not be removed. Throws `disk`. */
export function forgetStarterRemoved(home: string): void {
  const path = removedMark(home);
  try {
    rmSync(path, { force: true });
  } catch (error) {
    throw userError(error, 'restoring the starter pool', path);
  }
}

function fileHash(path: string): string {
  return createHash('sha256').update(readFileSync(path)).digest('hex');
}

/** Whether the starter pool has to be built: it is missing, or the file it was built from changed. */
export function starterNeeded(home: string, file: string | undefined): boolean {
  if (file === undefined || !existsSync(file) || existsSync(removedMark(home))) return false;
  const path = poolDatabase(home, STARTER);
  let database;
  try {
    database = openForReading(path);
  } catch (error) {
    // What ships can be built again.
    if (isBrokenDatabase(path)) return true;
    throw error;
  }
  if (!database) return true;
  const reader = new PoolReader(database);
  try {
    return reader.meta(META_KEY) !== fileHash(file);
  } finally {
    reader.close();
  }
}

/** Renames a starter pool that cannot be opened: something may be rescued from it by hand. */
function setDamagedAside(home: string): void {
  if (!isBrokenDatabase(poolDatabase(home, STARTER))) return;
  const lock = tryLockPool(home, STARTER);
  if (!lock) return;
  // Another process may have built it again just before.
  if (!isBrokenDatabase(poolDatabase(home, STARTER))) return lock.release();
  const aside = join(poolsFolder(home), `.damaged-${STARTER}-${Date.now()}`);
  try {
    renameSync(poolFolder(home, STARTER), aside);
  } catch (error) {
    throw userError(error, 'building the starter pool again', poolFolder(home, STARTER));
  } finally {
    lock.release();
  }
}

/**
 * Builds the starter pool where it is needed; null where it is not. Waits while another process writes to it
 * (unless `noWait`), and looks then whether it is still needed: that process may have built or removed it.
 */
export async function ensureStarter(
  context: ImportContext,
  file: string | undefined,
  options: ImportOptions = {},
): Promise<ImportReport | null> {
  if (file === undefined || !starterNeeded(context.home, file)) return null;
  makeFolder(context.home);
  setDamagedAside(context.home);
  let needed = true;
  const report = await runImport(
    { ...context, importers: [starterImporter] },
    {
      pool: STARTER,
      sources: [{ path: file, categories: [], since: null, until: null }],
      removeGone: true,
      meta: { [META_KEY]: fileHash(file) },
      hiddenSource: STARTER,
      stillNeeded: () => (needed = starterNeeded(context.home, file)),
    },
    options,
  );
  return needed ? report : null;
}
