/** One entry of a bibliography as a paper. */
import type { Creator, Entry } from '@retorquere/bibtex-parser';
import type { SourcePaper } from '../engine/import/source';
import { arxivIdInText, bareArxivId, doiInText } from '../cite/identity';
import { authorName } from '../cite/names';
import { safeUrl } from '../cite/texEscape';
import type { BibEntry } from '../cite/bibScan';
import { cleanDecoded, cleanTitle, sentencesOf, withSection } from './clean';
import { latexToText } from './latexText';
import { dateOf, monthOf, parseDate, plainDoi, stableId } from './record';

export type EntryReader = (
  entry: BibEntry,
  parents: ReadonlyMap<string, BibEntry>,
) => SourcePaper | null;

type Fields = Map<string, string>;

/** What @incollection takes from its @collection under another name, as BibLaTeX has it. */
const INHERITED_AS: Readonly<Record<string, string>> = {
  title: 'booktitle',
  subtitle: 'booksubtitle',
  journal: 'journal',
  journaltitle: 'journaltitle',
};
/** Never inherited: they are the parent's own. */
const OWN = new Set(['abstract', 'doi', 'url', 'eprint', 'crossref', 'xdata', 'ids', 'keywords']);
const DEEPEST = 4;

function addFields(fields: Fields, entry: BibEntry, inherit: boolean): void {
  for (const { name, value } of entry.fields) {
    const field = name.toLowerCase();
    if (value.trim() === '' || (inherit && OWN.has(field))) continue;
    const as = inherit ? (INHERITED_AS[field] ?? field) : field;
    if (!fields.has(as)) fields.set(as, value);
  }
}

/** Fields of an entry and of those it refers to. */
function fieldsOf(entry: BibEntry, parents: ReadonlyMap<string, BibEntry>): Fields {
  const fields: Fields = new Map();
  addFields(fields, entry, false);
  const seen = new Set([entry]);
  const follow = (from: Fields, depth: number): void => {
    for (const name of ['crossref', 'xdata']) {
      for (const key of (from.get(name) ?? '').split(',')) {
        const parent = parents.get(key.trim().toLowerCase());
        if (!parent || seen.has(parent) || depth > DEEPEST) continue;
        seen.add(parent);
        addFields(fields, parent, name === 'crossref');
        const own: Fields = new Map();
        addFields(own, parent, false);
        follow(own, depth + 1);
      }
    }
  };
  follow(fields, 0);
  return fields;
}

/** A value as the parser can take it again: no half of a formula, no brace without its partner. */
function reparsable(value: string): string | null {
  let depth = 0;
  let dollars = 0;
  for (let at = 0; at < value.length; at++) {
    const char = value[at];
    if (char === '\\') at++;
    else if (char === '{') depth++;
    else if (char === '}' && --depth < 0) return null;
    else if (char === '$') dollars++;
  }
  if (depth !== 0) return null;
  return dollars % 2 === 0 ? value : value.replace(/(?<!\\)\$/g, '\\$');
}

const NAMES = ['author', 'editor'];
const TITLES = ['title', 'subtitle', 'booktitle', 'journal', 'journaltitle', 'eventtitle'];

type Parse = (input: string) => Entry | null;

/** The library's reading of names and titles; null where it cannot read the entry. */
function parsed(fields: Fields, parse: Parse): Entry | null {
  const lines: string[] = [];
  for (const name of [...NAMES, ...TITLES]) {
    const value = fields.get(name);
    const safe = value === undefined ? null : reparsable(value);
    if (safe !== null) lines.push(`${name} = {${safe}}`);
  }
  return lines.length === 0 ? null : parse(`@misc{key,\n${lines.join(',\n')}\n}`);
}

function nameOf(creator: Creator): string {
  const { name, firstName, prefix, lastName, suffix } = creator;
  const clean = (text: string | undefined) => cleanDecoded(text ?? '');
  if (name !== undefined) return authorName({ family: clean(name) });
  const family = cleanDecoded([prefix, lastName].filter(Boolean).join(' '));
  return authorName({ first: clean(firstName), family, suffix: clean(suffix) });
}

/** Names that the library could not read: by the rules of BibTeX for "and" and commas. */
function plainNames(value: string): string[] {
  return latexToText(value)
    .split(/\s+and\s+/i)
    .map((name) => {
      const [family = '', ...rest] = cleanDecoded(name).split(/\s*,\s*/);
      const first = rest.at(-1) ?? '';
      if (first === '') return family;
      return authorName({ first, family, suffix: rest.length > 1 ? (rest[0] ?? '') : '' });
    });
}

const NOBODY = /^(?:others|et\.?\s*al\.?)$/i;

function authorsOf(fields: Fields, entry: Entry | null): string[] {
  for (const role of ['author', 'editor'] as const) {
    const raw = fields.get(role);
    if (raw === undefined) continue;
    const names = entry?.fields[role]?.map(nameOf) ?? plainNames(raw);
    const kept = names
      .map((name) => name.replace(/[^\S\u00a0]+/g, ' '))
      .filter((name) => name !== '' && !NOBODY.test(name));
    if (kept.length > 0) return kept;
  }
  return [];
}

/** Formulas keep their source, and markup of databases is no TeX: read here, not by the library. */
const OURS = /[$<>|]|\\\(/;

/** A field as text: by the library, but by our own reader where that is better. */
function lineOf(fields: Fields, entry: Entry | null, name: string): string | null {
  const raw = fields.get(name);
  if (raw === undefined) return null;
  const read = OURS.test(raw)
    ? undefined
    : (entry?.fields as Record<string, unknown> | undefined)?.[name];
  const text = typeof read === 'string' ? cleanDecoded(read) : cleanTitle(raw);
  const line = withoutOuterBraces(text);
  return line === '' ? null : line;
}

/** Without braces round the whole, and without ones at the ends that have no partner; those of a formula stay. */
function withoutOuterBraces(text: string): string {
  const line = text.trim();
  if (line.startsWith('{')) {
    const closed = closingBrace(line);
    if (closed === line.length - 1) return withoutOuterBraces(line.slice(1, -1));
    if (closed < 0) return withoutOuterBraces(line.slice(1));
  }
  const open = line.split('{').length - line.split('}').length;
  return open < 0 && line.endsWith('}') ? withoutOuterBraces(line.slice(0, -1)) : line;
}

/** Where the brace with which a text begins is closed; -1 where it is not. */
function closingBrace(text: string): number {
  let depth = 0;
  for (let i = 0; i < text.length; i++) {
    if (text[i] === '{') depth++;
    else if (text[i] === '}') depth--;
    if (depth === 0) return i;
  }
  return -1;
}

function dateOfFields(fields: Fields): string | null {
  const date = parseDate(fields.get('date')?.replace(/[{}]/g, ''));
  if (date) return date;
  const year = /\b(1\d{3}|2\d{3})\b/.exec(fields.get('year') ?? fields.get('urldate') ?? '');
  if (!year || !fields.has('year')) return null;
  const month = fields
    .get('month')
    ?.replace(/[{}~"]/g, ' ')
    .trim();
  const day = /\b(\d{1,2})\b/.exec(
    fields.get('day') ?? (/[a-z]/i.test(month ?? '') ? month : '') ?? '',
  );
  return dateOf(Number(year[1]), monthOf(month), day ? Number(day[1]) : null);
}

const url = (value: string | undefined): string | null =>
  value === undefined
    ? null
    : value
        .replace(/\\url\s*/g, '')
        .replace(/[{}]/g, '')
        .replace(/\\([_%&#~$])/g, '$1')
        .trim();

/** arXiv id of an entry, in any of the ways in which entries name it. */
function arxivOf(fields: Fields): string | null {
  const archive = fields.get('archiveprefix') ?? fields.get('eprinttype') ?? '';
  const eprint = fields.get('eprint')?.replace(/[{}]/g, '').trim();
  if (eprint !== undefined && (archive === '' || /arxiv/i.test(archive))) {
    const id = bareArxivId(eprint) ?? arxivIdInText(eprint);
    if (id) return id;
  }
  const journal = fields.get('journal') ?? fields.get('journaltitle') ?? '';
  const candidates = [
    fields.get('doi'),
    fields.get('url'),
    `${journal} ${fields.get('volume') ?? ''}`,
    fields.get('howpublished'),
    fields.get('number'),
    fields.get('note'),
  ];
  for (const candidate of candidates) {
    const id = arxivIdInText(candidate);
    if (id) return id;
  }
  return null;
}

function venueOf(fields: Fields, entry: Entry | null, arxiv: string | null): string | null {
  for (const name of ['journaltitle', 'journal', 'booktitle', 'eventtitle']) {
    const venue = lineOf(fields, entry, name);
    if (venue === null) continue;
    // "arXiv preprint arXiv:1706.03762" and DBLP's "CoRR" say no more than this.
    return /^(?:arxiv\b|corr$)/i.test(venue) ? 'arXiv' : venue;
  }
  if (arxiv) return 'arXiv';
  for (const name of ['school', 'institution', 'series', 'publisher', 'organization']) {
    const venue = lineOf(fields, null, name);
    if (venue !== null) return venue;
  }
  return null;
}

function paperOf(fields: Fields, parse: Parse): SourcePaper | null {
  const entry = parsed(fields, parse);
  const main = lineOf(fields, entry, 'title');
  if (main === null) return null;
  const subtitle = lineOf(fields, entry, 'subtitle');
  const title = cleanTitleEnd(subtitle === null ? main : `${main}: ${subtitle}`);
  const date = dateOfFields(fields);
  const arxiv = arxivOf(fields);
  const doi =
    plainDoi(url(fields.get('doi'))) ??
    doiInText(url(fields.get('url')) ?? '') ??
    (arxiv ? `10.48550/arXiv.${arxiv}` : null);
  const address =
    safeUrl(url(fields.get('url')) ?? null) ??
    (arxiv ? `https://arxiv.org/abs/${arxiv}` : doi ? `https://doi.org/${doi}` : null);
  const sentences = sentencesOf(fields.get('abstract') ?? '');
  const titleOnly = sentences.length === 0;
  return {
    paper: {
      id: stableId({ arxiv, doi, url: address, title, date }),
      title,
      authors: authorsOf(fields, entry),
      date,
      venue: venueOf(fields, entry, arxiv),
      url: address,
      doi,
    },
    sentences: withSection(titleOnly ? [title] : sentences, null),
    titleOnly,
  };
}

const cleanTitleEnd = (title: string): string =>
  /[^.]\.$/.test(title) ? title.slice(0, -1) : title;

/**
 * Makes the reader of entries. The parser is loaded when the first bibliography is read: it is
 * large, and its package can only be imported as an ES module.
 */
export async function entryReader(): Promise<EntryReader> {
  const library = await import('@retorquere/bibtex-parser');
  const parse: Parse = (input) => {
    try {
      const { entries } = library.parse(input, {
        english: false,
        sentenceCase: false,
        caseProtection: false,
        applyCrossRef: false,
        unsupported: 'ignore',
      });
      return entries[0] ?? null;
    } catch {
      return null;
    }
  };
  return (entry, parents) => paperOf(fieldsOf(entry, parents), parse);
}
