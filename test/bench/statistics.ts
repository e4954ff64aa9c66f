/** The value below which the share `q` of the values lies (nearest rank), in any order; NaN for none. */
export function quantile(values: readonly number[], q: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  const at = Math.max(0, Math.ceil(q * sorted.length) - 1);
  return sorted[Math.min(at, sorted.length - 1)] ?? NaN;
}
