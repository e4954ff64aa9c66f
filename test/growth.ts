/** How time grows with the input: true on a slow or busy machine too, unlike a rate. */

/**
 * Processor time of `work(4 * n)` over that of `work(n)`, the least of `runs` each: about 4 where time
 * grows linearly, 16 where it grows quadratically.
 */
export async function growth(
  work: (size: number) => unknown,
  n: number,
  runs = 3,
): Promise<number> {
  // The first run pays for what is compiled and cached.
  await work(n);
  const least = async (size: number): Promise<number> => {
    let best = Infinity;
    for (let run = 0; run < runs; run++) {
      const before = process.cpuUsage();
      await work(size);
      const { user, system } = process.cpuUsage(before);
      best = Math.min(best, user + system);
    }
    return best;
  };
  const one = await least(n);
  return (await least(4 * n)) / one;
}

/** What {@link growth} stays below: between the two, with room for caches and the collector. */
export const LINEAR = 10;
