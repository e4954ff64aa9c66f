#!/usr/bin/env node
/** `ratio`: the same engine in a terminal. Results go to stdout, everything else to stderr. */
import { Command, Option } from 'commander';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { packageRoot } from '../paths';
import { MOVES } from '../engine/engine';
import { cite } from './cite';
import { context } from './context';
import { fail, watchOutput } from './exit';
import { addPool, listPools, removePool, showPool, updatePool } from './pool';
import { registerBench } from './bench';
import { registerEval } from './eval';
import { registerJudge } from './judge';
import { registerMine } from './mine';
import { collectNames, deviceOption, wholeNumber } from './options';
import { query } from './query';
import { registerRerank } from './rerank';

const { version } = JSON.parse(readFileSync(join(packageRoot(), 'package.json'), 'utf8')) as {
  version: string;
};

const program = new Command('ratio')
  // Before the sub-commands, which inherit it: wrong usage is exit code 2.
  .exitOverride((error) => process.exit(error.exitCode === 0 ? 0 : 2))
  .description(
    'Finds inspiration in the literature for the sentence you are stuck at: a response to a problem (address), a more general statement (broaden) or a more concrete one (specify).',
  )
  .version(version)
  .showHelpAfterError('(ratio --help lists the commands)')
  .addHelpText(
    'after',
    `
Examples:
  $ ratio query --move address "Annotators disagree, so the labels are noisy."
  $ ratio query --move specify --at draft.tex:42 --json
  $ ratio context --move address --at draft.tex:42 --top 5
  $ ratio pool add library ~/papers/library.bib ~/notes
  $ ratio cite --at draft.tex:42 arxiv:2503.01234

Pools are kept in the platform's data folder, shared with the editor; RATIO_HOME names another folder.
Exit codes: 0 done · 1 failed · 2 wrong usage or a choice that only you can make · 130 cancelled`,
  );

/** Adds what a move is asked with. */
const asking = (command: Command): Command =>
  command
    .argument('[text]', 'the sentence to ask about (or use --at)')
    .addOption(new Option('-m, --move <move>', 'the move').choices(MOVES).makeOptionMandatory())
    .option('--at <place>', 'FILE:LINE[:COLUMN] of a LaTeX or Markdown draft, counted from 1')
    .option(
      '-p, --pool <name>',
      'ask this pool (repeatable); every pool without it',
      collectNames,
      [],
    )
    .option('-n, --top <count>', 'inspirations at most', wholeNumber(1, 200), 10)
    .option('--per-paper <count>', 'sentences of one paper at most', wholeNumber(1, 20), 2)
    .option('--from <year>', 'papers of this year or later', wholeNumber(1000, 3000))
    .option('--to <year>', 'papers of this year or earlier', wholeNumber(1000, 3000))
    .option('--no-rerank', 'show the first order, unrefined')
    .addOption(deviceOption('auto'));

asking(program.command('query'))
  .description('answer a move for a text, or for a place in a draft')
  .option('--neighbours', 'show the sentences around each (the default on a terminal)')
  .option('--no-neighbours', 'leave them out')
  .option('--json', 'print JSON, neighbours and all', false)
  .action(query);

asking(program.command('context'))
  .description(
    'print what a move finds as structured context for a writing assistant: each sentence with its role, neighbours, sentences of other papers that say the same, and citation keys',
  )
  .addOption(
    new Option('--format <name>', 'how it is printed')
      .choices(['markdown', 'json'])
      .default('markdown'),
  )
  .action(context);

const pool = program.command('pool').description('make, update and look at pools of papers');
const selection = (command: Command) =>
  command
    .option('--category <name>', 'keep these arXiv categories only (repeatable)', collectNames, [])
    .option('--since <date>', 'keep papers of this date or later (YYYY[-MM[-DD]])')
    .option('--until <date>', 'keep papers of this date or earlier');

selection(pool.command('add'))
  .description(
    'index files or folders: JSONL[.gz], arXiv metadata, BibTeX, CSL-JSON, LaTeX and Markdown',
  )
  .argument('<name>', 'pool to add to; created if it does not exist')
  .argument('[path...]', 'files or folders; none for "starter", the pool that ships')
  .addOption(deviceOption('auto'))
  .option('--json', 'print the report as JSON', false)
  .action(addPool);
pool
  .command('update')
  .description('read a pool’s sources again: add what is new, drop what is gone')
  .argument('<name>')
  .addOption(deviceOption('auto'))
  .option('--json', 'print the report as JSON', false)
  .action(updatePool);
pool
  .command('list')
  .description('list the pools')
  .option('--json', 'print JSON', false)
  .action(listPools);
pool
  .command('show')
  .description('show one pool: size, dates, sources, state')
  .argument('<name>')
  .option('--json', 'print JSON', false)
  .action(showPool);
pool
  .command('remove')
  .description(
    'delete a pool (its sources are left alone; "pool add starter" brings back what ships)',
  )
  .argument('<name>')
  .action(removePool);

program
  .command('cite')
  .description('cite a paper of a pool at a place in a draft, with its entry in the .bib')
  .argument('<paper-id>', 'the id in the last line of each result of a query, a DOI or an arXiv id')
  .requiredOption('--at <place>', 'FILE:LINE[:COLUMN] of a LaTeX or Markdown draft, counted from 1')
  .option(
    '-p, --pool <name>',
    'pool that holds the paper (repeatable); any without it',
    collectNames,
    [],
  )
  .option('--bib <file>', 'the .bib to use')
  .option('--force', 'also cite notes or drafts of yours that name nothing published', false)
  .option('--dry-run', 'print the edit, change nothing', false)
  .option('--json', 'print JSON', false)
  .action(cite);

program.commandsGroup('For research on the moves:');
registerMine(program);
registerBench(program);
registerEval(program);
registerRerank(program);
registerJudge(program);

// `npm run ratio` moves to the package's folder; paths are meant from where the user is.
const invokedFrom = process.env['npm_lifecycle_event'] === 'ratio' && process.env['INIT_CWD'];
if (invokedFrom) process.chdir(invokedFrom);

watchOutput();
program.parseAsync().catch(fail);
