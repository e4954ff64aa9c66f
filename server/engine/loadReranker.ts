/** Loads the reranker that ships, or says why it cannot be. */
import { RatioError } from './engine';
import { errorText } from './errors';
import type { Reranker } from './rerank/reranker';

/** Rejects with `model-missing` or `model-broken`. */
export async function loadReranker(modelDir: string): Promise<Reranker> {
  let module: typeof import('./rerank/reranker');
  try {
    // Loaded when needed: its native library is large, and there is none for some platforms.
    // eslint-disable-next-line @typescript-eslint/no-require-imports
    module = require('./rerank/reranker') as typeof import('./rerank/reranker');
  } catch (error) {
    throw new RatioError(
      'model-broken',
      `ONNX Runtime could not be loaded (${errorText(error).split('\n')[0] ?? ''}).`,
    );
  }
  return module.Reranker.load(modelDir);
}
