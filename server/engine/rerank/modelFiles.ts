/** The reranker's files: what stands in its folder, and whether it is whole. */
import * as z from 'zod';
import { fileSchema, ModelFolder } from '../modelFolder';
import { FEATURES } from './features';

const weights = z.tuple([z.number(), z.number(), z.number(), z.number()]);

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
  /** What the features weigh beside the global score, by move: a plain match counts once more. */
  blend: z.object({ address: weights, broaden: weights, specify: weights, none: weights }).default({
    address: [0, 0, 0, 0],
    broaden: [0, 0, 0, 0],
    specify: [0, 0, 0, 0],
    none: [0, 0, 0, 0],
  }),
  /** What a plain question's cosine with a passage as one text weighs, added to the passage's score. */
  passageCosine: z.number().min(0).default(0),
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

/** Faults of the reranker's files in words, and how they are read. */
export const rerankerFiles = new ModelFolder(
  'reranker',
  'Install Ratio again; until then answers keep the order of recall.',
);

/** Reads and checks `config.json`. Rejects with `model-missing` or `model-broken`. */
export function readConfig(modelDir: string): Promise<RerankerConfig> {
  return rerankerFiles.config(modelDir, rerankerConfigSchema);
}

/** Content of one of the models, checked against the config. */
export function readModel(
  modelDir: string,
  config: RerankerConfig,
  name: ModelFile,
): Promise<Buffer> {
  return rerankerFiles.model(modelDir, name, config.files[name]);
}
