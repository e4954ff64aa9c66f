/** Reranking as a part of an evaluation on the benchmark of moves. */
import { join } from 'node:path';
import { RatioError } from '../../engine/engine';
import { askedMove, type PairMove } from '../../mining/pairMoves';
import { mean, paired, type BootstrapOptions, type Paired } from '../bootstrap';
import type { EncodeOptions } from '../dense/vectors';
import type { OpenEncoders } from '../encoders';
import { METRICS, type Metric } from '../metrics';
import { papersFile } from '../papers';
import { bySet, pairMetrics, type Ranking } from '../rank';
import type { Split } from '../split';
import type { SentenceReranker, Stage } from './joint';
import { rerankMoves } from './moves';

export type RerankChoice = {
  stage: Stage;
  /** Folder of the reranker. */
  reranker: string;
  /** Passages a query at most. */
  depth: number;
  /** Folder of whole papers (`papers.jsonl` of `ratio mine`); the split's own without. */
  papers?: string | undefined;
};

/** What reranking changed, by set. */
export type RerankReport = {
  stage: Stage;
  reranker: string;
  depth: number;
  /** Mean passages a query. */
  passages: number;
  /** Mean milliseconds a query, encoding aside. */
  milliseconds: number;
  /** Share of queries whose gold is in a passage: what reranking can reach at most. */
  reached: Map<PairMove, number>;
  /** Reranked (A) and as retrieved (B). */
  against: Map<PairMove, Record<Metric, Paired>>;
};

/** The file of whole papers, or an error that says where one comes from. */
export function rerankPapers(split: Split, papers: string | undefined): string {
  const folder = papers ?? split.folder;
  try {
    return papersFile(folder);
  } catch (error) {
    if (!(error instanceof RatioError)) throw error;
    throw new RatioError(
      'not-found',
      `There is no ${join(folder, 'papers.jsonl')}, from which passages are made. "ratio bench build" and ` +
        '"ratio mine" write it: name the folder with --papers DIR.',
    );
  }
}

export type Reranked = { rankings: Ranking[]; report: RerankReport };

/** Reranks what was retrieved, and compares. */
export async function rerankSplit(
  split: Split,
  retrieved: readonly Ranking[],
  encoders: OpenEncoders,
  reranker: SentenceReranker,
  { stage, depth, papers }: RerankChoice,
  bootstrap: BootstrapOptions,
  watch: (what: string) => EncodeOptions,
): Promise<Reranked> {
  const ranking = watch('reranking');
  const made = await rerankMoves(
    split,
    retrieved,
    reranker,
    {
      stage,
      depth,
      papers: rerankPapers(split, papers),
      cache: encoders.cache,
      encoderFor: (pair) => encoders.forMove(askedMove(pair.move)),
      ...watch('encoding passages'),
    },
    (done, total) => ranking.onProgress?.(done, total),
  );
  const rankings = made.map((pair) => pair.ranking);
  const ours = pairMetrics(split, rankings);
  const theirs = pairMetrics(split, retrieved);
  const compared = (places: readonly number[]): Record<Metric, Paired> => {
    const of = (metric: Metric): Paired =>
      paired(
        places.map((place) => ours[place]?.[metric] ?? 0),
        places.map((place) => theirs[place]?.[metric] ?? 0),
        bootstrap,
      );
    const [first, second, third, fourth] = METRICS.map(of) as [Paired, Paired, Paired, Paired];
    return { 'R@1': first, 'R@10': second, 'MRR@10': third, 'MRR@100': fourth };
  };
  const sets = [...bySet(split)];
  return {
    rankings,
    report: {
      stage,
      reranker: reranker.config.id,
      depth,
      passages: mean(made.map((pair) => pair.passages)),
      milliseconds: mean(made.map((pair) => pair.milliseconds)),
      reached: new Map(
        sets.map(([set, places]) => [
          set,
          mean(places.map((place) => (made[place]?.reached ? 1 : 0))),
        ]),
      ),
      against: new Map(sets.map(([set, places]) => [set, compared(places)])),
    },
  };
}
