/** What a judge is told, and nothing about the systems. */
import type { Move } from '../../engine/engine';

/** When a sentence earns a 1 for a move, and what earns a 0 however near it is. */
export const RUBRIC: Record<Move, { yes: string; no: string }> = {
  address: {
    yes: 'it offers a response to this very problem, or to a plainly similar one, or shows that such a response works',
    no: 'it says the problem again, tells that there is one, stays on the topic only, or answers a different problem',
  },
  broaden: {
    yes: 'it puts the idea of the query more generally, or makes it one case of something wider',
    no: 'it stays at the level of the query, goes to a narrower one, or merely mentions the area',
  },
  specify: {
    yes: "it makes the query's idea concrete: a case, a way it works, a place it is used, a measurement or a part of it",
    no: 'it stays at the level of the query, goes to a wider one, or is a concrete case of another idea',
  },
};

/** The instructions at the head of a sheet. */
export function instructions(moves: readonly Move[]): string {
  const rules = moves.map((move) => {
    const { yes, no } = RUBRIC[move];
    return `- **${move}** — 1: ${yes}. 0: ${no}.`;
  });
  return `# Judging sheet

Each query is a sentence of somebody's draft with the move its author asks for. Under it are sentences
of published papers, in random order, each with its paper's title and the sentences before and after it.

**Labels.** Give every sentence a 1 or a 0. A 1 needs both: it makes the move for this query, and
the author could use it. Read the neighbours and the title to understand the sentence, but judge the
sentence. In doubt, give 0.

${rules.join('\n')}

**Preference.** Then look at the lists of sentence numbers, each in its own order, best first: which
one would you rather be given? Answer with its letter, or \`tie\`. Lists have no names, and their order
is drawn by lot for every query.

Fill in one of the three files, whichever you like; they ask for the same:
\`sheet.md\` (after each \`label …:\` and \`preferred …:\`), \`sheet.json\` (\`label\`, \`preferred\`), or
\`labels.csv\` and \`preferences.csv\` (last column).
`;
}
