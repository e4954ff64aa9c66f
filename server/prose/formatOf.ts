import type { DraftFormat } from './prose';

const BY_EXTENSION: Readonly<Record<string, DraftFormat>> = {
  tex: 'latex',
  ltx: 'latex',
  latex: 'latex',
  ltxtex: 'latex',
  md: 'markdown',
  markdown: 'markdown',
  mdown: 'markdown',
  mkd: 'markdown',
  mkdn: 'markdown',
  mdx: 'markdown',
  qmd: 'markdown',
  rmd: 'markdown',
  rmarkdown: 'markdown',
  pmd: 'markdown',
  myst: 'markdown',
};

const BY_LANGUAGE: Readonly<Record<string, DraftFormat>> = {
  latex: 'latex',
  tex: 'latex',
  'latex-expl3': 'latex',
  rsweave: 'latex',
  markdown: 'markdown',
  mdx: 'markdown',
  quarto: 'markdown',
  rmd: 'markdown',
  rmarkdown: 'markdown',
  myst: 'markdown',
  pandoc: 'markdown',
};

/**
 * Format of a draft by its path (or URI) and, where that tells nothing, the editor's language id;
 * null when it is neither LaTeX nor Markdown. Letter case does not matter.
 */
export function formatOf(path: string, languageId?: string): DraftFormat | null {
  const extension = /\.([a-z0-9]+)(?:[?#].*)?$/i.exec(path)?.[1]?.toLowerCase();
  const byExtension = extension === undefined ? undefined : BY_EXTENSION[extension];
  if (byExtension) return byExtension;
  return (languageId !== undefined ? BY_LANGUAGE[languageId.toLowerCase()] : undefined) ?? null;
}
