/** Names of a paper's origins in one file, which may hold several entries of it. */

/**
 * What the `n`th entry of a paper in a file is called, counted from 1: the first by the file, `refs.bib`, later
 * ones as if they lay in it, `refs.bib/#2`. Nothing can, so no other file has that name.
 */
export function occurrenceName(file: string, n: number): string {
  return n === 1 ? file : `${file}/#${n}`;
}

/** The file that an entry called so is in. */
export function fileOfOccurrence(name: string): string {
  return name.replace(/\/#\d+$/, '');
}
