/** One evaluation from a benchmark folder to a report. */
import { MOVES } from '../engine/engine';
import { loadReranker } from '../engine/loadReranker';
import type { PairMove } from '../mining/pairMoves';
import { markerScores, overlapScores, scoresOf, type Scores } from './analyses';
import { mean, RESAMPLES } from './bootstrap';
import {
  bareUnits,
  combineUnits,
  concatUnits,
  CONTEXT,
  type ContextMode,
  type Units,
} from './context';
import type { EncodeOptions } from './dense/vectors';
import { encoderFolders, openEncoders, type OpenEncoders } from './encoders';
import type { Metric } from './metrics';
import { papersFile, readContexts } from './papers';
import { bySet, DEPTH, pairMetrics, rankPairs, toQrels, toRun, type Rankings } from './rank';
import { MEAN_FROM, type Report } from './report';
import { rerankPapers, rerankSplit, type Reranked, type RerankChoice } from './rerank/split';
import { makeRetriever, needsEncoder, type RetrieverName } from './retrievers';
import { loadSplit, type Split } from './split';
import { writeQrels, writeRun } from './trec';
import type { SentenceReranker } from './rerank/joint';

export const ANALYSES = ['oracle', 'transfer', 'overlap', 'markers'] as const;
export type Analysis = (typeof ANALYSES)[number];

export type EvaluationOptions = {
  bench: string;
  split: string;
  retriever: RetrieverName;
  /** Values of `--encoder`; `fallback` is the encoder that ships. */
  encoder: readonly string[];
  fallback: string;
  device: string;
  /** Folder of kept vectors; null keeps none. */
  cache: string | null;
  moves?: readonly PairMove[] | undefined;
  limit?: number | undefined;
  context: ContextMode | null;
  contextBefore?: number | undefined;
  contextWeight?: number | undefined;
  analyses: readonly Analysis[];
  /** Re-orders what the retriever found; it has to be one with an encoder. */
  rerank?: RerankChoice | undefined;
  run?: string | undefined;
  qrels?: string | undefined;
  seed: number;
  resamples?: number | undefined;
};

export type ProgressOptions = {
  signal?: AbortSignal | undefined;
  /** What is being done, and how far it is (null where that is not known). */
  onProgress?: ((what: string, done: number | null, total: number | null) => void) | undefined;
  /** What its reader should know of a result that is given all the same. */
  onNotice?: ((text: string) => void) | undefined;
};

/** Says so where a reranker is measured on vectors of encoders with which the product would not use it. */
export function tellForeign(
  wanted: string | null,
  encoders: readonly string[],
  onNotice: ProgressOptions['onNotice'],
): void {
  const other = wanted === null ? undefined : encoders.find((id) => id !== wanted);
  if (other === undefined) return;
  onNotice?.(
    `The reranker was trained with the encoder ${wanted}, not with ${other}: with this one the product would not use it.`,
  );
}

async function unitsOf(
  split: Split,
  options: EvaluationOptions,
  encoders: OpenEncoders | null,
): Promise<Units> {
  const { context } = options;
  if (context === null) return bareUnits(split.pool.map(({ text }) => text));
  const before = options.contextBefore ?? CONTEXT.before;
  const contexts = await readContexts(papersFile(split.folder), split.pool, split.places, before);
  const source = { pairs: split.pairs, pool: split.pool, contexts };
  if (context === 'combine') return combineUnits(source, options.contextWeight);
  // Encoders of one evaluation come from one recipe, so they share their template.
  return concatUnits(source, encoders?.forMove('address').template ?? null);
}

function contextName({ context, contextBefore, contextWeight }: EvaluationOptions): string {
  if (context === null) return 'bare sentences';
  const before = `title and ${contextBefore ?? CONTEXT.before} sentences before`;
  return context === 'concat'
    ? `with context (${before}, one text)`
    : `with context (${before}, score + ${contextWeight ?? CONTEXT.weight} · best of context)`;
}

/** Unweighted means over the sets of enough queries; over all where there is no such set. */
const meansOf = (moves: ReadonlyMap<PairMove, Scores>): Record<Metric, number> => {
  const all = [...moves.values()];
  const large = all.filter(({ queries }) => queries >= MEAN_FROM);
  const of = (metric: Metric): number =>
    mean((large.length > 0 ? large : all).map((scores) => scores[metric].value));
  return { 'R@1': of('R@1'), 'R@10': of('R@10'), 'MRR@10': of('MRR@10'), 'MRR@100': of('MRR@100') };
};

/** Ranks, measures and writes the run and the qrels that are asked for. */
export async function evaluate(
  options: EvaluationOptions,
  { signal, onProgress, onNotice }: ProgressOptions = {},
): Promise<Report> {
  const { bench } = options;
  onProgress?.('reading the benchmark', null, null);
  const split = await loadSplit(bench, options.split, options);
  if (options.rerank) rerankPapers(split, options.rerank.papers);
  const reranker = options.rerank ? await loadReranker(options.rerank.reranker) : null;
  try {
    return await measured(options, split, reranker, { signal, onProgress, onNotice });
  } finally {
    await reranker?.close();
  }
}

async function measured(
  options: EvaluationOptions,
  split: Split,
  reranker: SentenceReranker | null,
  { signal, onProgress, onNotice }: ProgressOptions,
): Promise<Report> {
  const { bench, retriever: name, rerank } = options;
  const bootstrap = { seed: options.seed, resamples: options.resamples ?? RESAMPLES };
  const encoders = needsEncoder(name)
    ? await openEncoders(
        encoderFolders(options.encoder, options.fallback),
        options.device,
        options.cache,
      )
    : null;
  try {
    if (reranker && encoders) {
      tellForeign(reranker.config.encoder, Object.values(encoders.ids), onNotice);
    }
    const units = await unitsOf(split, options, encoders);
    onProgress?.('indexing', null, null);
    const retriever = makeRetriever(name, units, encoders);
    const watch = (what: string): EncodeOptions => ({
      signal,
      onProgress: (done, total) => onProgress?.(what, done, total),
    });
    const working = needsEncoder(name) ? 'encoding' : 'ranking';
    const rankings = await rankPairs(split, units, retriever, {
      ...watch(working),
      // Some of what is found stands in the passage of a better hit.
      ...(rerank && { depth: Math.max(DEPTH, 2 * rerank.depth) }),
    });
    let reranked: Reranked | null = null;
    if (rerank && reranker && encoders) {
      reranked = await rerankSplit(
        split,
        rankings.shared,
        encoders,
        reranker,
        rerank,
        bootstrap,
        watch,
      );
    }
    const final = reranked?.rankings ?? rankings.shared;
    const system = rerank ? `${name}+${rerank.stage}` : name;
    const metrics = pairMetrics(split, final);
    const scores = (of: typeof metrics): Map<PairMove, Scores> =>
      new Map([...bySet(split)].map(([set, places]) => [set, scoresOf(of, places, bootstrap)]));
    const moves = scores(metrics);
    const report: Report = {
      bench,
      split: options.split,
      retriever: system,
      encoder: encoders?.ids ?? null,
      context: contextName(options),
      pool: split.pool.length,
      ...bootstrap,
      moves,
      mean: meansOf(moves),
    };
    if (reranked) report.rerank = reranked.report;
    if (options.run !== undefined) await writeRun(options.run, toRun(split, final, system));
    if (options.qrels !== undefined) await writeQrels(options.qrels, toQrels(split));
    const wanted = new Set(options.analyses);
    if (wanted.has('oracle')) report.oracle = oracleOf(split, rankings, scores);
    if (wanted.has('overlap')) report.overlap = overlapScores(split, final);
    if (wanted.has('markers')) report.markers = markerScores(split, metrics, bootstrap);
    if (wanted.has('transfer')) {
      report.transfer = null;
      if (encoders?.told) {
        report.transfer = new Map();
        for (const move of MOVES) {
          const asked = await rankPairs(split, units, retriever, {
            move,
            ...watch(`asking with ${move}`),
          });
          report.transfer.set(move, scores(pairMetrics(split, asked.shared)));
        }
      }
    }
    return report;
  } finally {
    await encoders?.close();
  }
}

function oracleOf(
  split: Split,
  rankings: Rankings,
  scores: (metrics: ReturnType<typeof pairMetrics>) => Map<PairMove, Scores>,
): NonNullable<Report['oracle']> {
  return new Map(
    [...scores(pairMetrics(split, rankings.oracle))].map(([set, own]) => [
      set,
      { pool: split.golds.get(set)?.length ?? 0, scores: own },
    ]),
  );
}
