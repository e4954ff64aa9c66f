/** `global.onnx`: attention over the graph of all sentences, and the global score (equation 15). */
import { FEATURES } from './features';
import type { SentenceGraph } from './graph';
import { ROLE_COUNT, type Local } from './localModel';
import type { RunModel } from './session';

/** What the model takes and gives. */
export const GLOBAL = {
  inputs: ['hidden', 'roles', 'local', 'features', 'neighbours', 'relations', 'valid'],
  outputs: ['score'],
} as const;

export type GlobalInput = Omit<Local, 'logits'> & {
  /** Probabilities of the local scores, one a sentence. */
  local: Float32Array;
  /** `FEATURES` of all sentences, one row each. */
  features: Float32Array;
  graph: SentenceGraph;
  /** Places that the graph has for a sentence's neighbours. */
  neighbours: number;
  /** Numbers of a sentence's vector. */
  width: number;
};

/** Logits of the global score, one a sentence. What `run` throws passes through. */
export async function scoreGlobally(
  { hidden, roles, local, features, graph, neighbours, width }: GlobalInput,
  run: RunModel,
): Promise<Float32Array> {
  const count = local.length;
  const edges = [count, neighbours];
  const { score } = await run(
    {
      hidden: { data: hidden, shape: [count, width] },
      roles: { data: roles, shape: [count, ROLE_COUNT] },
      local: { data: local, shape: [count] },
      features: { data: features, shape: [count, FEATURES.length] },
      neighbours: { data: graph.neighbours, shape: edges },
      relations: { data: graph.relations, shape: edges },
      valid: { data: graph.valid, shape: edges },
    },
    { score: [count] },
  );
  return score;
}
