/** Writing to one pool's database, under its writer lock. Papers are stored whole or not at all. */
import type { Paper, Role } from '../engine';
import type { RoleScores } from '../recall/roles';
import { toBlob, toVector, yearOf } from './rows';
import { Statements } from './statements';

/** What told a role: the paper's source, the head on the encoder's vectors, or cues. */
export type RoleSource = 'given' | 'head' | 'cue';

export type NewSentence = {
  text: string;
  section: string | null;
  role: Role | null;
  roleSource: RoleSource | null;
  /** Cue-based scores of its roles, for the head; not stored. */
  cues?: RoleScores | undefined;
};

/** A stored sentence as its role is told from; `vector` is null where the encoder has none of it. */
export type RoleRow = {
  id: number;
  text: string;
  section: string | null;
  role: string | null;
  roleSource: string | null;
  vector: Float32Array | null;
};

export type NewPaper = {
  paper: Paper;
  hash: string;
  titleOnly: boolean;
  sentences: NewSentence[];
};

/** What the pool holds of a paper. */
export type StoredPaper = { key: number; hash: string; titleOnly: boolean };

/** An entry of a paper in a file, and the hash of what it said there. */
export type Origin = { key: number; paper: number; hash: string };

export type SourceRow = {
  path: string;
  categories: string[];
  since: string | null;
  until: string | null;
};

/**
 * Writes to one pool through one connection; whoever has it holds the pool's writer lock. `encoder` is a key of
 * {@link PoolWriter.encoderKey}. Throws SQLite's errors, which `userError` puts into words.
 */
export class PoolWriter extends Statements {
  /** Runs `work` in one transaction. */
  transaction<T>(work: () => T): T {
    this.database.exec('BEGIN IMMEDIATE');
    try {
      const result = work();
      this.database.exec('COMMIT');
      return result;
    } catch (error) {
      try {
        this.database.exec('ROLLBACK');
      } catch {
        // SQLite has rolled back by itself (a full disk).
      }
      throw error;
    }
  }

  setMeta(key: string, value: string): void {
    this.run(
      'INSERT INTO meta (key, value) VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value',
      key,
      value,
    );
  }

  meta(key: string): string | null {
    return this.get<{ value: string }>('SELECT value FROM meta WHERE key = ?', key)?.value ?? null;
  }

  /** Key of an encoder, entered when it is new. */
  encoderKey(id: string): number {
    const found = this.get<{ key: number }>('SELECT key FROM encoders WHERE id = ?', id);
    return found?.key ?? this.run('INSERT INTO encoders (id) VALUES (?)', id);
  }

  /** Enters a source with its filters; one that is there with the same stays. */
  addSource(source: SourceRow): void {
    this.run(
      'INSERT OR IGNORE INTO sources (path, categories, since, until) VALUES (?, ?, ?, ?)',
      source.path,
      JSON.stringify([...source.categories].sort()),
      source.since ?? '',
      source.until ?? '',
    );
  }

  sources(): SourceRow[] {
    return this.all<{ path: string; categories: string; since: string; until: string }>(
      'SELECT path, categories, since, until FROM sources ORDER BY path, categories',
    ).map((row) => ({
      path: row.path,
      categories: JSON.parse(row.categories) as string[],
      since: row.since || null,
      until: row.until || null,
    }));
  }

  /** What the pool has of the paper with this id. */
  stored(id: string): StoredPaper | null {
    const row = this.get<{ key: number; hash: string; titleOnly: number }>(
      'SELECT key, hash, title_only AS titleOnly FROM papers WHERE id = ?',
      id,
    );
    return row ? { key: row.key, hash: row.hash, titleOnly: row.titleOnly !== 0 } : null;
  }

  /** Where a paper was found: `source` as the user named it, `file` within it (`import/occurrence.ts`). */
  origin(paper: number, source: string, file: string): Origin | null {
    return (
      this.get<Origin>(
        'SELECT key, paper, hash FROM origins WHERE paper = ? AND source = ? AND file = ?',
        paper,
        source,
        file,
      ) ?? null
    );
  }

  /** Notes what a file says of a paper; returns the origin's key. */
  setOrigin(paper: number, source: string, file: string, hash: string): number {
    const old = this.origin(paper, source, file);
    if (!old) {
      return this.run(
        'INSERT INTO origins (paper, source, file, hash) VALUES (?, ?, ?, ?)',
        paper,
        source,
        file,
        hash,
      );
    }
    if (old.hash !== hash) this.run('UPDATE origins SET hash = ? WHERE key = ?', hash, old.key);
    return old.key;
  }

  /** Whether an origin of a paper, other than `except`, says what is stored of it. */
  isSaid({ key, hash }: Pick<StoredPaper, 'key' | 'hash'>, except = -1): boolean {
    const sql = 'SELECT key FROM origins WHERE paper = ? AND hash = ? AND key <> ? LIMIT 1';
    return this.get(sql, key, hash, except) !== undefined;
  }

  /** Of these papers those that no file says as they are stored, each with the files that it is in. */
  unsaid(papers: Iterable<number>): { id: string; file: string; source: string }[] {
    return this.all<{ id: string; file: string; source: string }>(
      `SELECT p.id AS id, o.file AS file, o.source AS source
       FROM papers p JOIN origins o ON o.paper = p.key
       WHERE p.key IN (SELECT value FROM json_each(?))
         AND NOT EXISTS (SELECT 1 FROM origins s WHERE s.paper = p.key AND s.hash = p.hash)`,
      JSON.stringify([...papers]),
    );
  }

  /** Vectors that the pool has for a paper's sentences, by their text. */
  vectorsByText(paper: number, encoder: number): Map<string, Float32Array> {
    const rows = this.all<{ text: string; vector: ArrayBuffer | Uint8Array }>(
      'SELECT s.text AS text, v.vector AS vector FROM sentences s JOIN vectors v ON v.id = s.id WHERE s.paper = ? AND v.encoder = ?',
      paper,
      encoder,
    );
    return new Map(rows.map((row) => [row.text, toVector(row.vector)]));
  }

  /**
   * Stores a new paper or replaces the one with its id; `vectors` go with its sentences. Returns
   * the paper's key.
   */
  putPaper(entry: NewPaper, encoder: number, vectors: Float32Array[]): number {
    const { paper } = entry;
    const old = this.stored(paper.id);
    const columns = [
      JSON.stringify(paper),
      yearOf(paper.date),
      entry.hash,
      entry.titleOnly ? 1 : 0,
    ];
    let key: number;
    if (old) {
      key = old.key;
      this.deleteSentences(key);
      this.run(
        'UPDATE papers SET record = ?, year = ?, hash = ?, title_only = ? WHERE key = ?',
        ...columns,
        key,
      );
    } else {
      key = this.run(
        'INSERT INTO papers (record, year, hash, title_only, id) VALUES (?, ?, ?, ?, ?)',
        ...columns,
        paper.id,
      );
    }
    entry.sentences.forEach((sentence, position) => {
      const vector = vectors[position];
      if (!vector) throw new Error(`No vector for sentence ${position} of ${paper.id}`);
      const id = this.run(
        'INSERT INTO sentences (paper, position, section, text, role, role_source) VALUES (?, ?, ?, ?, ?, ?)',
        key,
        position,
        sentence.section,
        sentence.text,
        sentence.role,
        sentence.roleSource,
      );
      this.run('INSERT INTO sentences_fts (rowid, text) VALUES (?, ?)', id, sentence.text);
      this.run(
        'INSERT INTO vectors (id, encoder, vector) VALUES (?, ?, ?)',
        id,
        encoder,
        toBlob(vector),
      );
    });
    return key;
  }

  /** Keys of papers, a page at a time. */
  papersAfter(after: number, limit: number): number[] {
    return this.all<{ key: number }>(
      'SELECT key FROM papers WHERE key > ? ORDER BY key LIMIT ?',
      after,
      limit,
    ).map((row) => row.key);
  }

  /** A paper's sentences in order, with their vectors of this encoder. */
  roleRows(paper: number, encoder: number): RoleRow[] {
    return this.all<Omit<RoleRow, 'vector'> & { vector: ArrayBuffer | Uint8Array | null }>(
      'SELECT s.id AS id, s.text AS text, s.section AS section, s.role AS role, s.role_source AS roleSource, v.vector AS vector FROM sentences s LEFT JOIN vectors v ON v.id = s.id AND v.encoder = ? WHERE s.paper = ? ORDER BY s.position',
      encoder,
      paper,
    ).map((row) => ({ ...row, vector: row.vector && toVector(row.vector) }));
  }

  /** Gives a sentence another role. */
  setRole(id: number, role: Role, source: RoleSource): void {
    this.run('UPDATE sentences SET role = ?, role_source = ? WHERE id = ?', role, source, id);
  }

  private deleteSentences(paper: number): void {
    // External content: the index has to be told the text that it forgets.
    const rows = this.all<{ id: number; text: string }>(
      'SELECT id, text FROM sentences WHERE paper = ?',
      paper,
    );
    for (const row of rows) {
      this.run(
        "INSERT INTO sentences_fts (sentences_fts, rowid, text) VALUES ('delete', ?, ?)",
        row.id,
        row.text,
      );
      this.run('DELETE FROM vectors WHERE id = ?', row.id);
    }
    this.run('DELETE FROM sentences WHERE paper = ?', paper);
  }

  /** Origins of one source, a page at a time by key. */
  originsAfter(
    source: string,
    after: number,
    limit: number,
  ): { key: number; paper: number; file: string }[] {
    return this.all<{ key: number; paper: number; file: string }>(
      'SELECT key, paper, file FROM origins WHERE source = ? AND key > ? ORDER BY key LIMIT ?',
      source,
      after,
      limit,
    );
  }

  /** How many papers were found in a source. */
  countPapersOf(source: string): number {
    const sql = 'SELECT COUNT(DISTINCT paper) AS n FROM origins WHERE source = ?';
    return this.get<{ n: number }>(sql, source)?.n ?? 0;
  }

  /** Forgets an origin, and its paper when it was the last one; returns whether the paper went. */
  removeOrigin(key: number, paper: number): boolean {
    this.run('DELETE FROM origins WHERE key = ?', key);
    if (this.get('SELECT key FROM origins WHERE paper = ? LIMIT 1', paper)) return false;
    this.deleteSentences(paper);
    this.run('DELETE FROM papers WHERE key = ?', paper);
    return true;
  }

  /** Sentences whose vector is of another encoder, by rowid: they have to be encoded again. */
  foreignAfter(encoder: number, after: number, limit: number): { id: number; text: string }[] {
    return this.all<{ id: number; text: string }>(
      'SELECT s.id AS id, s.text AS text FROM vectors v JOIN sentences s ON s.id = v.id WHERE v.id > ? AND v.encoder <> ? ORDER BY v.id LIMIT ?',
      after,
      encoder,
      limit,
    );
  }

  /** How many they are; reads all vectors, where another encoder had some at all. */
  countForeign(encoder: number): number {
    if (!this.get('SELECT key FROM encoders WHERE key <> ? LIMIT 1', encoder)) return 0;
    return (
      this.get<{ n: number }>('SELECT COUNT(*) AS n FROM vectors WHERE encoder <> ?', encoder)?.n ??
      0
    );
  }

  /** Gives a sentence the vector of another encoder. */
  replaceVector(id: number, encoder: number, vector: Float32Array): void {
    this.run(
      'UPDATE vectors SET encoder = ?, vector = ? WHERE id = ?',
      encoder,
      toBlob(vector),
      id,
    );
  }

  /** Drops encoders that no vector is of any more. */
  forgetOtherEncoders(encoder: number): void {
    this.run('DELETE FROM encoders WHERE key <> ?', encoder);
  }

  /** Moves what the write-ahead log holds into the database, as far as readers allow. */
  checkpoint(): void {
    this.database.pragma('wal_checkpoint(PASSIVE)');
  }
}
