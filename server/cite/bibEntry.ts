/** A new .bib entry from a paper's record, laid out like the file's others, and where it goes. */
import type { Paper } from '../engine/engine';
import type { BibScan } from './bibScan';
import { fieldStart, inCase, spell, type BibStyle } from './bibStyle';
import { arxivIdOf } from './identity';
import { keyParts, makeKey } from './keys';
import { formatNames, parseNames } from './names';
import { cleanText, escapeTex, safeDoi, safeUrl, type EscapeOptions } from './texEscape';
import { venueKind } from './venue';

const LONGEST_TITLE = 1000;
const LONGEST_VENUE = 400;
const MONTHS = 'jan feb mar apr may jun jul aug sep oct nov dec'.split(' ');

/** A field before layout: `bare` values (numbers, month names) need no delimiter. */
interface Field {
  name: string;
  value: string;
  bare?: boolean;
}

export interface NewEntry {
  key: string;
  /** Type in lower case. */
  type: 'article' | 'inproceedings' | 'misc';
  /** The entry without a line end behind it. */
  text: string;
}

export interface EntryOptions {
  scan: BibScan;
  style: BibStyle;
  escape: EscapeOptions;
  taken: (key: string) => boolean;
}

/**
 * A title as TeX, with braces around words whose capitals a style must not lower: acronyms, mixed
 * case, single letters. A title in capitals throughout says nothing about its words.
 */
export function protectTitle(title: string, options: EscapeOptions): string {
  const letters = title.replace(/[^\p{L}]/gu, '');
  const shouting = letters.length > 8 && letters === letters.toUpperCase();
  let first = true;
  const protect = (word: string) => {
    const leads = first;
    first = false;
    if (shouting) return false;
    const mixed = /.\p{Lu}/u.test(word) || /\p{N}\p{Lu}|\p{Lu}\p{N}/u.test(word);
    return mixed || (/^\p{Lu}$/u.test(word) && !leads && word !== 'A' && word !== 'I');
  };
  return escapeTex(title, { ...options, math: true, protect });
}

/** Type and fields of a paper's entry. */
function fieldsOf(
  paper: Paper,
  options: EntryOptions,
): { type: NewEntry['type']; fields: Field[] } {
  const { style, escape } = options;
  const arxivId = arxivIdOf(paper);
  const venue = cleanText(paper.venue ?? '', LONGEST_VENUE);
  const kind = venueKind({ ...paper, venue: venue || null }, arxivId);
  const type = kind === 'proceedings' ? 'inproceedings' : kind === 'journal' ? 'article' : 'misc';
  const names = parseNames(paper.authors);
  const rawTitle = cleanText(paper.title, LONGEST_TITLE);
  const title = style.doubleBraces
    ? `{${escapeTex(rawTitle, { ...escape, math: true })}}`
    : protectTitle(rawTitle, escape);

  const author: Field[] =
    names.length > 0 ? [{ name: 'author', value: formatNames(names, escape) }] : [];
  const titleField: Field[] = rawTitle ? [{ name: 'title', value: title }] : [];
  const fields = style.titleFirst ? [...titleField, ...author] : [...author, ...titleField];

  const venueTex = escapeTex(venue, escape);
  if (venue && type === 'inproceedings') fields.push({ name: 'booktitle', value: venueTex });
  else if (venue && type === 'article') {
    fields.push({ name: style.biblatex ? 'journaltitle' : 'journal', value: venueTex });
  } else if (venue && !(arxivId && /^(?:arxiv|corr)\b/i.test(venue))) {
    fields.push({ name: 'howpublished', value: venueTex });
  }
  fields.push(...dateFields(paper.date, style));
  if (arxivId) fields.push(...eprintFields(arxivId, style));
  const doi = safeDoi(paper.doi);
  if (doi) fields.push({ name: 'doi', value: doi });
  const url = safeUrl(paper.url);
  if (url && url.toLowerCase() !== `https://doi.org/${doi?.toLowerCase()}`)
    fields.push({ name: 'url', value: url });
  return { type, fields };
}

function dateFields(date: string | null, style: BibStyle): Field[] {
  const match = /^(\d{4})(?:-(0[1-9]|1[0-2])(?:-(0[1-9]|[12]\d|3[01]))?)?$/.exec(
    date?.trim() ?? '',
  );
  if (!match?.[1]) return [];
  if (style.biblatex) return [{ name: 'date', value: match[0] }];
  const fields: Field[] = [{ name: 'year', value: match[1], bare: style.bareNumbers }];
  const month = MONTHS[Number(match[2]) - 1];
  if (style.withMonth && month) fields.push({ name: 'month', value: month, bare: true });
  return fields;
}

function eprintFields(arxivId: string, style: BibStyle): Field[] {
  const eprinttype =
    style.spelling.has('eprinttype') || (style.biblatex && !style.spelling.has('archiveprefix'));
  // An old id names its class: hep-th/9901001.
  const old = /^([a-z-]+)(\.[a-z]{2})?\//.exec(arxivId);
  const shown = old?.[2] ? arxivId.replace(old[2], old[2].toUpperCase()) : arxivId;
  const fields: Field[] = [
    { name: 'eprint', value: shown },
    eprinttype ? { name: 'eprinttype', value: 'arXiv' } : { name: 'archiveprefix', value: 'arXiv' },
  ];
  if (old?.[1]) {
    const group = old[1] + (old[2]?.toUpperCase() ?? '');
    fields.push({ name: eprinttype ? 'eprintclass' : 'primaryclass', value: group });
  }
  return fields;
}

function delimited(field: Field, style: BibStyle): string {
  if (field.bare) return field.value;
  if (style.delimiter === '{') return `{${field.value}}`;
  let depth = 0;
  let value = '';
  for (const char of field.value) {
    if (char === '{') depth++;
    if (char === '}') depth--;
    // A quote mark ends the value unless it stands in braces.
    value += char === '"' && depth === 0 ? '{"}' : char;
  }
  return `"${value}"`;
}

/** Builds the entry for a paper. */
export function newEntry(paper: Paper, options: EntryOptions): NewEntry {
  const { style } = options;
  const { type, fields } = fieldsOf(paper, options);
  const year = /^\d{4}/.exec(paper.date ?? '')?.[0] ?? '';
  const key = makeKey({
    parts: keyParts(parseNames(paper.authors), year, cleanText(paper.title, LONGEST_TITLE)),
    arxivId: arxivIdOf(paper),
    venue: paper.venue,
    entries: options.scan.entries,
    taken: options.taken,
  });
  const lines = fields.map(
    (field) => fieldStart(style, spell(style, field.name)) + delimited(field, style),
  );
  const body = lines.length > 0 ? `\n${lines.join(',\n')}${style.trailingComma ? ',' : ''}` : '';
  const text = `@${inCase(type, style.typeCase)}{${key},${body}${style.close}}`;
  return { key, type, text: text.replaceAll('\n', style.eol) };
}

/**
 * Where a new entry goes and with what around it: at the end, except that nothing is put behind an
 * entry that is never closed, where BibTeX would take it for a part of that entry.
 */
export function placeEntry(
  scan: BibScan,
  style: BibStyle,
  entry: string,
): { at: number; newText: string } {
  const { text } = scan;
  const { eol } = style;
  const open = scan.entries.find((each) => !each.closed);
  if (open) {
    const line = text.lastIndexOf('\n', open.start - 1) + 1;
    const at = /^\ufeff?\s*$/.test(text.slice(line, open.start))
      ? Math.max(line, text.startsWith('\ufeff') ? 1 : 0)
      : open.start;
    return { at, newText: entry + eol.repeat(style.gap) };
  }
  const trailing = /[\s\ufeff]*$/.exec(text)?.[0] ?? '';
  if (trailing.length === text.length) return { at: text.length, newText: entry + eol };
  const have = trailing.split('\n').length - 1;
  return { at: text.length, newText: eol.repeat(Math.max(0, style.gap - have)) + entry + eol };
}
