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

/**
 * What becomes of output that cannot be written. A reader that has seen enough (`| head`) is no
 * failure; a full disk behind stdout is one, since the result is lost. Messages may be lost: an
 * import goes on when no one reads them.
 */
export function watchOutput(): void {
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') process.exit(0);
    process.stderr.write(
      `ratio: the result could not be written (${error.message}). Free some space or write elsewhere, and run it again.\n`,
    );
    process.exit(1);
  });
  process.stderr.on('error', () => undefined);
}

/** Time for work to end by itself after a signal: a read of a dead network drive never does. */
const PATIENCE_MS = 10_000;

/** A signal that the first Ctrl+C aborts; the second ends the process at once. */
export function interruptSignal(): AbortSignal {
  const abort = new AbortController();
  const stop = (code: number): void => {
    abort.abort();
    setTimeout(() => process.exit(code), PATIENCE_MS).unref();
  };
  process.once('SIGINT', () => {
    process.stderr.write('\nratio: stopping; what is stored stays. Ctrl+C again ends at once.\n');
    stop(130);
    process.once('SIGINT', () => process.exit(130));
  });
  process.once('SIGTERM', () => stop(143));
  return abort.signal;
}
