/** arXiv's public metadata snapshot: one JSON object a line, several gigabytes of them. */
import type { Importer, ReadOptions, SourcePaper } from '../engine/import/source';
import { bareArxivId } from '../cite/identity';
import { authorName } from '../cite/names';
import { cleanName, cleanTitle, sentencesOf, withSection } from './clean';
import { isFields, NotAPaper, papersOfLines, textOf, type Fields } from './lines';
import { headText, plainName } from './read';
import { categoryTest, dateOf, inDates, monthOf, parseDate, plainDoi } from './record';

/** Date of the first version ("Mon, 2 Apr 2007 19:18:42 GMT"), else the id's month. */
function dateOfRow(row: Fields, id: string): string | null {
  const versions = Array.isArray(row.versions) ? row.versions.filter(isFields) : [];
  const first = versions.find((version) => version.version === 'v1') ?? versions[0];
  const created = first ? textOf(first.created) : null;
  const parts = created ? /(\d{1,2})\s+(\p{L}{3})\p{L}*\s+(\d{4})/u.exec(created) : null;
  if (parts) return dateOf(Number(parts[3]), monthOf(parts[2]), Number(parts[1]));
  const month = /^(?:.*\/)?(\d\d)(\d\d)/.exec(id);
  if (month) {
    const year = Number(month[1]);
    return dateOf(year > 90 ? 1900 + year : 2000 + year, Number(month[2]));
  }
  return parseDate(created ?? textOf(row.update_date));
}

function authorsOfRow(row: Fields): string[] {
  if (Array.isArray(row.authors_parsed) && row.authors_parsed.length > 0) {
    return row.authors_parsed.flatMap((name: unknown) => {
      if (!Array.isArray(name)) return [];
      const [family = '', first = '', suffix = ''] = name.map((part: unknown) =>
        cleanName(textOf(part) ?? ''),
      );
      const full = authorName({ first, family, suffix });
      return full === '' ? [] : [full];
    });
  }
  // Without the parsed form: affiliations stand in brackets, commas and "and" between the names.
  return (textOf(row.authors) ?? '')
    .replace(/\([^()]*(?:\([^()]*\)[^()]*)*\)/g, '')
    .split(/,\s*(?:and\s+)?|\s+and\s+/)
    .map(cleanName)
    .filter((name) => name !== '');
}

const WITHDRAWN =
  /^(?:this|the) (?:\w+ ){0,2}(?:has|have|is|was)(?: been)? (?:temporarily )?(?:withdrawn|removed|retracted)\b|^withdrawn\b/i;

/** The paper of one row of the snapshot, or null where the options leave it out. */
function paperOfRow(
  row: unknown,
  options: ReadOptions,
  wanted: (categories: string[]) => boolean,
): SourcePaper | null {
  if (!isFields(row)) throw new NotAPaper('holds no JSON object');
  const rawId = textOf(row.id);
  if (rawId === null) throw new NotAPaper('has no "id"');
  const id = rawId
    .trim()
    .replace(/^arxiv:/i, '')
    .replace(/v\d+$/, '');
  if (bareArxivId(id) === null) throw new NotAPaper('has an "id" that is no arXiv id');
  const title = cleanTitle(textOf(row.title) ?? '');
  if (title === '') throw new NotAPaper('has no "title"');
  if (!wanted((textOf(row.categories) ?? '').split(/\s+/))) return null;
  const date = dateOfRow(row, id);
  if (!inDates(date, options)) return null;
  const abstract = (textOf(row.abstract) ?? '').trim();
  if (WITHDRAWN.test(abstract)) return null;
  const sentences = sentencesOf(abstract);
  const titleOnly = sentences.length === 0;
  const journal = cleanTitle(textOf(row['journal-ref']) ?? '');
  const doi = textOf(row.doi)
    ?.trim()
    .split(/[\s,;]+/)[0];
  return {
    paper: {
      id: `arxiv:${id.toLowerCase()}`,
      title,
      authors: authorsOfRow(row),
      date,
      venue: journal === '' ? 'arXiv' : journal,
      url: `https://arxiv.org/abs/${id}`,
      // Every arXiv paper has a DOI of arXiv's own; the publisher's comes first.
      doi: plainDoi(doi) ?? `10.48550/arXiv.${id}`,
    },
    sentences: withSection(titleOnly ? [title] : sentences, null),
    titleOnly,
  };
}

const CATEGORIES = /"categories"\s*:\s*"([^"\\]*)"/;

/** Reads the snapshot that arXiv publishes (arxiv-metadata-oai-snapshot.json, also gzipped). */
export const arxiv: Importer = {
  name: 'arXiv metadata',
  accepts(path, head) {
    if (!/\.(?:json|jsonl|ndjson)$/.test(plainName(path))) return false;
    const start = headText(head);
    return (
      /^\s*\{\s*"id"\s*:/.test(start) &&
      (/"submitter"\s*:/.test(start) || /"authors_parsed"\s*:/.test(start)) &&
      /"(?:categories|journal-ref|report-no|authors)"\s*:/.test(start)
    );
  },
  read(path, options, report, signal) {
    const wanted = categoryTest(options.categories);
    // Most rows go by their category: parsing them would take most of the time.
    const skip =
      options.categories.length === 0
        ? undefined
        : (line: string) => {
            const categories = CATEGORIES.exec(line)?.[1];
            return categories !== undefined && !wanted(categories.split(' '));
          };
    return papersOfLines({
      path,
      options,
      report,
      signal,
      make: (row) => paperOfRow(row, options, wanted),
      skip,
      expected: "each line should be one JSON object as in arXiv's metadata snapshot",
    });
  },
};
