/** Lets other work of the process run: a move must be answered while a file is read. */

const SLICE_MS = 10;

/** A function to await between rows; it yields to the event loop every few milliseconds. */
export function breather(): () => Promise<void> | undefined {
  let last = performance.now();
  return () => {
    if (performance.now() - last < SLICE_MS) return undefined;
    return new Promise<void>((done) => {
      setImmediate(() => {
        last = performance.now();
        done();
      });
    });
  };
}
