/** `ratio rerank`: orders candidate passages of queries by a model and measures the order. */
import { Option, type Command } from 'commander';
import { join } from 'node:path';
import { RESAMPLES } from '../evaluation/bootstrap';
import { rerankFile } from '../evaluation/rerank/file';
import { rerankText } from '../evaluation/rerank/report';
import { isStage, RERANK_MODELS, type RerankModel } from '../evaluation/rerank/scorers';
import { toJson } from '../evaluation/table';
import { packageRoot } from '../paths';
import { interruptSignal, UsageError } from './exit';
import { collect, collectNames, deviceOption, vectorCache, wholeNumber } from './options';
import { notice, progressLine, tellMissing } from './progress';

type Options = {
  model: RerankModel;
  encoder?: string;
  reranker?: string;
  device: string;
  datasets?: string[];
  limit?: number;
  run?: string;
  qrels?: string;
  against: string[];
  cache?: string | false;
  seed: number;
  resamples: number;
  json: boolean;
};

/** Adds `ratio rerank`. */
export function registerRerank(program: Command): void {
  program
    .command('rerank')
    .description('order the candidate passages of queries and measure the order')
    .argument(
      '<input>',
      'JSONL or JSONL.gz of {id, dataset, query, candidates: [{title, text, gold}]}',
    )
    .addOption(
      new Option(
        '--model <name>',
        'what orders them: the file, BM25, the encoder’s best sentence, or the reranker by its local or its global score',
      )
        .choices(RERANK_MODELS)
        .makeOptionMandatory(),
    )
    .option(
      '--encoder <dir>',
      'model folder for dense, local and log (default: the one that ships)',
    )
    .option(
      '--reranker <dir>',
      'model folder of the reranker for local and log (default: the one that ships)',
    )
    .addOption(deviceOption('cpu'))
    .option('--datasets <names>', 'these datasets only', collectNames)
    .option(
      '--limit <count>',
      'queries a dataset at most, the first ones',
      wholeNumber(1, 10_000_000),
    )
    .option(
      '--run <file>',
      'write the TREC run; documents are passages’ numbers, counted from 0 in the order of the file',
    )
    .option('--qrels <file>', 'write the TREC qrels')
    .option(
      '--against <run>',
      'a run on the same file to compare with, paired (repeatable)',
      collect,
      [],
    )
    .option('--cache <dir>', "keep vectors here (default: the user's cache folder)")
    .option('--no-cache', 'keep no vectors')
    .option('--seed <number>', 'seed of the intervals', wholeNumber(0, 2 ** 31), 1)
    .option('--resamples <count>', 'bootstrap resamples', wholeNumber(100, 1_000_000), RESAMPLES)
    .option('--json', 'print JSON', false)
    .addHelpText(
      'after',
      `
Examples:
  $ ratio rerank passages.jsonl.gz --model bm25 --run bm25.run
  $ ratio rerank passages.jsonl.gz --model log --run log.run --against bm25.run --against dense.run`,
    )
    .action(rerank);
}

async function rerank(input: string, options: Options): Promise<void> {
  const { model } = options;
  if (options.encoder !== undefined && (model === 'none' || model === 'bm25')) {
    throw new UsageError(`--encoder is for dense, local and log; ${model} has none.`);
  }
  if (options.reranker !== undefined && !isStage(model)) {
    throw new UsageError(`--reranker is for local and log; ${model} has none.`);
  }
  const models = join(packageRoot(), 'models');
  const signal = interruptSignal();
  const progress = progressLine();
  const report = await rerankFile(
    {
      ...options,
      input,
      encoder: options.encoder ?? join(models, 'encoder'),
      reranker: options.reranker ?? join(models, 'reranker'),
      cache: vectorCache(options.cache),
    },
    { signal, onProgress: progress.show, onNotice: notice },
  ).finally(progress.clear);
  if (report.withoutGold > 0) {
    notice(
      `${report.withoutGold} queries have no gold passage; they are in the run and in no figure.`,
    );
  }
  for (const { run, missing } of report.against) tellMissing(run, missing, report.queries);
  process.stdout.write(options.json ? toJson(report) : rerankText(report));
}
