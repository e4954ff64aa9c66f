/** LaTeX files that make one document: the root with what it inputs in its place. */
import { readdir, readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { folderOf, pathKey, within } from '../cite/paths';
import { texReferences } from '../cite/texSource';
import { parseProse } from '../prose';
import { decodeFile } from './decode';

/** Bounds on how far files are followed. */
const MOST_FILES = 300;
const LARGEST_FILE = 8 * 1024 * 1024;
const LEVELS_UP = 3;
const DEEPEST = 12;

/** Reads files once; null for what is not there, not readable or too large. */
class Texts {
  private readonly known = new Map<string, Promise<string | null>>();

  read(path: string): Promise<string | null> {
    const key = pathKey(path);
    const known = this.known.get(key);
    if (known) return known;
    if (this.known.size >= MOST_FILES) return Promise.resolve(null);
    const text = readFile(path).then(
      (bytes) => (bytes.length > LARGEST_FILE ? null : decodeFile(bytes).text),
      () => null,
    );
    this.known.set(key, text);
    return text;
  }

  /** An input as TeX finds it: from the root's folder, else from the file that names it. */
  async find(target: string, folders: string[]): Promise<string | null> {
    const names = /\.[A-Za-z]+$/.test(target)
      ? [target, `${target}.tex`]
      : [`${target}.tex`, target];
    for (const folder of folders) {
      for (const name of names) {
        const path = within(folder, name);
        if ((await this.read(path)) !== null) return path;
      }
    }
    return null;
  }
}

async function reaches(root: string, wanted: string, texts: Texts): Promise<boolean> {
  const reached = new Map([[pathKey(root), root]]);
  for (const path of reached.values()) {
    const text = await texts.read(path);
    for (const { target, from } of text === null ? [] : texReferences(text).inputs) {
      const folders = [folderOf(root), folderOf(path)].map((folder) => within(folder, from));
      const found = await texts.find(target, folders);
      if (found === null) continue;
      const key = pathKey(found);
      if (key === wanted) return true;
      reached.set(key, reached.get(key) ?? found);
    }
  }
  return false;
}

/** The root of the document that a file belongs to; the file itself where nothing inputs it. */
async function rootOf(path: string, text: string, texts: Texts): Promise<string> {
  const { root, isRoot } = texReferences(text);
  if (isRoot) return path;
  if (root !== null) {
    const named = await texts.find(root, [dirname(path)]);
    if (named !== null && pathKey(named) !== pathKey(path)) return named;
  }
  let folder = dirname(path);
  for (let level = 0; level <= LEVELS_UP; level++) {
    const names = await readdir(folder).catch(() => []);
    for (const name of names.filter((each) => /\.(?:tex|ltx|latex)$/i.test(each)).sort()) {
      const candidate = join(folder, name);
      if (pathKey(candidate) === pathKey(path)) continue;
      const source = await texts.read(candidate);
      if (source === null || !/\\documentclass\b/.test(source)) continue;
      if (texReferences(source).isRoot && (await reaches(candidate, pathKey(path), texts))) {
        return candidate;
      }
    }
    const parent = dirname(folder);
    if (parent === folder) break;
    folder = parent;
  }
  return path;
}

/** The inside of a subfile, which has a preamble of its own. */
function body(text: string): string {
  const begin = /\\begin\s*\{document\}/.exec(text);
  if (!begin) return text;
  const end = text.lastIndexOf('\\end{document}');
  return text.slice(begin.index + begin[0].length, end < 0 ? undefined : end);
}

/** A file's text with what it inputs in place; the keys of the files put in go to `visited`. */
async function expand(
  text: string,
  path: string,
  root: string,
  texts: Texts,
  open: ReadonlySet<string>,
  visited: Set<string>,
): Promise<string> {
  const parts: string[] = [];
  let done = 0;
  for (const { target, start, end } of parseProse(text, 'latex').inputs) {
    const found = await texts.find(target, [folderOf(root), folderOf(path)]);
    const key = found === null ? '' : pathKey(found);
    if (found === null || open.has(key) || open.size > DEEPEST) continue;
    const source = await texts.read(found);
    if (source === null) continue;
    visited.add(key);
    const opened = new Set([...open, key]);
    const inner = await expand(body(source), found, root, texts, opened, visited);
    parts.push(text.slice(done, start), '\n', inner, '\n');
    done = end;
  }
  return parts.join('') + text.slice(done);
}

/**
 * The whole document that a LaTeX file belongs to: its root with every input in its place.
 * `text` is the file's own content. Files that are missing are passed over. A file whose root does
 * not take it in, by any command that is followed here, is a document by itself.
 */
export async function wholeDocument(
  path: string,
  text: string,
): Promise<{ root: string; text: string }> {
  const texts = new Texts();
  const root = await rootOf(path, text, texts);
  const own = pathKey(path);
  if (pathKey(root) !== own) {
    const source = await texts.read(root);
    const visited = new Set<string>();
    const whole =
      source && (await expand(source, root, root, texts, new Set([pathKey(root)]), visited));
    if (whole && visited.has(own)) return { root, text: whole };
  }
  return { root: path, text: await expand(text, path, root, texts, new Set([own]), new Set()) };
}
