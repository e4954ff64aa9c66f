/** Runs on files against qrels: one run's metrics, or two runs' paired difference. */
import { RatioError } from '../engine/engine';
import { paired, type BootstrapOptions, type Paired } from './bootstrap';
import { scoresOf, type Scores } from './analyses';
import { METRICS, queryMetrics, type Metric } from './metrics';
import type { PairMetrics } from './rank';
import { lacking, type Qrels, type Run } from './trec';

/** The name under which all sets together are reported. */
export const ALL = 'all';

/**
 * Places of the qrels' queries by their set; all of them under {@link ALL} when there are several,
 * without the reversed pairs: these are another set's, turned round.
 */
function setsOf(queries: readonly string[], { sets }: Qrels): Map<string, number[]> {
  const places = new Map<string, number[]>();
  queries.forEach((query, i) => {
    const set = sets.get(query) ?? '0';
    const own = places.get(set);
    if (own) own.push(i);
    else places.set(set, [i]);
  });
  if (places.size > 1 || places.has('0')) {
    places.delete('0');
    const reversed = new Set(places.get('broaden-reversed'));
    places.set(
      ALL,
      [...queries.keys()].filter((place) => !reversed.has(place)),
    );
  }
  return places;
}

/**
 * A run's metrics for every query of the qrels, in their order. A query that the run lacks counts
 * as one without an answer, as `trec_eval -c` has it, and how many there are is told: the run may be
 * incomplete. One that has none of them is an error.
 */
function metricsOf(
  run: Run,
  { relevant }: Qrels,
  name: string,
): { metrics: PairMetrics[]; missing: number } {
  const missing = lacking(run, relevant.keys());
  if (missing === relevant.size) {
    throw new RatioError('bad-input', `The run ${name} has none of the qrels' queries.`);
  }
  const metrics = [...relevant].map(([query, documents]) =>
    queryMetrics(
      (run.rankings.get(query) ?? []).map(({ id }) => id),
      documents,
    ),
  );
  return { metrics, missing };
}

/** Metrics of one run by set, and how many queries it lacks. */
export function scoreRun(
  run: Run,
  qrels: Qrels,
  name: string,
  options: BootstrapOptions = {},
): { sets: Map<string, Scores>; missing: number } {
  const { metrics, missing } = metricsOf(run, qrels, name);
  const sets = [...setsOf([...qrels.relevant.keys()], qrels)];
  return {
    sets: new Map(sets.map(([set, places]) => [set, scoresOf(metrics, places, options)])),
    missing,
  };
}

/** Two runs by set and metric, the same queries for both, and how many each lacks. */
export function compareRuns(
  [a, nameA]: [Run, string],
  [b, nameB]: [Run, string],
  qrels: Qrels,
  options: BootstrapOptions = {},
): { sets: Map<string, Record<Metric, Paired>>; missing: { a: number; b: number } } {
  const ours = metricsOf(a, qrels, nameA);
  const theirs = metricsOf(b, qrels, nameB);
  const places = setsOf([...qrels.relevant.keys()], qrels);
  const sets = new Map(
    [...places].map(([set, places]) => {
      const of = (metric: Metric): Paired =>
        paired(
          places.map((place) => ours.metrics[place]?.[metric] ?? 0),
          places.map((place) => theirs.metrics[place]?.[metric] ?? 0),
          options,
        );
      const [first, second, third, fourth] = METRICS;
      return [
        set,
        {
          [first]: of(first),
          [second]: of(second),
          [third]: of(third),
          [fourth]: of(fourth),
        } as Record<Metric, Paired>,
      ];
    }),
  );
  return { sets, missing: { a: ours.missing, b: theirs.missing } };
}
