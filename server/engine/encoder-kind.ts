/** What the engine needs of an encoder: sentences to L2-normalised vectors. */
export type SentenceEncoder = {
  /** Revision of the weights and text template; vectors of different ids never mix. */
  readonly id: string;
  readonly dimensions: number;
  /** Put before a query and before a stored sentence; `{move}` in the former is the move's name. */
  readonly prefixes?: { query: string; document: string };
  readonly device: { requested: string; active: string; reason: string | null };
  encode(
    texts: string[],
    options?: { signal?: AbortSignal; batchSize?: number },
  ): Promise<Float32Array[]>;
  encodeOne(text: string): Promise<Float32Array>;
  /** For `auto`: times the GPUs there are and moves to one that is worth it. */
  probeDevice?(options: { cacheFile: string }): Promise<unknown>;
  close(): Promise<void> | void;
};
