/** The reranker's files: what stands in its folder, and whether it is whole. */
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as z from 'zod';
import { RatioError } from '../engine';
import { errorCode, errorText } from '../errors';
import { FEATURES } from './features';

const fileSchema = z.object({ bytes: z.number().int(), sha256: z.string().length(64) });

/** `config.json` of a reranker's folder, as training exports it. */
const rerankerConfigSchema = z.object({
  id: z.string().min(1),
  name: z.string(),
  licence: z.string(),
  /** Id of the encoder whose cosines are its features; null: any will do. */
  encoder: z.string().nullable(),
  /** Longest joint input, longest query in it, most sentences of a passage. */
  maxTokens: z.number().int().min(8),
  maxQueryTokens: z.number().int().min(1),
  maxSentences: z.number().int().min(1),
  /** Passages a query where the machine is quick enough. */
  passages: z.number().int().min(1),
  /** Width of the sentences' vectors. */
  hidden: z.number().int().min(1),
  features: z.tuple([
    z.literal(FEATURES[0]),
    z.literal(FEATURES[1]),
    z.literal(FEATURES[2]),
    z.literal(FEATURES[3]),
  ]),
  /** What stands before a query that asks for a move, or for none. */
  prompts: z.object({
    address: z.string(),
    broaden: z.string(),
    specify: z.string(),
    none: z.string(),
  }),
  graph: z.object({
    cosine: z.number().min(-1).max(1),
    difference: z.number().min(0),
    top: z.number().int().min(0),
    neighbours: z.number().int().min(1),
  }),
  files: z.object({ 'local.onnx': fileSchema, 'global.onnx': fileSchema }),
});
export type RerankerConfig = z.infer<typeof rerankerConfigSchema>;
export type ModelFile = keyof RerankerConfig['files'];

const ADVICE = 'Install Ratio again; until then answers keep the order of recall.';

export function broken(path: string, what: string): RatioError {
  return new RatioError('model-broken', `The reranker's file ${path} ${what}. ${ADVICE}`);
}

/** Turns whatever went wrong with `path` into an error that a user can act on. */
export function modelError(path: string, error: unknown): RatioError {
  if (error instanceof RatioError) return error;
  if (['ENOENT', 'ENOTDIR'].includes(errorCode(error) ?? '')) {
    return new RatioError('model-missing', `The reranker's file ${path} is missing. ${ADVICE}`);
  }
  return broken(path, `cannot be read (${errorText(error).split('\n', 1)[0] ?? ''})`);
}

async function readBytes(path: string): Promise<Buffer> {
  try {
    return await readFile(path);
  } catch (error) {
    throw modelError(path, error);
  }
}

async function readJson(path: string): Promise<unknown> {
  try {
    return JSON.parse((await readBytes(path)).toString('utf8')) as unknown;
  } catch (error) {
    if (error instanceof SyntaxError) throw broken(path, 'is not JSON');
    throw error;
  }
}

/** Reads and checks `config.json`. Rejects with `model-missing` or `model-broken`. */
export async function readConfig(modelDir: string): Promise<RerankerConfig> {
  const path = join(modelDir, 'config.json');
  const parsed = rerankerConfigSchema.safeParse(await readJson(path));
  if (parsed.success) return parsed.data;
  const issue = parsed.error.issues[0];
  const where = issue?.path.join('.') || 'the whole';
  throw broken(path, `does not describe a reranker (${where}: ${issue?.message ?? 'invalid'})`);
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
 * Content of one of the models, checked against the size and hash in the config: a cut or flipped
 * byte would otherwise crash native code or quietly give wrong scores.
 */
export async function readModel(
  modelDir: string,
  config: RerankerConfig,
  name: ModelFile,
): Promise<Buffer> {
  const path = join(modelDir, name);
  const expected = config.files[name];
  const bytes = await readBytes(path);
  if (bytes.length !== expected.bytes) {
    throw broken(path, `has ${bytes.length} bytes instead of ${expected.bytes}`);
  }
  if (createHash('sha256').update(bytes).digest('hex') !== expected.sha256) {
    throw broken(path, 'is not the file that config.json describes (its hash differs)');
  }
  return bytes;
}
