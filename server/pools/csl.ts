/** CSL-JSON as Zotero, pandoc and others export it: an array of items, or an object of them. */
import { RatioError } from '../engine/engine';
import type { Importer, ReadOptions, SourcePaper } from '../engine/import/source';
import { arxivIdInText, bareArxivId } from '../cite/identity';
import { authorName } from '../cite/names';
import { safeUrl } from '../cite/texEscape';
import { breather } from './breathe';
import { cleanName, cleanTitle, sentencesOf, withSection } from './clean';
import { objectsOf } from './jsonArray';
import { paperOfRow } from './jsonl';
import { isFields, NotAPaper, shortly, textOf, type Fields } from './lines';
import { lineCounter } from './places';
import { headText, plainName, readWhole } from './read';
import {
  categoryTest,
  dateOf,
  distinctIds,
  inDates,
  monthOf,
  parseDate,
  plainDoi,
  stableId,
} from './record';

function first(item: Fields, ...names: string[]): string | null {
  for (const name of names) {
    const value = textOf(item[name]);
    if (value !== null) return value;
  }
  return null;
}

function nameOf(value: unknown): string {
  if (!isFields(value)) return cleanName(textOf(value) ?? '');
  const literal = first(value, 'literal', 'name');
  if (literal !== null) {
    // Others than CSL and Zotero write a person's whole name into "name".
    const organisation = value.literal !== undefined || value.creatorType !== undefined;
    return organisation ? authorName({ family: cleanName(literal) }) : cleanName(literal);
  }
  const family = [
    first(value, 'dropping-particle'),
    first(value, 'non-dropping-particle'),
    first(value, 'family', 'lastName'),
  ];
  return authorName({
    first: cleanName(first(value, 'given', 'firstName') ?? ''),
    family: cleanName(family.filter((part) => part !== null).join(' ')),
    suffix: cleanName(first(value, 'suffix') ?? ''),
  });
}

function authorsOf(item: Fields): string[] {
  const creators = Array.isArray(item.creators)
    ? item.creators.filter(
        (creator) =>
          isFields(creator) && /^(?:author|undefined)$/.test(String(creator.creatorType)),
      )
    : undefined;
  for (const list of [item.author, creators, item.editor]) {
    if (!Array.isArray(list)) continue;
    const names = list.map(nameOf).filter((name) => name !== '');
    if (names.length > 0) return names;
  }
  return [];
}

function dateOfItem(item: Fields): string | null {
  for (const name of ['issued', 'published', 'date', 'original-date', 'submitted']) {
    const value = item[name];
    if (!isFields(value)) {
      const date = parseDate(textOf(value));
      if (date) return date;
      continue;
    }
    const parts: unknown = Array.isArray(value['date-parts']) ? value['date-parts'][0] : undefined;
    if (Array.isArray(parts)) {
      const [year, month, day] = parts.map((part: unknown) => textOf(part));
      const date = dateOf(Number(year), monthOf(month), day ? Number(day) : null);
      if (date) return date;
    }
    const raw = first(value, 'raw', 'literal');
    const date = parseDate(raw) ?? /\b(?:1|2)\d{3}\b/.exec(raw ?? '')?.[0] ?? null;
    if (date) return date;
  }
  return null;
}

function arxivOf(item: Fields): string | null {
  const archived = /arxiv/i.test(first(item, 'archive', 'publisher') ?? '');
  const number = first(item, 'archive_location', 'number', 'archiveID');
  return (
    (archived || /arxiv/i.test(number ?? '') ? bareArxivId(number) : null) ??
    arxivIdInText(first(item, 'DOI')) ??
    arxivIdInText(first(item, 'URL', 'url')) ??
    arxivIdInText(first(item, 'container-title', 'publicationTitle')) ??
    arxivIdInText(number) ??
    arxivIdInText(first(item, 'note', 'extra'))
  );
}

/** The paper of a CSL (or Zotero) item. Throws {@link NotAPaper} where it has no title. */
function paperOfItem(item: Fields): SourcePaper {
  const title = cleanTitle(first(item, 'title') ?? '');
  if (title === '') throw new NotAPaper('has no "title"');
  const date = dateOfItem(item);
  const arxiv = arxivOf(item);
  const doi =
    plainDoi(first(item, 'DOI', 'doi')) ??
    plainDoi(/\bDOI:\s*(10\.\S+)/i.exec(first(item, 'note', 'extra') ?? '')?.[1]) ??
    (arxiv ? `10.48550/arXiv.${arxiv}` : null);
  const url =
    safeUrl(first(item, 'URL', 'url')) ??
    (arxiv ? `https://arxiv.org/abs/${arxiv}` : doi ? `https://doi.org/${doi}` : null);
  const venue = cleanTitle(
    first(
      item,
      'container-title',
      'publicationTitle',
      'proceedingsTitle',
      'conferenceName',
      'event-title',
      'event',
      'publisher',
      'university',
    ) ?? '',
  );
  const sentences = sentencesOf(first(item, 'abstract', 'abstractNote') ?? '');
  const titleOnly = sentences.length === 0;
  return {
    paper: {
      id: stableId({ arxiv, doi, url, title, date }),
      title,
      authors: authorsOf(item),
      date,
      venue: /^arxiv\b/i.test(venue) || (venue === '' && arxiv) ? 'arXiv' : venue || null,
      url,
      doi,
    },
    sentences: withSection(titleOnly ? [title] : sentences, null),
    titleOnly,
  };
}

/** Whether an item of an array is a row as a JSONL file has it, by what neither CSL nor Zotero has. */
function isRow(item: Fields): boolean {
  const { authors, sections, sentences } = item;
  if ([authors, sections, sentences].some(Array.isArray) || typeof authors === 'string')
    return true;
  return 'venue' in item && !('issued' in item);
}

const NO_PUBLICATION = /^(?:attachment|note|annotation)$/i;

function paperOf(
  item: unknown,
  options: ReadOptions,
  wanted: (categories: string[]) => boolean,
): SourcePaper | null {
  if (!isFields(item)) throw new NotAPaper('holds no JSON object');
  if (NO_PUBLICATION.test(String(item.itemType))) return null;
  if (isRow(item)) return paperOfRow(item, options, wanted);
  const paper = paperOfItem(item);
  return inDates(paper.paper.date, options) ? paper : null;
}

const ITEMS = /^\s*\{[\s\S]{0,100000}?"(?:items|references)"\s*:\s*(?=\[)/;

/** Where the array of items opens (or the only item), or -1. */
function opening(text: string): number {
  const items = ITEMS.exec(text);
  if (items) return items[0].length;
  return text.search(/[[{]/);
}

const KEYS =
  /"(title|abstract|abstractNote|container-title|DOI|author|authors|creators|issued|citation-key|date|year)"\s*:/g;

/** Keys any one of which will do where the first item goes on behind the head (a long abstract). */
const TELLING = ['abstract', 'title', 'container-title'];
const FULL_HEAD = 4096;

export const csl: Importer = {
  name: 'CSL-JSON',
  accepts(path, head) {
    const name = plainName(path);
    if (name.endsWith('.csljson')) return true;
    if (!name.endsWith('.json')) return false;
    const start = headText(head);
    const array = /^\s*\[\s*\{/.test(start) || ITEMS.test(start);
    const item =
      /^\s*\{/.test(start) && /"(?:issued|container-title|citation-key)"\s*:/.test(start);
    const keys = new Set([...start.matchAll(KEYS)].map((match) => match[1]));
    if (array && head.length >= FULL_HEAD && TELLING.some((key) => keys.has(key))) return true;
    return (array || item) && keys.size >= 2;
  },
  async *read(path, options, report, signal): AsyncGenerator<SourcePaper> {
    const { text, bytes } = await readWhole(path, report, signal);
    const wanted = categoryTest(options.categories);
    const apart = distinctIds();
    const lineAt = lineCounter(text);
    const breathe = breather();
    const open = opening(text);
    let good = false;
    let problem = 'it holds no JSON array';
    for (const { start, value, problem: broken } of open < 0 ? [] : items(text, open)) {
      const pause = breathe();
      if (pause) await pause;
      if (signal.aborted) return;
      try {
        if (broken !== undefined) throw new SyntaxError(broken);
        const paper = paperOf(value, options, wanted);
        good = true;
        options.onBytes?.(Math.round((start / text.length) * bytes));
        if (paper) yield apart(paper);
      } catch (error) {
        const line = lineAt(start);
        const about =
          error instanceof NotAPaper
            ? error.message
            : `is not valid JSON (${shortly(error instanceof Error ? error.message : String(error))})`;
        problem = `line ${line}: an item ${about}`;
        report({
          source: path,
          line,
          message: `The item that begins here ${about}; it was left out.`,
        });
      }
    }
    options.onBytes?.(bytes);
    if (!good && !signal.aborted) {
      throw new RatioError(
        'bad-input',
        `${path} holds no papers (${problem}). CSL-JSON is an array of items with a title, as Zotero exports it.`,
      );
    }
  },
};

function* items(
  text: string,
  open: number,
): Generator<{ start: number; value: unknown; problem: string | undefined }> {
  for (const item of objectsOf(text, open)) {
    yield {
      start: item.start,
      value: item.value,
      problem: 'problem' in item ? item.problem : undefined,
    };
  }
}
