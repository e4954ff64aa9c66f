/** Scores of filled-in sheets, by move and over all. */
import { MOVES, RatioError, type Move } from '../../engine/engine';
import {
  estimate,
  mean,
  paired,
  type BootstrapOptions,
  type Estimate,
  type Paired,
} from '../bootstrap';
import type { Answers, Label, Preference } from './answers';
import { agreement, type Agreement } from './kappa';
import type { Key } from './key';
import { THIRD } from './sheet';

export type SystemScores = {
  /** Share of valid sentences among the first k, and of queries with at least one, by k. */
  precision: Record<string, Estimate>;
  hitRate: Record<string, Estimate>;
  /** Queries whose judges preferred this system's list; equal lists share theirs. */
  preferred: number;
};

export type SystemPair = {
  a: string;
  b: string;
  precision: Record<string, Paired>;
  hitRate: Record<string, Paired>;
  /** Queries where one has more valid sentences than the other. */
  wins: { a: number; b: number; ties: number };
};

export type MoveScores = {
  queries: number;
  labels: Agreement;
  preferences: Agreement;
  systems: Map<string, SystemScores>;
  /** Queries without a preference. */
  tied: number;
  pairs: SystemPair[];
};

export type JudgeReport = {
  k: number;
  judges: string[];
  /** Sentences and preferences on which the two judges differ, and how many a third has settled. */
  disputed: { labels: number; preferences: number };
  settled: { labels: number; preferences: number };
  moves: Map<Move | 'all', MoveScores>;
};

type Question = { query: string; document: string };

/** What the two judges differ on. */
export function disputes(
  key: Key,
  [first, second]: readonly [Answers, Answers],
): { labels: Question[]; preferences: string[] } {
  const labels: Question[] = [];
  const preferences: string[] = [];
  for (const { id, lists } of key.queries) {
    for (const document of new Set(Object.values(lists).flat())) {
      const a = first.labels.get(id)?.get(document);
      const b = second.labels.get(id)?.get(document);
      if (a !== b) labels.push({ query: id, document });
    }
    const a = first.preferences.get(id);
    const b = second.preferences.get(id);
    if (a !== undefined && b !== undefined && choice(a) !== choice(b)) preferences.push(id);
  }
  return { labels, preferences };
}

const choice = (preference: Preference): string =>
  preference === 'tie' ? 'tie' : [...preference].sort().join(' ');

/** Whether a judge was asked which list of the query is better: there are two that differ. */
export function asksPreference(key: Key, judge: string, query: string): boolean {
  return Object.keys(key.judges[judge]?.[query]?.letters ?? {}).length > 1;
}

/** Throws `bad-input` with what is missing in a judge's sheet. */
export function checkComplete(key: Key, judge: string, answers: Answers): void {
  const missing: string[] = [];
  for (const { id } of key.queries) {
    for (const [item, document] of Object.entries(key.judges[judge]?.[id]?.items ?? {})) {
      if (answers.labels.get(id)?.get(document) === undefined) missing.push(`label ${item}`);
    }
    if (asksPreference(key, judge, id) && !answers.preferences.has(id)) {
      missing.push(`preferred ${id}`);
    }
  }
  if (missing.length === 0) return;
  const shown = missing.slice(0, 5).join(', ');
  throw new RatioError(
    'bad-input',
    `${judge} has not answered everything: ${missing.length} answers are missing (${shown}${missing.length > 5 ? ', …' : ''}).`,
  );
}

type Settled = {
  /** One set of labels where all is settled, else both judges', whose scores are averaged. */
  labels: Map<string, Label>[];
  preferences: Preference[];
};

function settle(key: Key, all: readonly Answers[], third: Answers | null): Map<string, Settled> {
  return new Map(
    key.queries.map(({ id, lists }) => {
      const documents = [...new Set(Object.values(lists).flat())];
      const judged = all.map((answers) => new Map(answers.labels.get(id)));
      let open = false;
      for (const document of documents) {
        const given = new Set(judged.map((labels) => labels.get(document)));
        if (given.size === 1) continue;
        const verdict = third?.labels.get(id)?.get(document);
        if (verdict === undefined) open = true;
        else for (const labels of judged) labels.set(document, verdict);
      }
      let preferences: Preference[] = [];
      for (const answers of all) {
        const given = answers.preferences.get(id);
        if (given !== undefined) preferences.push(given);
      }
      if (new Set(preferences.map(choice)).size > 1) {
        const verdict = third?.preferences.get(id);
        if (verdict !== undefined) preferences = [verdict];
      }
      return [id, { labels: open ? judged : judged.slice(0, 1), preferences }];
    }),
  );
}

/** Values of k that are reported: 5 and 10 where lists are so long, and their length. */
function depths(k: number): number[] {
  return [...new Set([5, 10, k])].filter((depth) => depth <= k).sort((a, b) => a - b);
}

/**
 * Scores complete sheets of one or two judges, by their names. A third judge's answers settle what the two differ
 * on; where they are missing, both judges' scores are averaged.
 */
export function scoreJudging(
  key: Key,
  judges: ReadonlyMap<string, Answers>,
  third: Answers | null,
  options: BootstrapOptions = {},
): JudgeReport {
  const answers = [...judges.values()];
  const settled = settle(key, answers, third);
  const [first, second] = answers;
  const open = first && second ? disputes(key, [first, second]) : { labels: [], preferences: [] };
  const count = <T>(list: readonly T[], is: (item: T) => boolean): number => list.filter(is).length;
  const moves = new Map<Move | 'all', MoveScores>();
  const present = MOVES.filter((move) => key.queries.some((query) => query.move === move));
  for (const move of [...present, 'all' as const]) {
    const queries = key.queries.filter((query) => move === 'all' || query.move === move);
    moves.set(move, moveScores(key, queries, answers, settled, options));
  }
  return {
    k: key.k,
    judges: [...judges.keys(), ...(third ? [THIRD] : [])],
    disputed: { labels: open.labels.length, preferences: open.preferences.length },
    settled: {
      labels: count(
        open.labels,
        ({ query, document }) => third?.labels.get(query)?.get(document) !== undefined,
      ),
      preferences: count(open.preferences, (query) => third?.preferences.get(query) !== undefined),
    },
    moves,
  };
}

function moveScores(
  key: Key,
  queries: Key['queries'],
  answers: readonly Answers[],
  settled: ReadonlyMap<string, Settled>,
  options: BootstrapOptions,
): MoveScores {
  /** Mean over the labellings of a value of the system's labels, query by query. */
  const each = (system: string, value: (labels: number[]) => number): number[] =>
    queries.map(({ id, lists }) =>
      mean(
        (settled.get(id)?.labels ?? []).map((labels) =>
          value((lists[system] ?? []).map((document) => labels.get(document) ?? 0)),
        ),
      ),
    );
  const sum = (labels: number[], k = Infinity): number =>
    labels.slice(0, k).reduce((total, label) => total + label, 0);
  const ks = depths(key.k);
  const columns = new Map(
    key.systems.map((system) => [
      system,
      {
        precision: new Map(ks.map((k) => [k, each(system, (labels) => sum(labels, k) / k)])),
        hitRate: new Map(
          ks.map((k) => [k, each(system, (labels) => (sum(labels, k) > 0 ? 1 : 0))]),
        ),
        valid: each(system, (labels) => sum(labels)),
      },
    ]),
  );
  const preferred = new Map(key.systems.map((system) => [system, 0]));
  let tied = 0;
  for (const { id } of queries) {
    const given = settled.get(id)?.preferences ?? [];
    for (const preference of given) {
      if (preference === 'tie') tied += 1 / given.length;
      else {
        for (const system of preference) {
          const share = 1 / given.length / preference.length;
          preferred.set(system, (preferred.get(system) ?? 0) + share);
        }
      }
    }
    if (given.length === 0) tied += 1;
  }
  const systems = new Map<string, SystemScores>();
  for (const [system, { precision, hitRate }] of columns) {
    const estimated = (values: Map<number, number[]>): Record<string, Estimate> =>
      Object.fromEntries([...values].map(([k, own]) => [k, estimate(own, options)]));
    systems.set(system, {
      precision: estimated(precision),
      hitRate: estimated(hitRate),
      preferred: preferred.get(system) ?? 0,
    });
  }
  const pairs: SystemPair[] = [];
  key.systems.forEach((a, i) => {
    for (const b of key.systems.slice(i + 1)) {
      const ours = columns.get(a);
      const theirs = columns.get(b);
      if (!ours || !theirs) continue;
      const compared = (
        left: Map<number, number[]>,
        right: Map<number, number[]>,
      ): Record<string, Paired> =>
        Object.fromEntries(
          ks.map((k) => [k, paired(left.get(k) ?? [], right.get(k) ?? [], options)]),
        );
      const wins = { a: 0, b: 0, ties: 0 };
      ours.valid.forEach((value, query) => {
        const other = theirs.valid[query] ?? 0;
        if (value > other) wins.a++;
        else if (value < other) wins.b++;
        else wins.ties++;
      });
      pairs.push({
        a,
        b,
        precision: compared(ours.precision, theirs.precision),
        hitRate: compared(ours.hitRate, theirs.hitRate),
        wins,
      });
    }
  });
  return { queries: queries.length, ...agreements(queries, answers), systems, tied, pairs };
}

function agreements(
  queries: Key['queries'],
  answers: readonly Answers[],
): Pick<MoveScores, 'labels' | 'preferences'> {
  const labels: [Label[], Label[]] = [[], []];
  const preferences: [string[], string[]] = [[], []];
  const [first, second] = answers;
  for (const { id, lists } of first && second ? queries : []) {
    for (const document of new Set(Object.values(lists).flat())) {
      const a = first?.labels.get(id)?.get(document);
      const b = second?.labels.get(id)?.get(document);
      if (a === undefined || b === undefined) continue;
      labels[0].push(a);
      labels[1].push(b);
    }
    const a = first?.preferences.get(id);
    const b = second?.preferences.get(id);
    if (a === undefined || b === undefined) continue;
    preferences[0].push(choice(a));
    preferences[1].push(choice(b));
  }
  return { labels: agreement(...labels), preferences: agreement(...preferences) };
}
