import { parseLatex } from './latex/parseLatex';
import { parseMarkdown } from './markdown/parseMarkdown';
import type { DraftFormat, Prose } from './prose';

/** What helps to read a draft beside its text. */
export interface ParseOptions {
  /** LaTeX whose macro definitions count too: the root file of an `\input` file, say. */
  definitions?: string;
}

/**
 * Plain sentences of a draft with their source ranges. Never throws on a draft's text: what could
 * not be read is in `problems`, and the rest was read.
 */
export function parseProse(source: string, format: DraftFormat, options: ParseOptions = {}): Prose {
  return format === 'latex' ? parseLatex(source, options.definitions) : parseMarkdown(source);
}
