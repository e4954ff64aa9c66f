/** A judging as `ratio judge score --export` writes it: key and answers in one file, without any text of a paper. */
import { readFile } from 'node:fs/promises';
import * as z from 'zod';
import { RatioError } from '../../engine/engine';
import { fileError } from '../jsonl';
import type { Answers } from './answers';
import { keySchema, type Key } from './key';

const publishedSchema = keySchema.extend({
  answers: z.record(
    z.string(),
    z.object({
      labels: z.record(z.string(), z.record(z.string(), z.union([z.literal(0), z.literal(1)]))),
      preferences: z.record(z.string(), z.union([z.literal('tie'), z.array(z.string())])),
    }),
  ),
});

/** What is published of a judging. */
export function published(
  key: Key,
  answers: ReadonlyMap<string, Answers>,
): z.infer<typeof publishedSchema> {
  return {
    ...key,
    answers: Object.fromEntries(
      [...answers].map(([judge, { labels, preferences }]) => [
        judge,
        {
          labels: Object.fromEntries(
            [...labels].map(([query, own]) => [query, Object.fromEntries(own)]),
          ),
          preferences: Object.fromEntries(
            [...preferences].map(([query, won]) => [query, won === 'tie' ? won : [...won]]),
          ),
        },
      ]),
    ),
  };
}

/** Reads a published judging. Rejects with `not-found` or `bad-input`. */
export async function readPublished(
  path: string,
): Promise<{ key: Key; answers: Map<string, Answers> }> {
  let value: unknown;
  try {
    value = JSON.parse(await readFile(path, 'utf8'));
  } catch (error) {
    if (error instanceof SyntaxError) throw new RatioError('bad-input', `${path} is not JSON.`);
    throw fileError(path, error);
  }
  const parsed = publishedSchema.safeParse(value);
  if (!parsed.success) {
    const issue = parsed.error.issues[0];
    throw new RatioError(
      'bad-input',
      `${path} is no judging that "ratio judge score --export" wrote (${issue?.path.join('.') ?? ''}: ${issue?.message ?? 'invalid'}).`,
    );
  }
  const { answers, ...key } = parsed.data;
  return {
    key,
    answers: new Map(
      Object.entries(answers).map(([judge, { labels, preferences }]) => [
        judge,
        {
          labels: new Map(
            Object.entries(labels).map(([query, own]) => [query, new Map(Object.entries(own))]),
          ),
          preferences: new Map(Object.entries(preferences)),
        },
      ]),
    ),
  };
}
