/** `ratio bench build`: the temporal benchmark, from any lab's papers. */
import { InvalidArgumentError, type Command } from 'commander';
import { resolve } from 'node:path';
import { count } from '../evaluation/table';
import { buildBench, SPLITS, type SplitReport } from '../mining/bench';
import { PAIR_MOVES } from '../mining/pairMoves';
import { interruptSignal, UsageError } from './exit';
import { issuePrinter } from './issues';
import { existing } from './mine';
import { collect, wholeNumber } from './options';
import { miningLine, notice } from './progress';

interface Options {
  train: string[];
  val: string[];
  test: string[];
  heldOut: string[];
  out: string;
  poolSize: number;
  queries: number;
  seed: number;
  json: boolean;
}

const POOL_SIZE = 50_000;
const QUERIES = 1000;
const SEED = 13;

function countOrAll(value: string): number {
  if (value === 'all') return Infinity;
  const number = Number(value);
  if (!Number.isInteger(number) || number < 1) {
    throw new InvalidArgumentError('Give a whole number from 1, or "all".');
  }
  return number;
}

function table(reports: readonly SplitReport[]): string {
  return reports
    .map(({ split, queries, pool }) => {
      const size = pool.gold + pool.distractor + pool.other;
      const moves = PAIR_MOVES.map(
        (move) => `  ${move.padEnd(17)} ${count(queries[move])} queries`,
      );
      return (
        `${split}: pool of ${count(size)} (${count(pool.gold)} golds, ${count(pool.distractor)} distractors, ` +
        `${count(pool.other)} others)\n${moves.join('\n')}\n`
      );
    })
    .join('');
}

async function run(options: Options): Promise<void> {
  const files = {
    train: existing(options.train),
    val: existing(options.val),
    test: existing(options.test),
  };
  if (SPLITS.every((split) => files[split].length === 0)) {
    throw new UsageError('Give papers for at least one split: --train, --val or --test.');
  }
  if (options.heldOut.length > 0 && files.val.length + files.test.length === 0) {
    throw new UsageError('--held-out adds to val and test: give papers with --val or --test.');
  }
  const issues = issuePrinter();
  const progress = miningLine();
  const reports = await buildBench(files, resolve(options.out), {
    poolSize: options.poolSize,
    queries: options.queries,
    seed: options.seed,
    heldOut: existing(options.heldOut),
    onIssue: issues.show,
    onProgress: progress.show,
    signal: interruptSignal(),
  }).finally(progress.clear);
  issues.finish();
  for (const { split, heldOutKnown } of reports) {
    if (heldOutKnown === 0) continue;
    notice(`${split}: ${count(heldOutKnown)} held-out papers left out: the split has their ids.`);
  }
  process.stdout.write(options.json ? `${JSON.stringify(reports, null, 2)}\n` : table(reports));
}

/** Adds `ratio bench` to the program. */
export function registerBench(program: Command): void {
  const papers = 'JSONL or JSONL.gz of papers (repeatable)';
  program
    .command('bench')
    .description('build the benchmark of moves')
    .command('build')
    .description('mine each split’s papers into queries and one shared pool')
    .option('--train <papers>', papers, collect, [])
    .option('--val <papers>', papers, collect, [])
    .option('--test <papers>', papers, collect, [])
    .option(
      '--held-out <papers>',
      'full text whose Broaden pairs join val and test (repeatable)',
      collect,
      [],
    )
    .requiredOption('-o, --out <folder>', 'where the folders train, val and test go')
    .option('--pool-size <count>', 'sentences of a pool, or "all"', countOrAll, POOL_SIZE)
    .option('--queries <count>', 'queries a move at most, or "all"', countOrAll, QUERIES)
    .option('--seed <number>', 'seed of the samples', wholeNumber(0, 2 ** 31), SEED)
    .option('--json', 'print the reports as JSON', false)
    .action(run);
}
