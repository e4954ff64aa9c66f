/** The reranker as evaluations use it, and the input that they make for it. */
import { bestBefore } from '../../engine/rerank/features';
import type { Reranker, RerankInput } from '../../engine/rerank/reranker';
import type { SentenceVectors } from './vectors';

export type Stage = 'local' | 'log';

/** What evaluations need of the reranker. */
export type SentenceReranker = Pick<Reranker, 'tokens' | 'queryTokens' | 'close'> & {
  readonly config: Pick<
    Reranker['config'],
    'id' | 'encoder' | 'maxTokens' | 'maxSentences' | 'passageCosine'
  >;
  score(
    input: RerankInput,
    options?: { stage?: Stage; signal?: AbortSignal | undefined },
  ): Promise<readonly { passage: number; sentence: number; score: number }[]>;
};

/** Counts each text's tokens once. */
export function tokenCounter(reranker: Pick<SentenceReranker, 'tokens'>): (text: string) => number {
  const known = new Map<string, number>();
  return (text) => {
    let count = known.get(text);
    if (count === undefined) known.set(text, (count = reranker.tokens(text)));
    return count;
  };
}

/**
 * A window's sentences with the features that come from vectors: cosines with the move's question,
 * and the best match to the plain query among the sentences before each in the window.
 */
export function windowInput(
  sentences: readonly string[],
  vectors: Pick<SentenceVectors, 'cosine'>,
  { question, plain }: { question: Float32Array; plain: Float32Array },
): RerankInput['passages'][number] {
  const alike = sentences.map((sentence) => vectors.cosine(plain, sentence));
  return {
    sentences: [...sentences],
    cosine:
      question === plain ? alike : sentences.map((sentence) => vectors.cosine(question, sentence)),
    before: bestBefore(alike),
    plain: alike,
  };
}
