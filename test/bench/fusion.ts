/**
 * How recall's two lists are best fused, and how much the moves' prior should weigh: chosen on
 * pairs mined from abstracts of the validation split (pairs.ts, fusionData.ts).
 *
 *   RATIO_DATA=… npx tsx test/bench/fusion.ts [--pairs 400] [--sentences 50000] [--json FILE]
 *
 * A pair's gold comes from the query's own abstract: the figures rank fusions, they do not say how
 * useful answers are.
 */
import { writeFileSync } from 'node:fs';
import { MOVES, type Move } from '../../server/engine/engine';
import { FUSION, fusedScore } from '../../server/engine/recall/fuse';
import { fusionData, type Case, type Entry } from './fusionData';
import { benchPool, loadNow } from './pool';
import { stagePackage } from './stage';
import { mean, pairedInterval, quantile } from './statistics';

/** Scores the entries of one case. */
type Ranking = { name: string; score: (entries: readonly Entry[], move: Move) => number[] };

const K = 10;

function best(entries: readonly Entry[]): number {
  return Math.max(1e-9, ...entries.map(({ bm25 }) => bm25));
}

/** Cosine plus weighted BM25 over the best BM25, plus the weighted prior. */
function sum(lexical: number, prior: number): Ranking {
  return {
    name: `cosine + ${lexical} BM25/best${prior === 0 ? '' : ` + ${prior} prior`}`,
    score: (entries) => {
      const top = best(entries);
      return entries.map(
        (entry) => entry.cosine + (lexical * entry.bm25) / top + prior * entry.prior,
      );
    },
  };
}

/** The same with BM25 over that of a full match: alike in pools of any size. */
function absolute(lexical: number, prior: number): Ranking {
  return {
    name: `cosine + ${lexical} BM25/full${prior === 0 ? '' : ` + ${prior} prior`}`,
    score: (entries) =>
      entries.map((entry) => entry.cosine + lexical * entry.share + prior * entry.prior),
  };
}

/** As {@link sum}, with the prior of the text alone. */
function sumOfCues(lexical: number, prior: number): Ranking {
  return {
    name: `cosine + ${lexical} BM25/best + ${prior} cues`,
    score: (entries) => {
      const top = best(entries);
      return entries.map(
        (entry) => entry.cosine + (lexical * entry.bm25) / top + prior * entry.cues,
      );
    },
  };
}

/** Both lists scaled to 0…1 between their lowest and highest score. */
function scaled(lexical: number): Ranking {
  return {
    name: `scaled cosine + ${lexical} scaled BM25`,
    score: (entries) => {
      const top = best(entries);
      const cosines = entries.map(({ cosine }) => cosine);
      const low = Math.min(...cosines);
      const width = Math.max(1e-9, Math.max(...cosines) - low);
      return entries.map(({ cosine, bm25 }) => (cosine - low) / width + (lexical * bm25) / top);
    },
  };
}

/** Reciprocal rank fusion (Cormack et al., 2009), the lexical list weighted. */
function reciprocal(k: number, lexical: number): Ranking {
  const part = (rank: number | null): number => (rank === null ? 0 : 1 / (k + rank));
  return {
    name: `RRF k ${k}, BM25 × ${lexical}`,
    score: (entries) =>
      entries.map(({ denseRank, lexicalRank }) => part(denseRank) + lexical * part(lexicalRank)),
  };
}

/** What recall does. */
const IN_USE: Ranking = {
  name: 'in use',
  score: (entries, move) => {
    const top = best(entries);
    return entries.map(({ cosine, bm25, prior }) =>
      fusedScore(cosine, bm25, top, FUSION.priorWeight[move] * prior),
    );
  },
};

const DENSE: Ranking = {
  name: 'dense only',
  score: (entries) =>
    entries.map(({ denseRank, cosine }) => (denseRank === null ? -Infinity : cosine)),
};
const LEXICAL: Ranking = {
  name: 'BM25 only',
  score: (entries) =>
    entries.map(({ lexicalRank, bm25 }) => (lexicalRank === null ? -Infinity : bm25)),
};

/** Rank of the gold from 1; Infinity where it was not recalled. */
function goldRank(ranking: Ranking, { entries, move }: Case): number {
  const scores = ranking.score(entries, move);
  const at = entries.findIndex(({ gold }) => gold);
  const own = scores[at] ?? -Infinity;
  if (own === -Infinity) return Infinity;
  return 1 + scores.filter((score, i) => i !== at && score >= own).length;
}

type Measured = {
  name: string;
  mrr: Record<Move, number>;
  recall: Record<Move, number>;
  meanMrr: number;
  meanRecall: number;
  reciprocalRanks: Record<Move, number[]>;
};

function measure(ranking: Ranking, cases: readonly Case[]): Measured {
  const per = <T>(value: (own: Case[]) => T): Record<Move, T> =>
    Object.fromEntries(
      MOVES.map((move) => [move, value(cases.filter((one) => one.move === move))]),
    ) as Record<Move, T>;
  const ranks = per((own) => own.map((one) => goldRank(ranking, one)));
  const values = <T>(of: Record<Move, T>): T[] => MOVES.map((move) => of[move]);
  const reciprocalRanks = per<number[]>(() => []);
  const recall = per(() => 0);
  const mrr = per(() => 0);
  for (const move of MOVES) {
    reciprocalRanks[move] = ranks[move].map((rank) => (rank <= K ? 1 / rank : 0));
    mrr[move] = mean(reciprocalRanks[move]);
    recall[move] = mean(ranks[move].map((rank) => Number(rank <= K)));
  }
  const name = ranking.name;
  return {
    name,
    mrr,
    recall,
    meanMrr: mean(values(mrr)),
    meanRecall: mean(values(recall)),
    reciprocalRanks,
  };
}

function compare(ours: Measured, theirs: Measured): string {
  return interval(
    MOVES.map((move) => ({
      ours: ours.reciprocalRanks[move],
      theirs: theirs.reciprocalRanks[move],
    })),
  );
}

function interval(groups: Parameters<typeof pairedInterval>[0]): string {
  const { difference, low, high } = pairedInterval(groups);
  const signed = (value: number): string => `${value < 0 ? '−' : '+'}${Math.abs(value).toFixed(3)}`;
  return `${signed(difference)} [${signed(low)}, ${signed(high)}]`;
}

function print(title: string, rows: readonly Measured[], reference: Measured): void {
  console.log(`\n${title}; intervals against “${reference.name}”`);
  console.log(
    `${''.padEnd(44)}  MRR@10: ${MOVES.map((move) => move.padStart(8)).join('')}    mean   R@10: ${MOVES.map((move) => move.padStart(8)).join('')}    mean   difference of mean MRR@10`,
  );
  for (const row of rows) {
    const numbers = (of: Record<Move, number>): string =>
      MOVES.map((move) => of[move].toFixed(3).padStart(8)).join('');
    const against = row === reference ? '' : compare(row, reference);
    console.log(
      `${row.name.padEnd(44)}          ${numbers(row.mrr)} ${row.meanMrr.toFixed(3).padStart(7)}         ${numbers(row.recall)} ${row.meanRecall.toFixed(3).padStart(7)}   ${against}`,
    );
  }
}

function argument(name: string, fallback: string): string {
  const at = process.argv.indexOf(name);
  return at < 0 ? fallback : (process.argv[at + 1] ?? fallback);
}

async function main(): Promise<void> {
  const tell = (line: string): void => console.error(line);
  const pool = await benchPool(
    stagePackage(false),
    Number(argument('--sentences', '50000')),
    false,
    tell,
  );
  const { cases, mined, sentences } = await fusionData(
    pool,
    Number(argument('--pairs', '400')),
    tell,
  );
  const counts = MOVES.map((move) => cases.filter((one) => one.move === move).length);
  console.log(
    `${sentences} sentences; pairs: ${MOVES.map((move, i) => `${move} ${counts[i]}`).join(', ')}`,
  );
  const reached = mean(cases.map(({ entries }) => Number(entries.some(({ gold }) => gold))));
  console.log(`gold among the candidates: ${(100 * reached).toFixed(1)} %`);

  const lexicalWeights = [5, 10, 15, 20, 25, 30, 40, 60].map((percent) => percent / 100);
  const rankings = [
    DENSE,
    LEXICAL,
    ...[5, 20, 60].flatMap((k) => [0.25, 0.5, 1].map((weight) => reciprocal(k, weight))),
    ...[0.2, 0.4, 0.6, 1].map(scaled),
    ...lexicalWeights.map((weight) => sum(weight, 0)),
    ...lexicalWeights.map((weight) => absolute(weight, 0)),
  ];
  const fusions = rankings.map((ranking) => measure(ranking, cases));
  const [dense] = fusions;
  if (!dense) return;
  print('Fusion, without the prior', fusions, dense);

  const lexical = Number(argument('--lexical', String(FUSION.lexicalWeight)));
  const without = measure(sum(lexical, 0), cases);
  print('The same', fusions, without);
  const priorWeights = [2, 4, 6, 8, 10, 15, 20, 25, 30].map((percent) => percent / 100);
  const priors = priorWeights.map((weight) => measure(sum(lexical, weight), cases));
  print(`Prior, with BM25 weighted ${lexical}`, priors, without);
  const cues = priorWeights.map((weight) => measure(sumOfCues(lexical, weight), cases));
  print('Prior of the text alone, its role unknown', cues, without);
  const used = measure(IN_USE, cases);
  print('As moves are ranked now', [used], without);
  for (const move of MOVES) {
    const groups = [{ ours: used.reciprocalRanks[move], theirs: without.reciprocalRanks[move] }];
    console.log(`  the prior in use, ${move}: ${interval(groups)}`);
  }
  const separations = MOVES.map((move) => {
    const own = cases.filter((one) => one.move === move && one.entries.some(({ gold }) => gold));
    const aside = own.map(({ entries }) => {
      const gold = entries.find((entry) => entry.gold)?.prior ?? 0;
      return mean(entries.map(({ prior }) => Number(prior < gold) + 0.5 * Number(prior === gold)));
    });
    return `${move} ${quantile(aside, 0.5).toFixed(2)} (mean ${mean(aside).toFixed(2)})`;
  });
  console.log(
    `\nShare of the candidates whose prior is below the gold's, median: ${separations.join(', ')}`,
  );

  const file = argument('--json', '');
  if (file !== '') {
    const bare = (rows: readonly Measured[]) => rows.map(({ reciprocalRanks: _, ...row }) => row);
    const report = {
      date: new Date().toISOString(),
      load: loadNow(),
      sentences,
      mined,
      pairs: Object.fromEntries(MOVES.map((move, i) => [move, counts[i]])),
      reached,
      fusions: bare(fusions),
      priors: bare(priors),
      cues: bare(cues),
      inUse: bare([used]),
      lexicalWeight: lexical,
    };
    writeFileSync(file, `${JSON.stringify(report, null, 2)}\n`);
  }
}

main().catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
});
