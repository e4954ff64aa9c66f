/** Useful / Not useful judgements, kept in the data folder as JSON lines and nowhere else. */
import { appendFileSync, existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { RatioError } from './engine/engine';
import type { FeedbackParams } from './protocol';

/** Path of the judgements' file below a data folder. */
export function feedbackPath(home: string): string {
  return join(home, 'feedback.jsonl');
}

/**
 * Appends one judgement; a later line for the same query and sentence replaces the earlier one.
 * @throws RatioError `disk` when the file cannot be written
 */
export function keepFeedback(home: string, feedback: FeedbackParams, now = new Date()): void {
  const { inspiration, verdict, move, query } = feedback;
  const row = {
    time: now.toISOString(),
    verdict,
    move,
    query,
    sentence: inspiration.id,
    text: inspiration.text,
    paper: inspiration.paper.id,
    pool: inspiration.pool,
    rank: inspiration.rank,
    score: inspiration.score,
    why: inspiration.why,
  };
  const path = feedbackPath(home);
  try {
    mkdirSync(home, { recursive: true });
    appendFileSync(path, `${JSON.stringify(row)}\n`);
  } catch (error) {
    throw new RatioError(
      'disk',
      `The judgement could not be kept in ${path}: ${(error as Error).message}. Check that the folder exists, is writable and has space.`,
    );
  }
}

/** How many judgements are kept. */
export function feedbackCount(home: string): number {
  const path = feedbackPath(home);
  if (!existsSync(path)) return 0;
  return readFileSync(path, 'utf8').split('\n').filter(Boolean).length;
}
