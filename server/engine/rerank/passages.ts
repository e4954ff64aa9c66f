/**
 * Passages: windows of one paper's consecutive sentences of one section round a hit. A response
 * follows its problem, so a window takes in two sentences after the hit for every one before it.
 */

/** What a window is bounded by. `maxTokens` is of the whole joint input, query and marks included. */
export type WindowLimits = { maxTokens: number; maxSentences: number };

/** Places of a window's first and last sentence, both included. */
export type Window = { from: number; to: number };

/** A window's sentences; `hit` is the place of the hit among them. */
export type Passage<T> = { hit: number; sentences: T[] };

/** Marks of a joint input besides those that close sentences: one at the start, one after the query. */
const MARKS = 2;

/** One round of growth: after, after, before. */
const ROUND = [1, 1, -1] as const;

/**
 * The window round a hit, as it grows greedily while the joint input
 * `[CLS] query [SEP] s1 [SEP] … sm [SEP]` fits. A side that is exhausted, or whose next sentence
 * does not fit, is closed. The hit is in it even where it is too long by itself.
 *
 * @param tokensAt tokens of the sentence at a place, special ones not counted; null where there is
 *   none. Asked only for what may be taken in, so that a long paper is not tokenised as a whole.
 */
export function growWindow(
  tokensAt: (place: number) => number | null,
  hit: number,
  queryTokens: number,
  { maxTokens, maxSentences }: WindowLimits,
): Window {
  const window = { from: hit, to: hit };
  let room = maxTokens - MARKS - queryTokens - ((tokensAt(hit) ?? 0) + 1);
  const open = { after: true, before: true };
  while (open.after || open.before) {
    for (const step of ROUND) {
      if (window.to - window.from + 1 >= maxSentences) return window;
      const side = step === 1 ? 'after' : 'before';
      if (!open[side]) continue;
      const place = step === 1 ? window.to + 1 : window.from - 1;
      const tokens = tokensAt(place);
      if (tokens === null || tokens + 1 > room) {
        open[side] = false;
        continue;
      }
      room -= tokens + 1;
      if (step === 1) window.to = place;
      else window.from = place;
    }
  }
  return window;
}

/** {@link growWindow} over the token counts of a section's sentences. */
export function windowAround(
  sentences: readonly number[],
  hit: number,
  queryTokens: number,
  limits: WindowLimits,
): Window {
  return growWindow((place) => sentences[place] ?? null, hit, queryTokens, limits);
}
