/**
 * Fits the weights of server/language/problemCues.ts to the labelled development sentences and
 * prints them: `RATIO_DATA=… npx tsx models/training/product/fitProblems.ts`. The held-out sentences are not read.
 *
 * Maximum a posteriori logistic regression: the cues' priors are the means of a Gaussian with
 * standard deviation SIGMA, every sentence counts alike, and a weight keeps the sign of its prior, so
 * that a cue never comes to mean its opposite by chance.
 */
import { BIAS, CUE_GROUPS } from '../../../server/language/problemCues';
import { problemCuesIn } from '../../../server/language/problems';
import { measureAt, loadProblemLabels, type LabelledSentence } from './problemLabels';

const SIGMA = 0.6;
const STEPS = 400;
const RATE = 0.5;
const FOLDS = 10;

interface Row {
  groups: number[];
  label: 0 | 1;
}

const prior = [BIAS.prior, ...CUE_GROUPS.map((group) => group.prior)];

/** Sentences that hold a strong cue have groups; the others score 0 and are not fitted. */
function rowsOf(sentences: LabelledSentence[]): Row[] {
  return sentences.map(({ text, label }) => {
    const found = problemCuesIn(text);
    const groups = found ? [0] : [];
    found?.forEach((flag, group) => flag && groups.push(group + 1));
    return { groups, label };
  });
}

function probability(weights: number[], row: Row): number {
  if (row.groups.length === 0) return 0;
  const logit = row.groups.reduce((sum, group) => sum + (weights[group] ?? 0), 0);
  return 1 / (1 + Math.exp(-logit));
}

/** Gradient ascent with a step for each weight by its own curvature, which is bounded above. */
function fit(rows: Row[]): number[] {
  const weights = [...prior];
  const curvature = prior.map(() => 1 / SIGMA ** 2);
  for (const row of rows) {
    for (const group of row.groups) curvature[group] = (curvature[group] ?? 0) + 1;
  }
  for (let step = 0; step < STEPS; step++) {
    const gradient = weights.map((weight, group) => ((prior[group] ?? 0) - weight) / SIGMA ** 2);
    for (const row of rows) {
      const error = row.label - probability(weights, row);
      for (const group of row.groups) gradient[group] = (gradient[group] ?? 0) + error;
    }
    gradient.forEach((slope, group) => {
      const next = (weights[group] ?? 0) + (RATE * slope) / (curvature[group] ?? 1);
      const mean = prior[group] ?? 0;
      weights[group] = mean > 0 ? Math.max(0, next) : Math.min(0, next);
    });
  }
  return weights;
}

async function main(): Promise<void> {
  const data = process.env.RATIO_DATA;
  if (!data) {
    console.log('Skipped: RATIO_DATA is not set to the folder of the labelled texts.');
    return;
  }
  const { sentences, missing } = await loadProblemLabels(data, 'development');
  console.log(`${sentences.length} development sentences, ${missing} not found`);
  const rows = rowsOf(sentences);
  const scores = new Array<number>(rows.length).fill(0);
  for (let fold = 0; fold < FOLDS; fold++) {
    const weights = fit(rows.filter((_, at) => at % FOLDS !== fold));
    rows.forEach((row, at) => {
      if (at % FOLDS === fold) scores[at] = probability(weights, row);
    });
  }
  for (const threshold of [4, 5, 6, 7, 8].map((tenths) => tenths / 10)) {
    console.log(
      `${FOLDS}-fold, threshold ${threshold}: ${measureAt(scores, rows, threshold).summary}`,
    );
  }
  const weights = fit(rows);
  console.log(`BIAS ${weights[0]?.toFixed(2)}`);
  CUE_GROUPS.forEach((group, at) => {
    console.log(`${group.name}\t${group.prior}\t${weights[at + 1]?.toFixed(2)}`);
  });
}

void main();
