/** What every importer needs to make a record: stable ids, dates, filters. */
import { createHash } from 'node:crypto';
import type { ReadOptions, SourcePaper } from '../engine/import/source';
import { arxivIdInText, bareArxivId, normaliseDoi, normaliseTitle } from '../cite/identity';

/** SHA-256 of a text, its first 16 hexadecimal digits. */
export function shortHash(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 16);
}

/** A record's parts that can tell which paper it is. */
export type Identity = {
  arxiv?: string | null;
  doi?: string | null;
  url?: string | null;
  title: string;
  date: string | null;
};

/**
 * An id that is the same whatever source the paper came from, without white space:
 * `arxiv:2301.01234`, else `doi:10.…` in lower case, else `title:` and a hash of the title as it
 * is compared and the year.
 */
export function stableId(parts: Identity): string {
  const arxiv =
    bareArxivId(parts.arxiv) ?? arxivIdInText(parts.doi) ?? arxivIdInText(parts.url ?? null);
  if (arxiv) return `arxiv:${arxiv}`;
  const doi = normaliseDoi(parts.doi);
  if (doi) return `doi:${doi}`;
  const title = normaliseTitle(parts.title) || parts.title.trim();
  return `title:${shortHash(`${title}\n${parts.date?.slice(0, 4) ?? ''}`)}`;
}

/**
 * Tells papers apart that one file gives the same id (lists of conference papers do, and chapters
 * that state the DOI of their book): the first title keeps it, another title's paper gets the id
 * with a hash of that title. Entries with the same title stay one paper, which the pool then has from several
 * places of the file.
 */
export function distinctIds(): (paper: SourcePaper) => SourcePaper {
  const first = new Map<string, string>();
  return (source) => {
    const { id, title } = source.paper;
    const hash = shortHash(normaliseTitle(title)).slice(0, 8);
    const known = first.get(id);
    if (known === undefined) first.set(id, hash);
    // An arXiv id names one paper: another title is a later version's.
    if (known === undefined || known === hash || id.startsWith('arxiv:')) return source;
    return { ...source, paper: { ...source.paper, id: `${id}~${hash}` } };
  };
}

/** A DOI without resolver or `doi:` before it, its case kept; null where there is none. */
export function plainDoi(raw: string | null | undefined): string | null {
  if (!raw || !normaliseDoi(raw)) return null;
  const at = raw.search(/10\.\d{4,9}\//);
  return at < 0 ? normaliseDoi(raw) : raw.slice(at).trim();
}

const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];
const two = (value: number) => String(value).padStart(2, '0');

/**
 * Number 1–12 of a month as bibliographies write it ("3", "mar", "March", "09--15 Jun"), or null.
 * A number beside words is a day.
 */
export function monthOf(text: string | null | undefined): number | null {
  if (!text) return null;
  for (const [word] of text.matchAll(/\p{L}{3,}/gu)) {
    const index = MONTHS.indexOf(word.slice(0, 3).toLowerCase());
    if (index >= 0) return index + 1;
  }
  const number = /\p{L}/u.test(text) ? null : /^\s*(\d{1,2})\b/.exec(text);
  const value = number ? Number(number[1]) : 0;
  return value >= 1 && value <= 12 ? value : null;
}

/** YYYY, YYYY-MM or YYYY-MM-DD of numbers, as far as they are possible; null without a year. */
export function dateOf(year: number, month?: number | null, day?: number | null): string | null {
  if (!Number.isInteger(year) || year < 1000 || year > 2999) return null;
  if (!month || !Number.isInteger(month) || month < 1 || month > 12) return String(year);
  if (!day || !Number.isInteger(day) || day < 1 || day > 31) return `${year}-${two(month)}`;
  return `${year}-${two(month)}-${two(day)}`;
}

const ENGLISH_DATE =
  /^(?:(\d{1,2})(?:st|nd|rd|th)?\s+)?(\p{L}{3,})\.?(?:\s+(\d{1,2})(?:st|nd|rd|th)?)?,?\s+(\d{4})$/u;

/** The date that a text states (ISO, "March 2021", "3 March 2021", "March 3, 2021"), or null. */
export function parseDate(text: string | number | null | undefined): string | null {
  const raw = text === null || text === undefined ? '' : String(text).trim();
  const iso = /^(\d{4})(?:[-/.](\d{1,2})(?:[-/.](\d{1,2}))?)?(?=$|[T\s/,~?%])/.exec(raw);
  if (iso) return dateOf(Number(iso[1]), Number(iso[2] ?? 0), Number(iso[3] ?? 0));
  const words = ENGLISH_DATE.exec(raw);
  const month = words ? monthOf(words[2]) : null;
  if (words && month) return dateOf(Number(words[4]), month, Number(words[1] ?? words[3] ?? 0));
  return null;
}

/**
 * Whether a date lies within the options' ends, both included, compared as far as both are known
 * ("2023" passes a `since` of 2023-05). Without a date nothing passes unless both ends are open.
 */
export function inDates(date: string | null, options: ReadOptions): boolean {
  const { since, until } = options;
  if (since === null && until === null) return true;
  if (date === null) return false;
  if (since !== null) {
    const length = Math.min(date.length, since.length);
    if (date.slice(0, length) < since.slice(0, length)) return false;
  }
  if (until !== null) {
    const length = Math.min(date.length, until.length);
    if (date.slice(0, length) > until.slice(0, length)) return false;
  }
  return true;
}

/** A test for category lists: `cs.CL` names one category, `cs` or `cs.*` a whole archive. */
export function categoryTest(wanted: string[]): (categories: string[]) => boolean {
  if (wanted.length === 0) return () => true;
  const names = wanted.map((name) => name.trim().toLowerCase().replace(/\.\*$/, ''));
  const exact = new Set(names);
  return (categories) =>
    categories.some((category) => {
      const name = category.toLowerCase();
      return exact.has(name) || exact.has(name.split('.', 1)[0] ?? name);
    });
}
