/** After an update: what its sources no longer hold leaves the pool. */
import type { ImportIssue } from '../engine';
import type { PoolWriter } from '../store/writer';

export type SourceState = {
  source: string;
  /** False when the source or a folder in it could not be read. */
  readable: boolean;
  /** Files with entries that could not be read: what is missing there may be among those. */
  doubtful: Set<string>;
};

const PAGE = 500;

/**
 * Removes papers that none of their files holds any more; returns how many. Nothing is removed
 * for a source that could not be read, nor for a file with unreadable entries.
 */
export function removeGone(
  writer: PoolWriter,
  states: SourceState[],
  seen: ReadonlySet<number>,
  report: (issue: ImportIssue) => void,
): number {
  let removed = 0;
  const sources = new Map<string, SourceState[]>();
  for (const state of states) {
    sources.set(state.source, [...(sources.get(state.source) ?? []), state]);
  }
  for (const [source, rows] of sources) {
    if (rows.some((state) => !state.readable)) continue;
    const doubtful = new Set(rows.flatMap((state) => [...state.doubtful]));
    const kept = new Map<string, number>();
    for (let after = 0; ;) {
      const page = writer.originsAfter(source, after, PAGE);
      if (page.length === 0) break;
      after = page[page.length - 1]?.key ?? after;
      const gone = page.filter((origin) => !seen.has(origin.key));
      if (gone.length === 0) continue;
      writer.transaction(() => {
        for (const { key, paper, file } of gone) {
          if (doubtful.has(file)) kept.set(file, (kept.get(file) ?? 0) + 1);
          else if (writer.removeOrigin(key, paper)) removed++;
        }
      });
    }
    for (const [file, count] of kept) {
      report({
        source: file,
        line: null,
        message: `${count} papers that it no longer shows are kept, since parts of it could not be read.`,
      });
    }
  }
  return removed;
}
