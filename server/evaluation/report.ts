/** What `ratio eval` prints. */
import type { PairMove } from '../mining/pairMoves';
import type { MarkerScores, OverlapScores, Scores } from './analyses';
import type { Paired } from './bootstrap';
import { METRICS, type Metric } from './metrics';
import type { RerankReport } from './rerank/split';
import { count, interval, number, percent, table } from './table';

export type Report = {
  bench: string;
  split: string;
  retriever: string;
  /** Ids of the encoders used, by move, or null for lexical retrieval. */
  encoder: Record<string, string> | null;
  context: string;
  pool: number;
  seed: number;
  resamples: number;
  moves: Map<PairMove, Scores>;
  /** Unweighted means over the sets of at least 100 queries, or over all where there is none. */
  mean: Record<Metric, number>;
  rerank?: RerankReport;
  oracle?: Map<PairMove, { pool: number; scores: Scores }>;
  /** By the move asked for, then by the set of queries. */
  transfer?: Map<string, Map<PairMove, Scores>> | null;
  overlap?: OverlapScores[];
  markers?: MarkerScores[];
};

const MARKERS_SHOWN = 12;

const row = (name: string, scores: Scores): string[] => [
  name,
  String(scores.queries),
  ...METRICS.map((metric) => percent(scores[metric])),
];

/** A Markdown table of metrics by set; values are per cent with 95 % bootstrap intervals. */
export function scoresText(scores: ReadonlyMap<string, Scores>): string {
  return table(
    ['set', 'queries', ...METRICS],
    [...scores].map(([set, own]) => row(set, own)),
  );
}

/** Sets of fewer queries are too noisy to count in the mean of all. */
export const MEAN_FROM = 100;

/** A report as Markdown tables; values are per cent with 95 % bootstrap intervals. */
export function reportText(report: Report): string {
  const parts: string[] = [];
  const encoder = report.encoder
    ? ` · ${[...new Set(Object.values(report.encoder))].join(', ')}`
    : '';
  parts.push(
    `${report.retriever}${encoder} · ${report.context} · ${report.split} of ${report.bench} · ` +
      `pool of ${count(report.pool)} · per cent, 95 % intervals\n`,
  );
  const rows = [...report.moves].map(([set, own]) => row(set, own));
  if (report.moves.size > 1) {
    const large = [...report.moves.values()].filter(({ queries }) => queries >= MEAN_FROM).length;
    const some = large > 0 && large < report.moves.size;
    const name = some ? `mean of sets of ${MEAN_FROM} and more` : 'mean';
    rows.push([name, '', ...METRICS.map((metric) => number(100 * report.mean[metric]))]);
  }
  parts.push(table(['set', 'queries', ...METRICS], rows));
  if (report.rerank) parts.push(...rerankText(report.rerank));
  if (report.oracle) {
    parts.push('Oracle move filtering: the pool holds the golds of the set alone\n');
    parts.push(
      table(
        ['set', 'pool', 'queries', ...METRICS],
        [...report.oracle].map(([set, { pool, scores }]) => {
          const [name = '', ...rest] = row(set, scores);
          return [name, String(pool), ...rest];
        }),
      ),
    );
  }
  if (report.transfer === null) {
    parts.push(
      'Cross-move transfer: this retriever is not told the move; every row is the table above.\n',
    );
  } else if (report.transfer) {
    const sets = [...report.moves.keys()];
    parts.push('Cross-move transfer: MRR@10 when every set is asked with one move\n');
    parts.push(
      table(
        ['asked with', ...sets],
        [...report.transfer].map(([move, own]) => [
          move,
          ...sets.map((set) => {
            const scores = own.get(set);
            return scores ? percent(scores['MRR@10']) : '–';
          }),
        ]),
      ),
    );
  }
  if (report.overlap) {
    parts.push('Lexical overlap: Jaccard over stemmed content words, means\n');
    parts.push(
      table(
        ['set', 'query–gold', 'query–top 1', 'top 3', 'top 5', 'top 10', 'gold–top 10', 'rank ρ'],
        report.overlap.map((own) => [
          own.set,
          ...[
            own.queryGold,
            own.queryResults[1],
            own.queryResults[3],
            own.queryResults[5],
            own.queryResults[10],
            own.goldResults[10],
            own.rankCorrelation,
          ].map((value) => number(value, 3)),
        ]),
      ),
    );
  }
  if (report.markers) parts.push(...markersText(report.markers));
  return parts.join('\n');
}

function rerankText(rerank: RerankReport): string[] {
  const { reranker, passages, depth, milliseconds, reached, against } = rerank;
  const shares = [...reached].map(([set, share]) => `${set} ${number(100 * share)} %`);
  return [
    `Reranked by ${reranker}: ${number(passages)} passages a query (${depth} at most), ` +
      `${number(milliseconds)} ms a query; gold in a passage: ${shares.join(', ')}\n`,
    `A = reranked · B = as retrieved · paired bootstrap intervals\n`,
    pairedTable('set', METRICS, against),
  ];
}

function markersText(markers: readonly MarkerScores[]): string[] {
  const shown: MarkerScores[] = [];
  const counts = new Map<PairMove, number>();
  for (const marker of markers) {
    const place = (counts.get(marker.set) ?? 0) + 1;
    counts.set(marker.set, place);
    if (place <= MARKERS_SHOWN) shown.push(marker);
  }
  return [
    `By marker (the ${MARKERS_SHOWN} most frequent a set; --json has all ${markers.length})\n`,
    table(
      ['marker', 'set', 'queries', 'R@10', 'MRR@10'],
      shown.map(({ set, marker, scores }) => [
        marker || '(none)',
        set,
        String(scores.queries),
        percent(scores['R@10']),
        percent(scores['MRR@10']),
      ]),
    ),
  ];
}

/** Paired differences of the named metrics, a row a set and metric; `what` the sets are heads them. */
export function pairedTable<M extends string>(
  what: string,
  names: readonly M[],
  comparison: ReadonlyMap<string, Record<M, Paired>>,
): string {
  const rows = [...comparison].flatMap(([set, metrics]) =>
    names.map((metric) => {
      const { queries, a, b, difference, ratio } = metrics[metric];
      return [
        set,
        metric,
        String(queries),
        number(100 * a),
        number(100 * b),
        percent(difference),
        interval(ratio),
      ];
    }),
  );
  return table([what, 'metric', 'queries', 'A', 'B', 'A − B', 'A ÷ B'], rows);
}

/** Two runs side by side. */
export function comparisonText(
  names: readonly [string, string],
  comparison: ReadonlyMap<string, Record<Metric, Paired>>,
): string {
  return (
    `A = ${names[0]} · B = ${names[1]} · per cent, 95 % paired bootstrap intervals\n\n` +
    pairedTable('set', METRICS, comparison)
  );
}
