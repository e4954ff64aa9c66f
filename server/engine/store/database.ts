/** Opening a pool's database. */
import { accessSync, constants, existsSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { pathToFileURL } from 'node:url';
import Database from 'libsql';
import { RatioError } from '../engine';
import { isDamaged, userError } from '../errors';
import { checkVersion, migrate, schemaVersion, SCHEMA_VERSION } from './schema';

/** How long a statement waits for another process's write before it fails. libsql's default is 0. */
const BUSY_MS = 10_000;
/** Page cache in KiB: the default 2 MB makes every long lexical query read the disk again. */
const CACHE_KIB = 16_384;

function configure(database: Database.Database): void {
  database.exec(`PRAGMA busy_timeout = ${BUSY_MS}`);
  // WAL lets readers go on while one writes. With synchronous NORMAL a commit survives the end of
  // the process at any moment; a power cut may take the last commits, never the consistency.
  database.pragma('journal_mode = WAL');
  database.exec('PRAGMA synchronous = NORMAL');
  database.exec(`PRAGMA cache_size = -${CACHE_KIB}`);
}

/** Opens a pool for writing, made or migrated when needed. The caller holds its writer lock. */
export function openForWriting(path: string): Database.Database {
  let database: Database.Database | undefined;
  try {
    database = new Database(path, { timeout: BUSY_MS });
    configure(database);
    migrate(database, path);
    return database;
  } catch (error) {
    database?.close();
    throw userError(error, 'opening a pool', path);
  }
}

/**
 * Whether a database lies where nothing can be written (a read-only share or disk): there SQLite
 * cannot make the files beside it by which readers of a WAL agree, and has to be told that none is
 * needed. With a log that is not empty the file alone is not the whole, so that is left to fail.
 */
function readOnly(path: string): boolean {
  try {
    accessSync(dirname(path), constants.W_OK);
    return false;
  } catch {
    const log = statSync(`${path}-wal`, { throwIfNoEntry: false });
    return log === undefined || log.size === 0;
  }
}

/** Whether a database is there but is none, or is so damaged that it cannot be opened. */
export function isBrokenDatabase(path: string): boolean {
  if (!existsSync(path)) return false;
  let database: Database.Database | undefined;
  try {
    database = new Database(path, { timeout: BUSY_MS });
    schemaVersion(database);
    return false;
  } catch (error) {
    return isDamaged(error);
  } finally {
    database?.close();
  }
}

/**
 * Opens a pool for reading; null while there is none, or while another process is still making
 * it. Nothing may be written through this connection.
 */
export function openForReading(path: string): Database.Database | null {
  if (!existsSync(path)) return null;
  let database: Database.Database | undefined;
  try {
    database = new Database(readOnly(path) ? `${pathToFileURL(path).href}?immutable=1` : path, {
      timeout: BUSY_MS,
    });
    database.exec(`PRAGMA busy_timeout = ${BUSY_MS}`);
    const version = schemaVersion(database);
    if (version === 0) {
      database.close();
      return null;
    }
    checkVersion(version, path);
    if (version < SCHEMA_VERSION) {
      throw new RatioError(
        'pool-damaged',
        `The pool at ${path} was made by an older version of Ratio. Update the pool to convert it.`,
      );
    }
    database.exec(`PRAGMA cache_size = -${CACHE_KIB}`);
    database.exec('PRAGMA query_only = ON');
    return database;
  } catch (error) {
    database?.close();
    throw userError(error, 'opening a pool', path);
  }
}
