/**
 * The order that is shown. The model's scores were learned mostly by refinding the continuation of an
 * abstract; whether a sentence of another paper makes the move is told by readers' labels. A linear
 * function of all that is known of a sentence, one a move, is fitted on them and kept as `order.json`
 * beside the models (models/training/fit_order.py). Without the file the config's blend orders.
 */
import * as z from 'zod';
import type { Move } from '../engine';
import { rerankerFiles } from './modelFiles';

/**
 * What is known of a sentence besides its vector of the joint encoding:
 * - `global`, `local`: logits of equations 15 and 5;
 * - `cosine`, `before`, `bm25`, `passageBm25`: see `features.ts`;
 * - `plain`: cosine of the plain query and the sentence; `passagePlain`: the best of its passage;
 * - `words`: natural logarithm of its words; `ratio`: of its words over the query's; see {@link wordCount}.
 */
export const TOLD = [
  'global',
  'local',
  'cosine',
  'before',
  'bm25',
  'passageBm25',
  'plain',
  'passagePlain',
  'words',
  'ratio',
] as const;
export type Told = Record<(typeof TOLD)[number], number>;

/** Weights of one move: of {@link TOLD}, in order, and of the sentence's vector. */
type MoveWeights = { told: number[]; hidden: number[] };

/** Lengths of ordinary sentences: what is outside says nothing more (tables, texts without blanks). */
const WORDS = { least: 5, most: 60 };

/** Words of a text, between 5 and 60. */
export function wordCount(text: string): number {
  const count = text.split(/\s+/).filter(Boolean).length;
  return Math.min(WORDS.most, Math.max(WORDS.least, count));
}

/** The weights of `order.json`. */
export class Order {
  private constructor(private readonly moves: Record<Move, MoveWeights>) {}

  /** Reads `order.json`; null where there is none. Rejects with `model-broken`. */
  static async load(
    modelDir: string,
    { id, hidden }: { id: string; hidden: number },
  ): Promise<Order | null> {
    const weights = z.object({
      told: z.array(z.number()).length(TOLD.length),
      hidden: z.array(z.number()).length(hidden),
    });
    const schema = z.object({
      /** Id of the reranker whose scores and vectors the weights are for. */
      reranker: z.literal(id),
      /** What the numbers of `told` weigh, in order. */
      names: z.tuple(TOLD.map((name) => z.literal(name)) as [z.ZodLiteral]),
      moves: z.object({ address: weights, broaden: weights, specify: weights }),
    });
    const file = await rerankerFiles.optional(modelDir, 'order.json', schema);
    return file && new Order(file.moves);
  }

  /** The score by which sentences of one query are ordered; only differences mean anything. */
  score(move: Move, told: readonly number[], hidden: Float32Array): number {
    const weights = this.moves[move];
    let score = 0;
    weights.told.forEach((weight, i) => (score += weight * (told[i] ?? 0)));
    weights.hidden.forEach((weight, i) => (score += weight * (hidden[i] ?? 0)));
    return score;
  }
}
