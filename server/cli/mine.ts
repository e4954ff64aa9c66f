/** `ratio mine`: pairs of sentences that make a move, from any lab's papers. */
import type { Command } from 'commander';
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { count } from '../evaluation/table';
import { mine } from '../mining/mine';
import { PAIR_MOVES } from '../mining/pairMoves';
import type { MineReport } from '../mining/report';
import { interruptSignal, UsageError } from './exit';
import { issuePrinter } from './issues';
import { miningLine, notice } from './progress';

interface Options {
  out: string;
  json: boolean;
}

/** The paths, made absolute; a usage error for one that is not there. */
export function existing(paths: readonly string[]): string[] {
  for (const path of paths) {
    if (!existsSync(path)) throw new UsageError(`There is no file ${path}.`);
  }
  return paths.map((path) => resolve(path));
}

/** One line a move, then papers and sentences. */
export function summary(report: MineReport): string {
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
  const progress = miningLine();
  const started = performance.now();
  const report = await mine(existing(files), resolve(out), {
    onIssue: issues.show,
    onProgress: progress.show,
    signal: interruptSignal(),
  }).finally(progress.clear);
  issues.finish();
  const seconds = (performance.now() - started) / 1000;
  process.stdout.write(json ? `${JSON.stringify(report, null, 2)}\n` : summary(report));
  notice(
    `${seconds.toFixed(1)} s, ${count(Math.round(report.sentences / seconds))} sentences a second`,
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
