/** How far something is, in one line of the terminal. */
import type { ImportProgress } from '../engine/engine';
import { count } from '../evaluation/table';

type Line<Told extends unknown[]> = { show: (...told: Told) => void; clear: () => void };

/** One line on a terminal, rewritten with what `text` makes of what is told; nothing in a pipe. */
function rewritten<Told extends unknown[]>(text: (...told: Told) => string): Line<Told> {
  if (!process.stderr.isTTY) return { show: () => undefined, clear: () => undefined };
  return {
    show: (...told) => process.stderr.write(`\r\x1b[K${text(...told)}`),
    clear: () => process.stderr.write('\r\x1b[K'),
  };
}

/** How far an import is. */
export const progressMeter = (): Line<[progress: ImportProgress]> =>
  rewritten(({ phase, fraction, read, stored, sentences }) => {
    const percent = fraction === null ? '' : `${String(Math.floor(fraction * 100)).padStart(3)} % `;
    return `${percent}${phase}: ${count(read)} papers read, ${count(stored)} stored, ${count(sentences)} sentences`;
  });

/** How far mining is. */
export const miningLine = (): Line<[papers: number, sentences: number, pairs: number]> =>
  rewritten(
    (papers, sentences, pairs) =>
      `${count(papers)} papers, ${count(sentences)} sentences, ${count(pairs)} pairs`,
  );

/** How far a measurement is. */
export const progressLine = (): Line<[what: string, done: number | null, total: number | null]> =>
  rewritten((what, done, total) => {
    const share = done === null || !total ? '' : ` ${Math.floor((100 * done) / total)} %`;
    return `${what}${share}`;
  });

/** Says something on stderr beside the result. */
export const notice = (text: string): void => {
  process.stderr.write(`ratio: ${text}\n`);
};

/** Says on stderr that a run lacks queries, where it does: it may have been cut short. */
export function tellMissing(run: string, missing: number, of: number): void {
  if (missing === 0) return;
  notice(
    `${run} lacks ${missing} of ${of} queries, which count as unanswered. If it is not complete, make it again.`,
  );
}
