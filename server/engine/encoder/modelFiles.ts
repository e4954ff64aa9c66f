/** The encoder's files: what stands in a model folder, and whether it is whole. */
import * as z from 'zod';
import { fileSchema, ModelFolder } from '../modelFolder';
import { promptsSchema } from './prompts';

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

/** Faults of the encoder's files in words, and how they are read. */
export const encoderFiles = new ModelFolder(
  'encoder',
  'Install Ratio again, or choose another model folder in the settings.',
);

/** Reads and checks `config.json`. Rejects with `model-missing` or `model-broken`. */
export function readConfig(modelDir: string): Promise<EncoderConfig> {
  return encoderFiles.config(modelDir, encoderConfigSchema);
}

/** The two JSON files of the tokeniser. */
export function readTokenizer(modelDir: string): Promise<[object, object]> {
  return encoderFiles.tokenizer(modelDir);
}

/** Content of one of the model files, checked against the config. */
export function readModel(
  modelDir: string,
  config: EncoderConfig,
  name: keyof EncoderConfig['files'],
): Promise<Buffer> {
  return encoderFiles.model(modelDir, name, config.files[name]);
}
