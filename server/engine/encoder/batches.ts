/** Groups tokenised texts into batches with little padding. */

/** Padded tokens of one run. Larger runs are no faster and hold up a move that waits its turn. */
export const TOKENS_A_RUN = 640;

/**
 * Indices into `lengths`, grouped so that a group's texts are about equally long, holds at most
 * `rows` of them and, padded to its longest, at most {@link TOKENS_A_RUN} tokens (or one text).
 * Longest first, so that memory is asked for once and a failure shows early.
 */
export function batches(lengths: readonly number[], rows: number): number[][] {
  const order = lengths.map((_, index) => index);
  order.sort((a, b) => (lengths[b] ?? 0) - (lengths[a] ?? 0) || a - b);
  const groups: number[][] = [];
  let group: number[] = [];
  let width = 0;
  for (const index of order) {
    if (group.length >= rows || (group.length + 1) * width > TOKENS_A_RUN || group.length === 0) {
      group = [];
      groups.push(group);
      width = lengths[index] ?? 0;
    }
    group.push(index);
  }
  return groups;
}
