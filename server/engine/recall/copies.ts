/** What tells the user nothing: the query again, sentences of the draft, the same sentence twice. */
import { jaccard, normalise, words } from './text';

/** Above one of these a sentence is a near-copy of another. */
export const NEAR_COPY = { cosine: 0.95, jaccard: 0.8 };

/** Words of a text that {@link normalise} has put into its normal form. */
function wordSet(normalised: string): Set<string> {
  return new Set(normalised === '' ? [] : normalised.split(' '));
}

/** Whether two sentences, normalised, say the same in nearly the same words. */
export function nearCopies(a: string, b: string): boolean {
  return a === b || jaccard(wordSet(a), wordSet(b)) > NEAR_COPY.jaccard;
}

/** The query and the draft's sentences, which are never shown again. */
export class Copies {
  private readonly hidden: ReadonlySet<string>;
  private readonly query: ReadonlySet<string>;

  constructor({ text, exclude }: { text: string; exclude: readonly string[] }) {
    this.hidden = new Set([...exclude, text].map(normalise));
    this.query = new Set(words(text));
  }

  /**
   * Whether a sentence, normalised, is one of them or a near-copy of the query. `likeness`: its
   * cosine with the query as a plain sentence; null where there is none.
   */
  has(normalised: string, likeness: number | null): boolean {
    return (
      (likeness ?? 0) > NEAR_COPY.cosine ||
      this.hidden.has(normalised) ||
      jaccard(this.query, wordSet(normalised)) > NEAR_COPY.jaccard
    );
  }
}

/** The first of those that are the same sentence: in two papers or pools it is one. */
export function onceEach<T extends { text: string }>(best: readonly T[]): T[] {
  const seen = new Set<string>();
  return best.filter(({ text }) => {
    if (seen.has(text)) return false;
    seen.add(text);
    return true;
  });
}
