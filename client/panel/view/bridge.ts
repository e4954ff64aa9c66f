/** The webview's side of the messages, typed. The host checks them; here they are trusted. */
import type { HostMessage, ViewMessage } from '../messages';
import type { PanelState } from '../state';

/** What one webview remembers by itself about an entry of the trail. */
export interface EntryMemory {
  scroll: number;
  /** The card that the roving tab stop is on. */
  active: string | null;
  expanded: string[];
  /** Relatives that are unfolded, each as a pair of its card's id and its own. */
  unfolded: [string, string][];
  wholeText: boolean;
  /** The order in which a snapshot's cards were last shown: some may have kept their place for the reader. */
  shown: { snapshot: string; ids: readonly string[] } | null;
}

/** What a webview keeps over hiding and over a reload of the window. */
export interface Kept {
  version: 1;
  state: PanelState;
  memory: Record<string, EntryMemory>;
  filtersOpen: boolean;
}

interface VsCodeApi {
  postMessage(message: ViewMessage): void;
  getState(): unknown;
  setState(state: Kept): void;
}

declare function acquireVsCodeApi(): VsCodeApi;

export interface Bridge {
  post(message: ViewMessage): void;
  kept(): Kept | null;
  keep(kept: Kept): void;
  listen(receive: (message: HostMessage) => void): void;
}

/** The bridge over the API that VS Code gives a webview; it can be had once. */
export function connect(): Bridge {
  const api = acquireVsCodeApi();
  return {
    post: (message) => api.postMessage(message),
    kept: () => {
      const state = api.getState();
      const known =
        typeof state === 'object' && state !== null && 'version' in state && state.version === 1;
      // Its shape is this file's own; the part that goes back to the host is checked there.
      return known ? (state as Kept) : null;
    },
    keep: (kept) => api.setState(kept),
    listen: (receive) =>
      window.addEventListener('message', (event: MessageEvent<HostMessage>) => receive(event.data)),
  };
}
