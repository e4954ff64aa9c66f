/**
 * The sentences that are retrieved from and judged: a pool of the data folder by its name, or files
 * (`pool.jsonl` and `papers.jsonl` of a benchmark split or of `ratio mine`).
 */
import { existsSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { RatioError } from '../../engine/engine';
import { openForReading } from '../../engine/store/database';
import { checkPoolName, listPools, poolDatabase } from '../../engine/store/names';
import { PoolReader } from '../../engine/store/reader';
import { CONTEXT, type Context } from '../context';
import { papersFile, readContexts, readPapers } from '../papers';
import { readPool, type Sentence } from '../split';
import { trecId } from '../trec';

/** A sentence as a judge reads it. */
export type Surroundings = { title: string; before: string; text: string; after: string };

export type Loaded = {
  pool: Sentence[];
  contexts(before?: number): Promise<Context[]>;
  /** The vector that the pool itself keeps of a sentence, by its place and the encoder's id. */
  stored: ((encoder: string, place: number) => Float32Array | null) | null;
  /** The same for a few places here and there: {@link stored} reads many at once. */
  vector: ((encoder: string, place: number) => Float32Array | null) | null;
};

export type JudgePool = {
  /** Name of the pool in the data folder, or null for files. */
  name: string | null;
  load(): Promise<Loaded>;
  /** Sentences with their neighbours and their paper's title; ids that the pool lacks are left out. */
  surroundings(ids: ReadonlySet<string>): Promise<Map<string, Surroundings>>;
  close(): void;
};

/** Run id of a pool's sentence: paper id and position, as in `paper.id` and results' ids. */
export function documentId(paper: string, position: number): string {
  return `${trecId(paper)}#${position}`;
}

/** Opens what `--pool` names. A path with a separator, or one that exists, means files. */
export function openJudgePool(choice: string, home: string): JudgePool {
  if (/[\\/]/.test(choice) || existsSync(choice)) return filePool(choice);
  checkPoolName(choice);
  const database = openForReading(poolDatabase(home, choice));
  if (!database) {
    const names = listPools(home);
    const known = names.length > 0 ? `There are: ${names.join(', ')}.` : 'There is none yet.';
    throw new RatioError('no-pool', `There is no pool "${choice}" and no such folder. ${known}`);
  }
  return databasePool(choice, new PoolReader(database));
}

/** Rows of a database that are read at once. */
const CHUNK = 2000;

function databasePool(name: string, reader: PoolReader): JudgePool {
  const load = async (): Promise<Loaded> => {
    const pool: Sentence[] = [];
    const rowids: number[] = [];
    const last = reader.maxId();
    for (let from = 1; from <= last; from += CHUNK) {
      const rows = [
        ...reader.sentences(Array.from({ length: CHUNK }, (_, i) => from + i)).values(),
      ].sort((a, b) => a.id - b.id);
      const papers = reader.papers([...new Set(rows.map((row) => row.paper))]);
      for (const row of rows) {
        const paper = papers.get(row.paper);
        if (!paper) continue;
        rowids.push(row.id);
        pool.push({
          id: documentId(paper.id, row.position),
          text: row.text,
          paper: paper.id,
          title: paper.title,
          doi: paper.doi,
          index: row.position,
        });
      }
    }
    if (pool.length === 0) throw new RatioError('bad-input', `The pool "${name}" is empty.`);
    let held = new Map<number, Float32Array>();
    let heldFor = '';
    return {
      pool,
      contexts: async (before) => contextsWithin(pool, before),
      stored: (encoder, place) => {
        const chunk = Math.floor(place / CHUNK);
        const key = `${encoder} ${chunk}`;
        if (key !== heldFor) {
          heldFor = key;
          held = reader.vectors(encoder, rowids.slice(chunk * CHUNK, (chunk + 1) * CHUNK));
        }
        return held.get(rowids[place] ?? -1) ?? null;
      },
      vector: (encoder, place) => {
        const id = rowids[place] ?? -1;
        return reader.vectors(encoder, [id]).get(id) ?? null;
      },
    };
  };
  const surroundings = async (ids: ReadonlySet<string>): Promise<Map<string, Surroundings>> => {
    const { pool } = await load();
    const places = new Map(pool.map(({ id }, place) => [id, place]));
    const found = new Map<string, Surroundings>();
    for (const id of ids) {
      const sentence = pool[places.get(id) ?? -1];
      if (!sentence) continue;
      const at = (offset: number): string =>
        pool[places.get(documentId(sentence.paper, (sentence.index ?? 0) + offset)) ?? -1]?.text ??
        '';
      found.set(id, {
        title: sentence.title ?? '',
        before: at(-1),
        text: sentence.text,
        after: at(1),
      });
    }
    return found;
  };
  return { name, load, surroundings, close: () => reader.close() };
}

/** Contexts out of a pool that holds whole papers. */
function contextsWithin(pool: readonly Sentence[], before = CONTEXT.before): Context[] {
  const papers = new Map<string, Map<number, Sentence>>();
  for (const sentence of pool) {
    const own = papers.get(sentence.paper) ?? new Map<number, Sentence>();
    papers.set(sentence.paper, own.set(sentence.index ?? 0, sentence));
  }
  return pool.map(({ paper, title, index }) => {
    const own = papers.get(paper);
    const earlier: Sentence[] = [];
    for (let i = Math.max(0, (index ?? 0) - before); i < (index ?? 0); i++) {
      const sentence = own?.get(i);
      if (sentence) earlier.push(sentence);
    }
    return { title: title ?? '', before: earlier.map(({ id, text }) => ({ id, text })) };
  });
}

function filePool(path: string): JudgePool {
  if (!existsSync(path)) throw new RatioError('not-found', `There is no file or folder ${path}.`);
  const isFolder = statSync(path).isDirectory();
  const folder = isFolder ? path : dirname(path);
  const poolPath = isFolder ? join(path, 'pool.jsonl') : path;
  const load = async (): Promise<Loaded> => {
    const { pool, places } = await readPool(poolPath);
    return {
      pool,
      contexts: (before) => readContexts(papersFile(folder), pool, places, before),
      stored: null,
      vector: null,
    };
  };
  const surroundings = async (ids: ReadonlySet<string>): Promise<Map<string, Surroundings>> => {
    const found = new Map<string, Surroundings>();
    for await (const { title, sentences } of readPapers(papersFile(folder))) {
      sentences.forEach(({ id, text }, i) => {
        if (!ids.has(id)) return;
        found.set(id, {
          title: title ?? '',
          before: sentences[i - 1]?.text ?? '',
          text,
          after: sentences[i + 1]?.text ?? '',
        });
      });
    }
    return found;
  };
  return { name: null, load, surroundings, close: () => undefined };
}
