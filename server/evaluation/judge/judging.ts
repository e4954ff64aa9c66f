/** The steps of a judging on files: make the sheets, settle what is disputed, score. */
import { existsSync, statSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { RatioError } from '../../engine/engine';
import type { BootstrapOptions } from '../bootstrap';
import { fileError } from '../jsonl';
import { readAnswers, type Answers } from './answers';
import { readKey, type Key } from './key';
import type { JudgePool, Surroundings } from './pool';
import type { JudgedQuery } from './queries';
import { readPublished } from './published';
import { asksPreference, checkComplete, disputes, scoreJudging, type JudgeReport } from './score';
import {
  JUDGES,
  makeKey,
  makeSheet,
  THIRD,
  writeKey,
  writeSheet,
  type NamedRun,
  type Sheet,
  type SheetOptions,
} from './sheet';

/** Writes two judges' folders and the key. Rejects before anything is written if it cannot. */
export async function makeSheets(
  folder: string,
  queries: readonly JudgedQuery[],
  runs: readonly NamedRun[],
  pool: JudgePool,
  options: SheetOptions,
): Promise<{ key: Key; sheets: Sheet[] }> {
  for (const part of ['key', ...JUDGES, THIRD]) {
    if (existsSync(join(folder, part))) {
      throw new RatioError(
        'bad-input',
        `${join(folder, part)} is there already and may hold judgements: choose another folder.`,
      );
    }
  }
  const key = makeKey(queries, runs, options);
  const wanted = new Set(key.queries.flatMap(({ lists }) => Object.values(lists).flat()));
  const texts = await pool.surroundings(wanted);
  const sheets = JUDGES.map((judge) => makeSheet(key, judge, queries, texts));
  await writeKey(folder, key);
  for (const [i, judge] of JUDGES.entries()) await writeSheet(folder, judge, sheets[i] ?? []);
  return { key, sheets };
}

/** Sentences and queries of a judging, read back from the first judge's sheet. */
async function readTexts(
  folder: string,
  key: Key,
): Promise<{ queries: JudgedQuery[]; texts: Map<string, Surroundings> }> {
  const [judge] = JUDGES;
  const path = join(folder, judge, 'sheet.json');
  let sheet: Sheet;
  try {
    sheet = JSON.parse(await readFile(path, 'utf8')) as Sheet;
  } catch (error) {
    throw fileError(path, error);
  }
  const texts = new Map<string, Surroundings>();
  for (const { query, items } of sheet) {
    for (const { item, title, before, text, after } of items) {
      const document = key.judges[judge]?.[query]?.items[item];
      if (document !== undefined) texts.set(document, { title, before, text, after });
    }
  }
  return { queries: sheet.map(({ query, move, text }) => ({ id: query, move, text })), texts };
}

/** The answers that are there: complete ones of the two judges, and what the third has said. */
async function collect(folder: string, key: Key): Promise<Map<string, Answers>> {
  const answers = new Map<string, Answers>();
  for (const judge of [...JUDGES, THIRD]) {
    if (!existsSync(join(folder, judge))) continue;
    const own = await readAnswers(folder, judge, key);
    if (judge !== THIRD) checkComplete(key, judge, own);
    answers.set(judge, own);
  }
  return answers;
}

/**
 * Writes the third judge's folder: what the two differ on, blinded anew. Null where they agree on
 * everything.
 */
export async function makeThirdSheet(folder: string): Promise<Sheet | null> {
  const key = await readKey(folder);
  const answers = await collect(folder, key);
  const [first, second] = JUDGES.map((judge) => answers.get(judge));
  if (!first || !second) {
    throw new RatioError(
      'bad-input',
      `Two filled-in sheets are needed in ${folder} to settle them.`,
    );
  }
  const open = disputes(key, [first, second]);
  if (open.labels.length === 0 && open.preferences.length === 0) return null;
  const { queries, texts } = await readTexts(folder, key);
  const labels = new Set(open.labels.map(({ query, document }) => `${query} ${document}`));
  const sheet = makeSheet(key, THIRD, queries, texts, {
    label: (query, document) => labels.has(`${query} ${document}`),
    preference: (query) => open.preferences.includes(query) && asksPreference(key, THIRD, query),
  });
  await writeSheet(folder, THIRD, sheet);
  return sheet;
}

async function readFilled(folder: string): Promise<{ key: Key; answers: Map<string, Answers> }> {
  const key = await readKey(folder);
  return { key, answers: await collect(folder, key) };
}

/** Scores what has been filled in: a folder of sheets, or the file of a published judging. */
export async function scoreJudged(
  path: string,
  options: BootstrapOptions = {},
): Promise<{ report: JudgeReport; key: Key; answers: Map<string, Answers> }> {
  const { key, answers } = statSync(path, { throwIfNoEntry: false })?.isFile()
    ? await readPublished(path)
    : await readFilled(path);
  const judges = new Map(
    JUDGES.flatMap((judge): [string, Answers][] => {
      const own = answers.get(judge);
      return own ? [[judge, own]] : [];
    }),
  );
  if (judges.size === 0) {
    throw new RatioError('not-found', `There is no judge's folder in ${path}.`);
  }
  const report = scoreJudging(key, judges, answers.get(THIRD) ?? null, options);
  return { report, key, answers };
}
