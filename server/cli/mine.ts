/** `ratio mine`: pairs of sentences that make a move, from any lab's papers. */
import type { Command } from 'commander';
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import type { ImportIssue } from '../engine/engine';
import { mine } from '../mining/mine';
import { PAIR_MOVES } from '../mining/pairs';
import type { MineReport } from '../mining/report';
import { interruptSignal, UsageError } from './exit';
import { plain } from './text';

interface Options {
  out: string;
  json: boolean;
}

/** Rows whose fault is shown; the rest are counted. */
const SHOWN = 20;

/** Prints the first faulty rows and counts the rest. */
export function issuePrinter(): { show: (issue: ImportIssue) => void; finish: () => void } {
  let count = 0;
  return {
    show: ({ source, line, message }) => {
      if (++count > SHOWN) return;
      const place = line === null ? source : `${source}:${line}`;
      process.stderr.write(`ratio: ${plain(place)}: ${plain(message)}\n`);
    },
    finish: () => {
      if (count > SHOWN) process.stderr.write(`ratio: … and ${count - SHOWN} more of these.\n`);
    },
  };
}

/** The paths, made absolute; a usage error for one that is not there. */
export function existing(paths: readonly string[]): string[] {
  for (const path of paths) {
    if (!existsSync(path)) throw new UsageError(`There is no file ${path}.`);
  }
  return paths.map((path) => resolve(path));
}

/** A one-line display of how far mining is; silent in a pipe. */
export function mineProgress(): (papers: number, sentences: number, pairs: number) => void {
  if (!process.stderr.isTTY) return () => undefined;
  return (papers, sentences, pairs) => {
    const [a, b, c] = [papers, sentences, pairs].map((value) => value.toLocaleString('en-US'));
    process.stderr.write(`\r\x1b[K${a} papers, ${b} sentences, ${c} pairs`);
  };
}

/** One line a move, then papers and sentences. */
export function summary(report: MineReport): string {
  const count = (value: number): string => value.toLocaleString('en-US');
  const { papers, malformed, titleOnly, duplicates } = report.papers;
  const rows = PAIR_MOVES.map((move) => `  ${move.padEnd(17)} ${count(report.pairs[move])}`);
  return (
    `${count(papers)} papers, ${count(report.sentences)} sentences` +
    ` (left out: ${count(duplicates)} duplicates, ${count(titleOnly)} without text, ${count(malformed)} unreadable)\n` +
    `${rows.join('\n')}\n`
  );
}

async function run(files: string[], { out, json }: Options): Promise<void> {
  const issues = issuePrinter();
  const started = performance.now();
  const report = await mine(existing(files), resolve(out), {
    onIssue: issues.show,
    onProgress: mineProgress(),
    signal: interruptSignal(),
  });
  if (process.stderr.isTTY) process.stderr.write('\r\x1b[K');
  issues.finish();
  const seconds = (performance.now() - started) / 1000;
  process.stdout.write(json ? `${JSON.stringify(report, null, 2)}\n` : summary(report));
  process.stderr.write(
    `ratio: ${seconds.toFixed(1)} s, ${Math.round(report.sentences / seconds).toLocaleString('en-US')} sentences a second\n`,
  );
}

/** Adds `ratio mine` to the program. */
export function registerMine(program: Command): void {
  program
    .command('mine')
    .description('mine pairs of sentences that address, broaden or specify one another from papers')
    .argument('<papers...>', 'JSONL or JSONL.gz, one paper a line, with an abstract or full text')
    .requiredOption(
      '-o, --out <folder>',
      'where pairs.jsonl, pool.jsonl, papers.jsonl and report.json go',
    )
    .option('--json', 'print the report as JSON', false)
    .action(run);
}
