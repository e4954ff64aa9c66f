/**
 * Prose of a draft: its plain sentences and where each stands in the source. The plain form is the
 * same for hover, moves, pools and mining.
 */

export type DraftFormat = 'latex' | 'markdown';

/** One plain sentence. Offsets are UTF-16 code units into the source, end exclusive. */
export interface ProseSentence {
  text: string;
  start: number;
  end: number;
  /** Title of the section it stands in, plain; null before the first. */
  section: string | null;
  /** Sentences of one paragraph (or list item, quote, footnote-free block) share a number. */
  paragraph: number;
  /** Source offset of every UTF-16 unit of `text` (length = text.length). */
  offsets: Uint32Array;
}

export interface Prose {
  format: DraftFormat;
  sentences: ProseSentence[];
  /** Targets of \input, \include and \subfile as written, with where they stand. */
  inputs: { target: string; start: number; end: number }[];
  /** Title of the document when it states one. */
  title: string | null;
  /** What could not be read, in plain words; the rest of the draft was. */
  problems: { message: string; start: number }[];
}
