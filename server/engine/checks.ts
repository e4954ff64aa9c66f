/** Checks of what callers hand to the engine, with messages for users. */
import { stat } from 'node:fs/promises';
import { isAbsolute } from 'node:path';
import * as z from 'zod';
import { RatioError } from './engine';
import { errorText } from './errors';

/** Runs a schema; what it rejects becomes a message for the user. */
export function parse<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    const shown = error instanceof z.ZodError ? z.prettifyError(error) : errorText(error);
    throw new RatioError('bad-input', `The request is not valid. ${shown}`);
  }
}

/** Throws `bad-input` unless a date is null or YYYY[-MM[-DD]]. */
export function checkDate(date: string | null, name: string): void {
  if (date === null || /^\d{4}(-\d{2}(-\d{2})?)?$/.test(date)) return;
  throw new RatioError(
    'bad-input',
    `“${date}” is not a date for “${name}”: use YYYY, YYYY-MM or YYYY-MM-DD.`,
  );
}

/** Rejects with `bad-input` or `not-found` unless the path can be read. */
export async function checkSource(path: string): Promise<void> {
  if (!isAbsolute(path)) {
    throw new RatioError('bad-input', `“${path}” is not an absolute path of a file or folder.`);
  }
  try {
    await stat(path);
  } catch (error) {
    throw new RatioError(
      'not-found',
      `“${path}” could not be read (${errorText(error)}). Check the path.`,
    );
  }
}
