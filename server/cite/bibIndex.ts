/** Which papers a .bib file holds, answered for many papers at once. */
import type { Paper } from '../engine/engine';
import { scanBib, type BibEntry, type BibScan } from './bibScan';
import {
  arxivIdInText,
  arxivIdOf,
  bareArxivId,
  doiInText,
  normaliseDoi,
  normaliseTitle,
  plainTex,
} from './identity';

import { parseName } from './names';

interface Holder {
  key: string;
  /** Its title as it is compared, without and with subtitle. */
  titles: Set<string>;
  year: number | null;
  names: string;
}

/** A title shorter than this (letters and digits) may well be shared by unrelated papers. */
const SHORT_TITLE = 20;
const CACHED = 8;
const cache = new Map<string, BibIndex>();

/** A parsed .bib file. Take it from {@link BibIndex.of}, which parses each text once. */
export class BibIndex {
  readonly scan: BibScan;
  private readonly dois = new Map<string, Holder[]>();
  private readonly arxiv = new Map<string, string>();
  private readonly titles = new Map<string, Holder[]>();
  private readonly known: Map<string, string>;

  private constructor(text: string) {
    this.scan = scanBib(text);
    this.known = new Map(this.scan.keys.map((key) => [key.toLowerCase(), key]));
    for (const entry of this.scan.entries) if (entry.key) this.add(entry);
  }

  /** The index of a text; the last few texts are kept. */
  static of(text: string): BibIndex {
    const found = cache.get(text);
    if (found) {
      cache.delete(text);
      cache.set(text, found);
      return found;
    }
    const index = new BibIndex(text);
    cache.set(text, index);
    for (const oldest of cache.keys()) {
      if (cache.size <= CACHED) break;
      cache.delete(oldest);
    }
    return index;
  }

  /** True where a key is taken, upper and lower case being the same. */
  has(key: string): boolean {
    return this.known.has(key.toLowerCase());
  }

  /**
   * Key of the entry that is this paper, or null: same DOI as a whole (chapters state their book's:
   * then the same title or an author as well), same arXiv id whatever the version, else the same
   * title once TeX, case and punctuation are gone.
   */
  find(paper: Paper): string | null {
    const doi = normaliseDoi(paper.doi) ?? (paper.url ? doiInText(paper.url) : null);
    const title = normaliseTitle(paper.title);
    const authors = paper.authors.join(' ');
    const holders = (doi && this.dois.get(doi)) || [];
    const byDoi =
      holders.find((each) => each.titles.has(title)) ??
      holders.find((each) => each.titles.size === 0 || mayBeSame(each.names, paper.authors));
    if (byDoi !== undefined) return byDoi.key;
    const arxiv = arxivIdOf(paper);
    const byArxiv = arxiv ? this.arxiv.get(arxiv) : undefined;
    if (byArxiv !== undefined) return byArxiv;
    if (!title) return null;
    const year = yearOf(paper.date);
    const holder = this.titles
      .get(title)
      ?.find((each) => !clearlyOther(each, authors, year, title));
    return holder?.key ?? null;
  }

  private add(entry: BibEntry): void {
    const fields = new Map(entry.fields.map((each) => [each.name.toLowerCase(), each.value]));
    const get = (name: string) => fields.get(name) ?? '';
    const note = (map: Map<string, string>, id: string | null) => {
      if (id && !map.has(id)) map.set(id, entry.key);
    };
    const title = normaliseTitle(get('title'));
    // A record's title may hold the subtitle too, as the importers write it.
    const full = normaliseTitle(`${get('title')} ${get('subtitle')}`);
    const holder: Holder = {
      key: entry.key,
      titles: new Set(title ? [title, full] : []),
      year: yearOf(get('year') || get('date')),
      names: get('author') || get('editor'),
    };
    const hold = (map: Map<string, Holder[]>, id: string | null) => {
      const holders = id ? map.get(id) : undefined;
      if (!holders) {
        if (id) map.set(id, [holder]);
      } else if (holders.at(-1) !== holder) holders.push(holder);
    };
    hold(this.dois, normaliseDoi(get('doi')));
    for (const name of ['url', 'ee', 'note', 'howpublished']) hold(this.dois, doiInText(get(name)));

    const archive = (get('archiveprefix') || get('eprinttype')).toLowerCase();
    if (!archive || archive.includes('arxiv')) note(this.arxiv, bareArxivId(get('eprint')));
    note(this.arxiv, bareArxivId(get('arxivid')));
    for (const name of [
      'doi',
      'url',
      'eprint',
      'ee',
      'journal',
      'journaltitle',
      'booktitle',
      'note',
    ]) {
      note(this.arxiv, arxivIdInText(get(name)));
    }
    for (const name of ['howpublished', 'volume', 'number', 'publisher']) {
      note(this.arxiv, arxivIdInText(get(name)));
    }

    for (const each of holder.titles) hold(this.titles, each);
  }
}

function yearOf(text: string | null): number | null {
  const match = text ? /\b(1[5-9]|20)\d\d\b/.exec(text) : null;
  return match ? Number(match[0]) : null;
}

function nameWords(names: string): Set<string> {
  const words = plainTex(names)
    .split(/[^\p{L}\p{N}]+/u)
    .map(normaliseTitle);
  return new Set(words.filter((word) => word.length > 1 && word !== 'and' && word !== 'others'));
}

/** Whether {@link mayShareAuthor} cannot tell: an organisation stands for its people, or the scripts differ. */
function mayBeSame(names: string, authors: readonly string[]): boolean {
  const latin = (text: string): boolean => /\p{Script=Latin}/u.test(text);
  return (
    mayShareAuthor(names, authors.join(' ')) ||
    [names, ...authors].some((name) => parseName(name).literal !== '') ||
    latin(plainTex(names)) !== latin(authors.join(' '))
  );
}

/** Whether somebody wrote both, as far as both say who wrote them. */
function mayShareAuthor(names: string, authors: string): boolean {
  const theirs = nameWords(names);
  const ours = nameWords(authors);
  if (theirs.size === 0 || ours.size === 0) return true;
  for (const word of ours) if (theirs.has(word)) return true;
  return false;
}

/**
 * Two papers do share a title now and then. They are taken for different ones only where nobody
 * wrote both and, unless the title is short, more than a year lies between them; with a short title
 * the years alone tell them apart, since a name may be shared too.
 */
function clearlyOther(
  holder: Holder,
  authors: string,
  year: number | null,
  title: string,
): boolean {
  const apart = holder.year !== null && year !== null && Math.abs(holder.year - year) > 1;
  const shared = mayShareAuthor(holder.names, authors);
  return title.length < SHORT_TITLE ? !shared || apart : !shared && apart;
}
