/**
 * What models/training/train_heads.py needs of the product's own code, as lines of JSON:
 *
 * - `headTexts.ts labels`: the labelled sentences, `{set, source, label, weight, text}`; those whose
 *   text is not in RATIO_DATA are counted on standard error.
 * - `headTexts.ts forms < texts`: for every line (a JSON string) `{embedded, cue}`, the form in
 *   which it is embedded, and the cue-based detector's probability for the text as it stands.
 * - `headTexts.ts roles < abstracts`: for every line (an array of sentences) the cue-based scores of
 *   their roles.
 */
import { createInterface } from 'node:readline';
import { embeddedText } from '../../../server/engine/encoder/textForm';
import { roleScores } from '../../../server/engine/recall/roles';
import { problemScore } from '../../../server/language/problems';
import { loadProblemLabels, type LabelSet } from './problemLabels';

async function labels(data: string): Promise<void> {
  for (const set of ['development', 'held-out'] satisfies LabelSet[]) {
    const { sentences, missing } = await loadProblemLabels(data, set);
    if (missing > 0) console.error(`${set}: ${missing} labelled sentences are not in ${data}`);
    for (const { source, label, weight, text } of sentences) {
      process.stdout.write(`${JSON.stringify({ set, source, label, weight, text })}\n`);
    }
  }
}

async function answer(of: (line: unknown) => unknown): Promise<void> {
  for await (const line of createInterface({ input: process.stdin })) {
    process.stdout.write(`${JSON.stringify(of(JSON.parse(line)))}\n`);
  }
}

const form = (text: unknown): unknown => ({
  embedded: embeddedText(String(text)),
  cue: problemScore(String(text)),
});
const roles = (abstract: unknown): unknown =>
  roleScores(
    (abstract as string[]).map((text) => text.replace(/\s+/g, ' ').trim()),
    [],
  );

const data = process.env.RATIO_DATA;
const [what] = process.argv.slice(2);
if (what === 'forms') void answer(form);
else if (what === 'roles') void answer(roles);
else if (what === 'labels' && data) void labels(data);
else {
  console.error(
    'Usage: [RATIO_DATA=FOLDER] npx tsx models/training/product/headTexts.ts labels | forms | roles',
  );
  process.exitCode = 2;
}
