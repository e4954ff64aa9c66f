/** Shapes shared by everything that computes or applies a citation. */
import type { Paper } from '../engine/engine';
import type { DraftFormat } from '../prose/prose';

/** The document that is being written. `text` is what its editor shows, saved or not. */
export interface Draft {
  path: string;
  text: string;
  format: DraftFormat;
}

/**
 * Where texts come from: the language server lays open editors over the disk, the terminal reads
 * the disk alone. Texts keep their byte order mark and line ends.
 */
export interface FileSource {
  /** Text of a file, or null where there is none (or it cannot be read). */
  read(path: string): string | null;
  /** Names (not paths) of the files in a folder; empty where there is no such folder. */
  list(folder: string): string[];
  /** True where a file's encoding cannot hold every character, so that entries must be ASCII. */
  asciiOnly?(path: string): boolean;
}

/** Replace `[start, end)` (UTF-16 offsets in the text before any edit) by `newText`. */
export interface TextEdit {
  start: number;
  end: number;
  newText: string;
}

/** Edits of one file, in ascending order and apart from each other; `create`: it is not there yet. */
export interface FileEdit {
  path: string;
  edits: TextEdit[];
  create?: true;
}

export interface CitationRequest {
  draft: Draft;
  /** UTF-16 offsets of the draft sentence that cites. */
  sentence: { start: number; end: number };
  paper: Paper;
  files: FileSource;
  /** The .bib file the user chose, absolute or relative to the draft's folder. */
  bib?: string;
}

export interface CitationEdits {
  kind: 'edits';
  key: string;
  /** The paper was in the bibliography already; its key is used. */
  reused: boolean;
  /**
   * The new entry is of one of the user's own files that names nothing published: worth a question
   * before it is written.
   */
  unpublished: boolean;
  /** The sentence cites the paper already: the draft is not edited. */
  alreadyCitedHere: boolean;
  bibPath: string;
  bibCreated: boolean;
  /** False where the draft does not name `bibPath`, so that it must be told of it. */
  bibDeclared: boolean;
  /** The bibliography first, then the draft. */
  edits: FileEdit[];
}

/** No bibliography could be chosen: ask the user and call again with `bib`. */
export interface NeedsBib {
  kind: 'needs-bib';
  /** .bib files to choose from, the likeliest first; empty where there is none. */
  candidates: string[];
  /** What to offer first: the likeliest candidate, else a new file beside the draft. */
  suggested: string;
  reason: string;
}

export type CitationResult = CitationEdits | NeedsBib;
