/** Takes names out of reasons and error messages before they are shown to others. */

/** What a path cannot hold, or what ends it in a message. */
const PART = String.raw`[^\\/:*?"<>|\r\n'“”‘’,;()]`;
/** A drive, a share, an address that is none of the web's, a home, or a root: not the slash of “and/or”. */
const START = String.raw`(?:(?<![\w])(?!https?:)[a-z][\w+.-]*:[\\/]+|(?<![\w\\])\\\\|(?<![\w~.:/\\])~?[\\/](?=[^\s\\/]))`;
/**
 * Folders may have spaces in their names; the last part may where it ends like a file's name. Rather too much than too
 * little: a slash later in the line takes the words before it along.
 */
const PATH = new RegExp(
  `${START}(?:${PART}*[\\\\/])*(?:(?:[^\\s\\\\/:*?"<>|'“”‘’,;()]+ ){0,5}[^\\s\\\\/:*?"<>|'“”‘’,;()]*\\.\\w{1,8}\\b|[^\\s\\\\/:*?"<>|'“”‘’,;()]*)`,
  'giu',
);

/**
 * A text with `<path>` for every absolute path and `pool 1`, `pool 2`, … for the names of pools, in their order.
 * @param pools names, the first being pool 1
 */
export function redact(text: string, pools: readonly string[]): string {
  const numbers = new Map(pools.map((name, index) => [name, `pool ${index + 1}`]));
  const names = [...numbers.keys()].filter((name) => name !== '');
  const withoutPaths = text.replace(PATH, '<path>');
  if (names.length === 0) return withoutPaths;
  // The longest first: a name may be part of another.
  const any = names
    .sort((a, b) => b.length - a.length)
    .map((name) => name.replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&'))
    .join('|');
  const whole = new RegExp(`(?<![\\p{L}\\p{N}_-])(?:${any})(?![\\p{L}\\p{N}_-])`, 'gu');
  return withoutPaths.replace(whole, (name) => numbers.get(name) ?? name);
}
