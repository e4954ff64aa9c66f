/** Percentile bootstrap intervals (Efron and Tibshirani, 1993, ch. 13) of means over queries. */
import { derivedSeed, seeded } from './random';

export type BootstrapOptions = {
  /** Default 2,000. */
  resamples?: number;
  /** Default 1; the same seed gives the same interval. */
  seed?: number;
  /** Share of resamples inside the interval; default 0.95. */
  level?: number;
};

export type Interval = { low: number; high: number };
export type Estimate = Interval & { value: number };

export const RESAMPLES = 2000;

/** Arithmetic mean; NaN of no values. */
export function mean(values: ArrayLike<number>): number {
  let sum = 0;
  const { length } = values;
  for (let i = 0; i < length; i++) sum += values[i] ?? 0;
  return length === 0 ? NaN : sum / length;
}

/** Ends of the middle `level` of the draws, by linear interpolation between order statistics. */
function middle(draws: Float64Array, level: number): Interval {
  draws.sort();
  const at = (q: number): number => {
    const place = q * (draws.length - 1);
    const below = Math.floor(place);
    const low = draws[below] ?? NaN;
    const high = draws[Math.min(below + 1, draws.length - 1)] ?? NaN;
    return low === high ? low : low + (high - low) * (place - below);
  };
  const tail = (1 - level) / 2;
  return { low: at(tail), high: at(1 - tail) };
}

/** Means of `columns` over the same resampled rows, resample by resample. */
function resample(
  columns: readonly ArrayLike<number>[],
  { resamples = RESAMPLES, seed = 1 }: BootstrapOptions,
  use: (draw: number, means: readonly number[]) => void,
): void {
  const rows = columns[0]?.length ?? 0;
  const random = seeded(derivedSeed(seed, 'bootstrap'));
  const means = new Array<number>(columns.length);
  const chosen = new Int32Array(rows);
  for (let draw = 0; draw < resamples; draw++) {
    for (let i = 0; i < rows; i++) chosen[i] = Math.floor(random() * rows);
    columns.forEach((column, c) => {
      let sum = 0;
      for (let i = 0; i < rows; i++) sum += column[chosen[i] ?? 0] ?? 0;
      means[c] = sum / rows;
    });
    use(draw, means);
  }
}

/** Means of several measures of the same queries, each with its interval; NaN where none. */
export function estimates(
  columns: readonly ArrayLike<number>[],
  options: BootstrapOptions = {},
): Estimate[] {
  const { resamples = RESAMPLES, level = 0.95 } = options;
  if ((columns[0]?.length ?? 0) === 0) {
    return columns.map(() => ({ value: NaN, low: NaN, high: NaN }));
  }
  const draws = columns.map(() => new Float64Array(resamples));
  resample(columns, options, (draw, means) => {
    means.forEach((value, c) => {
      const own = draws[c];
      if (own) own[draw] = value;
    });
  });
  return columns.map((column, c) => ({
    value: mean(column),
    ...middle(draws[c] ?? new Float64Array(), level),
  }));
}

/** Mean with its interval. */
export function estimate(values: ArrayLike<number>, options: BootstrapOptions = {}): Estimate {
  return estimates([values], options)[0] ?? { value: NaN, low: NaN, high: NaN };
}

export type Paired = {
  queries: number;
  a: number;
  b: number;
  /** Mean of a − b. */
  difference: Estimate;
  /** Mean of a ÷ mean of b; Infinity or NaN where b's is 0. */
  ratio: Estimate;
};

/**
 * Two systems on the same queries: difference and ratio of their means, with intervals from
 * resampling queries (both systems' values of a query are drawn together).
 */
export function paired(
  a: ArrayLike<number>,
  b: ArrayLike<number>,
  options: BootstrapOptions = {},
): Paired {
  if (a.length !== b.length) throw new RangeError('Paired values must be of the same queries.');
  const { resamples = RESAMPLES, level = 0.95 } = options;
  const value = { difference: mean(a) - mean(b), ratio: mean(a) / mean(b) };
  const none = { low: NaN, high: NaN };
  if (a.length === 0) {
    return {
      queries: 0,
      a: NaN,
      b: NaN,
      difference: { value: NaN, ...none },
      ratio: { value: NaN, ...none },
    };
  }
  const differences = new Float64Array(resamples);
  const ratios = new Float64Array(resamples);
  resample([a, b], options, (draw, [meanA = NaN, meanB = NaN]) => {
    differences[draw] = meanA - meanB;
    // 0 ÷ 0 says nothing for either system: neither is better in such a resample.
    ratios[draw] = meanA === 0 && meanB === 0 ? 1 : meanA / meanB;
  });
  return {
    queries: a.length,
    a: mean(a),
    b: mean(b),
    difference: { value: value.difference, ...middle(differences, level) },
    ratio: { value: value.ratio, ...middle(ratios, level) },
  };
}
