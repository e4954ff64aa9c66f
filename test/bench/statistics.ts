/** Numbers that benches report: quantiles, seeded chance, paired bootstrap. */

/** The value below which the share `q` of the values lies (nearest rank); NaN for none. */
export function quantile(values: readonly number[], q: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  const at = Math.max(0, Math.ceil(q * sorted.length) - 1);
  return sorted[Math.min(at, sorted.length - 1)] ?? NaN;
}

export function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

/** Numbers in 0…1 that are the same for the same seed (mulberry32, after T. Ettinger). */
export function seeded(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}

/** A copy in random order (Fisher and Yates). */
export function shuffled<T>(values: readonly T[], random: () => number): T[] {
  const copy = [...values];
  for (let i = copy.length - 1; i > 0; i--) {
    const j = Math.floor(random() * (i + 1));
    [copy[i], copy[j]] = [copy[j] as T, copy[i] as T];
  }
  return copy;
}

/**
 * 95 % interval of the difference of two means by paired bootstrap (Efron, 1979): queries are drawn
 * again within each group, and the groups' means averaged.
 */
export function pairedInterval(
  groups: readonly { ours: readonly number[]; theirs: readonly number[] }[],
  resamples = 2000,
  seed = 1,
): { difference: number; low: number; high: number } {
  const random = seeded(seed);
  const deltas = groups.map(({ ours, theirs }) => ours.map((value, i) => value - (theirs[i] ?? 0)));
  const draws: number[] = [];
  for (let n = 0; n < resamples; n++) {
    const means = deltas.map((delta) => {
      const drawn = delta.map(() => delta[Math.floor(random() * delta.length)] ?? 0);
      return mean(drawn);
    });
    draws.push(mean(means));
  }
  return {
    difference: mean(deltas.map(mean)),
    low: quantile(draws, 0.025),
    high: quantile(draws, 0.975),
  };
}
