/** The joint input of a query and a passage, `[CLS] query [SEP] s1 [SEP] … sm [SEP]`, as token ids. */

export type Marks = { start: number; end: number };

/**
 * `spans` tells what each token is of: 0 the query, k the kth sentence (from 1), −1 a mark.
 */
export type JointInput = { ids: number[]; spans: number[] };

/** Longest length to which all are cut so that together they are at most `room`. */
function cutTo(lengths: readonly number[], room: number): number {
  let cut = Math.max(0, ...lengths);
  const total = (): number => lengths.reduce((sum, length) => sum + Math.min(length, cut), 0);
  while (cut > 0 && total() > room) cut--;
  return cut;
}

/**
 * Joins tokens of a query and of sentences. A query beyond `maxQueryTokens` is cut at its end; where
 * the sentences do not fit together, the longest are.
 */
export function jointInput(
  query: readonly number[],
  sentences: readonly (readonly number[])[],
  marks: Marks,
  { maxTokens, maxQueryTokens }: { maxTokens: number; maxQueryTokens: number },
): JointInput {
  const asked = query.slice(0, maxQueryTokens);
  const room = maxTokens - 2 - asked.length - sentences.length;
  const cut = cutTo(
    sentences.map(({ length }) => length),
    room,
  );
  const ids = [marks.start, ...asked, marks.end];
  const spans = [-1, ...asked.map(() => 0), -1];
  sentences.forEach((sentence, i) => {
    for (const id of sentence.slice(0, cut)) {
      ids.push(id);
      spans.push(i + 1);
    }
    ids.push(marks.end);
    spans.push(-1);
  });
  return { ids, spans };
}
