/** BibTeX and BibLaTeX. An entry without an abstract is indexed by its title. */
import type { Importer, SourcePaper } from '../engine/import/source';
import { scanBib, type BibEntry, type BibScan } from '../cite/bibScan';
import { breather } from './breathe';
import { plainName, headText, readWhole } from './read';
import { RatioError } from '../engine/engine';
import { shortly } from './lines';
import { entryReader, type EntryReader } from './bibtexEntry';
import { lineCounter } from './places';
import { distinctIds, inDates } from './record';

/** Entry types that are no publications. */
const NO_PUBLICATION = /^(?:set|xdata|control|ieeetranbstctl|comment|string|preamble)$/i;

/** Fields of the entries that an entry inherits from (crossref, xdata), by lower-case key. */
function parentsOf(scan: BibScan): Map<string, BibEntry> {
  const parents = new Map<string, BibEntry>();
  for (const entry of scan.entries) {
    const key = entry.key.toLowerCase();
    if (key !== '' && !parents.has(key)) parents.set(key, entry);
  }
  return parents;
}

/** An entry that is never closed, with the fields that its last value swallowed set free. */
function repaired(entry: BibEntry): BibEntry {
  const last = entry.fields.at(-1);
  const cut = last ? /,[ \t]*\r?\n\s*(?=[a-zA-Z-]+\s*=)/.exec(last.value) : null;
  if (!last || !cut) return entry;
  const rest = last.value.slice(cut.index + cut[0].length);
  const fields = scanBib(`@${entry.type}{key,\n${rest}\n}`).entries[0]?.fields ?? [];
  const value = last.value.slice(0, cut.index);
  return { ...entry, fields: [...entry.fields.slice(0, -1), { ...last, value }, ...fields] };
}

function problemOf(entry: BibEntry): string {
  const name = entry.key === '' ? `@${entry.type} without a key` : `@${entry.type}{${entry.key}}`;
  return entry.closed
    ? `${name} has no title; it was left out. Give it a title.`
    : `${name} is never closed: a brace or quote is missing in it or after it.`;
}

export const bibtex: Importer = {
  name: 'BibTeX',
  accepts(path, head) {
    const name = plainName(path);
    if (/\.(?:bib|bibtex|biblatex)$/.test(name)) return true;
    return name.endsWith('.txt') && /^\s*@[a-z]+\s*\{\s*[^\s,{}]+\s*,/i.test(headText(head));
  },
  async *read(path, options, report, signal): AsyncGenerator<SourcePaper> {
    const { text, bytes } = await readWhole(path, report, signal);
    const scan = scanBib(text);
    const parents = parentsOf(scan);
    const lineAt = lineCounter(text);
    const breathe = breather();
    const apart = distinctIds();
    const reader: EntryReader = await entryReader();
    let papers = 0;
    for (const entry of scan.entries) {
      const pause = breathe();
      if (pause) await pause;
      if (signal.aborted) return;
      if (NO_PUBLICATION.test(entry.type)) continue;
      const line = lineAt(entry.start);
      let paper: SourcePaper | null;
      try {
        paper = reader(entry.closed ? entry : repaired(entry), parents);
      } catch (error) {
        const message = error instanceof Error ? error.message : String(error);
        report({
          source: path,
          line,
          message: `@${entry.type}{${entry.key}} cannot be read (${shortly(message)}); it was left out.`,
        });
        continue;
      }
      if (!entry.closed || paper === null) {
        const rest = paper ? ' What could be read of it is indexed.' : ' It was left out.';
        report({ source: path, line, message: problemOf(entry) + (entry.closed ? '' : rest) });
      }
      if (paper === null) continue;
      papers++;
      options.onBytes?.(Math.round((entry.end / text.length) * bytes));
      if (inDates(paper.paper.date, options)) yield apart(paper);
    }
    options.onBytes?.(bytes);
    if (papers === 0 && !signal.aborted) {
      throw new RatioError(
        'bad-input',
        `${path} holds no entry with a title. Is it a BibTeX file? Entries look like @article{key, title = {…}, …}.`,
      );
    }
  },
};
