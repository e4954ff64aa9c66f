/** Open drafts and their prose: which text stands at a place, and what the draft says itself. */
import type { Position, Range, TextDocuments } from 'vscode-languageserver';
import type { TextDocument } from 'vscode-languageserver-textdocument';
import {
  formatOf,
  ProseCache,
  sentenceAt,
  takeSelection,
  type DraftFormat,
  type Prose,
  type ProseSentence,
} from './prose';
import { rootPreamble } from './cite';
import { pathOf, type OpenFiles } from './files';
import type { Taken } from './protocol';

export class Drafts {
  private readonly cache = new ProseCache();
  /** Preambles of the root files of chapters, by the chapter's URI. */
  private readonly preambles = new Map<string, string>();

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
      const preamble = rootPreamble({ path, text: document.getText(), format }, this.files);
      if (preamble !== null) this.preambles.set(document.uri, preamble);
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
    const definitions = this.preambles.get(uri);
    return (
      format &&
      this.cache.get(uri, version, document.getText(), format, definitions ? { definitions } : {})
    );
  }

  closed(document: TextDocument): void {
    this.cache.delete(document.uri);
    this.preambles.delete(document.uri);
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
