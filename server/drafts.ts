/** Open drafts and their prose: which text stands at a place, and what the draft says itself. */
import type { Position, Range, TextDocuments } from 'vscode-languageserver';
import type { TextDocument } from 'vscode-languageserver-textdocument';
import {
  findText,
  formatOf,
  ProseCache,
  sentenceAt,
  takeSelection,
  type DraftFormat,
  type Prose,
  type ProseSentence,
} from './prose';
import { preambleOf, rootOf } from './cite';
import { pathOf, type OpenFiles } from './files';
import type { Taken } from './protocol';

/** The drafts that are open, read as prose at their present version. A document that is no draft has none: null. */
export class Drafts {
  private readonly cache = new ProseCache();
  /** Paths of the root files of chapters, by the chapter's URI. Macros are read anew whenever prose is. */
  private readonly roots = new Map<string, string>();

  constructor(
    private readonly documents: TextDocuments<TextDocument>,
    private readonly files: OpenFiles,
  ) {}

  /**
   * Reads a draft that was opened ahead of its first request: parsers are loaded, and a chapter's
   * root file is looked for, whose macros it uses.
   */
  opened(document: TextDocument): void {
    const path = pathOf(document.uri);
    const format = this.formatOf(document);
    if (format !== null && path !== null) {
      const root = rootOf({ path, text: document.getText(), format }, this.files);
      if (root !== null) this.roots.set(document.uri, root);
    }
    this.prose(document);
  }

  /** True for LaTeX and Markdown, by file name or language id. */
  isDraft(document: TextDocument): boolean {
    return this.formatOf(document) !== null;
  }

  /** Prose of the document's present text, or null where it is no draft. */
  prose(document: TextDocument): Prose | null {
    const { uri, version } = document;
    const format = this.formatOf(document);
    if (format === null) return null;
    const path = pathOf(uri);
    const text = document.getText();
    const root = this.roots.get(uri) ?? null;
    const definitions = path === null ? null : preambleOf({ path, text, format }, root, this.files);
    return this.cache.get(uri, version, text, format, definitions ? { definitions } : {});
  }

  /** Forgets what was read of a draft. */
  closed(document: TextDocument): void {
    this.cache.delete(document.uri);
    this.roots.delete(document.uri);
  }

  /** The sentence that covers the position, for a hover; null beside prose. */
  sentenceUnder(document: TextDocument, position: Position): ProseSentence | null {
    const prose = this.prose(document);
    if (!prose) return null;
    const offset = document.offsetAt(position);
    const sentence = sentenceAt(prose, offset, document.getText());
    return sentence && offset >= sentence.start && offset <= sentence.end ? sentence : null;
  }

  /**
   * The plain text a move takes: the selected part, or the sentence at an empty selection, with the
   * range of the whole sentences it came from. Null where there is no prose.
   */
  take(uri: string, range: Range): Taken | null {
    const document = this.documents.get(uri);
    const prose = document && this.prose(document);
    if (!document || !prose) return null;
    const start = document.offsetAt(range.start);
    const end = document.offsetAt(range.end);
    const taken =
      start === end
        ? sentenceTaken(sentenceAt(prose, start, document.getText()))
        : takeSelection(prose, start, end);
    if (!taken) return null;
    const sentences = taken.sentences;
    const first = sentences[0]?.start ?? taken.start;
    const last = sentences.at(-1)?.end ?? taken.end;
    return {
      text: taken.text,
      uri,
      range: { start: document.positionAt(first), end: document.positionAt(last) },
    };
  }

  /**
   * Where text that a move took before stands now: of the sentences (or titles) that hold it, those nearest to the range
   * it had before the draft changed. Null where none hold it any more.
   */
  find(uri: string, range: Range, text: string): Taken | null {
    const document = this.documents.get(uri);
    const prose = document && this.prose(document);
    if (!document || !prose) return null;
    const offset = document.offsetAt(range.start);
    const found = findText(prose.sentences, text, offset) ?? findText(prose.headings, text, offset);
    if (!found) return null;
    return {
      text,
      uri,
      range: {
        start: document.positionAt(found.start),
        end: document.positionAt(found.end),
      },
    };
  }

  private formatOf({ uri, languageId }: TextDocument): DraftFormat | null {
    return formatOf(uri, languageId);
  }

  /** The draft's own plain sentences, which are never inspirations for it. */
  exclusions(document: TextDocument): string[] {
    return this.prose(document)?.sentences.map((sentence) => sentence.text) ?? [];
  }

  /** {@link exclusions} by URI; none for a document that is not open. */
  exclusionsOf(uri: string): string[] {
    const document = this.documents.get(uri);
    return document ? this.exclusions(document) : [];
  }
}

function sentenceTaken(
  sentence: ProseSentence | null,
): { text: string; start: number; end: number; sentences: ProseSentence[] } | null {
  return (
    sentence && {
      text: sentence.text,
      start: sentence.start,
      end: sentence.end,
      sentences: [sentence],
    }
  );
}
