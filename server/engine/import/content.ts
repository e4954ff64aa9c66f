/** What of a source's paper is stored, and the hash that tells whether it changed. */
import { createHash } from 'node:crypto';
import { likeliestRole, roleScores } from '../recall/roles';
import type { NewPaper } from '../store/writer';
import type { SourcePaper } from './source';

/**
 * Longest fields of a record, in UTF-16 units: what is longer is a mistake of its source, and would
 * be carried by every result. The list of authors is kept whole.
 */
const LONGEST = { id: 300, title: 1000, venue: 500, author: 300, url: 2000, sentence: 2000 };

/**
 * Text as stored: one line, without what SQLite cannot hold (NUL, lone surrogates) or what changes
 * how the text around it is shown (control characters, directions that are forced).
 */
function clean(text: string, longest = Infinity): string {
  const line = text
    .replace(/\p{Surrogate}/gu, '\ufffd')
    .replace(/[\s\0]+/g, ' ')
    // eslint-disable-next-line no-control-regex -- dropping them is the point
    .replace(/[\u0001-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g, '')
    .trim();
  if (line.length <= longest) return line;
  return `${line.slice(0, longest - 1).replace(/\p{Surrogate}$/u, '')}…`;
}

/** A name as stored: no-break spaces tie its parts (server/cite/names.ts) and stay. */
function cleanAuthor(author: string): string {
  const name = author
    .split('\u00a0')
    .map((part) => clean(part))
    .filter((part) => part !== '')
    .join('\u00a0');
  return name.length <= LONGEST.author ? name : clean(name, LONGEST.author);
}

/** An id as stored. A long one is cut and told apart by a hash of the whole. */
function cleanId(id: string): string {
  const line = clean(id);
  if (line.length <= LONGEST.id) return line;
  const hash = createHash('sha256').update(line).digest('hex').slice(0, 16);
  return `${clean(line, LONGEST.id)}~${hash}`;
}

/** A link as stored; one that is too long leads nowhere when it is cut. */
function cleanUrl(url: string | null): string | null {
  const line = url === null ? '' : clean(url);
  return line === '' || line.length > LONGEST.url ? null : line;
}

/**
 * The paper to store, or null when it has no sentence. Roles that the source does not give are
 * estimated from cues. The hash covers record and sentences as the source has them, not the
 * encoder nor estimated roles.
 */
export function toNewPaper(source: SourcePaper): NewPaper | null {
  const { paper } = source;
  const record = {
    id: cleanId(paper.id),
    title: clean(paper.title, LONGEST.title),
    authors: paper.authors.map(cleanAuthor).filter((author) => author !== ''),
    date: paper.date,
    venue: paper.venue === null ? null : clean(paper.venue, LONGEST.venue),
    url: cleanUrl(paper.url),
    doi: paper.doi === null ? null : clean(paper.doi),
  };
  const kept = source.sentences
    .map((sentence) => ({ ...sentence, text: clean(sentence.text, LONGEST.sentence) }))
    .filter((sentence) => sentence.text !== '');
  if (record.id === '' || kept.length === 0) return null;
  const estimated = kept.some((sentence) => sentence.role === null)
    ? roleScores(
        kept.map((sentence) => sentence.text),
        kept.map((sentence) => sentence.section),
      )
    : [];
  const hash = createHash('sha256')
    .update(
      JSON.stringify([
        record,
        source.titleOnly,
        kept.map(({ text, role, section }) => [text, role, section]),
      ]),
    )
    .digest('base64');
  return {
    paper: record,
    hash,
    titleOnly: source.titleOnly,
    sentences: kept.map(({ text, role, section }, i) => {
      if (role !== null) return { text, section, role, roleSource: 'given' as const };
      const cues = source.titleOnly ? undefined : estimated[i];
      if (!cues) return { text, section, role: null, roleSource: null };
      return { text, section, role: likeliestRole(cues), roleSource: 'cue' as const, cues };
    }),
  };
}
