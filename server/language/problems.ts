/**
 * Whether a sentence states a problem, a gap or a limitation: something that a reader could want a
 * response to. Weighted cues, so that it costs microseconds and needs no model.
 */
import { PhraseMatcher } from './phrases';
import { BIAS, CUE_GROUPS, STRONG, THRESHOLD } from './problemCues';

/** Words below which a text is a heading or a fragment. */
export const FEWEST_WORDS = 4;

const matcher = new PhraseMatcher(CUE_GROUPS.map((group) => group.phrases));
const weights = Float64Array.from(CUE_GROUPS, (group) => group.weight);
const strong = CUE_GROUPS.map((group) => group.prior >= STRONG);

/**
 * Which cue groups occur in a plain sentence: one flag a group, in the order of `CUE_GROUPS`; null
 * where the text is too short to state anything or holds no strong cue for a problem.
 */
export function problemCuesIn(sentence: string): Uint8Array | null {
  const { words, found } = matcher.match(sentence);
  return words >= FEWEST_WORDS && found.some((flag, group) => flag && strong[group]) ? found : null;
}

/** Probability, 0 to 1, that the plain sentence states a problem; 0 for a fragment or without a strong cue. */
export function problemScore(sentence: string): number {
  const found = problemCuesIn(sentence);
  if (!found) return 0;
  let logit = BIAS.weight;
  for (let group = 0; group < weights.length; group++) {
    if (found[group]) logit += weights[group] ?? 0;
  }
  return 1 / (1 + Math.exp(-logit));
}

/** Whether the plain sentence states a problem, gap, limitation, difficulty or open question. */
export function statesProblem(sentence: string): boolean {
  return problemScore(sentence) >= THRESHOLD;
}
