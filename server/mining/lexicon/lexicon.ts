/** The lexicon: every marker once, with the verdicts of those who read its pairs. */
import { MOVES, type Move } from '../../engine/engine';
import { isAnaphoric } from './anaphora';
import { DISTRACTOR_PHRASES } from './distractors';
import { MANUAL } from './manual';
import { PROPOSED } from './model';
import { expand } from './notation';
import { expandedPatterns } from './patterns';
import type { Marker, Phrases } from './types';
import verdicts from './verdicts.json';

/** What a reading of a marker's pairs found. Rare markers of one form are read and judged together. */
export interface Verdict {
  /** A marker, a family of connectives ("to tackle …"), or the name of a group. */
  marker: string;
  move: Move;
  /** Markers and families that the verdict is on, where it is on a group. */
  members?: string[];
  /** Pairs it yields in the training papers, before deduplication. */
  fired: number;
  /** Pairs read, and how many of them make the move. */
  inspected: number;
  good: number;
  verdict: 'accept' | 'reject';
  reason: string;
}

export const VERDICTS = verdicts as readonly Verdict[];

/** "a alternative", "an possible": what choices combine, but no one writes. */
const WRONG_ARTICLE = /\ban [^aeiouh]|\ba [aeio]/;

/** All candidates of the three moves and the distractors, each text once; earlier lists win. */
export function candidates(): Marker[] {
  const known = new Map<string, Marker>();
  const lists: readonly Phrases[] = [
    ...MANUAL,
    ...expandedPatterns(),
    ...PROPOSED,
    ...DISTRACTOR_PHRASES,
  ];
  for (const { signal, provenance, ending, when, reversible, phrases } of lists) {
    for (const text of phrases.flatMap(expand)) {
      if (WRONG_ARTICLE.test(text)) continue;
      const earlier = known.get(text);
      if (earlier) {
        if (earlier.signal === signal && earlier.ending === 'comma' && ending === 'loose') {
          earlier.ending = 'loose';
        }
        continue;
      }
      known.set(text, {
        text,
        signal,
        provenance,
        ending,
        when: when ?? null,
        reversible: reversible ?? false,
      });
    }
  }
  return [...known.values()];
}

const isMove = (signal: Marker['signal']): boolean => (MOVES as readonly string[]).includes(signal);

let rejected: ReadonlySet<string> | undefined;

/** Whether the verdict on a marker or a family is against it. */
export function isRejected(marker: string): boolean {
  rejected ??= new Set(
    VERDICTS.filter(({ verdict }) => verdict === 'reject').flatMap(
      ({ marker: text, members }) => members ?? [text],
    ),
  );
  return rejected.has(marker);
}

/** Whether a candidate may make its move: its verdict is for it, and it refers to the sentence before. */
function holds({ text, when }: Marker): boolean {
  return !isRejected(text) && (when !== null || isAnaphoric(text));
}

/**
 * The lexicon that mining uses: candidates that were turned down, or are not anaphoric, stay as
 * distractors, so that their sentences are stripped alike and lie in the pool.
 */
export function lexicon(): Marker[] {
  return candidates().map((marker) =>
    isMove(marker.signal) && !holds(marker)
      ? { ...marker, signal: 'common-irrelevant', when: null, reversible: false }
      : marker,
  );
}
