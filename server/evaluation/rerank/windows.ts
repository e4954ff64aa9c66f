/** Passages around recalled sentences, as the product makes them. */
import { growWindow, type Window, type WindowLimits } from '../../engine/rerank/passages';
import type { ListedSentence } from './papers';

/** A recalled sentence in the section of its paper as it is shown. */
export type PlacedHit = { section: readonly ListedSentence[]; at: number };

/**
 * Windows around the hits, best hit first, until there are enough. A hit inside an earlier window
 * makes none; else its window takes what no earlier one has, so that no sentence is shown twice.
 */
export function passagesAround(
  hits: Iterable<PlacedHit>,
  tokens: (text: string) => number,
  queryTokens: number,
  limits: WindowLimits,
  most: number,
): ListedSentence[][] {
  const taken = new Map<readonly ListedSentence[], Window[]>();
  const passages: ListedSentence[][] = [];
  for (const { section, at } of hits) {
    if (passages.length >= most) break;
    const windows = taken.get(section) ?? [];
    taken.set(section, windows);
    const within = (place: number): boolean =>
      windows.some(({ from, to }) => place >= from && place <= to);
    if (within(at)) continue;
    const tokensAt = (place: number): number | null => {
      const sentence = section[place];
      return sentence && !within(place) ? tokens(sentence.text) : null;
    };
    const window = growWindow(tokensAt, at, queryTokens, limits);
    windows.push(window);
    passages.push(section.slice(window.from, window.to + 1));
  }
  return passages;
}
