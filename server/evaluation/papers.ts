/** Whole papers, sentence by sentence (`papers.jsonl`): where contexts and neighbours come from. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';
import { embeddedText } from '../engine/encoder/textForm';
import { RatioError } from '../engine/engine';
import { CONTEXT, type Context, type Neighbour } from './context';
import { readRows } from './jsonl';
import type { Sentence } from './split';

const listedSchema = z.object({
  id: z.string().regex(/^\S+$/, 'an id is text without white space'),
  text: z.string(),
  section: z.string().nullish(),
});

export const paperListSchema = z.object({
  id: z.string(),
  title: z.string().nullish(),
  sentences: z.array(listedSchema),
});
export type PaperList = z.infer<typeof paperListSchema>;

/** The `papers.jsonl` of a benchmark split or of `ratio mine`. */
export function papersFile(folder: string): string {
  for (const name of ['papers.jsonl', 'papers.jsonl.gz']) {
    const path = join(folder, name);
    if (existsSync(path)) return path;
  }
  throw new RatioError(
    'not-found',
    `There is no ${join(folder, 'papers.jsonl')}, which contexts and neighbours are read from.`,
  );
}

/** Papers of a file, one after the other. */
export async function* readPapers(path: string): AsyncGenerator<PaperList> {
  for await (const { row } of readRows(path, paperListSchema)) yield row;
}

/**
 * Context of every sentence of a pool: title and up to `before` sentences that stand before it in
 * the same section of its paper, in the form that is embedded, as the pool's own texts are. A sentence
 * that the papers do not list has its title alone.
 */
export async function readContexts(
  path: string,
  pool: readonly Sentence[],
  places: ReadonlyMap<string, number>,
  before = CONTEXT.before,
): Promise<Context[]> {
  const contexts: Context[] = pool.map(({ title }) => ({ title: title ?? '', before: [] }));
  for await (const { title, sentences } of readPapers(path)) {
    const embedded = new Map<string, string>();
    const asEmbedded = (text: string): string => {
      const known = embedded.get(text) ?? embeddedText(text);
      embedded.set(text, known);
      return known;
    };
    sentences.forEach(({ id, section }, i) => {
      const place = places.get(id);
      if (place === undefined) return;
      const earlier: Neighbour[] = sentences
        .slice(Math.max(0, i - before), i)
        .filter((sentence) => (sentence.section ?? null) === (section ?? null))
        .map(({ id, text }) => ({ id, text: asEmbedded(text) }));
      contexts[place] = { title: pool[place]?.title ?? title ?? '', before: earlier };
    });
  }
  return contexts;
}
