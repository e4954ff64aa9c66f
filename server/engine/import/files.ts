/** The files of a source that an importer reads. */
import { open, readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { ImportIssue } from '../engine';
import { errorText, throwIfCancelled } from '../errors';
import type { Importer } from './source';

export type SourceFile = { path: string; bytes: number; importer: Importer };

const HEAD_BYTES = 4096;
/** Folders that hold no one's papers. */
const SKIPPED = new Set(['node_modules', '__pycache__']);

async function head(path: string): Promise<Buffer> {
  const file = await open(path, 'r');
  try {
    const buffer = Buffer.alloc(HEAD_BYTES);
    const { bytesRead } = await file.read(buffer, 0, HEAD_BYTES, 0);
    return buffer.subarray(0, bytesRead);
  } finally {
    await file.close();
  }
}

type Target = { kind: 'file' | 'other' } | { kind: 'unknown'; reason: string };

/** What a link leads to. Folders behind links are not followed: they may go in circles. */
const targetOf = (link: string): Promise<Target> =>
  stat(link).then(
    (found) => ({ kind: found.isFile() ? 'file' : 'other' }),
    (error: unknown) => ({ kind: 'unknown', reason: errorText(error) }),
  );

async function* walk(
  folder: string,
  report: (issue: ImportIssue) => void,
  away: Map<string, string>,
  signal: AbortSignal | undefined,
): AsyncIterable<string> {
  throwIfCancelled(signal);
  let entries;
  try {
    entries = await readdir(folder, { withFileTypes: true });
  } catch (error) {
    report({
      source: folder,
      line: null,
      message: `The folder could not be read: ${errorText(error)}`,
    });
    return;
  }
  entries.sort((a, b) => (a.name < b.name ? -1 : 1));
  for (const entry of entries) {
    if (entry.name.startsWith('.')) continue;
    const path = join(folder, entry.name);
    if (entry.isDirectory()) {
      if (!SKIPPED.has(entry.name)) yield* walk(path, report, away, signal);
    } else if (entry.isFile()) {
      yield path;
    } else if (entry.isSymbolicLink()) {
      const target = await targetOf(path);
      if (target.kind === 'file') yield path;
      else if (target.kind === 'unknown') away.set(path, target.reason);
    }
  }
}

export type Listing = {
  files: SourceFile[];
  /** False when the source, or a folder in it, could not be read: nothing of it counts as gone. */
  readable: boolean;
  /** A folder without any file: so looks a drive that is not connected. */
  empty: boolean;
  /** Links that lead nowhere now, each with why: what they led to may be on such a drive. */
  away: Map<string, string>;
};

/**
 * Files of a source (a file or a folder, walked in order of names; hidden ones left out) that one
 * of the importers takes. Other files of a folder are passed over; a file named as the source that
 * no importer takes is reported. Rejects with `cancelled` when the signal aborts.
 */
export async function listFiles(
  source: string,
  importers: readonly Importer[],
  report: (issue: ImportIssue) => void,
  signal?: AbortSignal,
): Promise<Listing> {
  let readable = true;
  const away = new Map<string, string>();
  const note = (issue: ImportIssue): void => {
    readable = false;
    report(issue);
  };
  let isFolder;
  try {
    const found = await stat(source);
    isFolder = found.isDirectory();
    // Opening a pipe or a device may wait for ever.
    if (!isFolder && !found.isFile()) throw new Error('it is neither a file nor a folder');
  } catch (error) {
    note({
      source,
      line: null,
      message: `It could not be read (${errorText(error)}). Its papers are kept as they were.`,
    });
    return { files: [], readable, empty: false, away };
  }
  const files: SourceFile[] = [];
  let any = false;
  const known = importers.map((importer) => importer.name).join(', ');
  const paths = isFolder ? walk(source, note, away, signal) : [source];
  for await (const path of paths) {
    throwIfCancelled(signal);
    any = true;
    try {
      const start = await head(path);
      const importer = importers.find((candidate) => candidate.accepts(path, start));
      if (importer) files.push({ path, bytes: (await stat(path)).size, importer });
      else if (!isFolder) {
        report({ source, line: null, message: `No importer takes this kind of file (${known}).` });
      }
    } catch (error) {
      note({ source: path, line: null, message: `It could not be read: ${errorText(error)}` });
    }
  }
  // One that still holds other files is there: a drive that is not connected shows none at all.
  const empty = isFolder && readable && !any;
  if (isFolder && readable && files.length === 0) {
    report({ source, line: null, message: `No file in this folder can be imported (${known}).` });
  }
  return { files, readable, empty, away };
}
