/** The encoder's files: what stands in a model folder, and whether it is whole. */
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as z from 'zod';
import { RatioError } from '../engine';
import { promptsSchema } from './prompts';

const fileSchema = z.object({ bytes: z.number().int(), sha256: z.string().length(64) });

/** `config.json` of a model folder, as models/training/export_encoder.py writes it. */
export const encoderConfigSchema = z.object({
  /** Weights' revision and text template; the same for every precision and device. */
  id: z.string().min(1),
  name: z.string(),
  licence: z.string(),
  dimensions: z.number().int().positive(),
  /** Longest input, special tokens included; the rest of a text is cut off. */
  maxTokens: z.number().int().min(3),
  ...promptsSchema.shape,
  pooling: z.literal('mean'),
  normalised: z.literal(true),
  files: z.object({ 'model.onnx': fileSchema, 'model.gpu.onnx': fileSchema.optional() }),
});
export type EncoderConfig = z.infer<typeof encoderConfigSchema>;

const ADVICE = 'Install Ratio again, or choose another model folder in the settings.';

function broken(path: string, what: string): RatioError {
  return new RatioError('model-broken', `The encoder's file ${path} ${what}. ${ADVICE}`);
}

/** Turns whatever went wrong with `path` into an error that a user can act on. */
export function modelError(path: string, error: unknown): RatioError {
  if (error instanceof RatioError) return error;
  const code = (error as NodeJS.ErrnoException | null)?.code;
  if (code === 'ENOENT' || code === 'ENOTDIR') {
    return new RatioError('model-missing', `The encoder's file ${path} is missing. ${ADVICE}`);
  }
  const detail = error instanceof Error ? error.message : String(error);
  return broken(path, `cannot be read (${detail.split('\n', 1)[0]})`);
}

async function readJson(path: string): Promise<unknown> {
  try {
    return JSON.parse(await readFile(path, 'utf8')) as unknown;
  } catch (error) {
    if (error instanceof SyntaxError) throw broken(path, 'is not JSON');
    throw modelError(path, error);
  }
}

/** Reads and checks `config.json`. Rejects with `model-missing` or `model-broken`. */
export async function readConfig(modelDir: string): Promise<EncoderConfig> {
  const path = join(modelDir, 'config.json');
  const parsed = encoderConfigSchema.safeParse(await readJson(path));
  if (parsed.success) return parsed.data;
  const issue = parsed.error.issues[0];
  const where = issue?.path.join('.') || 'the whole';
  throw broken(path, `does not describe an encoder (${where}: ${issue?.message ?? 'invalid'})`);
}

/** The two JSON files of the tokeniser. */
export async function readTokenizer(modelDir: string): Promise<[object, object]> {
  const read = async (name: string): Promise<object> => {
    const path = join(modelDir, name);
    const value = await readJson(path);
    if (typeof value !== 'object' || value === null) throw broken(path, 'holds no tokeniser');
    return value;
  };
  return Promise.all([read('tokenizer.json'), read('tokenizer_config.json')]);
}

/**
 * Content of one of the model files, checked against the size and hash in the config: a cut or
 * flipped byte would otherwise crash native code or quietly give wrong vectors.
 */
export async function readModel(
  modelDir: string,
  config: EncoderConfig,
  name: keyof EncoderConfig['files'],
): Promise<Buffer> {
  const path = join(modelDir, name);
  const expected = config.files[name];
  if (!expected) throw new RatioError('model-missing', `The encoder has no ${path}. ${ADVICE}`);
  let bytes: Buffer;
  try {
    bytes = await readFile(path);
  } catch (error) {
    throw modelError(path, error);
  }
  if (bytes.length !== expected.bytes) {
    throw broken(path, `has ${bytes.length} bytes instead of ${expected.bytes}`);
  }
  if (createHash('sha256').update(bytes).digest('hex') !== expected.sha256) {
    throw broken(path, 'is not the file that config.json describes (its hash differs)');
  }
  return bytes;
}
