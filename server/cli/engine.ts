/** The terminal's engine: in this process, on the data folder that the editor uses. */
import { join } from 'node:path';
import { RatioError } from '../engine/engine';
import { errorText } from '../engine/errors';
import { createEngine, type EngineOptions, type LocalEngine } from '../engine/local';
import { dataHome, packageRoot } from '../paths';
import { importers } from '../pools';
import { progressMeter } from './progress';
import { plain } from './text';

/**
 * Runs `work` with an engine and closes it afterwards, whatever happens; with `rerank`, its answers are
 * reranked from the first on, where the reranker can be loaded.
 */
export async function withEngine<T>(
  device: string,
  work: (engine: LocalEngine) => Promise<T>,
  {
    rerank = false,
    ...options
  }: Pick<EngineOptions, 'lazy' | 'upkeep' | 'stages'> & { rerank?: boolean } = {},
): Promise<T> {
  const models = join(packageRoot(), 'models');
  const engine = await createEngine({
    ...options,
    home: dataHome(),
    modelDir: join(models, 'encoder'),
    rerankerDir: rerank ? join(models, 'reranker') : undefined,
    device,
    importers,
    starterPool: join(packageRoot(), 'media', 'starter-pool.jsonl'),
    log: (line) => {
      if (process.env['RATIO_DEBUG']) process.stderr.write(`${line}\n`);
    },
  });
  const { requested, active, reason } = engine.device ?? {};
  if (requested !== 'auto' && requested !== active) {
    process.stderr.write(`ratio: ${reason ?? requested}; ${active} is used instead.\n`);
  }
  try {
    if (rerank) await engine.loadReranker();
    return await work(engine);
  } finally {
    await engine.close();
  }
}

const PREPARING = {
  missing: (pool: string) => `making the pool "${pool}" …`,
  changed: (pool: string) => `updating the pool "${pool}" …`,
  encoder: (pool: string) => `"${pool}" was encoded by another encoder; encoding it again …`,
};

/**
 * Puts the pools of an answer in order before it is given, with progress: this process ends with the answer, so
 * nothing can be left to the background. A fault is told and the answer does without; with `strict` it is thrown,
 * for what is measured.
 */
export async function preparePools(
  engine: LocalEngine,
  pools: readonly string[] | null,
  signal: AbortSignal,
  { starterOnly = false, strict = false }: { starterOnly?: boolean; strict?: boolean } = {},
): Promise<void> {
  const meter = progressMeter();
  const say = (line: string): void => {
    meter.clear();
    process.stderr.write(`ratio: ${line}\n`);
  };
  await engine
    .prepare(pools, {
      signal,
      starterOnly,
      onProgress: meter.show,
      onPool: (pool, why) => say(PREPARING[why](pool)),
      onFault: (pool, error) => {
        const told = `"${pool}" could not be got ready: ${plain(errorText(error))}`;
        if (!strict) return say(told);
        throw error instanceof RatioError
          ? new RatioError(error.code, told)
          : new Error(told, { cause: error });
      },
    })
    .finally(meter.clear);
}
