/** `ratio eval`: a retriever on a benchmark, or runs on files against qrels. */
import { Option, type Command } from 'commander';
import { join } from 'node:path';
import { RESAMPLES } from '../evaluation/bootstrap';
import { compareRuns, scoreRun } from '../evaluation/compare';
import { ANALYSES, evaluate, type Analysis } from '../evaluation/evaluate';
import { comparisonText, reportText, scoresText } from '../evaluation/report';
import type { Stage } from '../evaluation/rerank/joint';
import type { RerankChoice } from '../evaluation/rerank/split';
import { needsEncoder, RETRIEVERS, type RetrieverName } from '../evaluation/retrievers';
import { toJson } from '../evaluation/table';
import { readQrels, readRun } from '../evaluation/trec';
import { isPairMove, PAIR_MOVES, type PairMove } from '../mining/pairMoves';
import { packageRoot } from '../paths';
import { interruptSignal, UsageError } from './exit';
import {
  collect,
  contextMode,
  deviceOption,
  listOf,
  vectorCache,
  wholeNumber,
  withContextOptions,
  type ContextOptions,
} from './options';
import { notice, progressLine, tellMissing } from './progress';

type EvalOptions = ContextOptions & {
  bench?: string;
  split: string;
  retriever?: RetrieverName;
  encoder: string[];
  device: string;
  moves?: PairMove[];
  limit?: number;
  analyses: Analysis[];
  run?: string;
  qrels?: string;
  compare?: string[];
  rerank?: Stage;
  reranker?: string;
  depth?: number;
  papers?: string;
  cache?: string | false;
  seed: number;
  resamples: number;
  json: boolean;
};

const analyses = (value: string, earlier: Analysis[] | undefined): Analysis[] => {
  if (value === 'none') return [];
  if (value === 'all') return [...ANALYSES];
  const is = (name: string): name is Analysis => (ANALYSES as readonly string[]).includes(name);
  return listOf(ANALYSES, is)(value, earlier);
};

/** Adds `ratio eval`. */
export function registerEval(program: Command): void {
  const command = program
    .command('eval')
    .description('measure a retriever on a benchmark, or compare runs')
    .option('--bench <dir>', 'folder that "ratio bench build" made')
    .addOption(
      new Option('--split <name>', 'split of the benchmark')
        .choices(['val', 'test', 'train'])
        .default('val'),
    )
    .addOption(new Option('--retriever <name>', 'what is measured').choices(RETRIEVERS))
    .option(
      '--encoder <dir>',
      'model folder for dense and hybrid, or MOVE=DIR a move (default: the one that ships)',
      collect,
      [],
    )
    .addOption(deviceOption('cpu'))
    .option(
      '--moves <names>',
      `sets to measure, of ${PAIR_MOVES.join(', ')}`,
      listOf(PAIR_MOVES, isPairMove),
    )
    .option(
      '--limit <count>',
      'queries a set at most, drawn with the seed',
      wholeNumber(1, 10_000_000),
    );
  withContextOptions(
    command,
    'score sentences with their title and the sentences before: as one text (concat, the default of this option) or by combined scores',
  )
    .option('--analyses <names>', `none, all, or some of ${ANALYSES.join(', ')}`, analyses, [])
    .addOption(
      new Option(
        '--rerank <stage>',
        'let the reranker order what a dense or hybrid retriever found, by its local score, or in the order that the product shows (log)',
      ).choices(['local', 'log']),
    )
    .option('--reranker <dir>', 'model folder of the reranker (default: the one that ships)')
    .option(
      '--depth <count>',
      `passages a query that are reranked at most (default: ${RERANK_DEPTH})`,
      wholeNumber(1, 1000),
    )
    .option(
      '--papers <dir>',
      'folder of "ratio mine" with the pool\'s papers, of which passages are made (default: the split\'s)',
    )
    .option('--run <file>', 'write the TREC run')
    .option('--qrels <file>', 'write the TREC qrels; with --compare: read them')
    .option('--compare <runs...>', 'measure one run, or two paired (A − B, A ÷ B), against --qrels')
    .option('--cache <dir>', "keep vectors here (default: the user's cache folder)")
    .option('--no-cache', 'keep no vectors')
    .option('--seed <number>', 'seed of samples and intervals', wholeNumber(0, 2 ** 31), 1)
    .option('--resamples <count>', 'bootstrap resamples', wholeNumber(100, 1_000_000), RESAMPLES)
    .option('--json', 'print JSON', false)
    .addHelpText(
      'after',
      `
Examples:
  $ ratio eval --bench bench --split test --retriever bm25 --run bm25.run --qrels test.qrels
  $ ratio eval --bench bench --split val --retriever dense --encoder models/encoder --analyses all
  $ ratio eval --bench bench --split val --retriever dense --rerank log --depth 50
  $ ratio eval --compare dense.run bm25.run --qrels test.qrels`,
    )
    .action(runEval);
}

/** Options, by their names among the values, that do something with `--compare`. */
const COMPARED: ReadonlySet<string> = new Set(['compare', 'qrels', 'seed', 'resamples', 'json']);

/** Throws a usage error for an option that was given and that `--compare` would ignore. */
function refuseOfBenchmark(command: Command): void {
  const without = command.options.find((option) => {
    const name = option.attributeName();
    // `--cache` and `--no-cache` share a name: the value tells which was given.
    const given = option.negate === (command.getOptionValue(name) === false);
    return given && !COMPARED.has(name) && command.getOptionValueSource(name) === 'cli';
  });
  if (without) {
    throw new UsageError(
      `${without.long} is of a benchmark: --compare measures the runs as they are.`,
    );
  }
}

async function runEval(options: EvalOptions, command: Command): Promise<void> {
  if (options.compare) {
    refuseOfBenchmark(command);
    await compare(options.compare, options);
    return;
  }
  const context = contextMode(options);
  const { bench, retriever } = options;
  if (bench === undefined || retriever === undefined) {
    throw new UsageError(
      'Give --bench DIR and --retriever NAME, or --compare RUN… with --qrels FILE.',
    );
  }
  if (options.encoder.length > 0 && retriever.startsWith('bm25')) {
    throw new UsageError(`--encoder is for dense and hybrid; ${retriever} has none.`);
  }
  const rerank = rerankChoice(retriever, options);
  const signal = interruptSignal();
  const progress = progressLine();
  const report = await evaluate(
    {
      ...options,
      bench,
      retriever,
      rerank,
      fallback: join(packageRoot(), 'models', 'encoder'),
      cache: vectorCache(options.cache),
      context,
    },
    { signal, onProgress: progress.show, onNotice: notice },
  ).finally(progress.clear);
  process.stdout.write(options.json ? toJson(report) : reportText(report));
}

/** Passages that the reranker ships for. */
const RERANK_DEPTH = 50;

function rerankChoice(
  retriever: RetrieverName,
  { rerank, reranker, depth, papers, analyses }: EvalOptions,
): RerankChoice | undefined {
  if (rerank === undefined) {
    const without = Object.entries({ reranker, depth, papers }).find(([, value]) => value != null);
    if (without) throw new UsageError(`--${without[0]} goes with --rerank local or --rerank log.`);
    return undefined;
  }
  if (!needsEncoder(retriever)) {
    throw new UsageError(`--rerank takes the sentences of dense or hybrid, not of ${retriever}.`);
  }
  const alone = analyses.find((name) => name === 'oracle' || name === 'transfer');
  if (alone) {
    throw new UsageError(`--analyses ${alone} is of a retriever: leave out --rerank, or ${alone}.`);
  }
  return {
    stage: rerank,
    reranker: reranker ?? join(packageRoot(), 'models', 'reranker'),
    depth: depth ?? RERANK_DEPTH,
    papers,
  };
}

async function compare(files: readonly string[], options: EvalOptions): Promise<void> {
  const [first, second, ...rest] = files;
  if (options.qrels === undefined || first === undefined || rest.length > 0) {
    throw new UsageError('--compare takes one or two runs, and --qrels FILE to judge them by.');
  }
  const qrels = await readQrels(options.qrels);
  const a = await readRun(first);
  if (second === undefined) {
    const { sets, missing } = scoreRun(a, qrels, first, options);
    tellMissing(first, missing, qrels.relevant.size);
    process.stdout.write(options.json ? toJson({ run: first, missing, sets }) : scoresText(sets));
    return;
  }
  const b = await readRun(second);
  const { sets, missing } = compareRuns([a, first], [b, second], qrels, options);
  tellMissing(first, missing.a, qrels.relevant.size);
  tellMissing(second, missing.b, qrels.relevant.size);
  process.stdout.write(
    options.json
      ? toJson({ a: first, b: second, seed: options.seed, missing, sets })
      : comparisonText([first, second], sets),
  );
}
