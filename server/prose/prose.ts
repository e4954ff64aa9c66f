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
  /**
   * Source offset of every UTF-16 unit of `text` (length = text.length), never falling. Text that a
   * user's macro wrote has the offset of the call, or of what of the call came before it.
   */
  offsets: Uint32Array;
  /** Where inline math stands in `text`: start and end of each, one after the other. */
  math: number[];
}

/** A title, run-in title or list label: read, but not a sentence. */
export interface ProseHeading {
  text: string;
  /** 1 for the highest; 7 for run-in titles and labels, which open no section. */
  level: number;
  start: number;
  end: number;
  offsets: Uint32Array;
  math: number[];
}

export interface Prose {
  format: DraftFormat;
  /** In the order of the source. */
  sentences: ProseSentence[];
  headings: ProseHeading[];
  /** Targets of \input, \include and \subfile as written, with where they stand. */
  inputs: { target: string; start: number; end: number }[];
  /** Title of the document when it states one. */
  title: string | null;
  /** What could not be read, in plain words; the rest of the draft was. */
  problems: { message: string; start: number }[];
}
