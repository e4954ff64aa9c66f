/** How many passages a machine can rerank in time. */
import type { Scorer } from './stage';

/** Milliseconds that reranking a move may take, … */
export const BUDGET_MS = 700;
/** … of which this much goes to reading, cutting words, the graph and the global model. */
const BESIDES_MS = 120;
/** With fewer passages than this reranking would not be worth the wait. */
const FEWEST = 10;
/** How far one move's time moves the number: a busy moment passes. */
const SHARE = 0.3;

/** Passages of the batch that is timed; of the longest that there are. */
const BATCH = 4;
/** The quickest of these counts: the first warms up, and an editor that starts has much to do. */
const RUNS = 3;
const SENTENCE =
  'We propose a simple method that learns from a few labelled sentences and show that it does as well.';

/** Passages a move: as many as were timed at the start, then as many as the moves themselves show. */
export class Pace {
  private affordable: number;

  /** `most`: as many as the reranker was made for; `affordable`: to begin with. */
  constructor(
    private readonly most: number,
    affordable: number,
  ) {
    this.affordable = this.within(affordable);
  }

  /** Times a typical batch; a very slow machine gets the fewest passages and takes longer. */
  static async of(reranker: Scorer, now: () => number = () => performance.now()): Promise<Pace> {
    const { maxTokens, maxSentences, passages: most } = reranker.config;
    const count = Math.min(maxSentences, Math.ceil(maxTokens / (reranker.tokens(SENTENCE) + 1)));
    const numbers = new Array<number>(count).fill(0);
    const passage = {
      sentences: new Array<string>(count).fill(SENTENCE),
      cosine: numbers,
      before: numbers,
      plain: numbers,
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
    return new Pace(most, ((BUDGET_MS - BESIDES_MS) * BATCH) / least);
  }

  get passages(): number {
    return Math.round(this.affordable);
  }

  /** Tells that a whole move's reranking of `passages` took `ms`. */
  took(passages: number, ms: number): void {
    // Few passages are no measure: what does not grow with their number outweighs them.
    if (passages < FEWEST || ms <= 0) return;
    const each = Math.max(ms - BESIDES_MS, ms / 4) / passages;
    const shown = this.within((BUDGET_MS - BESIDES_MS) / each);
    this.affordable += SHARE * (shown - this.affordable);
  }

  private within(passages: number): number {
    return Math.min(this.most, Math.max(FEWEST, passages));
  }
}
