/** The encoder of an evaluation: which text it is given for a query and for a document. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as z from 'zod';
import { RatioError } from '../engine/engine';
import type { SentenceEncoder } from '../engine/encoderKind';
import { promptsSchema } from '../engine/encoder/prompts';
import { loadEncoder } from '../engine/loadEncoder';
import type { Template } from './context';
import { fileError } from './jsonl';

/** What an evaluation needs of a model folder's `config.json`: prompts, and the weights' hashes. */
const configSchema = promptsSchema.extend({
  files: z.record(z.string(), z.object({ sha256: z.string() }).loose()).default({}),
});
type ModelPrompts = z.infer<typeof configSchema>;

/** Reads the prompts of a model folder. Rejects with `model-missing` or `model-broken`. */
export async function readPrompts(folder: string): Promise<ModelPrompts> {
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
  const parsed = configSchema.safeParse(value);
  if (parsed.success) return parsed.data;
  const issue = parsed.error.issues[0];
  throw new RatioError(
    'model-broken',
    `${path} does not describe an encoder (${issue?.path.join('.') ?? ''}: ${issue?.message ?? 'invalid'}).`,
  );
}

export type EvaluationEncoder = {
  model: SentenceEncoder;
  prompts: ModelPrompts;
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
