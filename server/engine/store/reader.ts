/** What recall and the lists of pools read from one pool's database. */
import type { Paper } from '../engine';
import {
  toPaper,
  toPlaced,
  toSentence,
  toVector,
  type PlacedSentence,
  type SentencePlace,
  type SentenceRow,
} from './rows';
import { Statements } from './statements';

export type PoolCounts = { papers: number; sentences: number; titleOnly: number };

/** Dates of the oldest and the newest paper (YYYY[-MM[-DD]]), and how many papers have none. */
export type PaperDates = { oldest: string | null; newest: string | null; undated: number };

/** Years of papers, both ends included; null leaves an end open. */
export type Years = { from: number | null; to: number | null };

/** A hit of full-text search; `bm25` grows with the match (FTS5's value, negated). */
export type LexicalHit = { id: number; bm25: number };

/**
 * Reads one pool through one connection. `encoder` is an id of vectors ({@link VectorKind}), `ids` are rowids of
 * sentences, keys those of papers. Throws SQLite's errors, which `userError` puts into words.
 */
export class PoolReader extends Statements {
  /**
   * Rows as one JSON text, whose columns `select` names: for many small rows that is several times
   * quicker than bringing them over one by one. `sql` is what follows the columns.
   */
  private rows(select: readonly string[], sql: string, ...parameters: unknown[]): unknown[] {
    const pairs = select.map((column) => `'${column.replace(/^.*\./, '')}', ${column}`).join(', ');
    const row = this.get<{ rows: string }>(
      `SELECT json_group_array(json_object(${pairs})) AS rows ${sql}`,
      ...parameters,
    );
    return JSON.parse(row?.rows ?? '[]') as unknown[];
  }

  /** Changes when another connection has committed to the pool. */
  dataVersion(): number {
    return this.get<{ data_version: number }>('PRAGMA data_version')?.data_version ?? 0;
  }

  /** A value that a writer entered, null without one (`updated`: ISO time of the last change). */
  meta(key: string): string | null {
    return this.get<{ value: string }>('SELECT value FROM meta WHERE key = ?', key)?.value ?? null;
  }

  /** What lists of pools show; reads every paper. */
  counts(): PoolCounts {
    const papers = this.get<{ papers: number; titleOnly: number | null }>(
      'SELECT COUNT(*) AS papers, SUM(title_only) AS titleOnly FROM papers',
    );
    return {
      papers: papers?.papers ?? 0,
      titleOnly: papers?.titleOnly ?? 0,
      sentences: this.countSentences(),
    };
  }

  /** How many sentences there are; reads an index alone. */
  countSentences(): number {
    return this.get<{ n: number }>('SELECT COUNT(*) AS n FROM sentences')?.n ?? 0;
  }

  paperDates(): PaperDates {
    const row = this.get<PaperDates>(
      `SELECT MIN(date) AS oldest, MAX(date) AS newest, COUNT(*) - COUNT(date) AS undated
       FROM (SELECT json_extract(record, '$.date') AS date FROM papers)`,
    );
    return {
      oldest: row?.oldest ?? null,
      newest: row?.newest ?? null,
      undated: row?.undated ?? 0,
    };
  }

  sources(): string[] {
    return this.all<{ path: string }>('SELECT DISTINCT path FROM sources ORDER BY path').map(
      (row) => row.path,
    );
  }

  /** Rowid of the newest sentence, 0 in an empty pool. */
  maxId(): number {
    return this.get<{ id: number | null }>('SELECT MAX(id) AS id FROM sentences')?.id ?? 0;
  }

  /** Greatest rowid that a sentence ever had, deleted ones too: no later one is below it. */
  lastId(): number {
    return (
      this.get<{ seq: number }>("SELECT seq FROM sqlite_sequence WHERE name = 'sentences'")?.seq ??
      0
    );
  }

  /** Sentences newer than `id`. */
  countAfter(id: number): number {
    return this.get<{ n: number }>('SELECT COUNT(*) AS n FROM sentences WHERE id > ?', id)?.n ?? 0;
  }

  private encoderKey(encoder: string): number {
    return this.get<{ key: number }>('SELECT key FROM encoders WHERE id = ?', encoder)?.key ?? -1;
  }

  /** The encoder that the pool's newest vectors are of. */
  encoder(): string | null {
    return (
      this.get<{ id: string }>(
        'SELECT e.id AS id FROM encoders e JOIN vectors v ON v.encoder = e.key ORDER BY v.id DESC LIMIT 1',
      )?.id ?? null
    );
  }

  /** Whether another encoder than this one has vectors here, or had until lately. */
  hasOthers(encoder: string): boolean {
    return this.get('SELECT key FROM encoders WHERE id <> ? LIMIT 1', encoder) !== undefined;
  }

  /**
   * Whether sentences wait for a vector of this encoder. Looked for from both ends: encoding again begins with
   * the oldest, so the newest wait, or the oldest where it was given up and their encoder is no longer asked for.
   */
  hasForeignVectors(encoder: string): boolean {
    if (!this.hasOthers(encoder)) return false;
    const key = this.encoderKey(encoder);
    const oldest = this.get<{ encoder: number }>('SELECT encoder FROM vectors ORDER BY id LIMIT 1');
    if (oldest === undefined || oldest.encoder !== key) return oldest !== undefined;
    const newest = 'SELECT id FROM vectors WHERE encoder <> ? ORDER BY id DESC LIMIT 1';
    return this.get(newest, key) !== undefined;
  }

  /**
   * Up to `limit` vectors with rowids above `after`, by rowid, as far as they are of this encoder: they end before
   * the first that waits to be encoded again. What is behind that waits too as a rule, and is not looked through.
   */
  vectorsAfter(
    encoder: string,
    after: number,
    limit: number,
  ): { id: number; vector: Float32Array }[] {
    const vectors: { id: number; vector: Float32Array }[] = [];
    const rows = this.all<{ id: number; vector: ArrayBuffer | Uint8Array | null }>(
      'SELECT id, CASE encoder WHEN ? THEN vector END AS vector FROM vectors WHERE id > ? ORDER BY id LIMIT ?',
      this.encoderKey(encoder),
      after,
      limit,
    );
    for (const { id, vector } of rows) {
      if (vector === null) break;
      vectors.push({ id, vector: toVector(vector) });
    }
    return vectors;
  }

  /** How many sentences have rowids above `after`, up to `last`. */
  countBetween(after: number, last: number): number {
    const row =
      after > 0
        ? this.get<{ n: number }>(
            'SELECT COUNT(*) AS n FROM sentences WHERE id > ? AND id <= ?',
            after,
            last,
          )
        : // All are counted by an index, without their texts; what is beyond `last` is little.
          this.get<{ n: number }>(
            'SELECT (SELECT COUNT(*) FROM sentences) - (SELECT COUNT(*) FROM sentences WHERE id > ?) AS n',
            last,
          );
    return row?.n ?? 0;
  }

  /** Rowids of all sentences, in no order; as one JSON text, see `rows`. */
  sentenceIds(): number[] {
    const row = this.get<{ ids: string }>('SELECT json_group_array(id) AS ids FROM sentences');
    return JSON.parse(row?.ids ?? '[]') as number[];
  }

  /** Vectors of this encoder of the given sentences; those without one are left out. */
  vectors(encoder: string, ids: number[]): Map<number, Float32Array> {
    // Rows without names of columns are quicker to bring over.
    const rows = this.statement(
      'SELECT id, vector FROM vectors WHERE id IN (SELECT value FROM json_each(?)) AND encoder = ?',
    )
      .raw(true)
      .all([JSON.stringify(ids), this.encoderKey(encoder)]) as [number, ArrayBuffer | Uint8Array][];
    return new Map(rows.map(([id, vector]) => [id, toVector(vector)]));
  }

  /** Sentences by rowid; deleted ones are left out. */
  sentences(ids: number[]): Map<number, SentenceRow> {
    const rows = this.rows(
      ['id', 'paper', 'position', 'text', 'role'],
      'FROM sentences WHERE id IN (SELECT value FROM json_each(?))',
      JSON.stringify(ids),
    ).map(toSentence);
    return new Map(rows.map((row) => [row.id, row]));
  }

  /**
   * Places of the given sentences and of those up to `before` positions before and `after` behind
   * them in their papers, in no order; one that is around several is there as often.
   */
  around(ids: number[], before: number, after: number): SentencePlace[] {
    return this.rows(
      ['n.id', 'n.paper', 'n.position', 'n.section'],
      `FROM sentences s JOIN sentences n
         ON n.paper = s.paper AND n.position BETWEEN s.position - ? AND s.position + ?
       WHERE s.id IN (SELECT value FROM json_each(?))`,
      before,
      after,
      JSON.stringify(ids),
    ) as SentencePlace[];
  }

  /** The given sentences and those up to `reach` positions from one in its paper, each once. */
  surrounding(ids: number[], reach: number): PlacedSentence[] {
    return this.rows(
      ['n.id', 'n.paper', 'n.position', 'n.section', 'n.text', 'n.role'],
      `FROM sentences n WHERE n.id IN (
         SELECT m.id FROM sentences s JOIN sentences m
           ON m.paper = s.paper AND m.position BETWEEN s.position - ? AND s.position + ?
         WHERE s.id IN (SELECT value FROM json_each(?)))`,
      reach,
      reach,
      JSON.stringify(ids),
    ).map(toPlaced);
  }

  /** Consecutive sentences of one paper, positions `from`…`to`, both ends included. */
  passage(paper: number, from: number, to: number): SentenceRow[] {
    return this.all(
      'SELECT id, paper, position, text, role FROM sentences WHERE paper = ? AND position BETWEEN ? AND ? ORDER BY position',
      paper,
      from,
      to,
    ).map(toSentence);
  }

  /** Papers by rowid. */
  papers(keys: number[]): Map<number, Paper> {
    const rows = this.all<{ key: number; record: string }>(
      'SELECT key, record FROM papers WHERE key IN (SELECT value FROM json_each(?))',
      JSON.stringify(keys),
    );
    return new Map(rows.map((row) => [row.key, toPaper(row.record)]));
  }

  paperById(id: string): Paper | null {
    const row = this.get<{ record: string }>('SELECT record FROM papers WHERE id = ?', id);
    return row ? toPaper(row.record) : null;
  }

  /** The paper whose record has this DOI, in lower case; reads every record. */
  paperByDoi(doi: string): Paper | null {
    const row = this.get<{ record: string }>(
      `SELECT record FROM papers WHERE lower(json_extract(record, '$.doi')) = ? ORDER BY key LIMIT 1`,
      doi,
    );
    return row ? toPaper(row.record) : null;
  }

  /** Rowids of the sentences of papers of these years. */
  idsOfYears(years: Years): number[] {
    return this.all<{ id: number }>(
      'SELECT s.id AS id FROM sentences s JOIN papers p ON p.key = s.paper WHERE p.year BETWEEN ? AND ?',
      ...bounds(years),
    ).map((row) => row.id);
  }

  /** How many sentences hold this stem (as FTS5's porter makes it). */
  documentFrequency(stem: string): number {
    return this.get<{ doc: number }>('SELECT doc FROM terms WHERE term = ?', stem)?.doc ?? 0;
  }

  /**
   * Best matches of an FTS5 expression among the papers of these years (null: all papers), best first.
   * The years cost little: 40 instead of 35 ms in a pool of 50,000 sentences, nothing in one of 10,000.
   */
  lexical(expression: string, limit: number, years: Years | null = null): LexicalHit[] {
    // A unary plus, so that the text is searched once and not once for every sentence of the years.
    const ofYears = `AND EXISTS (
      SELECT 1 FROM sentences s JOIN papers p ON p.key = s.paper
      WHERE s.id = +f.rowid AND p.year BETWEEN ? AND ?)`;
    return this.all<{ id: number; rank: number }>(
      `SELECT rowid AS id, rank FROM sentences_fts f WHERE sentences_fts MATCH ? ${years ? ofYears : ''} ORDER BY rank LIMIT ?`,
      expression,
      ...(years ? bounds(years) : []),
      limit,
    ).map((row) => ({ id: row.id, bm25: -row.rank }));
  }
}

function bounds({ from, to }: Years): [number, number] {
  return [from ?? -9999, to ?? 9999];
}
