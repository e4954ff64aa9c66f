/** The habits of a .bib file, so that a new entry looks like those around it. */
import type { BibEntry, BibField, BibScan } from './bibScan';

export interface BibStyle {
  eol: '\n' | '\r\n';
  indent: string;
  /** What stands between a field's name and its =: a fixed text, or padding up to a column. */
  equals: { kind: 'fixed'; before: string } | { kind: 'column'; column: number; tabs: boolean };
  /** What stands behind the =. */
  after: string;
  delimiter: '{' | '"';
  /** Years stand bare: `year = 2020`. */
  bareNumbers: boolean;
  trailingComma: boolean;
  /** What stands before the closing brace: a line end and indentation, or nothing. */
  close: string;
  /** Line ends between the end of one entry and the start of the next. */
  gap: number;
  /** `@article`, `@Article` or `@ARTICLE`. */
  typeCase: 'lower' | 'title' | 'upper';
  nameCase: 'lower' | 'title' | 'upper';
  /** Spelling of field names that occur, by their lower-case form. */
  spelling: Map<string, string>;
  titleFirst: boolean;
  /** Whole titles stand in double braces. */
  doubleBraces: boolean;
  withMonth: boolean;
  /** BibLaTeX names: date, journaltitle, eprinttype. */
  biblatex: boolean;
  nonAscii: boolean;
}

/** The commonest of some values; the first of equals; undefined where there is none. */
export function commonest<T>(values: Iterable<T>): T | undefined {
  const counts = new Map<T, number>();
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
  let best: T | undefined;
  let most = 0;
  for (const [value, count] of counts) {
    if (count > most) [best, most] = [value, count];
  }
  return best;
}

const mostly = (flags: boolean[], otherwise: boolean) =>
  flags.length === 0 ? otherwise : flags.filter(Boolean).length * 2 > flags.length;

/** Line end of a text: the commoner one, \n where there is none. */
export function lineEnd(text: string): '\n' | '\r\n' {
  const windows = text.split('\r\n').length - 1;
  const all = text.split('\n').length - 1;
  return windows * 2 > all ? '\r\n' : '\n';
}

/** Column behind `text` when it starts at column `from`, tab stops being eight apart. */
function columnAfter(text: string, from: number): number {
  let column = from;
  for (const char of text) column = char === '\t' ? (Math.floor(column / 8) + 1) * 8 : column + 1;
  return column;
}

function caseOf(words: string[]): 'lower' | 'title' | 'upper' {
  return (
    commonest(
      words.map((word) => {
        if (word === word.toLowerCase()) return 'lower' as const;
        return word.length > 1 && word === word.toUpperCase()
          ? ('upper' as const)
          : ('title' as const);
      }),
    ) ?? 'lower'
  );
}

/** A name of an entry's type or of a field (in lower case) as the style writes it: `InProceedings`, `DOI`. */
export function inCase(word: string, style: 'lower' | 'title' | 'upper'): string {
  if (style === 'upper') return word.toUpperCase();
  if (style === 'lower') return word;
  const known: Record<string, string> = { inproceedings: 'InProceedings', doi: 'DOI', url: 'URL' };
  return known[word] ?? word.charAt(0).toUpperCase() + word.slice(1);
}

interface Line {
  field: BibField;
  indent: string;
  before: string;
  after: string;
}

/** Fields that start their line, with what stands around their name; else all fields. */
function linesOf(text: string, entries: BibEntry[]): Line[] {
  const lines: Line[] = [];
  const others: Line[] = [];
  for (const entry of entries) {
    for (const field of entry.fields) {
      const before = text.slice(field.nameEnd, field.equals);
      const after = text.slice(field.equals + 1, field.valueStart);
      if (!/^[ \t]*$/.test(before + after)) continue;
      const lead = text.slice(Math.max(entry.start, field.nameStart - 80), field.nameStart);
      const indent = /\n([ \t]*)$/.exec(lead)?.[1];
      if (indent !== undefined) lines.push({ field, indent, before, after });
      else others.push({ field, indent: '  ', before, after });
    }
  }
  return lines.length > 0 ? lines : others;
}

/** Reads the habits of a file; a new or empty one gets sound defaults. */
export function detectStyle(scan: BibScan): BibStyle {
  const { text } = scan;
  const entries = scan.entries.filter((entry) => entry.closed && entry.fields.length > 0);
  const lines = linesOf(text, entries);
  const fields = entries.flatMap((entry) => entry.fields);
  const names = fields.map((field) => field.name);
  const lower = names.map((name) => name.toLowerCase());

  const spelling = new Map<string, string>();
  for (const name of new Set(lower)) {
    const used = commonest(names.filter((each) => each.toLowerCase() === name));
    if (used) spelling.set(name, used);
  }
  const years = fields.filter(
    (field) => /^(?:year|volume)$/i.test(field.name) && /^\d+$/.test(field.value),
  );
  const texts = fields.filter((field) => /^(?:title|author|journal|booktitle)$/i.test(field.name));
  const titles = fields.filter((field) => /^title$/i.test(field.name));
  const has = (entry: BibEntry, ...wanted: string[]) =>
    entry.fields.some((field) => wanted.includes(field.name.toLowerCase()));
  const count = (...wanted: string[]) => lower.filter((name) => wanted.includes(name)).length;

  return {
    eol: lineEnd(text),
    indent: commonest(lines.map((line) => line.indent)) ?? '  ',
    equals: equalsHabit(lines),
    after: commonest(lines.map((line) => line.after)) ?? ' ',
    delimiter: mostly(
      texts.map((field) => field.delimiter === '"'),
      false,
    )
      ? '"'
      : '{',
    bareNumbers: mostly(
      years.map((field) => field.delimiter === 'bare'),
      false,
    ),
    trailingComma: mostly(
      entries.map((entry) =>
        /,\s*$/.test(text.slice(entry.fields.at(-1)?.valueEnd ?? 0, entry.end - 1)),
      ),
      true,
    ),
    close: closeHabit(text, entries),
    gap: gapHabit(scan),
    typeCase: caseOf(entries.map((entry) => entry.type)),
    nameCase: caseOf(
      names.filter((name) => !/^(?:doi|url|issn|isbn|archivePrefix|primaryClass)$/i.test(name)),
    ),
    spelling,
    titleFirst: mostly(
      entries
        .filter((entry) => has(entry, 'title') && has(entry, 'author'))
        .map(
          (entry) =>
            entry.fields.find((f) => /^(?:title|author)$/i.test(f.name))?.name.toLowerCase() ===
            'title',
        ),
      false,
    ),
    doubleBraces: mostly(
      titles.map((field) => field.delimiter === '{' && /^\{[^{}]*\}$/.test(field.value)),
      false,
    ),
    withMonth: mostly(
      entries.map((entry) => has(entry, 'month')),
      false,
    ),
    biblatex:
      count('date', 'journaltitle', 'eprinttype') > count('year', 'journal', 'archiveprefix'),

    nonAscii: entries.some((entry) => /[^\0-\x7f]/.test(text.slice(entry.start, entry.end))),
  };
}

function equalsHabit(lines: Line[]): BibStyle['equals'] {
  const fixed = commonest(lines.map((line) => line.before)) ?? ' ';
  if (lines.length < 3) return { kind: 'fixed', before: fixed };
  const columns = lines.map(({ field, indent, before }) =>
    columnAfter(indent + field.name + before, 0),
  );
  const column = commonest(columns) ?? 0;
  const aligned = lines.filter((_, i) => columns[i] === column);
  const likeFixed = lines.filter((line) => line.before === fixed).length;
  const lengths = new Set(aligned.map((line) => line.field.name.length));
  if (lengths.size < 2 || aligned.length * 10 < lines.length * 5 || aligned.length <= likeFixed) {
    return { kind: 'fixed', before: fixed };
  }
  return {
    kind: 'column',
    column,
    tabs: mostly(
      aligned.map((line) => line.before.includes('\t')),
      false,
    ),
  };
}

function closeHabit(text: string, entries: BibEntry[]): string {
  const long = entries.filter((entry) => text.slice(entry.start, entry.end).includes('\n'));
  const closes = long.map((entry) => {
    const gap = text
      .slice(entry.fields.at(-1)?.valueEnd ?? entry.end, entry.end - 1)
      .replace(',', '');
    const line = /\n([ \t]*)$/.exec(gap);
    if (line) return `\n${line[1] ?? ''}`;
    return gap.trim() === '' ? '' : '\n';
  });
  return commonest(closes) ?? '\n';
}

function gapHabit(scan: BibScan): number {
  const gaps: number[] = [];
  for (let i = 1; i < scan.entries.length; i++) {
    const between = scan.text.slice(scan.entries[i - 1]?.end ?? 0, scan.entries[i]?.start ?? 0);
    if (/^\s*$/.test(between)) gaps.push(between.split('\n').length - 1);
  }
  return Math.min(Math.max(commonest(gaps) ?? 2, 1), 3);
}

/** A field name as the file spells it. */
export function spell(style: BibStyle, name: string): string {
  return style.spelling.get(name.toLowerCase()) ?? inCase(name, style.nameCase);
}

/** `name = ` with the file's indentation and alignment. */
export function fieldStart(style: BibStyle, name: string): string {
  const shown = style.indent + name;
  if (style.equals.kind === 'fixed') return `${shown}${style.equals.before}=${style.after}`;
  const { column, tabs } = style.equals;
  let at = columnAfter(shown, 0);
  let pad = '';
  while (at < column) {
    const step = tabs ? (Math.floor(at / 8) + 1) * 8 : at + 1;
    pad += tabs && step <= column ? '\t' : ' ';
    at = tabs && step <= column ? step : at + 1;
  }
  return `${shown}${pad === '' ? ' ' : pad}=${style.after}`;
}
