/** The parts of `npm run bench`: each measures one thing and says what it must reach. */
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { problemScore } from '../../server/language/problems';
import { THRESHOLD } from '../../server/language/problemCues';
import { packageRoot } from '../../server/paths';
import { benchActivation } from './activation';
import { benchColdStart } from './coldStart';
import { dataFolder } from './corpus';
import { benchEncode } from './encode';
import { benchHnsw } from './hnsw';
import { benchMoves } from './moves';
import { benchIndexing, type BenchPool } from './pool';
import { loadProblemLabels, measureAt } from '../../models/training/product/problemLabels';
import { benchRerank } from './rerank';
import { atLeast, atMost, figure, type Row } from './report';

export type Context = {
  /** Folder of the staged package. */
  stage: string;
  quick: boolean;
  tell: (line: string) => void;
  /** The pool that moves are measured on, built where it is missing. */
  pool: () => Promise<BenchPool>;
};

type Part = (context: Context) => Promise<{ rows: Row[]; detail: unknown }>;

const FIRST_MS = 100;
const ALL_MS = 250;
const IMPORT_MS = 500;
const COLD_MS = 3000;
const PASSAGES_MS = 800;
const RERANKED_MS = 1000;

const moves: Part = async ({ stage, quick, tell, pool }) => {
  const { home, sentences } = await pool();
  const detail = await benchMoves(stage, home, quick ? 12 : 200, tell);
  const { alone, duringImport, engineMb, processorMs } = detail;
  const on = `${alone.count} queries, ${sentences} sentences and the starter pool`;
  const typed = `${alone.typed.count} queries, 50 ms after a keystroke in the largest draft`;
  const kept = duringImport.ended
    ? 'the import ended before the moves did'
    : `${duringImport.imported} sentences stored meanwhile`;
  const rows = [
    figure('first results, p50', alone.first.p50, 'ms', on),
    atMost('first results, p95', alone.first.p95, 'ms', FIRST_MS, on),
    figure('all results, p50', alone.all.p50, 'ms', on),
    atMost('all results, p95', alone.all.p95, 'ms', ALL_MS, on),
    atMost('first results after a keystroke, p95', alone.typed.first.p95, 'ms', FIRST_MS, typed),
    atMost('all results after a keystroke, p95', alone.typed.all.p95, 'ms', ALL_MS, typed),
    figure('processor time a move', processorMs, 'ms', 'language server and engine, all threads'),
    figure('all results during an import, p50', duringImport.all.p50, 'ms', kept),
    atMost('first results during an import, p95', duringImport.first.p95, 'ms', IMPORT_MS, kept),
    atMost('all results during an import, p95', duringImport.all.p95, 'ms', IMPORT_MS, kept),
    atMost('engine memory', engineMb, 'MB', 500, 'resident, after the moves'),
  ];
  return { rows, detail };
};

const rerank: Part = async ({ stage, quick, pool }) => {
  const { home, sentences } = await pool();
  const detail = await benchRerank(stage, home, quick ? 12 : 200);
  const { passages, moves: timed, allowed, addedMb } = detail;
  const alone = `${passages.count} queries, ${Math.round(passages.tokens)} tokens a passage besides the query`;
  const on = `${timed.reranked} of ${timed.count} queries reranked, ${allowed} passages, ${sentences} sentences`;
  const rows = [
    figure('50 passages reranked, p50', passages.p50, 'ms', alone),
    atMost('50 passages reranked, p95', passages.p95, 'ms', PASSAGES_MS, alone),
    atMost('first results before reranking, p95', timed.first.p95, 'ms', FIRST_MS, on),
    figure('whole move with reranking, p50', timed.all.p50, 'ms', on),
    atMost('whole move with reranking, p95', timed.all.p95, 'ms', RERANKED_MS, on),
    figure('memory that the reranker adds', addedMb, 'MB', 'resident, after the moves'),
  ];
  return { rows, detail };
};

const cold: Part = async ({ stage, quick, pool }) => {
  const { home } = await pool();
  const detail = await benchColdStart(stage, home, quick ? 2 : 7, quick ? 1 : 3);
  const { built, veryFirst } = detail;
  const after = `${built.starts.length} starts of the server, a move asked at once`;
  const firsts = veryFirst.map(({ first }) => first);
  const rows = [
    figure('cold start to first results, median', built.first.p50, 'ms', after),
    atMost('cold start to first results, slowest', built.first.max, 'ms', COLD_MS, after),
    atMost('cold start to all results, slowest', built.all.max, 'ms', COLD_MS, after),
    atMost(
      'very first start, slowest',
      Math.max(...firsts),
      'ms',
      15_000,
      'empty data folder: the starter pool is built before the answer',
    ),
  ];
  return { rows, detail };
};

const activation: Part = async ({ stage, quick }) => {
  const detail = await benchActivation(stage, quick ? 3 : 9);
  const rows = [
    atMost('client activation, median', detail.total, 'ms', 60, 'load and activate in plain Node'),
    figure('client activation, processor time', detail.processor, 'ms'),
  ];
  return { rows, detail };
};

const hnsw: Part = async ({ quick, pool }) => {
  const detail = await benchHnsw(await pool(), quick ? 50 : 500);
  const on = `${detail.queries} queries, ${detail.sentences} sentences`;
  const rows = [
    atLeast('HNSW recall@10', detail.recallAt10, '', 0.98, `against exact search, ${on}`),
    figure('HNSW search, as in moves', detail.graphMs.asInMoves, 'ms', on),
    figure('exact search', detail.exactMs, 'ms', on),
  ];
  return { rows, detail };
};

const indexing: Part = async ({ stage, quick, tell, pool }) => {
  const fresh = await benchIndexing(stage, quick ? 300 : 4000, tell);
  const { built, sentences } = await pool();
  const rows = [
    figure('indexing, fresh pool', fresh.perSecond, '/s', `sentences, ${fresh.sentences} of them`),
  ];
  if (built.whole) {
    const when = `${sentences} sentences, on ${built.date.slice(0, 16)}, load then ${built.load}`;
    rows.push(figure('indexing, the whole pool', sentences / built.seconds, '/s', when));
  }
  return { rows, detail: { fresh, built } };
};

const encode: Part = async ({ quick }) => {
  const detail = await benchEncode(quick ? { count: 64, rounds: 2 } : {});
  const { throughput, speedup, missing, batch } = detail;
  const note = missing.length > 0 ? `missing: ${missing.join('; ')}` : `batches of ${batch}`;
  const rows = [
    figure('encoding', throughput['ratio'] ?? NaN, '/s', `sentences, ${note}`),
    atLeast('encoding, × transformers fp32', speedup['fp32'] ?? NaN, '×', 4, note),
    atLeast('encoding, × transformers q8', speedup['q8'] ?? NaN, '×', 1.8, note),
  ];
  return { rows, detail };
};

/** Runs a program of this folder or a test; resolves to what it prints. */
function output(argumentsOfNode: string[]): string {
  return execFileSync(process.execPath, argumentsOfNode, {
    cwd: packageRoot(),
    encoding: 'utf8',
    maxBuffer: 1 << 26,
  });
}

type ProseTimes = { drafts: { name: string; characters: number; p95: number }[] };

const prose: Part = async () => {
  const printed = output(['--require', 'tsx/cjs', join('test', 'bench', 'prose.ts')]);
  const times = JSON.parse(printed.trim().split('\n').at(-1) ?? '') as ProseTimes;
  const slowest = times.drafts.reduce((a, b) => (b.p95 > a.p95 ? b : a));
  let passed = 1;
  let printedTests: string;
  const mocha = join('node_modules', 'mocha', 'bin', 'mocha.js');
  const suite = join('test', 'unit', 'prose', 'drafts.test.ts');
  try {
    printedTests = output([mocha, '--no-config', '--require', 'tsx/cjs', suite]);
  } catch (error) {
    passed = 0;
    printedTests = String((error as { stdout?: string }).stdout ?? error);
  }
  const shares = [...printedTests.matchAll(/\s(\d+(?:\.\d+)?) %\s+\d+(?:\.\d+)? %\s*$/gm)];
  const covered = shares.map(([, share]) => Number(share));
  const rows = [
    atLeast('drafts read, ranges map back (1: all)', passed, '', 1, `${times.drafts.length} files`),
    atLeast(
      'words of pandoc’s text covered, least',
      covered.length > 0 ? Math.min(...covered) : NaN,
      '%',
      95,
      covered.length > 0 ? `${covered.length} files` : 'pandoc is not installed',
    ),
    figure('reading after a keystroke, p95', slowest.p95, 'ms', `processor time, ${slowest.name}`),
  ];
  return { rows, detail: times };
};

const problems: Part = async () => {
  const { sentences } = await loadProblemLabels(dataFolder(), 'held-out');
  const scores = sentences.map(({ text }) => problemScore(text));
  const detail = measureAt(scores, sentences, THRESHOLD);
  const note = `held-out drafts, ${sentences.length} sentences`;
  const rows = [
    figure('problem statements, precision', detail.precision, '', note),
    figure('problem statements, recall', detail.recall, '', note),
  ];
  return { rows, detail };
};

/** In the order in which they are measured. */
export const parts = { moves, rerank, cold, activation, hnsw, indexing, encode, prose, problems };
export type PartName = keyof typeof parts;
