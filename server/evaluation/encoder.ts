/** The encoder of an evaluation: which text it is given for a query and for a document. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as z from 'zod';
import { RatioError, type Move } from '../engine/engine';
import type { SentenceEncoder } from '../engine/encoder-kind';
import { loadEncoder } from '../engine/load-encoder';
import type { Template } from './context';
import { fileError } from './jsonl';

/**
 * The parts of a model folder's `config.json` that say how text is put to the encoder.
 * `queryPrefix` is one text for every move (`{move}` stands for the move's name) or a text a move;
 * `contextTemplate` is a document with its surroundings: `{title}`, `{before}`, `{text}`.
 */
const promptSchema = z.object({
  queryPrefix: z
    .union([z.string(), z.partialRecord(z.enum(['address', 'broaden', 'specify']), z.string())])
    .default(''),
  documentPrefix: z.string().default(''),
  contextTemplate: z.string().includes('{text}').nullish(),
  files: z.record(z.string(), z.object({ sha256: z.string() }).loose()).default({}),
});
export type Prompts = z.infer<typeof promptSchema>;

/** What is encoded for a query that asks for a move. */
export function queryText(
  { queryPrefix }: Pick<Prompts, 'queryPrefix'>,
  move: Move,
  text: string,
): string {
  const prefix =
    typeof queryPrefix === 'string'
      ? queryPrefix.replaceAll('{move}', move)
      : (queryPrefix[move] ?? '');
  return prefix + text;
}

/** Whether the encoder is told the move. */
export function knowsMoves({ queryPrefix }: Pick<Prompts, 'queryPrefix'>): boolean {
  return typeof queryPrefix === 'string'
    ? queryPrefix.includes('{move}')
    : new Set(Object.values(queryPrefix)).size > 1;
}

/** Reads the prompts of a model folder. Rejects with `model-missing` or `model-broken`. */
export async function readPrompts(folder: string): Promise<Prompts> {
  const path = join(folder, 'config.json');
  let value: unknown;
  try {
    value = JSON.parse(await readFile(path, 'utf8'));
  } catch (error) {
    if (error instanceof SyntaxError) throw new RatioError('model-broken', `${path} is not JSON.`);
    throw new RatioError(
      'model-missing',
      `${fileError(path, error).message} --encoder names a model folder.`,
    );
  }
  const parsed = promptSchema.safeParse(value);
  if (parsed.success) return parsed.data;
  const issue = parsed.error.issues[0];
  throw new RatioError(
    'model-broken',
    `${path} does not describe an encoder (${issue?.path.join('.') ?? ''}: ${issue?.message ?? 'invalid'}).`,
  );
}

export type EvaluationEncoder = {
  model: SentenceEncoder;
  prompts: Prompts;
  /**
   * Names these very weights on this device: an encoder's id is the same for every precision, and
   * an evaluation may compare precisions.
   */
  revision: string;
  /** Null where the encoder has no template for documents with context. */
  template: Template | null;
};

/** Fills a template's placeholders in one pass, so that text with braces stays as it is. */
export function fillTemplate(pattern: string): Template {
  return (parts) =>
    pattern.replace(/\{(title|before|text)\}/g, (_, name: keyof typeof parts) => parts[name]);
}

/** Opens the encoder in a folder. */
export async function openEncoder(folder: string, device: string): Promise<EvaluationEncoder> {
  const prompts = await readPrompts(folder);
  const model = await loadEncoder({ modelDir: folder, device });
  const { active } = model.device;
  // GPUs run other weights than the CPU where a folder has both.
  const weights = Object.entries(prompts.files)
    .map(([name, { sha256 }]) => `${name}=${sha256}`)
    .sort();
  return {
    model,
    prompts,
    revision: [model.id, active, ...weights].join(' '),
    template: prompts.contextTemplate ? fillTemplate(prompts.contextTemplate) : null,
  };
}
