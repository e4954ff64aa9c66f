/** `local.onnx`: every passage read together with the query, in batches (equations 1 to 6). */
import { batches } from '../encoder/batches';
import { FEATURES } from './features';
import type { JointInput } from './joint';
import type { RunModel } from './session';

/** What the model takes and gives. */
export const LOCAL = {
  inputs: ['input_ids', 'attention_mask', 'spans', 'features'],
  outputs: ['local', 'roles', 'intent', 'hidden'],
} as const;

/** Background, method and result. */
export const ROLE_COUNT = 3;

/** What it tells of all sentences, one row each, in input order. */
export type Local = { logits: Float32Array; roles: Float32Array; hidden: Float32Array };

export type LocalInput = {
  /** One a passage. */
  joint: readonly JointInput[];
  /** How many sentences each passage has. */
  sizes: readonly number[];
  /** `FEATURES` of all sentences, one row each. */
  features: Float32Array;
  /** Numbers of a sentence's vector. */
  width: number;
};

/**
 * Runs the model over all passages, those of like length at once. `turn` is awaited before every run; what it
 * and `run` throw passes through.
 */
export async function scoreLocally(
  { joint, sizes, features, width }: LocalInput,
  run: RunModel,
  turn: () => Promise<void>,
): Promise<Local> {
  const starts: number[] = [];
  let count = 0;
  for (const size of sizes) {
    starts.push(count);
    count += size;
  }
  const all: Local = {
    logits: new Float32Array(count),
    roles: new Float32Array(count * ROLE_COUNT),
    hidden: new Float32Array(count * width),
  };
  const lengths = joint.map(({ ids }) => ids.length);
  for (const group of batches(lengths, sizes.length)) {
    // A passage without sentences has nothing to score.
    const rows = group.filter((p) => (sizes[p] ?? 0) > 0);
    if (rows.length === 0) continue;
    await turn();
    const longest = Math.max(...rows.map((p) => lengths[p] ?? 0));
    const most = Math.max(...rows.map((p) => sizes[p] ?? 0));
    const ids = new BigInt64Array(rows.length * longest);
    const mask = new BigInt64Array(rows.length * longest);
    const spans = new BigInt64Array(rows.length * longest).fill(-1n);
    const told = new Float32Array(rows.length * most * FEATURES.length);
    rows.forEach((p, r) => {
      joint[p]?.ids.forEach((id, i) => {
        ids[r * longest + i] = BigInt(id);
        mask[r * longest + i] = 1n;
        spans[r * longest + i] = BigInt(joint[p]?.spans[i] ?? -1);
      });
      const start = starts[p] ?? 0;
      const end = start + (sizes[p] ?? 0);
      const own = features.subarray(start * FEATURES.length, end * FEATURES.length);
      told.set(own, r * most * FEATURES.length);
    });
    const made = await run(
      {
        input_ids: { data: ids, shape: [rows.length, longest] },
        attention_mask: { data: mask, shape: [rows.length, longest] },
        spans: { data: spans, shape: [rows.length, longest] },
        features: { data: told, shape: [rows.length, most, FEATURES.length] },
      },
      {
        local: [rows.length, most],
        roles: [rows.length, most, ROLE_COUNT],
        hidden: [rows.length, most, width],
      },
    );
    rows.forEach((p, r) => {
      const start = starts[p] ?? 0;
      const own = sizes[p] ?? 0;
      const copy = (from: Float32Array, to: Float32Array, each: number): void =>
        to.set(from.subarray(r * most * each, (r * most + own) * each), start * each);
      copy(made.local, all.logits, 1);
      copy(made.roles, all.roles, ROLE_COUNT);
      copy(made.hidden, all.hidden, width);
    });
  }
  return all;
}
