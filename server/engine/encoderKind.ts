import type { Prompts } from './encoder/prompts';
import type { LoadedHeads } from './heads';

/** What the engine needs of an encoder: sentences to L2-normalised vectors. */
export type SentenceEncoder = {
  /** Revision of the weights and prompts; vectors of different ids never mix. */
  readonly id: string;
  readonly dimensions: number;
  /** How queries and stored sentences are put to it; without, as they are. */
  readonly prompts?: Prompts;
  /** Heads trained on its vectors, or why there are none; without, cues decide. */
  readonly heads?: LoadedHeads;
  readonly device: { requested: string; active: string; reason: string | null };
  encode(
    texts: string[],
    options?: { signal?: AbortSignal; batchSize?: number },
  ): Promise<Float32Array[]>;
  encodeOne(text: string): Promise<Float32Array>;
  /** For `auto`: times the GPUs there are and moves to one that is worth it, until `signal` aborts. */
  probeDevice?(options: { cacheFile: string; signal: AbortSignal }): Promise<unknown>;
  close(): Promise<void> | void;
};
