/** Citing in open drafts: which papers the draft's .bib has, and the edit that cites one. */
import type { TextDocuments } from 'vscode-languageserver';
import { TextDocument } from 'vscode-languageserver-textdocument';
import { BibIndex, computeCitation, findBibliographies, refuseUnread, type FileEdit } from './cite';
import { RatioError, type Paper } from './engine/engine';
import { pathOf, type OpenFiles } from './files';
import { formatOf } from './prose';
import type { CiteParams, CiteResult } from './protocol';

/** For how long the list of a draft's .bib files is trusted; their texts are read every time. */
const BIBLIOGRAPHY_MS = 5000;

/** Answers what the panel and the citing command ask about .bib files; edits are made by the client. */
export class CitationService {
  private readonly bibliographies = new Map<string, { paths: string[]; until: number }>();

  constructor(
    private readonly documents: TextDocuments<TextDocument>,
    private readonly files: OpenFiles,
  ) {}

  /** A function from paper to its key in the .bib files that the draft uses, or null. */
  citedKeys(uri: string): (paper: Paper) => string | null {
    const indexes = this.bibliographyOf(uri).flatMap((path) => {
      const text = this.files.read(path);
      return text === null ? [] : [BibIndex.of(text)];
    });
    return (paper) => {
      for (const index of indexes) {
        const key = index.find(paper);
        if (key !== null) return key;
      }
      return null;
    };
  }

  /**
   * The edit of draft and .bib, or which .bib files to choose from.
   * @throws RatioError when the draft is not open or not saved anywhere, or the .bib is there but
   * cannot be read
   */
  cite({ uri, range, paper, bib }: CiteParams): CiteResult {
    const document = this.documents.get(uri);
    const format = document && formatOf(document.uri, document.languageId);
    if (!document || !format) {
      throw new RatioError(
        'bad-input',
        `The draft ${uri} is not open any more: open it and cite again.`,
      );
    }
    const path = pathOf(uri);
    if (path === null) {
      throw new RatioError(
        'bad-input',
        'Save the draft to a file, make the move again from there, then cite: its .bib is found from its folder.',
      );
    }
    const result = computeCitation({
      draft: { path, text: document.getText(), format },
      sentence: { start: document.offsetAt(range.start), end: document.offsetAt(range.end) },
      paper,
      files: this.files,
      ...(bib === null ? {} : { bib }),
    });
    if (result.kind === 'needs-bib') return result;
    this.bibliographies.delete(uri);
    return {
      kind: 'edits',
      key: result.key,
      reused: result.reused,
      unpublished: result.unpublished,
      alreadyCitedHere: result.alreadyCitedHere,
      bibDeclared: result.bibDeclared,
      bibUri: this.files.uri(result.bibPath),
      documents: result.edits
        .filter((edit) => edit.edits.length > 0 || edit.create)
        .map((edit) => this.documentEdit(edit)),
    };
  }

  private documentEdit(
    edit: FileEdit,
  ): Extract<CiteResult, { kind: 'edits' }>['documents'][number] {
    if (edit.create) refuseUnread(edit.path);
    const open = this.files.document(edit.path);
    const text = edit.create ? '' : (this.files.read(edit.path) ?? '');
    const document = open ?? TextDocument.create(this.files.uri(edit.path), '', 0, text);
    return {
      uri: document.uri,
      version: open?.version ?? null,
      create: edit.create === true,
      edits: edit.edits.map(({ start, end, newText }) => ({
        range: { start: document.positionAt(start), end: document.positionAt(end) },
        newText,
      })),
    };
  }

  private bibliographyOf(uri: string): string[] {
    const document = this.documents.get(uri);
    const format = document && formatOf(document.uri, document.languageId);
    const path = pathOf(uri);
    if (!document || !format || path === null) return [];
    const known = this.bibliographies.get(uri);
    if (known && known.until > performance.now()) return known.paths;
    const paths = findBibliographies({ path, text: document.getText(), format }, this.files);
    this.bibliographies.set(uri, { paths, until: performance.now() + BIBLIOGRAPHY_MS });
    return paths;
  }
}
