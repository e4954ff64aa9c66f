/** Reads a file by the importer that takes it. */
import { closeSync, mkdtempSync, openSync, readSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { importers } from '../../../server/pools/index';
import type { ImportIssue } from '../../../server/engine/engine';
import type { Importer, ReadOptions, SourcePaper } from '../../../server/engine/import/source';

export const FIXTURES = resolve(__dirname, '../../fixtures/pools');

export function importerOf(path: string): Importer | undefined {
  const file = openSync(path, 'r');
  const head = Buffer.alloc(4096);
  const length = readSync(file, head, 0, head.length, 0);
  closeSync(file);
  return importers.find((importer) => importer.accepts(path, head.subarray(0, length)));
}

export type Collected = { papers: SourcePaper[]; issues: ImportIssue[]; bytes: number };

export async function collect(
  path: string,
  options: Partial<ReadOptions> = {},
  importer = importerOf(path),
): Promise<Collected> {
  if (!importer) throw new Error(`no importer takes ${path}`);
  const collected: Collected = { papers: [], issues: [], bytes: 0 };
  const papers = importer.read(
    path,
    {
      categories: [],
      since: null,
      until: null,
      onBytes: (bytes) => (collected.bytes = bytes),
      ...options,
    },
    (issue) => collected.issues.push(issue),
    new AbortController().signal,
  );
  for await (const paper of papers) collected.papers.push(paper);
  return collected;
}

/** The only (or nth) paper, for assertions. */
export function nth(collected: Collected, index = 0): SourcePaper {
  const paper = collected.papers[index];
  if (!paper) throw new Error(`there is no paper ${index} among ${collected.papers.length}`);
  return paper;
}

export const texts = (paper: SourcePaper): string[] => paper.sentences.map(({ text }) => text);

/** A folder for one test's files, removed afterwards. */
export class Scratch {
  readonly folder = mkdtempSync(join(tmpdir(), 'ratio-pools-'));

  write(name: string, content: string | Buffer): string {
    const path = join(this.folder, name);
    writeFileSync(path, content);
    return path;
  }

  remove(): void {
    rmSync(this.folder, { recursive: true, force: true });
  }
}
