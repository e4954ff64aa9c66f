/** The key of a judging: which sentence and which list is whose. Kept apart from the judges. */
import { readFile } from 'node:fs/promises';
import { join, win32 } from 'node:path';
import * as z from 'zod';
import { moveSchema, RatioError } from '../../engine/engine';
import { fileError } from '../jsonl';

const names = z.record(z.string(), z.string());

export const keySchema = z.object({
  version: z.literal(1),
  /** The command that made the sheets, see `commandLine`. */
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

/**
 * The command line as it is recorded: files and folders by their base names, since a judging is
 * published and where somebody keeps files is nobody's business. `options` follow `ratio`.
 */
export function commandLine(options: readonly string[]): string {
  const shown = options.map((option) => {
    // `--run NAME=FILE` and `--out=FOLDER` hold a path behind the sign.
    const [, name = '', value = ''] = /^([^=/\\]+=)?(.*)$/s.exec(option) ?? [];
    return name + (/[/\\]/.test(value) ? win32.basename(value) : value);
  });
  return ['ratio', ...shown].join(' ');
}

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
