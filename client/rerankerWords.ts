/** The reranker's state in words, for the status item and for a bug report. Free of `vscode`. */
import type { EngineStatus } from '../server/protocol';

export interface RerankerWords {
  text: string;
  /** Something that a user may want to mend; what works, or was never there, is none. */
  info: boolean;
}

/**
 * @param reranker as the engine describes it; absent in the status of an engine without one
 * @param enabled the setting `ratio.rerank.enabled`
 * @returns null where there is nothing to tell
 */
export function rerankerWords(
  reranker: EngineStatus['reranker'],
  enabled: boolean,
): RerankerWords | null {
  if (reranker === undefined) return null;
  if (!enabled) return { text: 'Reranker: off (setting ratio.rerank.enabled)', info: false };
  const { loaded, passages, reason } = reranker;
  // The engine gives a reason wherever none is loaded.
  if (!loaded) return { text: `Reranker: not in use. ${reason ?? ''}`, info: true };
  const why = reason === null ? '' : ` · ${reason}`;
  return { text: `Reranker: reads up to ${passages} passages a move${why}`, info: false };
}

/** One line for a bug report: what is loaded, the setting, the reason. */
export function rerankerLine(reranker: EngineStatus['reranker'], enabled: boolean): string {
  const setting = `setting ${enabled ? 'on' : 'off'}`;
  if (reranker === undefined) return `Reranker: not part of this engine, ${setting}`;
  const { loaded, passages, reason } = reranker;
  const state = loaded ? `loaded, ${passages} passages` : 'not loaded';
  return `Reranker: ${state}, ${setting}${reason === null ? '' : ` (${reason})`}`;
}
