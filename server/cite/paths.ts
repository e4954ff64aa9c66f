/** Paths of drafts and bibliographies, by the rules of the system they look to be from. */
import { posix, win32, type PlatformPath } from 'node:path';

/** Path rules for a path: Windows for drive letters and UNC names, POSIX otherwise. */
export function pathRules(path: string): PlatformPath {
  return /^(?:[A-Za-z]:[\\/]|\\\\)/.test(path) ? win32 : posix;
}

/** `path` seen from `folder`; a TeX path has forward slashes everywhere. */
export function within(folder: string, path: string): string {
  const rules = pathRules(folder);
  return rules.isAbsolute(path) || pathRules(path) === win32
    ? pathRules(path).normalize(path)
    : rules.normalize(rules.join(folder, path));
}

/** The same file, as far as names can tell; Windows does not tell case apart. */
export function samePath(a: string, b: string): boolean {
  return pathKey(a) === pathKey(b);
}

/** Comparable form of a path: normalised, in lower case on Windows. See {@link samePath}. */
export function pathKey(path: string): string {
  const rules = pathRules(path);
  const normal = rules.normalize(path);
  return rules === win32 ? normal.toLowerCase() : normal;
}

/** Path of the folder that a file is in. */
export const folderOf = (path: string) => pathRules(path).dirname(path);
/** Name of a file, without its folder. */
export const nameOf = (path: string) => pathRules(path).basename(path);

/** Name of a file without its last extension. */
export function stemOf(path: string): string {
  return nameOf(path).replace(/\.[^.]*$/, '');
}
