/** Words of the lexicon: what a marker is, where it came from and what it asks for. */
import type { Move } from '../../engine/engine';

/** Why a marker that makes no move is known all the same. */
export const DISTRACTORS = [
  'explicit-contrast',
  'implicit-similarity',
  'explicit-similarity',
  'common-irrelevant',
] as const;
export type Distractor = (typeof DISTRACTORS)[number];

/** What a marker signals: a move, or one of the relations that are none. */
export type Signal = Move | Distractor;

/** How a marker was found: by hand, from a connective, from a pattern, or from language knowledge. */
export type Provenance = 'manual' | 'connective' | 'pattern' | 'model';

/**
 * What the sentence before must look like for the marker to make its move:
 * `problem`: it states a problem, need or gap;
 * `response`: it clearly states a problem, and the sentence itself says what the authors do;
 * `no-problem`: it does not (it states a plan or a proposal, of which the mechanism follows);
 * `enumeration`: it announces parts that follow ("in two stages", "three challenges").
 */
export type Condition = 'problem' | 'response' | 'no-problem' | 'enumeration';

/**
 * How a marker ends: `comma`: with a comma; `loose`: with a comma, or none before a subject such as
 * "we" or "this paper"; `open`: with no comma, the sentence goes on at once.
 */
export type Ending = 'comma' | 'loose' | 'open';

export interface Marker {
  /** Lower case, one space between words, no final comma. */
  text: string;
  signal: Signal;
  provenance: Provenance;
  ending: Ending;
  when: Condition | null;
  /** Whether pairs of a Specify marker, turned around, are Broaden pairs. */
  reversible: boolean;
}

/** Phrases in the notation of `notation.ts`, with what they share. */
export interface Phrases {
  signal: Signal;
  provenance: Provenance;
  ending: Ending;
  when?: Condition;
  reversible?: boolean;
  phrases: readonly string[];
}
