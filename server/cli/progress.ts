/** How far something is, in one line of the terminal. */
import type { ImportProgress } from '../engine/engine';

/** A whole number with its thousands apart. */
export const count = (value: number): string => value.toLocaleString('en-US');

/** A one-line progress display on a terminal; silent in a pipe. */
export function progressMeter(): { show: (progress: ImportProgress) => void; clear: () => void } {
  if (!process.stderr.isTTY) return { show: () => undefined, clear: () => undefined };
  return {
    show: ({ phase, fraction, read, stored, sentences }) => {
      const percent =
        fraction === null ? '' : `${String(Math.floor(fraction * 100)).padStart(3)} % `;
      process.stderr.write(
        `\r\x1b[K${percent}${phase}: ${count(read)} papers read, ${count(stored)} stored, ${count(sentences)} sentences`,
      );
    },
    clear: () => process.stderr.write('\r\x1b[K'),
  };
}

/** One line of progress on a terminal, rewritten; nothing in a pipe. */
export function progressLine(): {
  show: (what: string, done: number | null, total: number | null) => void;
  clear: () => void;
} {
  if (!process.stderr.isTTY) return { show: () => undefined, clear: () => undefined };
  return {
    show: (what, done, total) => {
      const share = done === null || !total ? '' : ` ${Math.floor((100 * done) / total)} %`;
      process.stderr.write(`\r\x1b[K${what}${share}`);
    },
    clear: () => process.stderr.write('\r\x1b[K'),
  };
}

/** Says something on stderr beside the result. */
export const notice = (text: string): void => {
  process.stderr.write(`ratio: ${text}\n`);
};
