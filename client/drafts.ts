/** Which documents are drafts: by language id and by file name, since `.qmd` and `.Rmd` often have no language. */
import * as vscode from 'vscode';

const LANGUAGES = ['latex', 'tex', 'markdown', 'quarto', 'rmd', 'rmarkdown'];
const PATTERN = '**/*.{tex,ltx,latex,md,markdown,qmd,Rmd,rmd}';
const EXTENSION = /\.(tex|ltx|latex|md|markdown|qmd|rmd)$/i;

/**
 * Schemes of documents that are views or inputs of VS Code and of extensions, not texts of the author's. All others
 * count, since anybody may bring a file system: `untitled`, `vscode-vfs`, `vsls`, cells of notebooks among them.
 */
const VIEWS = new Set([
  'accessible-view',
  'comment',
  'conflictResolution',
  'data',
  'debug',
  'extension',
  'git',
  'gitfs',
  'gitlens',
  'hg',
  'http',
  'https',
  'inmemory',
  'merge-conflict.conflict-diff',
  'output',
  'pr',
  'private',
  'review',
  'search-editor',
  'svn',
  'vscode',
  'vscode-interactive-input',
  'vscode-local-history',
  'vscode-notebook-cell-metadata',
  'vscode-notebook-cell-output',
  'vscode-notebook-metadata',
  'vscode-scm',
  'vscode-settings',
  'vscode-terminal',
  'walkThrough',
  'walkThroughSnippet',
  'webview-panel',
]);
const CHAT = /^(?:vscode-)?chat/i;

/** Documents whose text the server may get, where {@link isAuthors} allows: drafts, and .bib files that citing edits. */
export const syncedDocuments = [
  ...LANGUAGES.map((language) => ({ language })),
  { pattern: PATTERN },
  { language: 'bibtex' },
  { pattern: '**/*.bib' },
];

/** True for what the author writes in: no view that VS Code or an extension makes, as the old side of a comparison is. */
export function isAuthors({ uri: { scheme } }: vscode.TextDocument): boolean {
  return !VIEWS.has(scheme) && !CHAT.test(scheme);
}

/** True for a LaTeX or Markdown document of the author's. */
export function isDraft(document: vscode.TextDocument): boolean {
  return isAuthors(document) && holdsDraft(document);
}

function holdsDraft({ languageId, uri }: vscode.TextDocument): boolean {
  return LANGUAGES.includes(languageId) || EXTENSION.test(uri.path);
}

/** The editor that a move without a place of its own is made in. */
export class DraftEditors implements vscode.Disposable {
  /** The draft that was active last. */
  private last: vscode.TextDocument | null = null;
  private readonly listener: vscode.Disposable;

  constructor() {
    this.note(vscode.window.activeTextEditor);
    this.listener = vscode.window.onDidChangeActiveTextEditor((editor) => this.note(editor));
  }

  /**
   * The active editor where it shows a draft, else a visible one that does: the last that was active, since a button
   * of a view or of the walkthrough takes the focus from it.
   * @returns null where none is in sight, and where the active one shows a draft that is not the author's to edit
   */
  current(): vscode.TextEditor | null {
    const { activeTextEditor: active, visibleTextEditors } = vscode.window;
    if (active && holdsDraft(active.document)) return isAuthors(active.document) ? active : null;
    const drafts = visibleTextEditors.filter(({ document }) => isDraft(document));
    return drafts.find(({ document }) => document === this.last) ?? drafts[0] ?? null;
  }

  dispose(): void {
    this.listener.dispose();
  }

  private note(editor: vscode.TextEditor | undefined): void {
    if (editor && isDraft(editor.document)) this.last = editor.document;
  }
}
