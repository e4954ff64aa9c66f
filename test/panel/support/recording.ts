/** A panel handler that notes what it is asked. */
import type { PanelHandler } from '../../../client/panel/core';

/** A call of the handler, by name, with what it was given. */
export interface Call {
  name: keyof PanelHandler;
  given: unknown;
}

/** Of an undo, what is given is the function that settles it. */
export function recordingHandler(): { handler: PanelHandler; calls: Call[] } {
  const calls: Call[] = [];
  const record =
    (name: keyof PanelHandler) =>
    (given?: unknown): void => {
      calls.push({ name, given });
    };
  return {
    calls,
    handler: {
      inspire: record('inspire'),
      cancel: record('cancel'),
      cite: record('cite'),
      copy: record('copy'),
      open: record('open'),
      undo: () => new Promise<void>((settle) => record('undo')(settle)),
      feedback: record('feedback'),
      revealTaken: record('revealTaken'),
      command: record('command'),
    },
  };
}
