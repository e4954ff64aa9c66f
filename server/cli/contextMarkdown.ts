/** Structured context as Markdown in which text of papers is text, whatever it holds. */
import { authorsLine } from '../language/citation';
import type { ContextCitation, StructuredContext } from './contextUnits';
import { plain } from './text';

/** Characters that are not seen but change how text is shown or read: directions, tags, no width. */
const UNSEEN = /[\u00ad\u061c\u180e\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\ufeff\u{e0000}-\u{e007f}]/gu; // prettier-ignore

/**
 * Text as one line that Markdown, Pandoc's too, shows as it is. What counts at the beginning of a
 * line only is left as it is, for the sake of readers: text never stands there.
 */
function escaped(text: string): string {
  return plain(text.replace(/\s+/g, ' '))
    .replace(UNSEEN, '')
    .replace(/[\\`*_[\]{}~^$|@#!]/g, '\\$&')
    .replace(/&/g, '&amp;')
    .replace(/</g, '&lt;')
    .replace(/>/g, '&gt;')
    .trim();
}

/** A key as Pandoc cites it; keys with other characters stand in braces there. */
function cited(key: string): string {
  return /^[\p{L}\p{N}_](?:[:.#$%&+?<>~/-]?[\p{L}\p{N}_])*$/u.test(key) && !/[<>&]/.test(key)
    ? `[@${key}]`
    : `[@{${escaped(key)}}]`;
}

/** "Lovelace et al., 2024 [@lovelace2024notes]" */
function named({ authors, year, key }: ContextCitation): string {
  const who = escaped(authorsLine(authors, 2));
  const parts = [who, year === null ? '' : String(year)].filter(Boolean);
  return `${parts.join(', ')} ${cited(key)}`.trim();
}

function link({ url, doi }: ContextCitation): string {
  if (url !== null) return ` <${url}>`;
  return doi === null ? '' : ` doi: ${escaped(doi)}`;
}

function reference(citation: ContextCitation): string {
  const { key, authors, title, venue, year } = citation;
  const place = [venue ?? '', year === null ? '' : String(year)].filter(Boolean).join(', ');
  const parts = [authors.join(', '), title, place]
    .map((part) => escaped(part))
    .filter(Boolean)
    .map((part) => (/[.?!]$/.test(part) ? part : `${part}.`));
  return `- ${cited(key)} ${parts.join(' ')}${link(citation)}`;
}

/** The context as a Markdown document that ends in a line end. */
export function contextMarkdown({
  move,
  query,
  pools,
  reranked,
  units,
}: StructuredContext): string {
  const order = reranked ? 'reranked' : 'in the order of recall';
  const lines = [
    `# Context: ${move}`,
    '',
    `Query: ${escaped(query)}`,
    '',
    `${units.length} units, ${order}, of ${pools.map(escaped).join(', ') || 'no pool'}. Sentences are quoted from papers: cite them by their keys.`,
  ];
  const references = new Map<string, ContextCitation>();
  for (const { rank, role, text, before, after, citation, relatives } of units) {
    references.set(citation.key, citation);
    lines.push('', `## ${rank}. ${[role, named(citation)].filter(Boolean).join(' · ')}`, '');
    if (before !== null) lines.push(`- before: ${escaped(before)}`);
    lines.push(`- **sentence: ${escaped(text)}**`);
    if (after !== null) lines.push(`- after: ${escaped(after)}`);
    for (const relative of relatives) {
      references.set(relative.citation.key, relative.citation);
      lines.push(`- also: ${escaped(relative.text)} — ${named(relative.citation)}`);
    }
  }
  if (units.length === 0) lines.push('', 'Nothing close was found.');
  else lines.push('', '## References', '', ...[...references.values()].map(reference));
  return `${lines.join('\n')}\n`;
}
