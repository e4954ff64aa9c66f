/** The files a LaTeX draft belongs to: its root, what the root inputs, and the bibliographies. */
import { folderOf, nameOf, pathKey, samePath, stemOf, within } from './paths';
import { texReferences, type TexReferences } from './tex-source';
import type { Draft, FileSource } from './types';

/** Bounds on how far a project is followed: files read, characters, folders upwards. */
const MOST_FILES = 300;
const LARGEST_FILE = 4_000_000;
const LEVELS_UP = 3;

export interface TexProject {
  /** The main file; the draft itself where nothing else claims it. */
  root: string;
  /** Every file of the project that could be read, the root first. */
  files: string[];
  /** Declared .bib files in the order of their commands, whether they are there or not. */
  bibliographies: string[];
}

class Reader {
  private readonly texts = new Map<string, string | null>();

  constructor(
    private readonly draft: Draft,
    private readonly files: FileSource,
  ) {}

  read(path: string): string | null {
    const key = pathKey(path);
    const known = this.texts.get(key);
    if (known !== undefined) return known;
    if (this.texts.size >= MOST_FILES) return null;
    let text = samePath(path, this.draft.path) ? this.draft.text : this.files.read(path);
    if (text !== null && text.length > LARGEST_FILE) text = null;
    this.texts.set(key, text);
    return text;
  }

  references(path: string): TexReferences | null {
    const text = this.read(path);
    return text === null ? null : texReferences(text);
  }

  /** An input as TeX finds it: from the root's folder, else from the file that names it. */
  resolve(target: string, folders: string[]): string | null {
    const names = /\.[A-Za-z]+$/.test(target)
      ? [target, `${target}.tex`]
      : [`${target}.tex`, target];
    for (const folder of folders) {
      for (const name of names) {
        const path = within(folder, name);
        if (this.read(path) !== null) return path;
      }
    }
    return null;
  }

  /** All files that a root reaches, itself first; each once, whatever inputs whatever. */
  reach(root: string): string[] {
    const reached = new Map([[pathKey(root), root]]);
    for (const path of reached.values()) {
      for (const { target, from } of this.references(path)?.inputs ?? []) {
        const folders = [folderOf(root), folderOf(path)].map((folder) => within(folder, from));
        const found = this.resolve(target, folders);
        if (found && !reached.has(pathKey(found))) reached.set(pathKey(found), found);
      }
    }
    return [...reached.values()];
  }
}

/** Finds the project of a LaTeX draft. */
export function texProject(draft: Draft, files: FileSource): TexProject {
  const reader = new Reader(draft, files);
  const own = projectOf(reader, draft.path, files);
  const declaredRoot = reader.references(draft.path)?.root ?? null;
  if (declaredRoot) {
    const root = reader.resolve(declaredRoot, [folderOf(draft.path)]);
    if (root && !samePath(root, draft.path)) {
      const project = projectOf(reader, root, files);
      if (project.bibliographies.length > 0 || own.bibliographies.length === 0) return project;
    }
  }
  if (own.bibliographies.length > 0) return own;

  const roots = searchRoots(reader, draft, files);
  const projects = roots.map((root) => projectOf(reader, root, files));
  const root = projects.find((each) => each.bibliographies.length > 0);
  return root ?? (reader.references(draft.path)?.isRoot ? own : (projects[0] ?? own));
}

/** Where a LaTeX preamble ends: a file without it is a chapter of another. */
const DOCUMENT = /\\begin\s*\{document\}/;

/** The root file of a chapter, whose macros the chapter uses; null for any other draft. */
export function rootOf(draft: Draft, files: FileSource): string | null {
  if (draft.format !== 'latex' || DOCUMENT.test(draft.text)) return null;
  const { root } = texProject(draft, files);
  return samePath(root, draft.path) ? null : root;
}

/** What stands before the document in a root file: where macros are defined. Null where it is empty or gone. */
export function preambleOf(root: string, files: FileSource): string | null {
  return files.read(root)?.split(DOCUMENT)[0] || null;
}

/** The preamble of a chapter's root file; null for any other draft. */
export function rootPreamble(draft: Draft, files: FileSource): string | null {
  const root = rootOf(draft, files);
  return root === null ? null : preambleOf(root, files);
}

/** .tex files in the draft's folder and those above it that input the draft, true roots first. */
function searchRoots(reader: Reader, draft: Draft, files: FileSource): string[] {
  const roots: { path: string; isRoot: boolean }[] = [];
  let folder = folderOf(draft.path);
  for (let level = 0; level <= LEVELS_UP; level++) {
    const names = files
      .list(folder)
      .filter((name) => /\.(?:tex|ltx|latex)$/i.test(name))
      .sort();
    for (const name of names) {
      const path = within(folder, name);
      if (samePath(path, draft.path)) continue;
      const references = reader.references(path);
      if (!references || references.inputs.length === 0) continue;
      const reached = reader.reach(path);
      if (reached.some((each) => samePath(each, draft.path))) {
        roots.push({ path, isRoot: references.isRoot });
      }
    }
    const parent = folderOf(folder);
    if (parent === folder) break;
    folder = parent;
  }
  return [...roots.filter((each) => each.isRoot), ...roots.filter((each) => !each.isRoot)].map(
    (each) => each.path,
  );
}

function projectOf(reader: Reader, root: string, files: FileSource): TexProject {
  const reached = reader.reach(root);
  const bibliographies = new Map<string, string>();
  for (const path of reached) {
    for (const { target, addbib } of reader.references(path)?.bibliographies ?? []) {
      for (const found of bibPaths(target, addbib, root, path, files)) {
        bibliographies.set(pathKey(found), found);
      }
    }
  }
  return { root, files: reached, bibliographies: [...bibliographies.values()] };
}

/** Where a declared bibliography is: from the root's folder, else from the declaring file's. */
function bibPaths(
  target: string,
  addbib: boolean,
  root: string,
  from: string,
  files: FileSource,
): string[] {
  const named = target.replace(/\\jobname\b\s*/g, stemOf(root)).trim();
  // Another macro stands for what is not known here; RIS, JSON and XML hold no BibTeX.
  if (/[\\#]/.test(named) || /\.(?:ris|xml|json)$/i.test(named)) return [];
  const folders = [folderOf(root), folderOf(from)];
  if (addbib && /[*?]/.test(named)) return expand(named, folderOf(root), files);
  const name = /\.bib$/i.test(named) ? named : `${named}.bib`;
  for (const folder of folders) {
    const path = within(folder, name);
    if (files.read(path) !== null) return [path];
  }
  return [within(folders[0] ?? '', name)];
}

function expand(pattern: string, folder: string, files: FileSource): string[] {
  const inside = within(folder, folderOf(pattern));
  const shape = new RegExp(
    `^${nameOf(pattern)
      .replace(/[.+^${}()|[\]\\]/g, '\\$&')
      .replace(/\*/g, '.*')
      .replace(/\?/g, '.')}$`,
    'i',
  );
  return files
    .list(inside)
    .filter((name) => shape.test(name) && /\.bib$/i.test(name))
    .sort()
    .map((name) => within(inside, name));
}
