/** The retrievers under evaluation: each gives every text's score for a query. */
import { queryText } from '../engine/encoder/prompts';
import { FUSION } from '../engine/recall/fuse';
import type { Move } from '../engine/engine';
import { throwIfCancelled } from '../engine/errors';
import { Bm25 } from './bm25';
import type { Units } from './context';
import { Matrix } from './dense/matrix';
import { eachVector, vectorsOf, type EncodeOptions } from './dense/vectors';
import type { EvaluationEncoder } from './encoder';

export const RETRIEVERS = ['bm25', 'bm25-bigram', 'bm25-trigram', 'dense', 'hybrid'] as const;
export type RetrieverName = (typeof RETRIEVERS)[number];

/** Whether a retriever compares vectors. */
export function needsEncoder(name: RetrieverName): boolean {
  return name === 'dense' || name === 'hybrid';
}

export type Query = {
  text: string;
  move: Move;
  /** Documents that do not count for this query: its own sentence, and what holds it. */
  own?: ReadonlySet<number>;
};

/** Scores all texts of {@link Units} for queries. */
export interface Retriever {
  /** Texts that score no more are not retrieved at all. */
  readonly above: number;
  /** Calls `use` for each query in turn; the row may be changed and is valid during the call only. */
  eachRow(
    queries: readonly Query[],
    use: (query: number, row: Float32Array) => void,
    options?: EncodeOptions,
  ): Promise<void>;
}

const GRAMS = { bm25: 1, 'bm25-bigram': 2, 'bm25-trigram': 3 } as const;

class Lexical implements Retriever {
  readonly above = 0;
  private readonly row: Float32Array;

  constructor(private readonly index: Bm25) {
    this.row = new Float32Array(index.size);
  }

  static of(units: Units, grams: 1 | 2 | 3): Lexical {
    return new Lexical(Bm25.build(units.texts, { grams, collection: units.documents }));
  }

  scores(text: string): Float32Array {
    return this.index.scores(text, this.row);
  }

  async eachRow(
    queries: readonly Query[],
    use: (query: number, row: Float32Array) => void,
    { signal, onProgress }: EncodeOptions = {},
  ): Promise<void> {
    for (const [i, { text }] of queries.entries()) {
      if (i % 64 === 0) {
        await new Promise((resolve) => setImmediate(resolve));
        throwIfCancelled(signal);
        onProgress?.(i, queries.length);
      }
      use(i, this.scores(text));
    }
  }
}

/** What is made of a text before it is encoded. */
export type Form = (text: string) => string;
/** The form that changes nothing. */
export const asItIs: Form = (text) => text;

/** Where vectors come from: one encoder for every move, or one a move. */
export type Encoders = {
  forMove(move: Move): EvaluationEncoder;
  cache: string | null;
  /** The form in which texts and queries are encoded; without, as they are. */
  form?: { query: Form; document: Form } | undefined;
  /** Known vectors of a text by its place, else null: a pool may have them already. */
  stored?: ((encoder: EvaluationEncoder, place: number) => Float32Array | null) | undefined;
};

class Dense implements Retriever {
  readonly above = -Infinity;
  private matrix: { of: EvaluationEncoder; matrix: Matrix } | null = null;

  constructor(
    private readonly units: Units,
    private readonly encoders: Encoders,
  ) {}

  private async load(encoder: EvaluationEncoder, options: EncodeOptions): Promise<Matrix> {
    if (this.matrix?.of === encoder) return this.matrix.matrix;
    this.matrix = null;
    const { units, encoders } = this;
    const { model, prompts, revision } = encoder;
    const matrix = new Matrix(units.texts.length, model.dimensions);
    const missing: number[] = [];
    units.texts.forEach((_, place) => {
      const vector = encoders.stored?.(encoder, place);
      if (vector) matrix.set(place, vector);
      else missing.push(place);
    });
    const own = encoder.template ? units.templated : null;
    const form = encoders.form?.document ?? asItIs;
    await eachVector(
      model,
      missing.map(
        (place) => own?.[place] ?? prompts.documentPrefix + form(units.texts[place] ?? ''),
      ),
      { folder: encoders.cache, revision },
      (at, vector) => matrix.set(missing[at] ?? 0, vector),
      options,
    );
    this.matrix = { of: encoder, matrix };
    return matrix;
  }

  async eachRow(
    queries: readonly Query[],
    use: (query: number, row: Float32Array) => void,
    options: EncodeOptions = {},
  ): Promise<void> {
    const groups = new Map<EvaluationEncoder, number[]>();
    queries.forEach(({ move }, i) => {
      const encoder = this.encoders.forMove(move);
      const group = groups.get(encoder);
      if (group) group.push(i);
      else groups.set(encoder, [i]);
    });
    for (const [encoder, places] of groups) {
      const matrix = await this.load(encoder, options);
      const { model, prompts, revision } = encoder;
      const form = this.encoders.form?.query ?? asItIs;
      const texts = places.map((i) => {
        const query = queries[i];
        return query ? queryText(prompts, query.move, form(query.text)) : '';
      });
      const cache = { folder: this.encoders.cache, revision };
      const vectors = await vectorsOf(model, texts, cache, { signal: options.signal });
      for (let from = 0; from < places.length; from += STEP) {
        await new Promise((resolve) => setImmediate(resolve));
        throwIfCancelled(options.signal);
        matrix.eachRow(vectors.slice(from, from + STEP), (i, row) => {
          use(places[from + i] ?? 0, row);
        });
      }
    }
  }
}

/** Queries between two turns of the event loop; a multiple of the matrix's own block. */
const STEP = 96;

/**
 * The product's fusion (`recall/fuse.ts`) of cosine and BM25 alone, over all texts: cosine +
 * weight · BM25 ÷ the best BM25 of the query.
 */
class Hybrid implements Retriever {
  readonly above = -Infinity;

  constructor(
    private readonly dense: Dense,
    private readonly lexical: Lexical,
    private readonly documents: number,
  ) {}

  eachRow(
    queries: readonly Query[],
    use: (query: number, row: Float32Array) => void,
    options: EncodeOptions = {},
  ): Promise<void> {
    return this.dense.eachRow(
      queries,
      (i, row) => {
        const query = queries[i];
        const bm25 = this.lexical.scores(query?.text ?? '');
        let best = 0;
        for (let n = 0; n < this.documents; n++) {
          const score = bm25[n] ?? 0;
          if (score > best && !query?.own?.has(n)) best = score;
        }
        if (query && best > 0) {
          const weight = FUSION.weights[query.move].bm25 / best;
          for (let n = 0; n < row.length; n++) row[n] = (row[n] ?? 0) + weight * (bm25[n] ?? 0);
        }
        use(i, row);
      },
      options,
    );
  }
}

/** Makes a retriever; `encoders` is needed by the dense and the hybrid one. */
export function makeRetriever(
  name: RetrieverName,
  units: Units,
  encoders: Encoders | null,
): Retriever {
  if (name !== 'dense' && name !== 'hybrid') return Lexical.of(units, GRAMS[name]);
  if (!encoders) throw new Error(`${name} needs an encoder`);
  const dense = new Dense(units, encoders);
  return name === 'dense' ? dense : new Hybrid(dense, Lexical.of(units, 1), units.documents);
}
