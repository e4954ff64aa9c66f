/** Metrics of ranked passages by dataset, of one system or of two on the same queries. */
import { RatioError } from '../../engine/engine';
import { estimates, paired, type BootstrapOptions, type Estimate, type Paired } from '../bootstrap';
import { PASSAGE_METRICS, passageMetrics, type PassageMetric } from '../metrics';
import type { Ranked, Run } from '../trec';
import { golds, type RerankQuery } from './input';

export type PassageScores = { queries: number } & Record<PassageMetric, Estimate>;
export type PassageComparison = Record<PassageMetric, Paired>;

/** Datasets that are too small to tell systems apart alone, and are reported together as well. */
const POOLED = ['scholarqa-cs', 'scholarqa-multi'];

/** A query's passages by score, best first; equal scores in the order of the file. */
export function rankPassages(scores: readonly number[]): Ranked[] {
  const wrong = scores.findIndex((score) => !Number.isFinite(score));
  if (wrong >= 0) {
    throw new RatioError(
      'model-broken',
      `The model gave passage ${wrong} the score ${scores[wrong]}. Its files may be damaged.`,
    );
  }
  return scores
    .map((score, number) => ({ id: String(number), score }))
    .sort((a, b) => b.score - a.score || Number(a.id) - Number(b.id));
}

/** Places of the queries by dataset, and of datasets that are pooled; those without gold left out. */
function setsOf(queries: readonly RerankQuery[]): Map<string, number[]> {
  const sets = new Map<string, number[]>();
  queries.forEach((query, place) => {
    if (golds(query).size === 0) return;
    const own = sets.get(query.dataset);
    if (own) own.push(place);
    else sets.set(query.dataset, [place]);
  });
  if (POOLED.every((name) => sets.has(name))) {
    const places = POOLED.flatMap((name) => sets.get(name) ?? []);
    sets.set(
      POOLED.join(' + '),
      places.sort((a, b) => a - b),
    );
  }
  return sets;
}

type Row = Record<PassageMetric, number> | null;

/** Metrics of every query; null where there is no gold. A query that the run lacks has found none. */
function rowsOf(run: Run, queries: readonly RerankQuery[]): Row[] {
  return queries.map((query) => {
    const relevant = golds(query);
    if (relevant.size === 0) return null;
    const ranked = (run.rankings.get(query.id) ?? []).map(({ id }) => id);
    return passageMetrics(ranked, relevant);
  });
}

const byMetric = <T>(make: (metric: PassageMetric) => T): Record<PassageMetric, T> => ({
  'Recall@10': make('Recall@10'),
  'MAP@10': make('MAP@10'),
  'nDCG@10': make('nDCG@10'),
});

const column = (rows: readonly Row[], places: readonly number[], metric: PassageMetric): number[] =>
  places.map((place) => rows[place]?.[metric] ?? 0);

/** Means by dataset, with intervals. */
export function scorePassages(
  run: Run,
  queries: readonly RerankQuery[],
  options: BootstrapOptions = {},
): Map<string, PassageScores> {
  const rows = rowsOf(run, queries);
  const none = { value: NaN, low: NaN, high: NaN };
  return new Map(
    [...setsOf(queries)].map(([set, places]) => {
      const made = estimates(
        PASSAGE_METRICS.map((metric) => column(rows, places, metric)),
        options,
      );
      return [
        set,
        {
          queries: places.length,
          ...byMetric((metric) => made[PASSAGE_METRICS.indexOf(metric)] ?? none),
        },
      ];
    }),
  );
}

/** Differences and ratios of two runs by dataset, with paired intervals. */
export function comparePassages(
  a: Run,
  b: Run,
  queries: readonly RerankQuery[],
  options: BootstrapOptions = {},
): Map<string, PassageComparison> {
  const ours = rowsOf(a, queries);
  const theirs = rowsOf(b, queries);
  return new Map(
    [...setsOf(queries)].map(([set, places]) => [
      set,
      byMetric((metric) =>
        paired(column(ours, places, metric), column(theirs, places, metric), options),
      ),
    ]),
  );
}

/**
 * Checks that a run from a file is one of these queries, and says how many of them it lacks. Throws
 * `bad-input` where it has none of them, or names a passage that a query does not have.
 */
export function checkRun(run: Run, path: string, queries: readonly RerankQuery[]): number {
  let missing = 0;
  for (const { id, candidates } of queries) {
    const ranked = run.rankings.get(id);
    if (!ranked) missing++;
    const wrong = ranked?.find(
      (each) => !/^\d+$/.test(each.id) || Number(each.id) >= candidates.length,
    );
    if (wrong) {
      throw new RatioError(
        'bad-input',
        `The run ${path} names passage ${wrong.id} of query ${id}, which has passages 0 to ${candidates.length - 1}.`,
      );
    }
  }
  if (missing === queries.length) {
    throw new RatioError('bad-input', `The run ${path} has none of the queries.`);
  }
  return missing;
}
