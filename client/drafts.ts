/** Which documents are drafts: by language id and by file name, since `.qmd` and `.Rmd` often have no language. */
import * as vscode from 'vscode';

const LANGUAGES = ['latex', 'tex', 'markdown', 'quarto', 'rmd', 'rmarkdown'];
const PATTERN = '**/*.{tex,ltx,latex,md,markdown,qmd,Rmd,rmd}';
const EXTENSION = /\.(tex|ltx|latex|md|markdown|qmd|rmd)$/i;
const SCHEMES = ['file', 'untitled', 'vscode-remote', 'vscode-vfs'];

/** Documents whose text the server gets: drafts, and the .bib files that citing edits. */
export const syncedDocuments = SCHEMES.flatMap((scheme) => [
  ...LANGUAGES.map((language) => ({ scheme, language })),
  { scheme, pattern: PATTERN },
  { scheme, language: 'bibtex' },
  { scheme, pattern: '**/*.bib' },
]);

/** True for a LaTeX or Markdown document. */
export function isDraft(document: vscode.TextDocument): boolean {
  return (
    SCHEMES.includes(document.uri.scheme) &&
    (LANGUAGES.includes(document.languageId) || EXTENSION.test(document.uri.path))
  );
}
