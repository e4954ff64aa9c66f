/** LSP cancellation as the engine takes it. */
import type { CancellationToken } from 'vscode-languageserver/node';

/** Runs `work` with an AbortSignal that follows the LSP cancellation token. */
export async function withSignal<T>(
  token: CancellationToken,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const abort = new AbortController();
  if (token.isCancellationRequested) abort.abort();
  const listener = token.onCancellationRequested(() => abort.abort());
  try {
    return await work(abort.signal);
  } finally {
    listener.dispose();
  }
}
