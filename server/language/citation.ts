/** One-line citation of a paper, as shown in hovers and the terminal. */
import { plainName } from '../cite/names';
import type { Paper } from '../engine/engine';

/** Publication year, or null where the record has no date. */
export function yearOf(paper: Paper): number | null {
  const year = paper.date ? Number.parseInt(paper.date.slice(0, 4), 10) : Number.NaN;
  return Number.isFinite(year) ? year : null;
}

/** "Ada Lovelace, Charles Babbage, Mary Somerville et al." */
export function authorsLine(authors: string[], shown = 3): string {
  const names = authors.slice(0, shown).map(plainName).join(', ');
  return authors.length <= shown ? names : `${names} et al.`;
}

/** Authors, title, venue and year in one line; parts the record lacks are left out. */
export function citationLine(paper: Paper): string {
  const year = yearOf(paper);
  const venue = paper.venue ?? '';
  const shownYear = year === null || venue.includes(String(year)) ? '' : String(year);
  const place = [venue, shownYear].filter(Boolean).join(' ');
  return [authorsLine(paper.authors), paper.title, place]
    .map((part) => part.trim())
    .filter(Boolean)
    .map((part) => (/[.?!]$/.test(part) ? part : `${part}.`))
    .join(' ');
}
