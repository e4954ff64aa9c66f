/**
 * One contender of the encode bench in a process of its own, so that no library's threads or memory
 * touch another's. Started by encode.ts with its kind and folder; answers messages of sentences with
 * milliseconds.
 */
import '../../server/engine/encoder/quietRuntime';
import { createRequire } from 'node:module';
import { dirname } from 'node:path';
import { Encoder } from '../../server/engine/encoder/encoder';

export type Contender = 'ratio' | 'fp32' | 'q8';

/** Asks for one timing; `alone` has every sentence encoded by itself. */
export interface Ask {
  texts: string[];
  alone: boolean;
}

export interface Answer {
  /** Wall-clock milliseconds of each call. */
  ms: number[];
  cpuMs: number;
  rssBytes: number;
  loadMs: number;
  /** Vectors, for a check that the contenders do the same work. */
  vectors: number[][];
}

type Encode = (texts: string[]) => Promise<Float32Array[]>;

/** What the bench uses of @huggingface/transformers. */
interface Transformers {
  env: { allowRemoteModels: boolean; localModelPath: string };
  pipeline(
    task: string,
    model: string,
    options: { dtype: string; device: string },
  ): Promise<
    (
      texts: string[],
      options: { pooling: string; normalize: boolean },
    ) => Promise<{ data: Float32Array; dims: number[] }>
  >;
}

async function load(kind: Contender, folder: string, library: string): Promise<Encode> {
  if (kind === 'ratio') {
    const encoder = await Encoder.create({ modelDir: folder, device: 'cpu' });
    return (texts) =>
      texts.length === 1
        ? encoder.encodeOne(texts[0] ?? '').then((v) => [v])
        : encoder.encode(texts);
  }
  const { env, pipeline } = createRequire(library)('@huggingface/transformers') as Transformers;
  env.allowRemoteModels = false;
  env.localModelPath = dirname(folder);
  const name = folder.slice(dirname(folder).length + 1);
  const extract = await pipeline('feature-extraction', name, { dtype: kind, device: 'cpu' });
  return async (texts) => {
    const { data, dims } = await extract(texts, { pooling: 'mean', normalize: true });
    const size = dims.at(-1) ?? 0;
    return texts.map((_, i) => data.slice(i * size, (i + 1) * size));
  };
}

async function main(): Promise<void> {
  const [kind, folder, library] = process.argv.slice(-3);
  if (!kind || !folder || !library) throw new Error('expected kind, folder and library');
  const start = performance.now();
  const encode = await load(kind as Contender, folder, library);
  const loadMs = performance.now() - start;
  process.on('message', (ask: Ask) => {
    void (async () => {
      const calls = ask.alone ? ask.texts.map((text) => [text]) : [ask.texts];
      const ms: number[] = [];
      const vectors: number[][] = [];
      const cpu = process.cpuUsage();
      for (const texts of calls) {
        const began = performance.now();
        const made = await encode(texts);
        ms.push(performance.now() - began);
        vectors.push(...made.map((vector) => Array.from(vector)));
      }
      const { user, system } = process.cpuUsage(cpu);
      const rssBytes = process.memoryUsage.rss();
      process.send?.({ ms, cpuMs: (user + system) / 1000, rssBytes, loadMs, vectors } as Answer);
    })();
  });
  process.on('disconnect', () => process.exit(0));
  process.send?.('ready');
}

main().catch((error: unknown) => {
  console.error(error);
  process.exit(1);
});
