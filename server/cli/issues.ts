/** What a reader of papers could not read, on stderr. */
import type { ImportIssue } from '../engine/engine';
import { count } from '../evaluation/table';
import { notice } from './progress';
import { plain } from './text';

/** Rows whose fault is shown; the rest are counted. */
const SHOWN = 20;

/**
 * Prints the first faulty rows as they come; `finish` says how many more there were, of `total` where
 * not all of them were given to `show`.
 */
export function issuePrinter(): {
  show: (issue: ImportIssue) => void;
  finish: (total?: number) => void;
} {
  let given = 0;
  return {
    show: ({ source, line, message }) => {
      if (++given > SHOWN) return;
      const place = line === null ? source : `${source}:${line}`;
      notice(`${plain(place)}: ${plain(message)}`);
    },
    finish: (total = given) => {
      if (total > SHOWN) notice(`… and ${count(total - SHOWN)} more of these.`);
    },
  };
}
