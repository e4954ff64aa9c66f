/** The best of a row of scores. */

/**
 * Places of the `k` highest finite scores, best first; equal scores by place, so that a ranking
 * never depends on chance. `skip` leaves places out, `above` those that score no more than it;
 * `among` (ascending) looks at those places only.
 */
export function topK(
  scores: ArrayLike<number>,
  k: number,
  {
    skip,
    among,
    above = -Infinity,
  }: { skip?: ReadonlySet<number>; among?: ArrayLike<number> | undefined; above?: number } = {},
): number[] {
  // A heap of the best so far with the worst at its root: a is worse than b when it scores lower,
  // or the same at a later place.
  const heap: number[] = [];
  const worse = (a: number, b: number): boolean => {
    const x = scores[a] ?? 0;
    const y = scores[b] ?? 0;
    return x < y || (x === y && a > b);
  };
  const sink = (): void => {
    for (let i = 0; ;) {
      const left = 2 * i + 1;
      if (left >= heap.length) return;
      const right = left + 1;
      const child = right < heap.length && worse(heap[right] ?? 0, heap[left] ?? 0) ? right : left;
      if (!worse(heap[child] ?? 0, heap[i] ?? 0)) return;
      [heap[i], heap[child]] = [heap[child] ?? 0, heap[i] ?? 0];
      i = child;
    }
  };
  const rise = (): void => {
    for (let i = heap.length - 1; i > 0;) {
      const parent = (i - 1) >> 1;
      if (!worse(heap[i] ?? 0, heap[parent] ?? 0)) return;
      [heap[i], heap[parent]] = [heap[parent] ?? 0, heap[i] ?? 0];
      i = parent;
    }
  };
  const count = among ? among.length : scores.length;
  let floor = above;
  for (let n = 0; n < count; n++) {
    const place = among ? (among[n] ?? 0) : n;
    const score = scores[place] ?? NaN;
    // Places ascend, so an equal score never replaces one that is held.
    if (!(score > floor) || k <= 0 || skip?.has(place)) continue;
    if (heap.length < k) {
      heap.push(place);
      rise();
    } else {
      heap[0] = place;
      sink();
    }
    if (heap.length === k) floor = scores[heap[0] ?? 0] ?? above;
  }
  return heap.sort((a, b) => (worse(a, b) ? 1 : -1));
}
