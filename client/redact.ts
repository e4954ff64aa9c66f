/** Takes names out of reasons and error messages before they are shown to others. */

/** A drive, a share, an address that is none of the web's, a home, or a root: not the slash of “and/or”. */
const START = String.raw`(?:(?<![\w])(?!https?:)[a-z][\w+.-]*:[\\/]+|(?<![\w\\])\\\\|(?<![\w~.:/\\])~?[\\/](?=[^\s\\/]))`;
/** What ends a path wherever it stands: no system allows most of these in a name, and “://” begins a web address. */
const ANY = String.raw`(?:(?!://)[^\\/*?"<>|\r\n“”])`;
/** What may as well be the sentence around a path. */
const PLAIN = String.raw`[^\\/:*?"<>|\r\n'“”‘’,;()]`;
/** A folder: its name may hold commas, quotes and brackets, but then does not end in a space, as “(/a), then /b” does. */
const FOLDER = String.raw`(?:${ANY}*(?<!\s)|${PLAIN}*)[\\/]+`;
/** A last part with spaces, commas, quotes and brackets in its name, as far as it ends like a file's: not in “3.5”. */
const FILE = String.raw`(?:[^\s\\/:*?"<>|“”;]+ ){0,5}[^\s\\/:*?"<>|“”;]*\.(?=\w*[a-z])\w{1,8}\b`;
const LAST = String.raw`(?:${FILE}|[^\s\\/:*?"<>|'“”‘’,;()]*)`;
/** Rather too much than too little: a slash later in the line takes the words before it along. */
const PATH = new RegExp(`${START}(?:${FOLDER})*${LAST}`, 'giu');

/**
 * A path in quotes, up to the quote that closes it: one within a name (O'Neil's) is followed by a letter, or by another
 * slash before the next quote.
 */
const QUOTED = [
  [`'`, `'`],
  ['"', '"'],
  ['`', '`'],
  ['‘', '’'],
  ['“', '”'],
].map(
  ([open, close]) =>
    new RegExp(
      String.raw`(?<=(?<![\p{L}\p{N}])${open})${START}[^\r\n]*?(?=${close}(?![\p{L}\p{N}])(?![^${close}${open}\r\n]*[\\/][^${open}\r\n]*?${close}))`,
      'giu',
    ),
);

/**
 * A text with `<path>` for every absolute path and `pool 1`, `pool 2`, … for the names of pools, in their order.
 * @param pools names, the first being pool 1
 * @param roots folders that are known to be on this machine, whatever their names hold
 */
export function redact(
  text: string,
  pools: readonly string[],
  roots: readonly string[] = [],
): string {
  const numbers = new Map(pools.map((name, index) => [name, `pool ${index + 1}`]));
  const names = [...numbers.keys()].filter((name) => name !== '');
  const withoutPaths = [...QUOTED, PATH].reduce(
    (rest, pattern) => rest.replace(pattern, '<path>'),
    withoutRoots(text, roots),
  );
  if (names.length === 0) return withoutPaths;
  const whole = new RegExp(`(?<![\\p{L}\\p{N}_-])(?:${anyOf(names)})(?![\\p{L}\\p{N}_-])`, 'gu');
  return withoutPaths.replace(whole, (name) => numbers.get(name) ?? name);
}

/** The text with a path that says nothing in the place of known folders; what stands in them is still to be taken out. */
function withoutRoots(text: string, roots: readonly string[]): string {
  // The root of a drive says nothing.
  const telling = roots
    .map((root) => root.replace(/[\\/]+$/, ''))
    .filter((root) => /[\\/][^\\/]/.test(root));
  if (telling.length === 0) return text;
  const any = anyOf(telling).replaceAll(/\\\\|\//g, String.raw`[\\/]+`);
  const known = new RegExp(`(?<![\\p{L}\\p{N}_.~-])(?:${any})(?![\\p{L}\\p{N}_-])`, 'giu');
  return text.replace(known, '/~');
}

/** A pattern for any of some words, the longest first: one may be part of another. */
function anyOf(words: readonly string[]): string {
  return [...words]
    .sort((a, b) => b.length - a.length)
    .map((word) => word.replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&'))
    .join('|');
}
