/** Agreement of two judges. */

export type Agreement = {
  items: number;
  /** Share of the items on which they agree. */
  observed: number;
  /** Cohen's kappa (1960); null where it is undefined: both gave one and the same answer throughout. */
  kappa: number | null;
};

/** Agreement over the items that both answered, in the same order. */
export function agreement<T>(a: readonly T[], b: readonly T[]): Agreement {
  if (a.length !== b.length) throw new RangeError('Two judges answer the same items.');
  const items = a.length;
  if (items === 0) return { items, observed: NaN, kappa: null };
  const count = (answers: readonly T[], answer: T): number =>
    answers.filter((other) => other === answer).length / items;
  const observed = a.filter((answer, i) => answer === b[i]).length / items;
  let expected = 0;
  for (const answer of new Set([...a, ...b])) expected += count(a, answer) * count(b, answer);
  return { items, observed, kappa: expected === 1 ? null : (observed - expected) / (1 - expected) };
}
