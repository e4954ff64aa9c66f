/**
 * How well the hover's detector of problem statements does on labelled sentences, and how fast it
 * is: `RATIO_DATA=<folder of the texts> npx tsx test/bench/problems.ts [--errors]`.
 * Prints a table and, last, one line of JSON.
 */
import { problemScore } from '../../server/language/problems';
import { THRESHOLD } from '../../server/language/problemCues';
import {
  loadProblemLabels,
  measureAt,
  type LabelSet,
  type LabelledSentence,
} from '../../models/training/product/problemLabels';

const SETS: readonly LabelSet[] = ['development', 'held-out'];
/** Sentences scored to measure the speed, after as many to warm up. */
const SPEED_SENTENCES = 200_000;

/** Sentences a second of processor time, which other work on the machine does not change. */
function speed(sentences: readonly LabelledSentence[]): number {
  const score = (): void => {
    for (let at = 0; at < SPEED_SENTENCES; at++) {
      problemScore(sentences[at % sentences.length]?.text ?? '');
    }
  };
  score();
  const before = process.cpuUsage();
  score();
  const { user, system } = process.cpuUsage(before);
  return Math.round((1e6 * SPEED_SENTENCES) / (user + system));
}

async function main(): Promise<void> {
  const data = process.env.RATIO_DATA;
  if (!data) {
    console.log('Skipped: RATIO_DATA is not set to the folder of the labelled texts.');
    return;
  }
  const report: Record<string, unknown> = {};
  for (const set of SETS) {
    const { sentences, missing, unlabelled } = await loadProblemLabels(data, set);
    const scores = sentences.map((one) => problemScore(one.text));
    const measured = measureAt(scores, sentences, THRESHOLD);
    const firesUnlabelled = unlabelled.filter((text) => problemScore(text) >= THRESHOLD).length;
    console.log(`${set}: ${measured.summary}`);
    console.log(
      `  ${sentences.length} sentences; labels without their sentence: ${missing}; ` +
        `sentences without a label: ${unlabelled.length}, of which ${firesUnlabelled} fire`,
    );
    const perSecond = speed(sentences);
    console.log(`  ${perSecond.toLocaleString('en')} sentences/s of processor time`);
    report[set] = {
      sentences: sentences.length,
      missing,
      unlabelled: unlabelled.length,
      firesUnlabelled,
      ...measured,
      perSecond,
    };
    if (process.argv.includes('--errors')) printErrors(sentences, scores);
  }
  console.log(JSON.stringify(report));
}

function printErrors(sentences: readonly LabelledSentence[], scores: readonly number[]): void {
  sentences.forEach(({ text, label }, at) => {
    const score = scores[at] ?? 0;
    if (score >= THRESHOLD !== (label === 1)) {
      console.log(`  ${label === 1 ? 'missed' : 'false'} ${score.toFixed(2)} ${text}`);
    }
  });
}

void main();
