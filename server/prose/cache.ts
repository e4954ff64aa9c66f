import { parseLatex } from './latex/parseLatex';
import { parseMarkdown, type ChunkMemo } from './markdown/parseMarkdown';
import type { DraftFormat, Prose } from './prose';

interface Entry {
  version: number;
  format: DraftFormat;
  text: string;
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
   * Prose of a document.
   *
   * @param version the document's version; the same version with the same length is not read again
   */
  get(uri: string, version: number, text: string, format: DraftFormat): Prose {
    const known = this.entries.get(uri);
    if (
      known &&
      known.format === format &&
      (known.version === version ? known.text.length === text.length : true) &&
      known.text === text
    ) {
      known.version = version;
      this.keep(uri, known);
      return known.prose;
    }
    const chunks: ChunkMemo = known?.format === format ? known.chunks : new Map();
    const prose = format === 'latex' ? parseLatex(text) : parseMarkdown(text, chunks);
    this.keep(uri, { version, format, text, prose, chunks });
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
