/** What of a source's paper is stored, and the hash that tells whether it changed. */
import { createHash } from 'node:crypto';
import { estimateRoles } from '../recall/roles';
import type { NewPaper } from '../store/writer';
import type { SourcePaper } from './source';

/** Text as stored: one line, without NUL and lone surrogates, which SQLite cannot hold. */
function clean(text: string): string {
  return text
    .replace(/\p{Surrogate}/gu, '\ufffd')
    .replace(/[\s\0]+/g, ' ')
    .trim();
}

/**
 * The paper to store, or null when it has no sentence. Roles that the source does not give are
 * estimated from cues. The hash covers record and sentences as the source has them, not the
 * encoder nor estimated roles.
 */
export function toNewPaper(source: SourcePaper): NewPaper | null {
  const { paper } = source;
  const record = {
    id: clean(paper.id),
    title: clean(paper.title),
    authors: paper.authors.map(clean).filter((author) => author !== ''),
    date: paper.date,
    venue: paper.venue === null ? null : clean(paper.venue),
    url: paper.url === null ? null : clean(paper.url),
    doi: paper.doi === null ? null : clean(paper.doi),
  };
  const kept = source.sentences
    .map((sentence) => ({ ...sentence, text: clean(sentence.text) }))
    .filter((sentence) => sentence.text !== '');
  if (record.id === '' || kept.length === 0) return null;
  const estimated = kept.some((sentence) => sentence.role === null)
    ? estimateRoles(
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
      const guess = source.titleOnly ? null : (estimated[i] ?? null);
      return { text, section, role: guess, roleSource: guess === null ? null : ('cue' as const) };
    }),
  };
}
