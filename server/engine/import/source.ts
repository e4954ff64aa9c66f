/**
 * What an importer is: it turns one file of one format into papers with sentences. Importers live
 * outside the engine (one file a format) and are handed to it; the engine walks folders, compares
 * contents, encodes and stores.
 */
import type { ImportIssue, Paper, Role } from '../engine';

/**
 * Tells the user of something in a file. `whole` says that the file was read completely all the
 * same: on an update what it does not show is then gone, and not perhaps among what was left out.
 */
export type Report = (issue: ImportIssue, whole?: boolean) => void;

/** One sentence as a source has it. A role is given only where the source states it. */
export type SourceSentence = { text: string; role: Role | null; section: string | null };

/** One paper as a source has it. `titleOnly`: its title stands in for a missing abstract. */
export type SourcePaper = { paper: Paper; sentences: SourceSentence[]; titleOnly: boolean };

export type ReadOptions = {
  /** Keep papers of these categories only, where the source carries categories; empty keeps all. */
  categories: string[];
  /** Keep papers dated on or after, on or before (YYYY[-MM[-DD]], both ends included). */
  since: string | null;
  until: string | null;
  /**
   * Called now and then with the number of bytes of the file on disk (compressed ones, for a .gz)
   * read so far: progress is shown by it.
   */
  onBytes?: (bytes: number) => void;
};

export type Importer = {
  /** Short name of the format, shown to users. */
  name: string;
  /** Whether it reads this file, by its name and its first 4096 bytes (fewer in a short file). */
  accepts(path: string, head: Buffer): boolean;
  /**
   * Papers of one file, in order and without holding them all. What cannot be read is reported
   * and skipped; a file that cannot be read at all throws. Stops soon after `signal` aborts.
   */
  read(
    path: string,
    options: ReadOptions,
    report: Report,
    signal: AbortSignal,
  ): AsyncIterable<SourcePaper>;
};
