/** Papers as JSONL or JSONL.gz: one JSON object a line. */
import { roleSchema, type Role } from '../engine/engine';
import type { Importer, ReadOptions, SourcePaper, SourceSentence } from '../engine/import/source';
import { bareArxivId } from '../cite/identity';
import { authorName } from '../cite/names';
import { safeUrl } from '../cite/texEscape';
import { cleanName, cleanTitle, givenSentence, sentencesOf, withSection } from './clean';
import { isFields, NotAPaper, papersOfLines, textOf, type Fields } from './lines';
import { headText, plainName } from './read';
import { categoryTest, distinctIds, inDates, parseDate, plainDoi, stableId } from './record';

function authorsOf(value: unknown): string[] {
  const names = Array.isArray(value) ? value : typeof value === 'string' ? splitNames(value) : [];
  return names.flatMap((name: unknown) => {
    const raw = isFields(name) ? textOf(name.name) : textOf(name);
    const clean =
      raw === null && isFields(name)
        ? authorName({
            first: cleanName(textOf(name.given) ?? ''),
            family: cleanName(textOf(name.family) ?? ''),
          })
        : cleanName(raw ?? '');
    return clean === '' ? [] : [clean];
  });
}

function splitNames(names: string): string[] {
  const separator = names.includes(';') ? ';' : /\sand\s/.test(names) ? /,?\s+and\s+/ : ',';
  return names.split(separator);
}

function categoriesOf(row: Fields): string[] | null {
  const value = row.cats ?? row.categories;
  if (typeof value === 'string') return value.split(/[\s,;]+/).filter(Boolean);
  return Array.isArray(value)
    ? value.filter((name): name is string => typeof name === 'string')
    : null;
}

function roleOf(value: unknown): Role | null {
  return roleSchema.options.find((role) => role === value) ?? null;
}

function givenSentences(value: unknown, section: string | null): SourceSentence[] {
  if (!Array.isArray(value)) return [];
  return value.flatMap((item: unknown) => {
    const raw = isFields(item) ? textOf(item.text) : textOf(item);
    if (raw === null) return [];
    const role = isFields(item) ? roleOf(item.role) : null;
    return givenSentence(raw).map((sentence) => ({ text: sentence, role, section }));
  });
}

function sentencesOfRow(row: Fields): SourceSentence[] {
  const given = givenSentences(row.sentences, null);
  if (given.length > 0) return given;
  const abstract = textOf(row.abstract);
  const sections = Array.isArray(row.sections) ? row.sections.filter(isFields) : [];
  const body = sections.flatMap((section) => {
    const title = textOf(section.title);
    const name = title === null ? null : cleanTitle(title);
    return givenSentences(section.sentences, name === '' ? null : name);
  });
  const told = body.some(({ section }) => section !== null && /^abstract$/i.test(section));
  if (abstract === null || told) return body;
  return [...withSection(sentencesOf(abstract), body.length > 0 ? 'Abstract' : null), ...body];
}

/**
 * The paper of one row, or null where the options leave it out.
 * Throws {@link NotAPaper} where the row has no title.
 */
export function paperOfRow(
  row: unknown,
  options: ReadOptions,
  wanted: (categories: string[]) => boolean,
): SourcePaper | null {
  if (!isFields(row)) throw new NotAPaper('holds no JSON object');
  const rawTitle = textOf(row.title);
  const title = rawTitle === null ? '' : cleanTitle(rawTitle);
  if (title === '') throw new NotAPaper('has no "title"');
  const date = parseDate(textOf(row.date) ?? textOf(row.year));
  if (!inDates(date, options)) return null;
  const categories = categoriesOf(row);
  if (categories !== null && !wanted(categories)) return null;
  const doi = plainDoi(textOf(row.doi));
  const url = safeUrl(textOf(row.url));
  const own = textOf(row.id)?.trim().replace(/\s+/g, '_') ?? null;
  // The source's own id, unless it only counts its rows; but an arXiv paper has one id wherever it comes from.
  const arxiv = bareArxivId(own);
  const id = arxiv !== null ? `arxiv:${arxiv}` : own !== null && /^\d+$/.test(own) ? null : own;
  const venue = textOf(row.venue);
  const sentences = sentencesOfRow(row);
  const titleOnly = sentences.length === 0;
  return {
    paper: {
      id: id ?? stableId({ doi, url, title, date }),
      title,
      authors: authorsOf(row.authors ?? row.author),
      date,
      venue: venue === null ? null : cleanTitle(venue),
      url,
      doi,
    },
    sentences: titleOnly ? [{ text: title, role: null, section: null }] : sentences,
    titleOnly,
  };
}

/** Whether the beginning of a file is a JSON object that has a title and fits on a line. */
function looksLikeRows(start: string): boolean {
  return /^\s*\{\s*"/.test(start) && /"title"\s*:/.test(start) && !/^\s*\{\s*\n\s/.test(start);
}

export const jsonl: Importer = {
  name: 'JSONL',
  accepts(path, head) {
    const name = plainName(path);
    if (/\.(?:jsonl|ndjson|jsonlines)$/.test(name)) return true;
    return name.endsWith('.json') && looksLikeRows(headText(head));
  },
  read(path, options, report, signal) {
    const wanted = categoryTest(options.categories);
    const apart = distinctIds();
    return papersOfLines({
      path,
      options,
      report,
      signal,
      make: (row) => {
        const paper = paperOfRow(row, options, wanted);
        return paper && apart(paper);
      },
      expected:
        'each line should be one JSON object with at least a title, better with id, authors, date, venue, url, doi and abstract',
    });
  },
};
