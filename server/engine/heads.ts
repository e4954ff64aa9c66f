/**
 * Two light heads on the encoder's vectors, trained by models/training/train_heads.py and kept as
 * `heads.json` beside the model: what a sentence does in its paper, and whether it states a problem.
 * Without the file, or with one made for another encoder, cues decide (recall/roles.ts and
 * language/problems.ts).
 */
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as z from 'zod';
import { FEWEST_WORDS, problemScore } from '../language/problems';
import { roleSchema, type Role } from './engine';
import { errorCode, errorText } from './errors';
import { ROLES, type RoleScores } from './recall/roles';

export const HEADS_FILE = 'heads.json';

const numbers = z.array(z.number());

const schema = z.object({
  /** Id of the encoder whose vectors the weights are for. */
  encoder: z.string(),
  /** Null where the head is no better than cues alone. */
  roles: z
    .object({
      labels: z.array(roleSchema).min(2),
      /** One row a label, over the vector. */
      weights: z.array(numbers),
      /** One row a label, over the cue-based scores of recall/roles.ts. */
      cues: z.array(numbers),
      bias: numbers,
    })
    .nullable(),
  problem: z.object({
    weights: numbers,
    bias: z.number(),
    /** Log-odds = head·h + cue·c + uncued + bias, c the cue detector's (0 where it has none). */
    combine: z.object({
      head: z.number(),
      cue: z.number(),
      uncued: z.number(),
      bias: z.number(),
    }),
    /** Probability from which a sentence counts as a problem statement. */
    threshold: z.number().min(0).max(1),
  }),
});
type HeadsFile = z.infer<typeof schema>;

/** The heads of a model folder, or why there are none (null where the folder simply has no file). */
export type LoadedHeads = { heads: Heads | null; reason: string | null };

/** The heads of one encoder, applied to its L2-normalised vectors. */
export class Heads {
  /** Changes with what tells roles; null where the file has no head for them. */
  readonly roleRevision: string | null;

  private constructor(private readonly file: HeadsFile) {
    const told = JSON.stringify([file.encoder, file.roles]);
    this.roleRevision = file.roles && createHash('sha256').update(told).digest('hex').slice(0, 12);
  }

  /**
   * Reads `heads.json` of a model folder. Never rejects: what is wrong is told in `reason`, since
   * cues can take the heads' place.
   */
  static async load(
    modelDir: string,
    encoder: { id: string; dimensions: number },
  ): Promise<LoadedHeads> {
    const path = join(modelDir, HEADS_FILE);
    let text: string;
    try {
      text = await readFile(path, 'utf8');
    } catch (error) {
      const missing = ['ENOENT', 'ENOTDIR'].includes(errorCode(error) ?? '');
      return { heads: null, reason: missing ? null : refusal(path, errorText(error)) };
    }
    try {
      return { heads: Heads.parse(JSON.parse(text), encoder), reason: null };
    } catch (error) {
      return { heads: null, reason: refusal(path, errorText(error)) };
    }
  }

  /** Checks what `heads.json` holds. Throws an error that says what is wrong. */
  static parse(raw: unknown, { id, dimensions }: { id: string; dimensions: number }): Heads {
    const parsed = schema.safeParse(raw);
    if (!parsed.success) {
      const issue = parsed.error.issues[0];
      throw new Error(`${issue?.path.join('.') || 'the whole'}: ${issue?.message ?? 'invalid'}`);
    }
    const file = parsed.data;
    if (file.encoder !== id) {
      throw new Error(`it is for the encoder ${file.encoder}, not for ${id}`);
    }
    if (file.roles) {
      const { labels, weights, cues, bias } = file.roles;
      const whole =
        bias.length === labels.length &&
        isMatrix(weights, labels.length, dimensions) &&
        isMatrix(cues, labels.length, ROLES.length);
      if (!whole) {
        throw new Error(
          `roles: not ${labels.length} rows of ${dimensions} and ${ROLES.length} weights`,
        );
      }
    }
    if (file.problem.weights.length !== dimensions) {
      throw new Error(`problem.weights: ${file.problem.weights.length}, not ${dimensions}`);
    }
    return new Heads(file);
  }

  /**
   * What a sentence does in its paper, and how probable each role is; null without a head for it.
   *
   * @param cues its scores by `roleScores` of recall/roles.ts, which know its place and surroundings
   */
  role(
    vector: Float32Array,
    cues: RoleScores,
  ): { role: Role; probabilities: Partial<Record<Role, number>> } | null {
    if (!this.file.roles) return null;
    const { labels, weights, cues: ofCues, bias } = this.file.roles;
    const scores = weights.map(
      (row, i) => (bias[i] ?? 0) + dot(row, vector) + dot(ofCues[i] ?? [], cues),
    );
    const top = Math.max(...scores);
    const odds = scores.map((score) => Math.exp(score - top));
    const total = odds.reduce((sum, value) => sum + value, 0);
    const probabilities: Partial<Record<Role, number>> = {};
    labels.forEach((label, i) => (probabilities[label] = (odds[i] ?? 0) / total));
    return { role: labels[scores.indexOf(top)] ?? 'background', probabilities };
  }

  /** Probability, 0 to 1, that the plain sentence with this vector states a problem; 0 for a fragment. */
  problem(text: string, vector: Float32Array): number {
    if (text.trim().split(/\s+/).length < FEWEST_WORDS) return 0;
    const { weights, bias, combine } = this.file.problem;
    const cue = problemScore(text);
    const logit =
      combine.head * (dot(weights, vector) + bias) +
      (cue > 0 ? combine.cue * Math.log(cue / (1 - cue)) : combine.uncued) +
      combine.bias;
    return 1 / (1 + Math.exp(-logit));
  }

  /** Probability from which {@link problem} means yes. */
  get problemThreshold(): number {
    return this.file.problem.threshold;
  }
}

function isMatrix(rows: number[][], height: number, width: number): boolean {
  return rows.length === height && rows.every((row) => row.length === width);
}

function dot(weights: readonly number[], vector: ArrayLike<number>): number {
  let sum = 0;
  for (let i = 0; i < vector.length; i++) sum += (weights[i] ?? 0) * (vector[i] ?? 0);
  return sum;
}

function refusal(path: string, why: string): string {
  return (
    `${path} cannot be used (${why.split('\n', 1)[0] ?? ''}): roles and problem statements are told ` +
    'by cue words instead. Make it anew with models/training/train_heads.py, or remove it.'
  );
}
