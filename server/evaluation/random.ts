/** Chance that is the same for the same seed. */

/** Numbers in 0…1 (1 excluded) from a 32-bit seed: the mulberry32 generator (T. Ettinger, 2017). */
export function seeded(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(state ^ (state >>> 15), state | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** A seed made of a seed and a text, so that parts of one job draw independently (FNV-1a). */
export function derivedSeed(seed: number, text: string): number {
  let hash = 2166136261 ^ seed;
  for (const char of text) hash = Math.imul(hash ^ (char.codePointAt(0) ?? 0), 16777619);
  return hash >>> 0;
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

/** `count` of the values, drawn without replacement, in their old order. */
export function sample<T>(values: readonly T[], count: number, random: () => number): T[] {
  if (count >= values.length) return [...values];
  const chosen = shuffled([...values.keys()], random).slice(0, count);
  return chosen.sort((a, b) => a - b).map((i) => values[i] as T);
}
