/** Formats with one JSON object a line: the loop, its errors, and access to loose JSON. */
import { basename } from 'node:path';
import { RatioError, type ImportIssue } from '../engine/engine';
import type { ReadOptions, Report, SourcePaper } from '../engine/import/source';
import { breather } from './breathe';
import { readLines } from './read';

/** After so many lines without a single paper the file is taken for something else. */
const PATIENCE = 1000;

export type Fields = Record<string, unknown>;

/** Whether a JSON value is an object with fields: neither null nor a list. */
export const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** A string or number as text; null for anything else and for white space alone. */
export function textOf(value: unknown): string | null {
  if (typeof value === 'string') return value.trim() === '' ? null : value;
  return typeof value === 'number' && Number.isFinite(value) ? String(value) : null;
}

/** Why a JSON value is no paper, in words that go on after "This entry …". */
export class NotAPaper extends Error {}

export type LineFormat = {
  path: string;
  options: ReadOptions;
  report: Report;
  signal: AbortSignal;
  /** The paper of a row; null where the options leave it out. Throws {@link NotAPaper}. */
  make: (row: unknown) => SourcePaper | null;
  /** Whether a line can be passed over before it is parsed. */
  skip?: ((line: string) => boolean) | undefined;
  /** What the format looks like, for the message about a file that does not. */
  expected: string;
};

/**
 * Papers of a file with one JSON object a line. A line that is no paper is reported; a file
 * without a single one throws a {@link RatioError}.
 */
export async function* papersOfLines(format: LineFormat): AsyncGenerator<SourcePaper> {
  const { path, options, report, signal } = format;
  const breathe = breather();
  let seen = 0;
  let good = false;
  // Until the first paper it may turn out that the whole file is something else.
  const held: ImportIssue[] = [];
  for await (const lines of readLines(path, options.onBytes, report, signal)) {
    for (const { number, text } of lines) {
      const pause = breathe();
      if (pause) await pause;
      if (signal.aborted) return;
      seen++;
      let paper: SourcePaper | null = null;
      try {
        if (!format.skip?.(text)) paper = format.make(JSON.parse(text));
      } catch (error) {
        const issue = { source: path, line: number, message: lineProblem(text, error) };
        if (good) report(issue);
        else if (held.push(issue) >= PATIENCE) throw noPapers(path, format.expected, held);
        continue;
      }
      if (!good) {
        good = true;
        held.forEach((issue) => report(issue));
      }
      if (paper) yield paper;
    }
  }
  if (signal.aborted || good) return;
  throw noPapers(path, format.expected, held, seen);
}

function noPapers(
  path: string,
  expected: string,
  held: ImportIssue[],
  seen = held.length,
): RatioError {
  const first = held[0];
  const what = seen < PATIENCE ? '' : ` Its first ${PATIENCE} lines are none.`;
  return new RatioError(
    'bad-input',
    `${basename(path)} holds no papers: ${expected}.${what}` +
      (first ? ` Line ${first.line ?? 1}: ${first.message}` : ''),
  );
}

function lineProblem(line: string, error: unknown): string {
  if (error instanceof NotAPaper) return `This entry ${error.message}; it was left out.`;
  if (error instanceof SyntaxError) {
    const cut = line.startsWith('{') && !line.endsWith('}') ? ' It seems to be cut off.' : '';
    return `This line is not valid JSON (${shortly(error.message)}).${cut} It was left out.`;
  }
  return `This line cannot be read (${shortly(error instanceof Error ? error.message : String(error))}); it was left out.`;
}

/** A parser's message on one line, without most of the text that it quotes. */
export function shortly(message: string): string {
  const line = message.replace(/\s+/g, ' ');
  return line.length > 160 ? `${line.slice(0, 159)}…` : line;
}
