/** Vectors that reranking starts from: of sentences, each encoded once, and of queries. */
import type { Move } from '../../engine/engine';
import { plainText, queryText, type Prompts } from '../../engine/encoder/prompts';
import { dot } from '../../engine/index/exact';
import { eachVector, vectorsOf, type EncodeOptions } from '../dense/vectors';
import type { EvaluationEncoder } from '../encoder';

/** What is encoded for a query that asks for no move; with a move, see {@link queryText}. */
export function questionText(prompts: Prompts, move: Move | 'none', text: string): string {
  if (move !== 'none') return queryText(prompts, move, text);
  // An encoder that is told moves takes a plain question as it takes a sentence, as in recall.
  return plainText(prompts, 'address', text);
}

/** Vectors of the queries asked with a move, or plainly. */
export function questionVectors(
  { model, prompts, revision }: EvaluationEncoder,
  queries: readonly { move: Move | 'none'; text: string }[],
  cache: string | null,
  options: EncodeOptions = {},
): Promise<Float32Array[]> {
  const texts = queries.map(({ move, text }) => questionText(prompts, move, text));
  return vectorsOf(model, texts, { folder: cache, revision }, { signal: options.signal });
}

/** Vectors of sentences. */
export class SentenceVectors {
  private readonly places = new Map<string, number>();
  private values = new Float32Array(0);

  constructor(
    private readonly encoder: EvaluationEncoder,
    private readonly cache: string | null,
  ) {}

  /**
   * Encodes those of the texts that are not known yet, each once, with the prefix for documents; with
   * `kept`, only the vectors of those are held.
   */
  async add(
    texts: Iterable<string>,
    { kept, ...options }: EncodeOptions & { kept?: ReadonlySet<string> } = {},
  ): Promise<void> {
    const fresh = [...new Set(texts)].filter((text) => !this.places.has(text));
    const { model, prompts, revision } = this.encoder;
    const held = kept ? fresh.filter((text) => kept.has(text)) : fresh;
    const start = this.places.size;
    const larger = new Float32Array((start + held.length) * model.dimensions);
    larger.set(this.values);
    this.values = larger;
    held.forEach((text, i) => this.places.set(text, start + i));
    await eachVector(
      model,
      fresh.map((text) => prompts.documentPrefix + text),
      { folder: this.cache, revision },
      (at, vector) => {
        const place = this.places.get(fresh[at] ?? '');
        if (place !== undefined) this.values.set(vector, place * model.dimensions);
      },
      options,
    );
  }

  /** Cosine of a query's vector with a sentence that was added. */
  cosine(query: Float32Array, text: string): number {
    const place = this.places.get(text);
    if (place === undefined) throw new Error(`this sentence was not encoded: ${text.slice(0, 60)}`);
    return dot(query, this.values, place * query.length);
  }
}
