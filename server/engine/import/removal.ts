/** After an update: what its sources no longer hold leaves the pool. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { ImportIssue } from '../engine';
import { throwIfCancelled } from '../errors';
import type { PoolWriter } from '../store/writer';
import { fileOfOccurrence } from './occurrence';

export type SourceState = {
  source: string;
  /** False when the source or a folder in it could not be read. */
  readable: boolean;
  /** A folder in which no file was found. */
  empty: boolean;
  /** Files of which not all could be read, and why: what is missing there may be in the rest. */
  doubtful: Map<string, string>;
};

/** Why what a file no longer shows is kept, where entries of it could not be read. */
export const PARTLY_READ = 'since parts of it could not be read.';

/** The same, for a link whose target is away. */
export function linkAway(reason: string): string {
  return (
    `since what this link leads to could not be reached (${reason}). ` +
    'Remove the link if they are meant to go.'
  );
}

const PAGE = 500;

/**
 * Removes papers that none of their files holds any more, a page of origins at a time; `onPage` is told how
 * many went with each. Rejects with `cancelled` between two pages. Nothing is removed
 * for a source that could not be read or that is empty all at once, as a drive that is not connected
 * is, nor for a file with unreadable entries or behind a link that leads nowhere. Resolves with the
 * papers that lost a file and stay for another.
 */
export async function removeGone(
  writer: PoolWriter,
  states: SourceState[],
  seen: Pick<ReadonlySet<number>, 'has'>,
  {
    report,
    onPage,
    signal,
  }: {
    report: (issue: ImportIssue) => void;
    onPage: (removed: number) => void;
    signal?: AbortSignal | undefined;
  },
): Promise<Set<number>> {
  const fewer = new Set<number>();
  const sources = new Map<string, SourceState[]>();
  for (const state of states) {
    sources.set(state.source, [...(sources.get(state.source) ?? []), state]);
  }
  for (const [source, rows] of sources) {
    if (rows.some((state) => !state.readable)) continue;
    if (rows.some((state) => state.empty)) {
      const count = writer.countPapersOf(source);
      if (count > 0) report({ source, line: null, message: keptOfEmpty(count) });
      continue;
    }
    const doubtful = new Map(rows.flatMap((state) => [...state.doubtful]));
    const kept = new Map<string, Set<number>>();
    for (let after = 0; ;) {
      await nextTurn();
      throwIfCancelled(signal);
      const page = writer.originsAfter(source, after, PAGE);
      if (page.length === 0) break;
      after = page[page.length - 1]?.key ?? after;
      const gone = page.filter((origin) => !seen.has(origin.key));
      let removed = 0;
      if (gone.length > 0) {
        writer.transaction(() => {
          for (const { key, paper, file: name } of gone) {
            const file = fileOfOccurrence(name);
            if (doubtful.has(file)) kept.set(file, (kept.get(file) ?? new Set()).add(paper));
            else if (writer.removeOrigin(key, paper)) removed++;
            else fewer.add(paper);
          }
          if (removed > 0) writer.setMeta('updated', new Date().toISOString());
        });
      }
      onPage(removed);
    }
    for (const [file, papers] of kept) {
      const what =
        papers.size === 1
          ? '1 paper that it no longer shows is kept'
          : `${papers.size} papers that it no longer shows are kept`;
      report({
        source: file,
        line: null,
        message: `${what}, ${doubtful.get(file) ?? PARTLY_READ}`,
      });
    }
  }
  return fewer;
}

function keptOfEmpty(count: number): string {
  return (
    `Its papers (${count}) are kept, since a folder without files may be a drive that is not ` +
    'connected. If they are meant to go, remove the pool and add its other sources again.'
  );
}
