/** How many passages a machine can rerank in time. */
import type { Scorer } from './stage';

/** Milliseconds that reranking a move may take, … */
export const BUDGET_MS = 700;
/** … of which this much goes to reading, cutting words, the graph and the global model. */
const BESIDES_MS = 120;
/** With fewer passages than this reranking would not be worth the wait. */
const FEWEST = 10;

/** Passages of the batch that is timed; of the longest that there are. */
const BATCH = 4;
/** The quickest of these counts: the first warms up, and an editor that starts has much to do. */
const RUNS = 3;
const SENTENCE =
  'We propose a simple method that learns from a few labelled sentences and show that it does as well.';

/**
 * Times a typical batch and returns how many passages fit the budget: at most as many as the reranker
 * was made for, at least ten, so that a very slow machine takes longer.
 */
export async function affordablePassages(
  reranker: Scorer,
  now: () => number = () => performance.now(),
): Promise<number> {
  const { maxTokens, maxSentences, passages: most } = reranker.config;
  const count = Math.min(maxSentences, Math.ceil(maxTokens / (reranker.tokens(SENTENCE) + 1)));
  const numbers = new Array<number>(count).fill(0);
  const passage = {
    sentences: new Array<string>(count).fill(SENTENCE),
    cosine: numbers,
    before: numbers,
  };
  const batch = new Array<typeof passage>(BATCH).fill(passage);
  const run = async (): Promise<number> => {
    const started = now();
    const input = { query: 'Labels are scarce and costly.', move: 'none' as const };
    await reranker.score({ ...input, passages: batch }, { stage: 'local' });
    return now() - started;
  };
  let least = Infinity;
  for (let i = 0; i < RUNS; i++) least = Math.min(least, await run());
  const each = least / BATCH;
  const affordable = Math.floor((BUDGET_MS - BESIDES_MS) / each);
  return Math.min(most, Math.max(FEWEST, affordable));
}
