/** What scores the passages of a query: file order, words, the retriever's vectors, the reranker. */
import { embeddedText } from '../../engine/encoder/textForm';
import { throwIfCancelled } from '../../engine/errors';
import { Bm25 } from '../bm25';
import type { EncodeOptions } from '../dense/vectors';
import type { EvaluationEncoder } from '../encoder';
import { tokenCounter, windowInput, type SentenceReranker, type Stage } from './joint';
import type { RerankQuery } from './input';
import { sentenceReader, tile, wholeText } from './sentences';
import { questionVectors, SentenceVectors } from './vectors';

export const RERANK_MODELS = ['none', 'bm25', 'dense', 'local', 'log'] as const;
export type RerankModel = (typeof RERANK_MODELS)[number];

/** Whether a model is a stage of the reranker, which needs one and an encoder. */
export function isStage(model: RerankModel): model is Stage {
  return model === 'local' || model === 'log';
}

/** Scores of the passages of the query at this place, in their order. */
export type PassageScorer = (
  query: RerankQuery,
  place: number,
  signal?: AbortSignal,
) => Promise<number[]>;

/** The file's own order. */
export const fileOrder: PassageScorer = ({ candidates }) =>
  Promise.resolve(candidates.map((_, number) => -number));

/** BM25 with the statistics of the query's candidates. */
export const byWords: PassageScorer = ({ query, candidates }) =>
  Promise.resolve([...Bm25.build(candidates.map(wholeText)).scores(query)]);

/** Sentences of the passages, and the vectors of all of them and of the queries. */
export type Encoded = {
  sentences: ReturnType<typeof sentenceReader>;
  vectors: SentenceVectors;
  questions: readonly Float32Array[];
};

/** Splits and encodes what the queries hold, passages as one text too if `whole`; queries are asked plainly. */
export async function encodeQueries(
  encoder: EvaluationEncoder,
  queries: readonly RerankQuery[],
  cache: string | null,
  { whole = false, ...options }: EncodeOptions & { whole?: boolean } = {},
): Promise<Encoded> {
  const sentences = sentenceReader();
  const texts = new Set<string>();
  for (const [i, { candidates }] of queries.entries()) {
    if (i % 16 === 0) {
      await new Promise((resolve) => setImmediate(resolve));
      throwIfCancelled(options.signal);
    }
    for (const passage of candidates) {
      for (const sentence of sentences(passage)) texts.add(sentence);
      if (whole) texts.add(wholeText(passage));
    }
  }
  const vectors = new SentenceVectors(encoder, cache);
  await vectors.add(texts, options);
  const asked = queries.map(({ query }) => ({ move: 'none' as const, text: embeddedText(query) }));
  return {
    sentences,
    vectors,
    questions: await questionVectors(encoder, asked, cache, options),
  };
}

function questionAt({ questions }: Encoded, place: number): Float32Array {
  const question = questions[place];
  if (!question) throw new Error(`query ${place} was not encoded`);
  return question;
}

/** The best cosine of the query with one of a passage's sentences. */
export function bySentences(encoded: Encoded): PassageScorer {
  const { sentences, vectors } = encoded;
  return ({ candidates }, place) => {
    const question = questionAt(encoded, place);
    return Promise.resolve(
      candidates.map((passage) =>
        Math.max(...sentences(passage).map((sentence) => vectors.cosine(question, sentence))),
      ),
    );
  };
}

/** What the cosine with whole passages weighs; 0 where they need not be encoded. */
export function wholeWeight({ config }: Pick<SentenceReranker, 'config'>, stage: Stage): number {
  return stage === 'log' ? config.passageCosine : 0;
}

/**
 * The reranker's score of a passage's best sentence. A passage longer than one window is several,
 * whose best sentence counts; `onWindows` is told how many windows a query made. To its score after the
 * graph the cosine of question and whole passage is added as the config says: then the passages must be
 * encoded as one text as well.
 */
export function byReranker(
  encoded: Encoded,
  reranker: SentenceReranker,
  stage: Stage,
  onWindows: (count: number) => void = () => undefined,
): PassageScorer {
  const { sentences, vectors } = encoded;
  const tokens = tokenCounter(reranker);
  return async ({ query: asked, candidates }, place, signal) => {
    const question = questionAt(encoded, place);
    const query = embeddedText(asked);
    const queryTokens = reranker.queryTokens({ query, move: 'none' });
    const owners: number[] = [];
    const passages = candidates.flatMap((passage, number) => {
      const own = sentences(passage);
      return tile(own.map(tokens), queryTokens, reranker.config).map(({ from, to }) => {
        owners.push(number);
        return windowInput(own.slice(from, to + 1), vectors, { question, plain: question });
      });
    });
    onWindows(passages.length);
    const scored = await reranker.score({ query, move: 'none', passages }, { stage, signal });
    const best = new Array<number>(candidates.length).fill(-Infinity);
    for (const { passage, score } of scored) {
      const owner = owners[passage] ?? -1;
      if (score > (best[owner] ?? Infinity)) best[owner] = score;
    }
    const weight = wholeWeight(reranker, stage);
    if (weight === 0) return best;
    return best.map((score, number) => {
      const passage = candidates[number];
      return passage ? score + weight * vectors.cosine(question, wholeText(passage)) : score;
    });
  };
}
