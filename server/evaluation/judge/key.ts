/** The key of a judging: which sentence and which list is whose. Kept apart from the judges. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as z from 'zod';
import { moveSchema, RatioError } from '../../engine/engine';
import { fileError } from '../jsonl';

const names = z.record(z.string(), z.string());

export const keySchema = z.object({
  version: z.literal(1),
  /** The command that made the sheets. */
  command: z.string(),
  seed: z.number(),
  k: z.number().int().positive(),
  systems: z.array(z.string()),
  queries: z.array(
    z.object({
      id: z.string(),
      move: moveSchema,
      /** Documents of every system's list, best first. */
      lists: z.record(z.string(), z.array(z.string())),
    }),
  ),
  /** By judge and query: the document of an item's name, and the systems of a list's letter. */
  judges: z.record(
    z.string(),
    z.record(
      z.string(),
      z.object({ items: names, letters: z.record(z.string(), z.array(z.string())) }),
    ),
  ),
});
export type Key = z.infer<typeof keySchema>;

export const KEY_FILE = join('key', 'key.json');

/** Reads the key of a judging folder. Rejects with `not-found` or `bad-input`. */
export async function readKey(folder: string): Promise<Key> {
  const path = join(folder, KEY_FILE);
  let text: string;
  try {
    text = await readFile(path, 'utf8');
  } catch (error) {
    throw new RatioError(
      'not-found',
      `${fileError(path, error).message} "ratio judge sheet" makes it.`,
    );
  }
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new RatioError('bad-input', `${path} is not JSON.`);
  }
  const parsed = keySchema.safeParse(value);
  if (parsed.success) return parsed.data;
  const issue = parsed.error.issues[0];
  throw new RatioError(
    'bad-input',
    `${path} is not a key (${issue?.path.join('.') ?? ''}: ${issue?.message ?? 'invalid'}).`,
  );
}
