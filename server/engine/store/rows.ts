/** Rows of a pool's database as the engine uses them, checked where they are read. */
import { paperSchema, roleSchema, type Paper, type Role } from '../engine';

/** A sentence with its place. `id` is its rowid in the pool, `paper` the rowid of its paper. */
export type SentenceRow = {
  id: number;
  paper: number;
  position: number;
  text: string;
  role: Role | null;
};

/** Where a sentence stands: `section` is the heading above it, null where its source gives none. */
export type SentencePlace = Pick<SentenceRow, 'id' | 'paper' | 'position'> & {
  section: string | null;
};

/** A sentence with where it stands. */
export type PlacedSentence = SentenceRow & SentencePlace;

type RawSentence = {
  id: number;
  paper: number;
  position: number;
  text: string;
  role: string | null;
};

/** A sentence from its row; a role that is none of ours counts as unknown. */
export function toSentence(raw: unknown): SentenceRow {
  const row = raw as RawSentence;
  const role = roleSchema.safeParse(row.role);
  return {
    id: row.id,
    paper: row.paper,
    position: row.position,
    text: row.text,
    role: role.success ? role.data : null,
  };
}

/** The same with its section. */
export function toPlaced(raw: unknown): PlacedSentence {
  return { ...toSentence(raw), section: (raw as { section: string | null }).section };
}

/** A paper from the JSON it is stored as. Throws where that is none. */
export function toPaper(record: string): Paper {
  return paperSchema.parse(JSON.parse(record));
}

/** Year of a record's date, or null. */
export function yearOf(date: string | null): number | null {
  const year = date === null ? NaN : Number.parseInt(date.slice(0, 4), 10);
  return Number.isNaN(year) ? null : year;
}

/**
 * The vector in a BLOB. libsql gives an ArrayBuffer in lists of rows and a Buffer in a single row;
 * the latter is copied, since it need not be aligned to four bytes.
 */
export function toVector(blob: ArrayBuffer | Uint8Array): Float32Array {
  return new Float32Array(blob instanceof ArrayBuffer ? blob : new Uint8Array(blob).buffer);
}

/** A vector's bytes, without a copy. */
export function toBlob(vector: Float32Array): Buffer {
  return Buffer.from(vector.buffer, vector.byteOffset, vector.byteLength);
}
