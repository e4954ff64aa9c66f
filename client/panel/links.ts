/**
 * Where a paper can be opened. Records come from files that anyone may have written, so only web
 * addresses are ever made into links.
 */

/** DOI names begin with a registrant of four or more digits (DOI Handbook, 2.2). */
const doiName = /^10\.\d{4,}(?:\.\d+)*\/\S+$/;

/** A DOI without its resolver's address or `doi:` before it; null where it is none. */
export function bareDoi(doi: string): string | null {
  const name = doi
    .trim()
    .replace(/^https?:\/\/(?:dx\.|www\.)?doi\.org\//i, '')
    .replace(/^doi:\s*/i, '');
  return doiName.test(name) ? name : null;
}

/**
 * The address a paper's title links to: its DOI's, else its own `http` or `https` address.
 * Null where there is neither; never an address of any other scheme.
 */
export function paperLink(paper: { url: string | null; doi: string | null }): string | null {
  const doi = paper.doi === null ? null : bareDoi(paper.doi);
  if (doi !== null) {
    return `https://doi.org/${doi.split('/').map(encodeURIComponent).join('/')}`;
  }
  if (paper.url === null) return null;
  let url: URL;
  try {
    url = new URL(paper.url.trim());
  } catch {
    return null;
  }
  if (url.protocol !== 'https:' && url.protocol !== 'http:') return null;
  // An address with a password in it shows one site's name and may open another's.
  if (url.username !== '' || url.password !== '') return null;
  return url.href;
}
