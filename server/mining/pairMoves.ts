/** The sets of pairs, which mining writes and evaluation reports apart. */
import { MOVES, type Move } from '../engine/engine';

/** Moves of pairs: those of the product, and Specify pairs turned around. */
export const PAIR_MOVES = [...MOVES, 'broaden-reversed'] as const;
export type PairMove = (typeof PAIR_MOVES)[number];

/** Whether a word names a set of pairs. */
export function isPairMove(value: string): value is PairMove {
  return (PAIR_MOVES as readonly string[]).includes(value);
}

/** The move that a set's queries ask for: reversed Specify pairs are asked with Broaden. */
export function askedMove(set: PairMove): Move {
  return set === 'broaden-reversed' ? 'broaden' : set;
}
