/** Comparing sentences: normalised form, token overlap. */

/** Words in lower case, letters and digits only, one space between: equal for the same sentence. */
export function normalise(text: string): string {
  return words(text).join(' ');
}

/** Letter and digit runs in lower case, accents kept together with their letters. */
export function words(text: string): string[] {
  return (
    text
      .normalize('NFKC')
      .toLowerCase()
      .match(/[\p{L}\p{M}\p{N}]+/gu) ?? []
  );
}

/** Jaccard similarity of two sets of words, 0…1. */
export function jaccard(a: ReadonlySet<string>, b: ReadonlySet<string>): number {
  if (a.size === 0 || b.size === 0) return 0;
  let shared = 0;
  for (const word of a) if (b.has(word)) shared++;
  return shared / (a.size + b.size - shared);
}
