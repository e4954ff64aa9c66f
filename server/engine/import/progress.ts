/** Counts of a running import, reported at most ten times a second. */
import type { ImportIssue, ImportProgress, ImportReport } from '../engine';

const INTERVAL_MS = 100;
const ISSUES_KEPT = 100;

/**
 * What a running import has counted so far; keeps the first hundred issues. `onProgress` hears of a first phase,
 * of waiting and of the end at once.
 */
export class ImportTally {
  read = 0;
  stored = 0;
  unchanged = 0;
  removed = 0;
  sentences = 0;
  titleOnly = 0;
  readonly issues: ImportIssue[] = [];
  issueCount = 0;
  private readonly started = performance.now();
  private last = -Infinity;
  private phase: ImportProgress['phase'] | null = null;

  constructor(
    private readonly pool: string,
    private readonly onProgress: ((progress: ImportProgress) => void) | undefined,
  ) {}

  readonly issue = (issue: ImportIssue): void => {
    this.issueCount++;
    if (this.issues.length < ISSUES_KEPT) this.issues.push(issue);
  };

  /** Reports the state, unless it did so a moment ago in the same import. */
  progress(
    phase: ImportProgress['phase'],
    fraction: number | null = null,
    source: string | null = null,
  ): void {
    const now = performance.now();
    const rests = phase === 'waiting' || phase === 'done' || this.phase === null;
    if (!rests && now - this.last < INTERVAL_MS) return;
    this.last = now;
    this.phase = phase;
    this.onProgress?.({
      pool: this.pool,
      phase,
      read: this.read,
      stored: this.stored,
      unchanged: this.unchanged,
      sentences: this.sentences,
      fraction: fraction === null ? null : Math.max(0, Math.min(1, fraction)),
      source,
    });
  }

  /** The import's final report. */
  report(cancelled: boolean): ImportReport {
    return {
      pool: this.pool,
      read: this.read,
      stored: this.stored,
      unchanged: this.unchanged,
      removed: this.removed,
      sentences: this.sentences,
      titleOnly: this.titleOnly,
      issues: this.issues,
      issueCount: this.issueCount,
      cancelled,
      elapsedMs: performance.now() - this.started,
    };
  }
}
