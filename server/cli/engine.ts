/** The terminal's engine: in this process, on the data folder that the editor uses. */
import { join } from 'node:path';
import { createEngine, type EngineOptions, type LocalEngine } from '../engine/local';
import { dataHome, packageRoot } from '../paths';
import { importers } from '../pools';

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
  }: Pick<EngineOptions, 'lazy' | 'upkeep'> & { rerank?: boolean } = {},
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
