/** The .bib files that a draft uses. */
import { isSeq, isScalar, isMap, parseDocument } from 'yaml';
import { folderOf, pathKey, within } from './paths';
import { texProject } from './texProject';
import type { Draft, FileSource } from './types';

export interface Bibliographies {
  /** Files that the draft (or its root, or its project) names, whether they are there or not. */
  declared: string[];
  /** .bib files that lie beside the draft, or else beside its root. */
  nearby: string[];
  /** Declared files that are no .bib (CSL JSON, YAML), as written. */
  foreign: string[];
  /** The draft and the files read with it: where its habits show. */
  sources: string[];
  /** True where BibLaTeX reads the file, which takes any character as it is. */
  biblatex: boolean;
}

const LEVELS_UP = 5;

/** What a draft says about its bibliography and what lies around it. */
export function lookForBibliographies(draft: Draft, files: FileSource): Bibliographies {
  const found = draft.format === 'latex' ? ofLatex(draft, files) : ofMarkdown(draft, files);
  const folders = [folderOf(draft.path), ...found.sources.slice(0, 1).map(folderOf)];
  let nearby: string[] = [];
  for (const folder of folders) {
    nearby = files
      .list(folder)
      .filter((name) => /\.bib$/i.test(name))
      .sort()
      .map((name) => within(folder, name));
    if (nearby.length > 0) break;
  }
  return { ...found, nearby };
}

/**
 * The .bib files a draft uses: those it names (through `\bibliography`, `\addbibresource`, YAML
 * `bibliography:`, its root file or its Quarto project), else those in its folder. Declared files
 * may not exist yet.
 */
export function findBibliographies(draft: Draft, files: FileSource): string[] {
  const { declared, nearby } = lookForBibliographies(draft, files);
  return declared.length > 0 ? declared : nearby;
}

function ofLatex(draft: Draft, files: FileSource): Omit<Bibliographies, 'nearby'> {
  const project = texProject(draft, files);
  const biblatex = project.files.some((path) => {
    const text = pathKey(path) === pathKey(draft.path) ? draft.text : files.read(path);
    return text !== null && /\\addbibresource|\{biblatex\}/.test(text);
  });
  return { declared: project.bibliographies, foreign: [], sources: project.files, biblatex };
}

function ofMarkdown(draft: Draft, files: FileSource): Omit<Bibliographies, 'nearby'> {
  const written: { target: string; folder: string }[] = [];
  const take = (yaml: string, folder: string) => {
    for (const target of bibliographyOf(yaml)) written.push({ target, folder });
  };
  const front = frontMatter(draft.text);
  if (front !== null) take(front, folderOf(draft.path));
  if (written.length === 0) projectYaml(draft, files, take);

  const declared = new Map<string, string>();
  const foreign: string[] = [];
  for (const { target, folder } of written) {
    if (/^[a-z]{2,}:\/\//i.test(target)) continue;
    const path = within(folder, target);
    if (/\.bib(?:la)?(?:tex)?$/i.test(target)) declared.set(pathKey(path), path);
    else if (files.read(`${path}.bib`) !== null)
      declared.set(pathKey(`${path}.bib`), `${path}.bib`);
    else foreign.push(target);
  }
  return { declared: [...declared.values()], foreign, sources: [draft.path], biblatex: true };
}

function frontMatter(text: string): string | null {
  const match = /^\ufeff?---[ \t]*\r?\n([\s\S]*?)\r?\n(?:---|\.\.\.)[ \t]*(?:\r?\n|$)/.exec(text);
  return match?.[1] ?? null;
}

/** Quarto and bookdown keep the bibliography of many files in one place above them. */
function projectYaml(
  draft: Draft,
  files: FileSource,
  take: (yaml: string, folder: string) => void,
): void {
  let folder = folderOf(draft.path);
  for (let level = 0; level <= LEVELS_UP; level++) {
    const names = new Set(files.list(folder));
    for (const name of ['_metadata.yml', '_quarto.yml', '_quarto.yaml', '_bookdown.yml']) {
      const text = names.has(name) ? files.read(within(folder, name)) : null;
      if (text !== null) take(text, folder);
    }
    if (names.has('_bookdown.yml')) {
      // A book's chapters share the front matter of its first page.
      const front = frontMatter(files.read(within(folder, 'index.Rmd')) ?? '');
      if (front !== null) take(front, folder);
      return;
    }
    if (names.has('_quarto.yml') || names.has('_quarto.yaml')) return;
    const parent = folderOf(folder);
    if (parent === folder) return;
    folder = parent;
  }
}

/** `bibliography:` of YAML text, a string or a list; a broken document gives what can be read. */
function bibliographyOf(yaml: string): string[] {
  const document = parseDocument(yaml, { logLevel: 'silent', strict: false, uniqueKeys: false });
  const value = isMap(document.contents) ? document.get('bibliography', true) : null;
  const texts: unknown[] = isScalar(value)
    ? [value.value]
    : isSeq(value)
      ? value.items.map((item) => (isScalar(item) ? item.value : null))
      : [];
  const found = texts.filter(
    (text): text is string => typeof text === 'string' && text.trim() !== '',
  );
  if (found.length > 0 || document.errors.length === 0) return found.map((text) => text.trim());
  const line = /^bibliography[ \t]*:[ \t]*["']?([^"'\r\n[\]#]+?)["']?[ \t]*(?:#.*)?$/m.exec(yaml);
  return line?.[1] ? [line[1].trim()] : [];
}
