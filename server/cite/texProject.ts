/** The files a LaTeX draft belongs to: its root, what the root inputs, and the bibliographies. */
import { folderOf, nameOf, pathKey, samePath, stemOf, within } from './paths';
import { plainMacros } from '../prose/latex/plainMacros';
import { IMPORT, INPUT, texReferences, withoutComments, type TexReferences } from './texSource';
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
  private readonly names = new Map<string, ReadonlySet<string>>();

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

  /**
   * A file by its full name in the first folder that has it. Folders are listed, once: most of what a
   * preamble names is not there, and to try it one by one is slow on a drive across a network.
   */
  find(name: string, folders: string[]): string | null {
    const there = (path: string): boolean => {
      const folder = folderOf(path);
      let names = this.names.get(folder);
      if (!names) this.names.set(folder, (names = new Set(this.files.list(folder))));
      return names.has(path.slice(path.search(/[^/\\]*$/)));
    };
    return (
      folders
        .map((folder) => within(folder, name))
        .find((path) => there(path) && this.read(path) !== null) ?? null
    );
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

/** A style beside the draft: its author's macros as a rule. */
const PACKAGE = /\\(?:usepackage|RequirePackage)\s*(?:\[[^\]]{0,2000}\])?\s*\{([^{}]{1,2000})\}/g;
/** Bounds on how far a preamble's inputs are followed. */
const DEEPEST = 6;
const LONGEST_PREAMBLE = 400_000;

/** The root file whose macros a chapter or a subfile uses; null for any other draft. */
export function rootOf(draft: Draft, files: FileSource): string | null {
  if (draft.format !== 'latex') return null;
  if (!DOCUMENT.test(draft.text)) {
    const { root } = texProject(draft, files);
    return samePath(root, draft.path) ? null : root;
  }
  // A chapter of the subfiles class has a document of its own.
  const reader = new Reader(draft, files);
  const references = reader.references(draft.path);
  if (!references?.root || references.isRoot) return null;
  const root = reader.resolve(references.root, [folderOf(draft.path)]);
  return root === null || samePath(root, draft.path) ? null : root;
}

/**
 * LaTeX whose macros a draft uses beside its own text: what its preamble inputs (files and the styles
 * beside it), and the preamble of its root (as {@link rootOf} gives it) with what that inputs. Null
 * where there is none.
 */
export function preambleOf(draft: Draft, root: string | null, files: FileSource): string | null {
  if (draft.format !== 'latex') return null;
  const preambles = new Preambles(new Reader(draft, files));
  let text = root === null ? '' : preambles.read(root, true);
  if (DOCUMENT.test(draft.text)) text += preambles.read(draft.path, false);
  return text === '' ? null : text;
}

/** {@link preambleOf} with the draft's root, which is looked for. */
export function rootPreamble(draft: Draft, files: FileSource): string | null {
  return preambleOf(draft, rootOf(draft, files), files);
}

/** Preambles with what they input put in where it is named, each file once. */
class Preambles {
  private readonly seen = new Set<string>();
  private length = 0;

  constructor(private readonly reader: Reader) {}

  /** @param own whether the file's own text counts beside what it inputs */
  read(root: string, own: boolean): string {
    this.seen.add(pathKey(root));
    const text = this.reader.read(root)?.split(DOCUMENT)[0] ?? '';
    return this.expand(text, [folderOf(root)], own, 0);
  }

  private expand(text: string, folders: string[], own: boolean, depth: number): string {
    const plain = withoutComments(text);
    const found: { start: number; end: number; text: string }[] = [];
    const add = (match: RegExpExecArray, inputs: (string | null)[]) => {
      const inner = inputs.map((path) => this.file(path, folders, depth)).join('\n');
      const end = match.index + match[0].length;
      if (inner.trim() !== '') found.push({ start: match.index, end, text: `\n${inner}\n` });
    };
    if (depth < DEEPEST) {
      for (const match of plain.matchAll(INPUT)) {
        const target = (match[1] ?? match[2] ?? match[3] ?? '').trim().replace(/^"(.*)"$/, '$1');
        add(match, [this.reader.resolve(target, folders)]);
      }
      for (const match of plain.matchAll(IMPORT)) {
        const inside = folders.map((folder) => within(folder, (match[1] ?? '').trim()));
        add(match, [this.reader.resolve((match[2] ?? '').trim(), inside)]);
      }
      for (const match of plain.matchAll(PACKAGE)) {
        const names = (match[1] ?? '').split(',').map((name) => name.trim());
        add(
          match,
          names.map((name) => (name === '' ? null : this.reader.find(`${name}.sty`, folders))),
        );
      }
    }
    if (!own) return found.map((each) => each.text).join('');
    let out = '';
    let at = 0;
    for (const each of found.sort((a, b) => a.start - b.start)) {
      out += text.slice(at, each.start) + each.text;
      at = each.end;
    }
    return out + text.slice(at);
  }

  /** A file's text with its inputs; of a style only the plain macros, which are its author's. */
  private file(path: string | null, folders: string[], depth: number): string {
    if (path === null || this.seen.has(pathKey(path))) return '';
    this.seen.add(pathKey(path));
    const text = this.reader.read(path) ?? '';
    this.length += text.length;
    if (this.length > LONGEST_PREAMBLE) return '';
    const inside = [...new Set([...folders, folderOf(path)])];
    if (!/\.sty$/i.test(path)) return this.expand(text, inside, true, depth + 1);
    return `${this.expand(text, inside, false, depth + 1)}\n${plainMacros(text)}`;
  }
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
