/** What a webview keeps over hiding and over a reload of the window. */
import type { PanelState } from '../state';
import type { Bridge, EntryMemory } from './bridge';

const KEEP_AFTER_MS = 250;

function fresh(): EntryMemory {
  return { scroll: 0, active: null, expanded: [], unfolded: [], wholeText: false, shown: null };
}

/** What this webview alone knows of each step of the trail, kept by VS Code. */
export class Memory {
  filtersOpen = false;
  private entries: Record<string, EntryMemory> = {};
  private timer: number | undefined;

  constructor(
    private readonly bridge: Bridge,
    /** The state to keep, null before there is one. */
    private readonly state: () => PanelState | null,
  ) {
    window.addEventListener('pagehide', () => this.keep());
    document.addEventListener('visibilitychange', () => this.keep());
  }

  /** Takes back what was kept; returns the state of then, for the host. */
  recall(): PanelState | null {
    const kept = this.bridge.kept();
    if (kept === null) return null;
    // What was kept by an earlier version lacks what this one added.
    this.entries = Object.fromEntries(
      Object.entries(kept.memory).map(([id, entry]) => [id, { ...fresh(), ...entry }]),
    );
    this.filtersOpen = kept.filtersOpen;
    return kept.state;
  }

  of(entry: string): EntryMemory {
    return (this.entries[entry] ??= fresh());
  }

  /** Forgets entries that left the trail. */
  forget(state: PanelState): void {
    const known = new Set(state.trail.map((entry) => entry.id));
    this.entries = Object.fromEntries(Object.entries(this.entries).filter(([id]) => known.has(id)));
  }

  keepSoon(): void {
    this.timer ??= window.setTimeout(() => this.keep(), KEEP_AFTER_MS);
  }

  private keep(): void {
    window.clearTimeout(this.timer);
    this.timer = undefined;
    const state = this.state();
    if (state === null) return;
    this.bridge.keep({ version: 1, state, memory: this.entries, filtersOpen: this.filtersOpen });
  }
}
