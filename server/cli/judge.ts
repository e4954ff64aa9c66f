/** `ratio judge …`: runs of fixed sentences, blinded sheets, and their scores. */
import { Option, type Command } from 'commander';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { userError } from '../engine/errors';
import type { SentenceEncoder } from '../engine/encoderKind';
import { loadEncoder } from '../engine/loadEncoder';
import type { Stage } from '../engine/recall/stage';
import { RESAMPLES } from '../evaluation/bootstrap';
import { encoderFolders, openEncoders } from '../evaluation/encoders';
import { makeSheets, makeThirdSheet, scoreJudged } from '../evaluation/judge/judging';
import { commandLine } from '../evaluation/judge/key';
import { openJudgePool } from '../evaluation/judge/pool';
import { published } from '../evaluation/judge/published';
import { readQueries } from '../evaluation/judge/queries';
import { judgeText } from '../evaluation/judge/report';
import { withReranker } from '../evaluation/judge/reranker';
import { baselineRun, checkEncoder, engineRun } from '../evaluation/judge/run';
import type { NamedRun } from '../evaluation/judge/sheet';
import { needsEncoder, RETRIEVERS, type RetrieverName } from '../evaluation/retrievers';
import { toJson } from '../evaluation/table';
import { lacking, readRun, writeRun, type Run } from '../evaluation/trec';
import { dataHome, packageRoot } from '../paths';
import { preparePools, withEngine } from './engine';
import { interruptSignal, UsageError } from './exit';
import {
  collect,
  contextMode,
  deviceOption,
  vectorCache,
  wholeNumber,
  withContextOptions,
  type ContextOptions,
} from './options';
import { progressLine, tellMissing } from './progress';

type RunOptions = ContextOptions & {
  queries: string;
  pool: string;
  system: RetrieverName | 'engine';
  out: string;
  encoder: string[];
  device: string;
  top: number;
  perPaper: number;
  /** False measures the product's recall alone. */
  rerank: boolean;
  known?: string;
  cache?: string | false;
};

type SheetOptions = {
  queries: string;
  pool: string;
  run: string[];
  out: string;
  k: number;
  seed: number;
  json: boolean;
};

type ScoreOptions = {
  settle: boolean;
  export?: string;
  seed: number;
  resamples: number;
  json: boolean;
};

const SYSTEMS = ['engine', ...RETRIEVERS] as const;

/** Adds `ratio judge`. */
export function registerJudge(program: Command): void {
  const judge = program
    .command('judge')
    .description('judge usefulness blind: make runs, print sheets, score them');
  const run = judge
    .command('run')
    .description('answer fixed sentences with a system and write the TREC run')
    .requiredOption('--queries <file>', 'JSONL of {id, move, text}')
    .requiredOption(
      '--pool <name>',
      'pool of the data folder, or a folder with pool.jsonl and papers.jsonl',
    )
    .addOption(
      new Option('--system <name>', 'the product (engine), or a baseline over the same sentences')
        .choices(SYSTEMS)
        .makeOptionMandatory(),
    )
    .requiredOption('--out <file>', 'where the run goes')
    .option('--encoder <dir>', 'model folder for dense and hybrid, or MOVE=DIR a move', collect, [])
    .addOption(deviceOption('cpu'))
    .option('--top <count>', 'sentences a query', wholeNumber(1, 200), 10)
    .option(
      '--per-paper <count>',
      'of one paper at most, for every system alike',
      wholeNumber(1, 20),
      2,
    )
    .option('--no-rerank', 'engine: keep the order of recall')
    .option(
      '--known <file>',
      'engine: write what the reranker knows of every sentence, which fit_order.py reads',
    );
  withContextOptions(run, 'score baselines with context, as in "ratio eval"')
    .option('--cache <dir>', "keep vectors here (default: the user's cache folder)")
    .option('--no-cache', 'keep no vectors')
    .action(makeRun);
  judge
    .command('sheet')
    .description("print two judges' blinded sheets, the key apart")
    .requiredOption('--queries <file>', 'JSONL of {id, move, text}')
    .requiredOption('--run <name=file>', 'a system and its run (repeatable)', collect)
    .requiredOption('--pool <name>', 'what the runs were made on')
    .requiredOption('--out <dir>', "folder of the judges' folders and the key")
    .option('-k, --k <count>', 'sentences of a list', wholeNumber(1, 100), 10)
    .option('--seed <number>', 'seed of all shuffling', wholeNumber(0, 2 ** 31), 1)
    .option('--json', 'print what was made as JSON', false)
    .action(makeSheet);
  judge
    .command('score')
    .description('score filled-in sheets')
    .argument('<path>', 'the folder of "ratio judge sheet", or a file that --export wrote')
    .option('--settle', 'write a sheet of what two judges differ on for a third', false)
    .option('--export <file>', 'write ids, labels and key as JSON, without any text')
    .option('--seed <number>', 'seed of the intervals', wholeNumber(0, 2 ** 31), 1)
    .option('--resamples <count>', 'bootstrap resamples', wholeNumber(100, 1_000_000), RESAMPLES)
    .option('--json', 'print JSON', false)
    .action(score);
}

async function makeRun(options: RunOptions): Promise<void> {
  const { system, top, perPaper } = options;
  const context = contextMode(options);
  if (system === 'engine' && (context !== null || options.encoder.length > 0)) {
    throw new UsageError('--context and --encoder are for baselines; the engine has its own.');
  }
  if (options.encoder.length > 0 && !(system !== 'engine' && needsEncoder(system))) {
    throw new UsageError(`--encoder is for dense and hybrid; ${system} has none.`);
  }
  if (options.known !== undefined && !(system === 'engine' && options.rerank)) {
    throw new UsageError('--known is what the reranker knows: it goes with --system engine.');
  }
  if (!options.rerank && system !== 'engine') {
    throw new UsageError(`--no-rerank goes with --system engine; ${system} reranks nothing.`);
  }
  const queries = await readQueries(options.queries);
  const signal = interruptSignal();
  const progress = progressLine();
  const watched = {
    signal,
    onProgress: (done: number, total: number) => progress.show(system, done, total),
  };
  const pool = openJudgePool(options.pool, dataHome());
  let run: Run;
  try {
    if (system === 'engine') {
      const { name } = pool;
      if (name === null) {
        throw new UsageError(
          '--system engine asks a pool of the data folder: make one with "ratio pool add".',
        );
      }
      const { rerank } = options;
      const work = (stages: Stage[], encoder: string | null): Promise<Run> =>
        withEngine(
          options.device,
          async (engine) => {
            await checkEncoder(engine, encoder);
            await preparePools(engine, [name], signal, { strict: true });
            return engineRun(engine, name, queries, { top, perPaper, rerank }, watched);
          },
          { upkeep: 'none', stages },
        );
      run = rerank
        ? await withReranker(options.known ?? null, queries, work)
        : await work([], null);
    } else {
      const shipped = join(packageRoot(), 'models', 'encoder');
      const encoders = needsEncoder(system)
        ? await openEncoders(
            encoderFolders(options.encoder, shipped),
            options.device,
            vectorCache(options.cache),
          )
        : null;
      let product: SentenceEncoder | undefined;
      try {
        // As the product does, all leave out what is a copy of the query by the pool's own vectors.
        if (pool.name !== null) {
          product = await loadEncoder({ modelDir: shipped, device: options.device });
        }
        run = await baselineRun(
          await pool.load(),
          queries,
          encoders,
          {
            ...options,
            retriever: system,
            context,
            product,
          },
          watched,
        );
      } finally {
        await encoders?.close();
        await product?.close();
      }
    }
  } finally {
    pool.close();
    progress.clear();
  }
  await writeRun(options.out, run);
  process.stderr.write(`ratio: ${options.out}: ${run.rankings.size} queries of ${run.system}.\n`);
}

async function makeSheet(options: SheetOptions): Promise<void> {
  const queries = await readQueries(options.queries);
  const runs: NamedRun[] = [];
  for (const value of options.run) {
    const [, name, file] = /^([^=]+)=(.+)$/.exec(value) ?? [];
    if (name === undefined || file === undefined) {
      throw new UsageError(`--run takes NAME=FILE, not "${value}".`);
    }
    if (runs.some((run) => run.name === name)) {
      throw new UsageError(`--run has the name "${name}" twice.`);
    }
    runs.push({ name, run: await readRun(file) });
  }
  const pool = openJudgePool(options.pool, dataHome());
  try {
    const ids = queries.map(({ id }) => id);
    const { sheets } = await makeSheets(options.out, queries, runs, pool, {
      k: options.k,
      seed: options.seed,
      command: commandLine(process.argv.slice(2)),
    });
    const items = sheets[0]?.reduce((sum, query) => sum + query.items.length, 0) ?? 0;
    const missing = Object.fromEntries(runs.map(({ name, run }) => [name, lacking(run, ids)]));
    const made = { out: options.out, queries: ids.length, systems: runs.length, items, missing };
    for (const [name, count] of Object.entries(missing)) tellMissing(name, count, ids.length);
    process.stdout.write(
      options.json
        ? toJson(made)
        : `${options.out}: ${made.queries} queries, ${made.items} sentences to label for each of ${sheets.length} judges; give each judge only their folder.\n`,
    );
  } finally {
    pool.close();
  }
}

async function score(folder: string, options: ScoreOptions): Promise<void> {
  if (options.settle) {
    const sheet = await makeThirdSheet(folder);
    process.stderr.write(
      sheet
        ? `ratio: ${join(folder, 'judge-3')} asks a third judge about ${sheet.length} queries.\n`
        : 'ratio: the judges agree on everything; there is nothing to settle.\n',
    );
  }
  const { report, key, answers } = await scoreJudged(folder, options);
  if (options.export !== undefined) {
    try {
      await writeFile(options.export, toJson(published(key, answers)));
    } catch (error) {
      throw userError(error, 'writing', options.export);
    }
  }
  process.stdout.write(options.json ? toJson(report) : judgeText(report));
}
