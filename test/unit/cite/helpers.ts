import type { DraftFormat } from '../../../server/prose';
import { pathToFileURL } from 'node:url';
import { join } from 'node:path';
import type { Paper } from '../../../server/engine/engine';
import { applyEdits } from '../../../server/cite/apply';
import { computeCitation } from '../../../server/cite/cite';
import { packageRoot } from '../../../server/paths';
import type { CitationEdits, CitationResult, FileSource } from '../../../server/cite/types';

/** Files in memory; folders are what the paths say. */
export class MemoryFiles implements FileSource {
  reads = 0;
  constructor(readonly texts: Record<string, string>) {}
  read(path: string): string | null {
    this.reads++;
    return this.texts[path] ?? null;
  }
  list(folder: string): string[] {
    const prefix =
      folder.endsWith('/') || folder.endsWith('\\')
        ? folder
        : folder + (folder.includes('\\') ? '\\' : '/');
    return Object.keys(this.texts)
      .filter((path) => path.startsWith(prefix))
      .map((path) => path.slice(prefix.length))
      .filter((name) => !/[\\/]/.test(name));
  }
}

export function paper(more: Partial<Paper> = {}): Paper {
  return {
    id: 'made:1',
    title: 'Lanterns for Sparse Harbours',
    authors: ['Mira Oldenburg', 'Tove Lindqvist'],
    date: '2021-05-04',
    venue: 'Journal of Harbour Studies',
    url: null,
    doi: null,
    ...more,
  };
}

/** Takes « and » out of a text and says where they stood. */
export function marked(text: string): { text: string; sentence: { start: number; end: number } } {
  const start = text.indexOf('«');
  const end = text.indexOf('»') - 1;
  return { text: text.replace('«', '').replace('»', ''), sentence: { start, end } };
}

export interface Cited {
  result: CitationResult;
  draft: string;
  files: Record<string, string>;
}

/** Cites in the marked sentence of a draft and returns the texts afterwards. */
export function cite(
  source: string,
  options: {
    format?: DraftFormat;
    files?: Record<string, string>;
    path?: string;
    paper?: Paper;
    bib?: string;
  } = {},
): Cited {
  const format = options.format ?? 'latex';
  const path = options.path ?? `/draft/paper.${format === 'latex' ? 'tex' : 'md'}`;
  const { text, sentence } = marked(source);
  const files = { ...(options.files ?? { '/draft/refs.bib': BIB }) };
  const result = computeCitation({
    draft: { path, text, format },
    sentence,
    paper: options.paper ?? paper(),
    files: new MemoryFiles({ ...files, [path]: 'stale text on disk' }),
    ...(options.bib === undefined ? {} : { bib: options.bib }),
  });
  let draft = text;
  if (result.kind === 'edits') {
    for (const edit of result.edits) {
      if (edit.path === path) draft = applyEdits(text, edit.edits);
      else files[edit.path] = applyEdits(files[edit.path] ?? '', edit.edits);
    }
  }
  return { result, draft, files };
}

export function edits(result: CitationResult): CitationEdits {
  if (result.kind !== 'edits') throw new Error(`needs-bib: ${result.reason}`);
  return result;
}

/** Holds the paper of {@link paper}, so that the key is known: K. */
export const BIB = `@article{K,
  author = {Oldenburg, Mira and Lindqvist, Tove},
  title = {Lanterns for Sparse Harbours},
  year = {2021},
}
`;

export interface ParsedEntry {
  type: string;
  key: string;
  fields: Record<string, unknown>;
}

type Parse = (
  text: string,
  options: object,
) => { entries: ParsedEntry[]; errors: { error: string }[] };

/**
 * The library's parser, as a judge that shares no code with ours. It is an ES module that Node
 * alone can load; tsx would turn a plain import() into a require.
 */
export async function loadParser(): Promise<(text: string) => ReturnType<Parse>> {
  const path = join(packageRoot(), 'node_modules/@retorquere/bibtex-parser/dist/esm/index.js');
  const load = new Function('address', 'return import(address)') as (
    address: string,
  ) => Promise<{ parse: Parse }>;
  const { parse } = await load(pathToFileURL(path).href);
  return (text) => parse(text, { sentenceCase: false, english: false });
}

/** A small generator of pseudo-random numbers in [0, 1), the same on every run. */
export function randomFrom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}
