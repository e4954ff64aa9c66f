/** How the terminal command ends: messages on stderr, exit codes that scripts can act on. */
import { RatioError } from '../engine/engine';

/** Wrong usage, or a choice that only the user can make: exit code 2. */
export class UsageError extends Error {}

/** Prints what went wrong and ends the process with the code that says which kind it was. */
export function fail(error: unknown): never {
  if (error instanceof UsageError) {
    process.stderr.write(`ratio: ${error.message}\n`);
    process.exit(2);
  }
  if (error instanceof RatioError) {
    process.stderr.write(`ratio: ${error.message}\n`);
    process.exit(error.code === 'cancelled' ? 130 : error.code === 'bad-input' ? 2 : 1);
  }
  process.stderr.write(`ratio: ${error instanceof Error ? error.stack : String(error)}\n`);
  process.exit(1);
}

/** A signal that the first Ctrl+C aborts; the second ends the process at once. */
export function interruptSignal(): AbortSignal {
  const abort = new AbortController();
  process.once('SIGINT', () => {
    process.stderr.write('\nratio: stopping; what is stored stays. Ctrl+C again ends at once.\n');
    abort.abort();
    process.once('SIGINT', () => process.exit(130));
  });
  process.once('SIGTERM', () => abort.abort());
  return abort.signal;
}
