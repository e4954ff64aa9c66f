/**
 * Blinded sheets. Every query's sentences stand in one shuffled list, each once however many systems
 * found it, so that it gets one label; under them the systems' lists as rows of item names, with
 * letters drawn by lot. Equal lists are shown once. Nothing in a judge's folder tells a system.
 */
import { mkdir, writeFile } from 'node:fs/promises';
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { MOVES, RatioError, type Move } from '../../engine/engine';
import { userError } from '../../engine/errors';
import { derivedSeed, seeded, shuffled } from '../random';
import type { Run } from '../trec';
import { csvRow } from './csv';
import { KEY_FILE, type Key } from './key';
import type { Surroundings } from './pool';
import type { JudgedQuery } from './queries';
import { instructions } from './rubric';

/** `label` is missing where none is asked for: the sentence is shown because a list has it. */
export type SheetItem = Surroundings & { item: string; label?: 0 | 1 | null };
export type SheetQuery = {
  query: string;
  move: Move;
  text: string;
  items: SheetItem[];
  /** Item names of every list, best first, by letter. */
  lists: Record<string, string[]>;
  preferred: string | null;
};
export type Sheet = SheetQuery[];

export type SheetOptions = {
  /** Sentences of a list. */
  k: number;
  seed: number;
  command: string;
};

/** The two judges who see everything, and the one who settles. */
export const JUDGES = ['judge-1', 'judge-2'] as const;
export const THIRD = 'judge-3';
export const EVERYONE: readonly string[] = [...JUDGES, THIRD];

/** What `--run NAME=FILE` brought: a list for every query, empty where the run has none. */
export type NamedRun = { name: string; run: Run };

/** The key of a judging, before any sheet is written. */
export function makeKey(
  queries: readonly JudgedQuery[],
  runs: readonly NamedRun[],
  { k, seed, command }: SheetOptions,
): Key {
  const missing = runs.find(({ run }) => !queries.some(({ id }) => run.rankings.has(id)));
  if (missing) {
    throw new RatioError('bad-input', `The run "${missing.name}" has none of the queries.`);
  }
  const lists = queries.map(({ id, move }) => ({
    id,
    move,
    lists: Object.fromEntries(
      runs.map(({ name, run }) => [
        name,
        (run.rankings.get(id) ?? []).slice(0, k).map((ranked) => ranked.id),
      ]),
    ),
  }));
  return {
    version: 1,
    command,
    seed,
    k,
    systems: runs.map(({ name }) => name),
    queries: lists,
    judges: Object.fromEntries(
      EVERYONE.map((judge) => [
        judge,
        Object.fromEntries(lists.map((query) => [query.id, blind(query, seed, judge)])),
      ]),
    ),
  };
}

/** Draws the item names and list letters of one query for one judge. */
function blind(
  { id, lists }: Key['queries'][number],
  seed: number,
  judge: string,
): Key['judges'][string][string] {
  const random = seeded(derivedSeed(seed, `${judge} ${id}`));
  const documents = shuffled([...new Set(Object.values(lists).flat())].sort(), random);
  const systems = new Map<string, string[]>();
  for (const [name, list] of Object.entries(lists)) {
    const content = list.join(' ');
    systems.set(content, [...(systems.get(content) ?? []), name]);
  }
  const order = shuffled([...systems.values()], random);
  return {
    items: Object.fromEntries(
      documents.map((document, i) => [`${id}-${String(i + 1).padStart(2, '0')}`, document]),
    ),
    letters: Object.fromEntries(
      order.map((names, i) => [String.fromCharCode('A'.charCodeAt(0) + i), names]),
    ),
  };
}

/** What to ask a judge about: everything, or what is left to settle. */
export type Asked = {
  /** Whether an item's label is asked for. */
  label?: (query: string, document: string) => boolean;
  /** Whether the query's preference is asked for. */
  preference?: (query: string) => boolean;
};

/** A judge's sheet, queries in an order of their own. */
export function makeSheet(
  key: Key,
  judge: string,
  queries: readonly JudgedQuery[],
  texts: ReadonlyMap<string, Surroundings>,
  { label = () => true, preference = () => true }: Asked = {},
): Sheet {
  const own = key.judges[judge] ?? {};
  const sheet: Sheet = [];
  for (const { id, move, text } of shuffled(queries, seeded(derivedSeed(key.seed, judge)))) {
    const { items = {}, letters = {} } = own[id] ?? {};
    const names = new Map(Object.entries(items).map(([item, document]) => [document, item]));
    const prefers = preference(id) && Object.keys(letters).length > 1;
    // A preference is given with all sentences in view.
    const asked = Object.entries(items).filter(([, document]) => prefers || label(id, document));
    if (asked.length === 0) continue;
    sheet.push({
      query: id,
      move,
      text,
      items: asked.map(([item, document]) => {
        const found = texts.get(document);
        if (!found) {
          throw new RatioError(
            'bad-input',
            `The pool has no sentence ${document}, which a run found for ${id}. Give the pool that the runs were made on.`,
          );
        }
        return { item, ...found, ...(label(id, document) ? { label: null } : {}) };
      }),
      lists: prefers
        ? Object.fromEntries(
            Object.entries(letters).map(([letter, [system = '']]) => [
              letter,
              (key.queries.find((query) => query.id === id)?.lists[system] ?? []).map(
                (document) => names.get(document) ?? '',
              ),
            ]),
          )
        : {},
      preferred: null,
    });
  }
  return sheet;
}

/** One line, and nothing in it that Markdown or a terminal would act on. */
const oneLine = (text: string): string => text.replace(/\s+/g, ' ').trim();

/** A sheet to read and fill in: instructions for its moves, then a section a query. */
export function sheetMarkdown(sheet: Sheet): string {
  const moves = MOVES.filter((move) => sheet.some((query) => query.move === move));
  const parts = [instructions(moves)];
  for (const { query, move, text, items, lists } of sheet) {
    parts.push(`\n## ${query} · ${move}\n\n> ${oneLine(text)}\n`);
    for (const { item, title, before, text: sentence, after, label } of items) {
      parts.push(`\n### ${item}\n\n*${oneLine(title)}*\n\n`);
      if (before) parts.push(`… ${oneLine(before)}\n\n`);
      parts.push(`**${oneLine(sentence)}**\n\n`);
      if (after) parts.push(`${oneLine(after)} …\n\n`);
      if (label !== undefined) parts.push(`label ${item}: \n`);
    }
    const letters = Object.entries(lists);
    if (letters.length === 0) continue;
    parts.push(`\n### Lists of ${query}\n\n`);
    for (const [letter, names] of letters) {
      parts.push(`- ${letter}: ${names.join(', ') || '(nothing was found)'}\n`);
    }
    parts.push(`\npreferred ${query}: \n`);
  }
  return parts.join('');
}

const LABEL_HEAD = [
  'query',
  'move',
  'query text',
  'item',
  'title',
  'before',
  'sentence',
  'after',
  'label',
];

/** A row an item whose label is asked for, with what surrounds it; the last column is to fill in. */
export function labelsCsv(sheet: Sheet): string {
  const rows = sheet.flatMap(({ query, move, text, items }) =>
    items
      .filter(({ label }) => label !== undefined)
      .map((own) => [query, move, text, own.item, own.title, own.before, own.text, own.after, '']),
  );
  return [LABEL_HEAD, ...rows].map((row) => csvRow(row.map(oneLine))).join('');
}

/** A row a query whose preference is asked for, its lists as item names; the last column is to fill in. */
export function preferencesCsv(sheet: Sheet): string {
  const rows = sheet
    .filter(({ lists }) => Object.keys(lists).length > 0)
    .map(({ query, move, text, lists }) => [
      query,
      move,
      text,
      Object.entries(lists)
        .map(([letter, names]) => `${letter}: ${names.join(' ')}`)
        .join(' | '),
      '',
    ]);
  return [['query', 'move', 'query text', 'lists', 'preferred'], ...rows]
    .map((row) => csvRow(row))
    .join('');
}

async function write(path: string, text: string): Promise<void> {
  try {
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, text);
  } catch (error) {
    throw userError(error, 'writing', path);
  }
}

/** Writes a judge's folder. An existing sheet, which may be filled in, is never overwritten. */
export async function writeSheet(folder: string, judge: string, sheet: Sheet): Promise<void> {
  const own = join(folder, judge);
  if (existsSync(own)) {
    throw new RatioError(
      'bad-input',
      `${own} is there already and may hold judgements: choose another folder, or remove it.`,
    );
  }
  await write(join(own, 'sheet.md'), sheetMarkdown(sheet));
  await write(join(own, 'sheet.json'), `${JSON.stringify(sheet, null, 2)}\n`);
  await write(join(own, 'labels.csv'), labelsCsv(sheet));
  await write(join(own, 'preferences.csv'), preferencesCsv(sheet));
}

/** Writes the key of a judging, over one that is there. Rejects where the file cannot be written. */
export async function writeKey(folder: string, key: Key): Promise<void> {
  await write(join(folder, KEY_FILE), `${JSON.stringify(key, null, 2)}\n`);
}
