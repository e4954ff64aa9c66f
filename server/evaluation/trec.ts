/**
 * Runs and qrels in TREC's formats, for trec_eval, ranx and the like:
 * run `query Q0 document rank score system`, qrels `query set document relevance`.
 * The second column of qrels, which those tools do not read, holds the set (a move) that the query
 * belongs to.
 */
import { createWriteStream, mkdirSync, realpathSync, statSync } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { RatioError } from '../engine/engine';
import { userError } from '../engine/errors';
import { lineError, readLines } from './jsonl';

export type Ranked = { id: string; score: number };
/** Rankings by query, best first. */
export type Run = { system: string; rankings: Map<string, Ranked[]> };
/** Relevant documents by query, and the set of each query. */
export type Qrels = { relevant: Map<string, Set<string>>; sets: Map<string, string> };

/** Text as an id without white space; ids without any stay as they are, except for `%`. */
export function trecId(text: string): string {
  return text.replace(/[%\s]/g, (char) => encodeURIComponent(char));
}

/** Under its name a file is whole: a shorter run would be measured as a worse one. */
async function write(path: string, lines: Iterable<string>): Promise<void> {
  let part: string | null = null;
  try {
    mkdirSync(dirname(path), { recursive: true });
    const found = statSync(path, { throwIfNoEntry: false });
    // A pipe, a terminal or what the shell opened (/dev/stdout) is written to, not replaced.
    const ours = !found || (found.isFile() && !/^\/(dev|proc)\//.test(path));
    const target = found && ours ? realpathSync(path) : path;
    if (ours) part = `${target}.${process.pid}.part`;
    await pipeline(Readable.from(lines), createWriteStream(part ?? path));
    if (part !== null) await rename(part, target);
  } catch (error) {
    if (part !== null) await rm(part, { force: true });
    throw userError(error, 'writing', path);
  }
}

/** How many of the queries a run has no line of; they count as unanswered. */
export function lacking({ rankings }: Run, queries: Iterable<string>): number {
  let missing = 0;
  for (const query of queries) if (!rankings.has(query)) missing++;
  return missing;
}

const bits = new Int32Array(1);
const single = new Float32Array(bits.buffer);

/** The greatest single-precision number below one. */
function below(value: number): number {
  if (value === 0) return -(2 ** -149);
  single[0] = value;
  bits[0] = (bits[0] ?? 0) + (value > 0 ? -1 : 1);
  return single[0] ?? NaN;
}

function* runLines({ system, rankings }: Run): Generator<string> {
  for (const [query, ranked] of rankings) {
    let last = Infinity;
    let rank = 0;
    for (const { id, score } of ranked) {
      // Tools order equal scores their own ways, and trec_eval reads scores in single precision:
      // the next lower number of that precision keeps the ranking as it is.
      const rounded = Math.fround(score);
      last = rounded < last ? rounded : below(last);
      yield `${query} Q0 ${id} ${++rank} ${Number(last.toPrecision(9))} ${system}\n`;
    }
  }
}

/** Writes a run; the folder is made where it is missing. */
export async function writeRun(path: string, run: Run): Promise<void> {
  await write(path, runLines({ ...run, system: trecId(run.system) }));
}

/** Writes qrels, every relevant document with 1; the folder is made where it is missing. */
export async function writeQrels(path: string, { relevant, sets }: Qrels): Promise<void> {
  await write(
    path,
    (function* () {
      for (const [query, documents] of relevant) {
        for (const document of documents) yield `${query} ${sets.get(query) ?? 0} ${document} 1\n`;
      }
    })(),
  );
}

const columns = (text: string): string[] => text.trim().split(/\s+/);

/**
 * Reads a run. Rankings are ordered by score, equal scores by the rank column. A malformed line or
 * a document that a query has twice is an error with file and line.
 */
export async function readRun(path: string): Promise<Run> {
  const rankings = new Map<string, (Ranked & { rank: number })[]>();
  const seen = new Map<string, Set<string>>();
  let system = '';
  for await (const { line, text } of readLines(path)) {
    const [query, , id, rankText, scoreText, name, ...rest] = columns(text);
    const rank = Number(rankText);
    const score = Number(scoreText);
    if (query === undefined || id === undefined || name === undefined || rest.length > 0) {
      throw lineError(
        path,
        line,
        'a line of a run has six columns: query Q0 document rank score system.',
      );
    }
    if (!Number.isFinite(rank) || !Number.isFinite(score)) {
      throw lineError(path, line, 'rank and score (columns 4 and 5) are numbers.');
    }
    const documents = seen.get(query) ?? new Set<string>();
    seen.set(query, documents);
    if (documents.has(id)) throw lineError(path, line, `query ${query} has ${id} twice.`);
    documents.add(id);
    system ||= name;
    const ranked = rankings.get(query);
    if (ranked) ranked.push({ id, score, rank });
    else rankings.set(query, [{ id, score, rank }]);
  }
  if (rankings.size === 0) throw new RatioError('bad-input', `The run ${path} is empty.`);
  for (const ranked of rankings.values()) {
    ranked.sort((a, b) => b.score - a.score || a.rank - b.rank);
  }
  return {
    system,
    rankings: new Map(
      [...rankings].map(([query, ranked]) => [
        query,
        ranked.map(({ id, score }) => ({ id, score })),
      ]),
    ),
  };
}

/** Reads qrels; documents of relevance 0 or less are left out. */
export async function readQrels(path: string): Promise<Qrels> {
  const relevant = new Map<string, Set<string>>();
  const sets = new Map<string, string>();
  for await (const { line, text } of readLines(path)) {
    const [query, set, document, grade, ...rest] = columns(text);
    if (query === undefined || set === undefined || document === undefined || rest.length > 0) {
      throw lineError(
        path,
        line,
        'a line of qrels has four columns: query set document relevance.',
      );
    }
    const relevance = Number(grade);
    if (!Number.isInteger(relevance)) {
      throw lineError(path, line, `the relevance (column 4) is a whole number, not "${grade}".`);
    }
    const documents = relevant.get(query) ?? new Set<string>();
    relevant.set(query, documents);
    sets.set(query, set);
    if (relevance > 0) documents.add(document);
  }
  if (relevant.size === 0) throw new RatioError('bad-input', `The qrels ${path} are empty.`);
  return { relevant, sets };
}
