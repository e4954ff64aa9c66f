/**
 * The moves' prior of every labelled sentence, for models/training/fit_fusion.py.
 *
 *   npx tsx models/training/product/priors.ts models/training/labels.jsonl MINED… > priors.jsonl
 *
 * MINED are folders of `ratio mine`; a line is {move, sentence, prior}. Roles are those that cues
 * tell, as on import without a head.
 */
import { createReadStream } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import * as z from 'zod';
import { moveSchema, type Move } from '../../../server/engine/engine';
import { movePrior } from '../../../server/engine/recall/prior';
import { estimateRoles } from '../../../server/engine/recall/roles';

const label = z.object({ move: moveSchema, sentence: z.string() });
const paper = z.object({
  id: z.string(),
  sentences: z.array(z.object({ id: z.string(), text: z.string() })),
});

async function* lines(file: string): AsyncGenerator<string> {
  for await (const line of createInterface({ input: createReadStream(file) })) {
    if (line !== '') yield line;
  }
}

async function main(): Promise<void> {
  const [labels, ...folders] = process.argv.slice(2);
  if (labels === undefined || folders.length === 0) {
    throw new Error('Give labels.jsonl and the folders of `ratio mine`.');
  }
  const asked = new Map<string, Set<Move>>();
  for await (const line of lines(labels)) {
    const { move, sentence } = label.parse(JSON.parse(line));
    asked.set(sentence, (asked.get(sentence) ?? new Set()).add(move));
  }
  const papers = new Set([...asked.keys()].map((id) => id.slice(0, id.lastIndexOf('#'))));
  for (const folder of folders) {
    for await (const line of lines(join(folder, 'papers.jsonl'))) {
      const id = /^\{"id":"((?:[^"\\]|\\.)*)"/.exec(line)?.[1];
      if (id === undefined || !papers.has(id)) continue;
      const { sentences } = paper.parse(JSON.parse(line));
      const roles = estimateRoles(
        sentences.map(({ text }) => text),
        sentences.map(() => null),
      );
      sentences.forEach(({ id: sentence, text }, i) => {
        for (const move of asked.get(sentence) ?? []) {
          const prior = movePrior(move, text, roles[i] ?? null);
          console.log(JSON.stringify({ move, sentence, prior }));
        }
      });
    }
  }
}

main().catch((error: unknown) => {
  console.error(error);
  process.exitCode = 1;
});
