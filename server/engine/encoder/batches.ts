/** Groups tokenised texts into batches with little padding. */

/** Padded tokens of one run. Larger runs are no faster and hold up a move that waits its turn. */
export const TOKENS_A_RUN = 640;

/**
 * What a run costs besides its padded tokens, in tokens: measured on two cores, 3 to 6 ms where a
 * padded token of a large run costs 0.06 ms.
 */
const RUN_COST = 80;

/**
 * Indices into `lengths`, grouped so that a group's texts are about equally long, holds at most
 * `rows` of them and, padded to its longest, at most {@link TOKENS_A_RUN} tokens (or one text).
 * Longest first, so that memory is asked for once and a failure shows early. Of all such groupings
 * of the sorted texts it is one that costs least, padding and runs together.
 */
export function batches(lengths: readonly number[], rows: number): number[][] {
  const order = lengths.map((_, index) => index);
  order.sort((a, b) => (lengths[b] ?? 0) - (lengths[a] ?? 0) || a - b);
  // cost[i]: of the texts from place i on; end[i]: where the first group of them ends.
  const cost = new Float64Array(order.length + 1);
  const end = new Uint32Array(order.length + 1);
  for (let i = order.length - 1; i >= 0; i--) {
    const width = Math.max(1, lengths[order[i] ?? 0] ?? 0);
    const most = Math.max(1, Math.min(rows, Math.floor(TOKENS_A_RUN / width)));
    let best = Infinity;
    for (let j = i + 1; j <= Math.min(order.length, i + most); j++) {
      const sum = (j - i) * width + RUN_COST + (cost[j] ?? 0);
      // Of equal ones the longer group.
      if (sum > best) continue;
      best = sum;
      end[i] = j;
    }
    cost[i] = best;
  }
  const groups: number[][] = [];
  for (let i = 0; i < order.length; i = end[i] ?? order.length) {
    groups.push(order.slice(i, end[i]));
  }
  return groups;
}
