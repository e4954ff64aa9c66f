/** Test doubles: a deterministic encoder and a small JSONL importer. */
import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import { paperSchema } from '../../../server/engine/engine';
import type { SentenceEncoder } from '../../../server/engine/encoderKind';
import type { Prompts } from '../../../server/engine/encoder/prompts';
import type { Importer } from '../../../server/engine/import/source';

export const DIMENSIONS = 384;

/** Random vector of a word, the same in every process. */
function wordVector(word: string): Float32Array {
  let state = 2166136261;
  for (const char of word) state = Math.imul(state ^ (char.codePointAt(0) ?? 0), 16777619);
  const vector = new Float32Array(DIMENSIONS);
  for (let i = 0; i < DIMENSIONS; i++) {
    state = Math.imul(state ^ (state >>> 15), 0x2c1b3c6d) + 0x9e3779b9;
    vector[i] = (state >>> 0) / 2 ** 31 - 1;
  }
  return vector;
}

export function bagOfWords(text: string): Float32Array {
  const sum = new Float32Array(DIMENSIONS);
  for (const word of text.toLowerCase().match(/[a-z0-9]+/g) ?? ['']) {
    wordVector(word).forEach((value, i) => (sum[i] = (sum[i] ?? 0) + value));
  }
  const norm = Math.hypot(...sum) || 1;
  return sum.map((value) => value / norm);
}

/** A bag encoder that keeps what it was given, with prompts of its own where they are named. */
export function listeningEncoder(
  id: string,
  prompts?: Prompts,
): SentenceEncoder & { queries: string[]; documents: string[] } {
  const bag = bagEncoder(id);
  const queries: string[] = [];
  const documents: string[] = [];
  return {
    ...bag,
    ...(prompts && { prompts }),
    queries,
    documents,
    encode: (texts) => {
      documents.push(...texts);
      return bag.encode(texts);
    },
    encodeOne: (text) => {
      queries.push(text);
      return bag.encodeOne(text);
    },
  };
}

/** Encodes texts as sums of their words' random vectors: shared words make near vectors. */
export function bagEncoder(id = 'bag-of-words'): SentenceEncoder & { encoded: number } {
  return {
    id,
    dimensions: DIMENSIONS,
    device: { requested: 'cpu', active: 'cpu', reason: null },
    encoded: 0,
    async encode(texts) {
      this.encoded += texts.length;
      await new Promise((resolve) => setImmediate(resolve));
      return texts.map(bagOfWords);
    },
    async encodeOne(text) {
      return bagOfWords(text);
    },
    close: () => undefined,
  };
}

export type Sentence = string | { text: string; section: string | null };

/**
 * Rows `{…paper, sentences: [text or {text, section}], titleOnly?}`; a line that is no JSON is
 * reported.
 */
export const jsonlImporter: Importer = {
  name: 'test JSONL',
  accepts: (path) => path.endsWith('.jsonl'),
  async *read(path, options, report, signal) {
    let number = 0;
    let bytes = 0;
    for await (const line of createInterface({ input: createReadStream(path) })) {
      number++;
      bytes += line.length + 1;
      if (signal.aborted) return;
      options.onBytes?.(bytes);
      if (line === '') continue;
      try {
        const row = JSON.parse(line) as { sentences: Sentence[]; titleOnly?: boolean };
        yield {
          paper: paperSchema.parse(row),
          sentences: row.sentences.map((sentence) => ({
            role: null,
            section: null,
            ...(typeof sentence === 'string' ? { text: sentence } : sentence),
          })),
          titleOnly: row.titleOnly ?? false,
        };
      } catch (error) {
        report({ source: path, line: number, message: String(error) });
      }
    }
  },
};
