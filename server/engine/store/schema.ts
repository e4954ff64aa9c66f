/** The tables of a pool's database, and how an older one becomes the present one. */
import type { Database } from 'libsql';
import { RatioError } from '../engine';

/** Version of the tables below, kept in SQLite's `user_version`. */
export const SCHEMA_VERSION = 1;

/**
 * - `papers`: record (JSON of `Paper`) and content hash.
 * - `origins`: the files a paper was found in, each with the hash of what it says there; a second
 *   entry of it in one file is another origin (`import/occurrence.ts`). A paper goes when its last
 *   origin does; an origin that says what it said before changes nothing.
 * - `sentences`: rowids are never used again (AUTOINCREMENT), so the index may keep dead ones.
 *   `role_source` says what told the role: `given` (the source), `head` (heads.ts), `cue`.
 * - `sentences_fts`: external content, so that every text is kept once.
 * - `vectors`: float32, little-endian, L2-normalised; every row names the encoder it is of.
 */
const TABLES = `
CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE encoders (key INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE);
CREATE TABLE sources (
  path TEXT NOT NULL, categories TEXT NOT NULL, since TEXT NOT NULL, until TEXT NOT NULL,
  PRIMARY KEY (path, categories, since, until)
) WITHOUT ROWID;
CREATE TABLE papers (
  key INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL UNIQUE, record TEXT NOT NULL,
  year INTEGER, hash TEXT NOT NULL, title_only INTEGER NOT NULL
);
CREATE TABLE origins (
  key INTEGER PRIMARY KEY, paper INTEGER NOT NULL, source TEXT NOT NULL, file TEXT NOT NULL,
  hash TEXT NOT NULL, UNIQUE (paper, source, file)
);
CREATE TABLE sentences (
  id INTEGER PRIMARY KEY AUTOINCREMENT, paper INTEGER NOT NULL, position INTEGER NOT NULL,
  section TEXT, text TEXT NOT NULL, role TEXT, role_source TEXT,
  UNIQUE (paper, position)
);
CREATE TABLE vectors (id INTEGER PRIMARY KEY, encoder INTEGER NOT NULL, vector BLOB NOT NULL);
CREATE VIRTUAL TABLE sentences_fts USING fts5(
  text, content = 'sentences', content_rowid = 'id',
  tokenize = 'porter unicode61 remove_diacritics 2'
);
CREATE VIRTUAL TABLE terms USING fts5vocab(sentences_fts, 'row');
`;

/** `migrations[v]` brings a database of version v to v + 1; run in one transaction. */
const migrations: Record<number, (database: Database) => void> = {
  0: (database) => database.exec(TABLES),
};

/** Version of the tables, 0 in an empty database. */
export function schemaVersion(database: Database): number {
  const row = database.prepare('PRAGMA user_version').get() as { user_version: number };
  return row.user_version;
}

/** Brings the tables up to date. The caller holds the pool's writer lock. */
export function migrate(database: Database, path: string): void {
  let version = schemaVersion(database);
  checkVersion(version, path);
  if (version === SCHEMA_VERSION) return;
  database.exec('BEGIN IMMEDIATE');
  try {
    for (; version < SCHEMA_VERSION; version++) migrations[version]?.(database);
    database.exec(`PRAGMA user_version = ${SCHEMA_VERSION}`);
    database.exec('COMMIT');
  } catch (error) {
    try {
      database.exec('ROLLBACK');
    } catch {
      // SQLite has rolled back by itself (a full disk).
    }
    throw error;
  }
}

/** Throws where a newer Ratio has made the pool: its tables may mean something else. */
export function checkVersion(version: number, path: string): void {
  if (version <= SCHEMA_VERSION) return;
  throw new RatioError(
    'pool-damaged',
    `The pool at ${path} was made by a newer version of Ratio. Update Ratio to use it.`,
  );
}
