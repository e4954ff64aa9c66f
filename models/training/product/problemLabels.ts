/**
 * The labelled sentences of problem-labels.jsonl, found again in the data they come from: the file
 * holds where a sentence stands and a hash of it, never its text.
 *
 * Label 1: the sentence itself states a problem, gap, limitation, difficulty or open question.
 * `development`: random sentences of papers (abstracts and full texts), those with a word that
 * problem statements tend to have drawn more often (`weight` is how many sentences each stands
 * for), and every sentence of two drafts. `held-out`: every sentence of the other drafts. All were
 * labelled before the detector's answers were seen; its cues and weights come from `development`.
 */
import { createHash } from 'node:crypto';
import { createReadStream, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { createGunzip } from 'node:zlib';
import { formatOf, parseProse } from '../../../server/prose';
import { packageRoot } from '../../../server/paths';

export type LabelSet = 'development' | 'held-out';

interface LabelRow {
  set: LabelSet;
  /** Path of a draft or id of a paper. */
  source: string;
  /** First 12 hexadecimal digits of the SHA-256 of the plain sentence in UTF-8. */
  sha: string;
  label: 0 | 1;
  /** Sentences of the population that this one stands for. */
  weight: number;
}

export interface LabelledSentence extends LabelRow {
  text: string;
}

interface LabelledSentences {
  sentences: LabelledSentence[];
  /** Labels whose sentence is not in the data, or no longer split as it was. */
  missing: number;
  /** Sentences of the labelled drafts that have no label. */
  unlabelled: string[];
}

const LABELS = 'models/training/product/problem-labels.jsonl';
const DRAFTS = 'drafts/';
const PAPER_FILES = ['papers-val.jsonl.gz', 'papers-train.jsonl.gz', 'fulltext.jsonl.gz'];

/**
 * @param data folder of the labelled texts
 * @throws where the folder lacks one of the files
 */
export async function loadProblemLabels(data: string, set: LabelSet): Promise<LabelledSentences> {
  const rows = readLabels().filter((row) => row.set === set);
  const wanted = new Map(rows.map((row) => [`${row.source} ${row.sha}`, row]));
  const sources = new Set(rows.map((row) => row.source));
  const sentences: LabelledSentence[] = [];
  const unlabelled: string[] = [];
  const offer = (source: string, text: string): void => {
    const key = `${source} ${sha(text)}`;
    const row = wanted.get(key);
    if (row) sentences.push({ ...row, text });
    else if (source.startsWith(DRAFTS)) unlabelled.push(text);
    wanted.delete(key);
  };
  const seen = new Set<string>();
  for (const source of sources) {
    if (!source.startsWith(DRAFTS)) continue;
    const format = formatOf(source) ?? 'latex';
    for (const { text } of parseProse(readFileSync(join(data, source), 'utf8'), format).sentences) {
      if (!seen.has(text)) offer(source, text);
      seen.add(text);
    }
  }
  if (set === 'development') {
    for (const file of PAPER_FILES) {
      for await (const [source, text] of paperSentences(join(data, file), sources)) {
        offer(source, text);
      }
    }
  }
  return { sentences, missing: wanted.size, unlabelled };
}

/** Counts and shares at a threshold; `summary` says them in words with 95 % intervals. */
interface Measured {
  firings: number;
  positives: number;
  hits: number;
  precision: number;
  recall: number;
  f1: number;
  summary: string;
}

/** Precision, recall and F1 where a score of at least `threshold` counts as a firing. */
export function measureAt(
  scores: readonly number[],
  rows: readonly { label: 0 | 1 }[],
  threshold: number,
): Measured {
  let hits = 0;
  let firings = 0;
  let positives = 0;
  rows.forEach(({ label }, at) => {
    const fires = (scores[at] ?? 0) >= threshold;
    firings += Number(fires);
    positives += label;
    hits += fires ? label : 0;
  });
  const precision = hits / firings;
  const recall = hits / positives;
  const f1 = (2 * hits) / (firings + positives);
  const summary =
    `precision ${precision.toFixed(3)} ${interval(hits, firings)} of ${firings}, ` +
    `recall ${recall.toFixed(3)} ${interval(hits, positives)} of ${positives}, F1 ${f1.toFixed(3)}`;
  return { firings, positives, hits, precision, recall, f1, summary };
}

/** 95 % interval of a proportion after Wilson (1927). */
function interval(hits: number, total: number): string {
  if (total === 0) return '[–]';
  const z = 1.96;
  const share = hits / total;
  const centre = share + (z * z) / (2 * total);
  const spread = z * Math.sqrt((share * (1 - share)) / total + (z * z) / (4 * total * total));
  const scale = 1 + (z * z) / total;
  return `[${((centre - spread) / scale).toFixed(3)}, ${((centre + spread) / scale).toFixed(3)}]`;
}

function readLabels(): LabelRow[] {
  return readFileSync(join(packageRoot(), LABELS), 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as LabelRow);
}

/** Sentences of the wanted papers, each with its paper's id. */
async function* paperSentences(
  file: string,
  wanted: Set<string>,
): AsyncGenerator<[string, string]> {
  const lines = createInterface({ input: createReadStream(file).pipe(createGunzip()) });
  for await (const line of lines) {
    const id = /"id": ?"([^"]+)"/.exec(line)?.[1];
    if (id === undefined || !wanted.has(id)) continue;
    const paper = JSON.parse(line) as { abstract?: string; sections?: { sentences: string[] }[] };
    for (const text of splitAbstract(paper.abstract ?? '')) yield [id, text];
    for (const section of paper.sections ?? []) {
      for (const sentence of section.sentences) yield [id, sentence.replace(/\s+/g, ' ').trim()];
    }
  }
}

// The cut that the labels were made with; it stays as it is though a better one exists.
function splitAbstract(abstract: string): string[] {
  return abstract
    .replace(/\s+/g, ' ')
    .trim()
    .split(/(?<=[.!?]) (?=[A-Z])/);
}

function sha(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 12);
}
