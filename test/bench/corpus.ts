/** Papers for the bench's pools, cut from RATIO_DATA to an exact number of sentences. */
import { createReadStream, createWriteStream, existsSync, mkdirSync, renameSync } from 'node:fs';
import { once } from 'node:events';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { createGunzip } from 'node:zlib';
import { paperOfRow } from '../../server/pools/jsonl';

type Row = { id: string; title: string; abstract?: string };

/** Folder of the data that benches read; throws, saying so, where it is not there. */
export function dataFolder(): string {
  const data = process.env['RATIO_DATA'];
  if (!data || !existsSync(join(data, 'papers-val.jsonl.gz'))) {
    throw new Error(
      'Set RATIO_DATA to the folder that holds papers-val.jsonl.gz, papers-train.jsonl.gz and drafts/.',
    );
  }
  return data;
}

/** Rows of a gzipped JSONL file of the data, in order. */
export async function* rows(file: string): AsyncGenerator<Row> {
  const input = createReadStream(file).pipe(createGunzip());
  const lines = createInterface({ input, crlfDelay: Infinity });
  try {
    for await (const line of lines) if (line !== '') yield JSON.parse(line) as Row;
  } finally {
    lines.close();
    input.destroy();
  }
}

/** Plain sentences of a row, as the importer stores them. */
export function sentencesOf(row: Row): string[] {
  const options = { categories: [], since: null, until: null };
  const paper = paperOfRow(row, options, () => true);
  return paper && !paper.titleOnly ? paper.sentences.map(({ text }) => text) : [];
}

export type Corpus = { path: string; papers: number; sentences: number };

/**
 * Writes papers of the validation split (then of the training split) with exactly `sentences`
 * sentences, the last paper cut short, to `path` as JSONL.
 */
export async function writeCorpus(path: string, sentences: number): Promise<Corpus> {
  const data = dataFolder();
  mkdirSync(dirname(path), { recursive: true });
  const part = `${path}.part`;
  const out = createWriteStream(part);
  const seen = new Set<string>();
  let left = sentences;
  for (const name of ['papers-val.jsonl.gz', 'papers-train.jsonl.gz']) {
    for await (const row of rows(join(data, name))) {
      if (left === 0) break;
      const own = sentencesOf(row);
      if (own.length === 0 || seen.has(row.id)) continue;
      seen.add(row.id);
      const cut = own.length > left ? { ...row, sentences: own.slice(0, left) } : row;
      left -= Math.min(left, own.length);
      if (!out.write(`${JSON.stringify(cut)}\n`)) await once(out, 'drain');
    }
  }
  out.end();
  await once(out, 'finish');
  if (left > 0) throw new Error(`The data holds ${sentences - left} sentences, not ${sentences}.`);
  renameSync(part, path);
  return { path, papers: seen.size, sentences };
}

/** Writes the first `count` papers of the training split, which no bench pool holds, as JSONL. */
export async function writeIncoming(path: string, count: number): Promise<Corpus> {
  mkdirSync(dirname(path), { recursive: true });
  const out = createWriteStream(path);
  let papers = 0;
  let sentences = 0;
  for await (const row of rows(join(dataFolder(), 'papers-train.jsonl.gz'))) {
    if (papers === count) break;
    papers++;
    sentences += sentencesOf(row).length;
    if (!out.write(`${JSON.stringify(row)}\n`)) await once(out, 'drain');
  }
  out.end();
  await once(out, 'finish');
  return { path, papers, sentences };
}
