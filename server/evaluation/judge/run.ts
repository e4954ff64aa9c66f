/** Runs of the judged sentences: the product's engine and the baselines over the same sentences. */
import { RatioError, type Engine } from '../../engine/engine';
import type { SentenceEncoder } from '../../engine/encoderKind';
import { plainText } from '../../engine/encoder/prompts';
import { embeddedText, vectorKind } from '../../engine/encoder/textForm';
import { throwIfCancelled } from '../../engine/errors';
import { dot } from '../../engine/index/exact';
import { Copies } from '../../engine/recall/copies';
import { paperKey } from '../../engine/recall/recall';
import { normalise } from '../../engine/recall/text';
import { bareUnits, combineUnits, concatUnits, type ContextMode, type Units } from '../context';
import type { EncodeOptions } from '../dense/vectors';
import type { OpenEncoders } from '../encoders';
import { asItIs, makeRetriever, type Encoders, type RetrieverName } from '../retrievers';
import type { Pair, Sentence } from '../split';
import { topK } from '../topk';
import type { Ranked, Run } from '../trec';
import { documentId, type Loaded } from './pool';
import type { JudgedQuery } from './queries';

export type RunLimits = {
  /** Sentences a query. */
  top: number;
  /** Sentences of one paper at most, for every system alike. */
  perPaper: number;
};

/** Refuses an engine whose encoder is not the one that its reranker was trained with (null: any will do). */
export async function checkEncoder(
  engine: Pick<Engine, 'status'>,
  wanted: string | null,
): Promise<void> {
  if (wanted !== null && wanted !== (await engine.status()).encoder.id) {
    throw new RatioError(
      'model-broken',
      `The reranker was trained with the encoder ${wanted}, and the engine has another. Export the reranker for it (export_reranker.py --encoder), or measure recall alone (--no-rerank).`,
    );
  }
}

/** The product: moves answered by the engine, as a user would get them; or its recall alone. */
export async function engineRun(
  engine: Engine,
  pool: string,
  queries: readonly JudgedQuery[],
  { top, perPaper, rerank = true }: RunLimits & { rerank?: boolean },
  { signal, onProgress }: EncodeOptions = {},
): Promise<Run> {
  const rankings = new Map<string, Ranked[]>();
  for (const [i, { id, move, text }] of queries.entries()) {
    const { inspirations, reranked, notices } = await engine.inspire(
      { move, text, pools: [pool], limit: top, perPaper, rerank },
      signal ? { signal } : {},
    );
    // What is measured is not to be recall's order in the reranker's name.
    if (rerank && inspirations.length > 0 && !reranked) {
      const why = ['The answer to', id, 'was not reranked.', ...notices.slice(-1)].join(' ');
      throw new RatioError('model-broken', why);
    }
    rankings.set(
      id,
      inspirations.map((inspiration) => ({
        id: documentId(inspiration.paper.id, positionOf(inspiration.id)),
        score: inspiration.score,
      })),
    );
    onProgress?.(i + 1, queries.length);
  }
  return { system: rerank ? 'engine' : 'engine-recall', rankings };
}

/** Position of an inspiration's sentence: its id ends in `#POSITION`. */
function positionOf(id: string): number {
  return Number(id.slice(id.lastIndexOf('#') + 1));
}

/** Candidates a query that are looked through for the best that may be shown. */
const DEPTH = 400;

/**
 * What the product leaves out is left out for all, in its order: near-copies of the query, the same
 * sentence again, more of one paper, which two sources may name differently. `likeness`: the cosine
 * of a place's sentence with the query, null where it is not known.
 */
function shown(
  query: string,
  places: readonly number[],
  pool: readonly Sentence[],
  { top, perPaper }: RunLimits,
  likeness: (place: number) => number | null,
): number[] {
  const copies = new Copies({ text: query, exclude: [] });
  const seen = new Set<string>();
  const papers = new Map<string, number>();
  const kept: number[] = [];
  for (const place of places) {
    const sentence = pool[place];
    if (!sentence || kept.length >= top) break;
    const { paper, title, doi } = sentence;
    const plain = normalise(sentence.text);
    if (seen.has(plain) || copies.has(plain, likeness(place))) continue;
    seen.add(plain);
    const key = paperKey({ id: paper, title: title ?? '', doi: doi ?? null });
    const count = papers.get(key) ?? 0;
    papers.set(key, count + 1);
    if (count < perPaper) kept.push(place);
  }
  return kept;
}

/** The queries as the product compares them with sentences, to leave out copies. */
async function plainVectors(
  product: SentenceEncoder,
  queries: readonly JudgedQuery[],
): Promise<Float32Array[]> {
  const texts = queries.map(({ move, text }) => {
    const form = embeddedText(text);
    return product.prompts ? plainText(product.prompts, move, form) : form;
  });
  return product.encode(texts);
}

export type BaselineOptions = RunLimits & {
  retriever: RetrieverName;
  context: ContextMode | null;
  contextBefore?: number | undefined;
  contextWeight?: number | undefined;
  /** The product's encoder, with whose vectors of the pool copies of a query are told. */
  product?: SentenceEncoder | undefined;
};

/** Encoders that take and give what pools hold: vectors of sentences in their embedded form. */
function asInPools(encoders: OpenEncoders, { pool, stored }: Loaded, inContext: boolean): Encoders {
  const { forMove, cache } = encoders;
  return {
    forMove,
    cache,
    form: { query: embeddedText, document: inContext ? asItIs : embeddedText },
    stored:
      stored && !inContext
        ? // Texts past the documents are contexts.
          (encoder, place) =>
            place < pool.length ? stored(vectorKind(encoder.model).id, place) : null
        : undefined,
  };
}

/**
 * One of the evaluation's retrievers over the pool's sentences. What is encoded has the form that
 * the product gives it, and vectors that the pool has are used.
 */
export async function baselineRun(
  loaded: Loaded,
  queries: readonly JudgedQuery[],
  encoders: OpenEncoders | null,
  options: BaselineOptions,
  progress: EncodeOptions = {},
): Promise<Run> {
  const { pool } = loaded;
  const { context, retriever: name, product } = options;
  let units: Units;
  if (context === null) {
    units = bareUnits(pool.map(({ text }) => text));
  } else {
    const contexts = await loaded.contexts(options.contextBefore);
    const pairs: Pair[] = [];
    if (context === 'combine') {
      units = combineUnits({ pairs, pool, contexts }, options.contextWeight);
    } else {
      // The form is that of a sentence: it is given before the sentence is put into its context.
      const sentences = encoders
        ? pool.map((sentence) => ({ ...sentence, text: embeddedText(sentence.text) }))
        : pool;
      const template = encoders?.forMove('address').template ?? null;
      units = concatUnits({ pairs, pool: sentences, contexts }, template);
    }
  }
  const retriever = makeRetriever(
    name,
    units,
    encoders && asInPools(encoders, loaded, context === 'concat'),
  );
  const rankings = new Map<string, Ranked[]>(queries.map(({ id }) => [id, []]));
  const scores = new Float32Array(pool.length);
  const plain = product && loaded.vector ? await plainVectors(product, queries) : [];
  const likeness = (i: number, place: number): number | null => {
    const vector = plain[i];
    if (!product || !vector) return null;
    const stored = loaded.vector?.(vectorKind(product).id, place);
    return stored ? dot(vector, stored, 0) : null;
  };
  await retriever.eachRow(
    queries,
    (i, row) => {
      const query = queries[i];
      if (!query) return;
      const composed = units.compose(i, row, scores);
      const best = topK(composed, DEPTH, { above: retriever.above });
      rankings.set(
        query.id,
        shown(query.text, best, pool, options, (place) => likeness(i, place)).map((place) => ({
          id: pool[place]?.id ?? '',
          score: composed[place] ?? 0,
        })),
      );
    },
    progress,
  );
  throwIfCancelled(progress.signal);
  return { system: context === null ? name : `${name}+${context}`, rankings };
}
