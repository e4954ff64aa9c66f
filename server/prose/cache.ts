import { parseLatex } from './latex/parseLatex';
import { parseMarkdown, type ChunkMemo } from './markdown/parseMarkdown';
import type { ParseOptions } from './parseProse';
import type { DraftFormat, Prose } from './prose';

interface Entry {
  format: DraftFormat;
  text: string;
  definitions: string | undefined;
  prose: Prose;
  chunks: ChunkMemo;
}

/**
 * Keeps the prose of open drafts. After an edit a Markdown draft's unchanged blocks are taken from
 * the reading before, since its parser costs milliseconds a block; a LaTeX draft is read anew in one
 * pass, since that costs milliseconds a draft. Either way the answer is the same as parseProse's.
 */
export class ProseCache {
  private readonly entries = new Map<string, Entry>();

  /** @param limit drafts kept; the one that was asked for longest ago goes first */
  constructor(private readonly limit = 50) {}

  /**
   * Prose of a document's present text; the same text is not read again, whatever its version.
   *
   * @param _version the document's version; texts are compared, so a wrong one does no harm
   */
  get(
    uri: string,
    _version: number,
    text: string,
    format: DraftFormat,
    { definitions }: ParseOptions = {},
  ): Prose {
    const known = this.entries.get(uri);
    const same = known?.format === format && known.definitions === definitions;
    if (known && same && known.text === text) {
      this.keep(uri, known);
      return known.prose;
    }
    const chunks: ChunkMemo = same ? known.chunks : new Map();
    const prose = format === 'latex' ? parseLatex(text, definitions) : parseMarkdown(text, chunks);
    this.keep(uri, { format, text, definitions, prose, chunks });
    return prose;
  }

  /** Forgets a document that was closed. */
  delete(uri: string): void {
    this.entries.delete(uri);
  }

  private keep(uri: string, entry: Entry): void {
    this.entries.delete(uri);
    this.entries.set(uri, entry);
    for (const oldest of this.entries.keys()) {
      if (this.entries.size <= this.limit) break;
      this.entries.delete(oldest);
    }
  }
}
