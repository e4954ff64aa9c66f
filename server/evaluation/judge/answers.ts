/** What a judge filled in: labels and preferences out of whichever file was used. */
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as z from 'zod';
import { RatioError } from '../../engine/engine';
import { fileError, lineError } from '../jsonl';
import { parseCsv } from './csv';
import type { Key } from './key';

export type Label = 0 | 1;
/** The systems whose list was preferred (several where lists were equal), or a tie. */
export type Preference = readonly string[] | 'tie';

export type Answers = {
  /** By query and document. */
  labels: Map<string, Map<string, Label>>;
  preferences: Map<string, Preference>;
};

/** Something filled in, with where it stands. */
type Entry = { name: string; value: string; where: string };
type Entries = { labels: Entry[]; preferences: Entry[] };

/** Lines of other names are text of papers ("Label noise: …"), not answers. */
function fromMarkdown(path: string, text: string, isName: (name: string) => boolean): Entries {
  const entries: Entries = { labels: [], preferences: [] };
  text.split(/\r?\n/).forEach((line, i) => {
    const [, kind, name, value] =
      /^\W*(label|preferred)\s+(\S+?)\s*:[\s*_`]*(.*?)[\s*_`.]*$/i.exec(line) ?? [];
    if (!kind || !name || !value || !isName(name)) return;
    const list = kind.toLowerCase() === 'label' ? entries.labels : entries.preferences;
    list.push({ name, value, where: `${path}:${i + 1}` });
  });
  return entries;
}

const filledSchema = z.array(
  z.object({
    query: z.string(),
    items: z.array(
      z.object({ item: z.string(), label: z.union([z.number(), z.string(), z.null()]).optional() }),
    ),
    preferred: z.string().nullish(),
  }),
);

function fromJson(path: string, text: string): Entries {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new RatioError('bad-input', `${path} is not JSON (${String(error)}).`);
  }
  const parsed = filledSchema.safeParse(value);
  if (!parsed.success) {
    const issue = parsed.error.issues[0];
    throw new RatioError(
      'bad-input',
      `${path}: ${issue?.path.join('.') ?? ''} is not right: ${issue?.message ?? 'invalid'}.`,
    );
  }
  const entries: Entries = { labels: [], preferences: [] };
  for (const { query, items, preferred } of parsed.data) {
    for (const { item, label } of items) {
      if (label != null && label !== '') {
        entries.labels.push({ name: item, value: String(label), where: `${path} (${item})` });
      }
    }
    if (preferred)
      entries.preferences.push({ name: query, value: preferred, where: `${path} (${query})` });
  }
  return entries;
}

function fromCsv(path: string, text: string, nameColumn: string, valueColumn: string): Entry[] {
  const [head, ...rows] = parseCsv(text);
  const name = head?.cells.indexOf(nameColumn) ?? -1;
  const value = head?.cells.indexOf(valueColumn) ?? -1;
  if (name < 0 || value < 0) {
    throw lineError(
      path,
      1,
      `the first row lacks the column "${name < 0 ? nameColumn : valueColumn}".`,
    );
  }
  return rows.flatMap(({ line, cells }) => {
    const filled = (cells[value] ?? '').trim();
    return filled ? [{ name: cells[name] ?? '', value: filled, where: `${path}:${line}` }] : [];
  });
}

async function readEntries(folder: string, isName: (name: string) => boolean): Promise<Entries> {
  const read = async (name: string): Promise<[string, string] | null> => {
    const path = join(folder, name);
    if (!existsSync(path)) return null;
    try {
      return [path, await readFile(path, 'utf8')];
    } catch (error) {
      throw fileError(path, error);
    }
  };
  const entries: Entries = { labels: [], preferences: [] };
  const add = ({ labels, preferences }: Entries): void => {
    entries.labels.push(...labels);
    entries.preferences.push(...preferences);
  };
  const markdown = await read('sheet.md');
  if (markdown) add(fromMarkdown(...markdown, isName));
  const json = await read('sheet.json');
  if (json) add(fromJson(...json));
  const labels = await read('labels.csv');
  if (labels) add({ labels: fromCsv(...labels, 'item', 'label'), preferences: [] });
  const preferences = await read('preferences.csv');
  if (preferences) {
    add({ labels: [], preferences: fromCsv(...preferences, 'query', 'preferred') });
  }
  return entries;
}

/** Entries by name; the same name filled in twice with different values is an error. */
function unique(entries: readonly Entry[], what: string): Map<string, Entry> {
  const known = new Map<string, Entry>();
  for (const entry of entries) {
    const other = known.get(entry.name);
    if (other && other.value.toLowerCase() !== entry.value.toLowerCase()) {
      throw new RatioError(
        'bad-input',
        `The ${what} of ${entry.name} is "${other.value}" in ${other.where} and "${entry.value}" in ${entry.where}. Keep one of them.`,
      );
    }
    known.set(entry.name, entry);
  }
  return known;
}

/** Reads a judge's folder; unknown names and values that are none are errors with their place. */
export async function readAnswers(folder: string, judge: string, key: Key): Promise<Answers> {
  const own = key.judges[judge];
  if (!own) throw new RatioError('bad-input', `The key knows no ${judge}.`);
  const places = new Map<string, { query: string; document: string }>();
  for (const [query, { items }] of Object.entries(own)) {
    for (const [item, document] of Object.entries(items)) places.set(item, { query, document });
  }
  const entries = await readEntries(join(folder, judge), (name) => places.has(name) || name in own);
  const answers: Answers = { labels: new Map(), preferences: new Map() };
  for (const { name, value, where } of unique(entries.labels, 'label').values()) {
    const place = places.get(name);
    if (!place) throw new RatioError('bad-input', `${where}: the sheet has no sentence "${name}".`);
    if (value !== '0' && value !== '1') {
      throw new RatioError(
        'bad-input',
        `${where}: the label of ${name} is 1 or 0, not "${value}".`,
      );
    }
    const labels = answers.labels.get(place.query) ?? new Map<string, Label>();
    answers.labels.set(place.query, labels.set(place.document, value === '1' ? 1 : 0));
  }
  for (const { name, value, where } of unique(entries.preferences, 'preference').values()) {
    const letters = own[name]?.letters;
    if (!letters) throw new RatioError('bad-input', `${where}: the sheet has no query "${name}".`);
    const systems = letters[value.toUpperCase()];
    if (!systems && value.toLowerCase() !== 'tie') {
      throw new RatioError(
        'bad-input',
        `${where}: the preference of ${name} is ${Object.keys(letters).join(', ')} or tie, not "${value}".`,
      );
    }
    answers.preferences.set(name, systems ?? 'tie');
  }
  return answers;
}
