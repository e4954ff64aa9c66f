/** Pairs of one paper: which sentence responds to, widens or narrows the one before it. */
import { MOVES, type Move } from '../engine/engine';
import type { SourcePaper } from '../engine/import/source';
import { meets } from './antecedent';
import { cleanSentence } from './clean';
import type { PairMove } from './pairMoves';
import { faultOf, type Fault } from './quality';
import { readOpening, type Found, type Refused } from './strip';

/** What a sentence is in the pool. */
export type Kind = 'gold' | 'distractor' | 'other';

/** A sentence as it is embedded. */
export interface PoolSentence {
  id: string;
  text: string;
  index: number;
  section: string | null;
  kind: Kind;
}

export interface Pair {
  id: string;
  move: PairMove;
  /** Marker in lower case; that of the Specify pair where a pair is reversed. */
  marker: string;
  /** What the marker's verdict is filed under. */
  family: string;
  query: string;
  /** Pool id of the sentence that the query is: never to be counted as an answer. */
  queryId: string;
  gold: string;
  goldId: string;
}

/** Why a marker that fired made no pair. */
export type Drop =
  | 'no-antecedent'
  | 'after-other-marker'
  | 'condition'
  | Refused['reason']
  | 'same-text'
  | `query-${Fault}`
  | `gold-${Fault}`;

export interface PaperPairs {
  sentences: PoolSentence[];
  pairs: Pair[];
  /** Every move marker that fired and made no pair, with the reason. */
  dropped: { move: Move; family: string; reason: Drop }[];
}

/** Openings that may stand before a move's marker and leave it its meaning. */
const LEAD_IN =
  /^(?:therefore|thus|hence|consequently|accordingly|so|as such|as a result|here|herein|and then|in (?:this|our|the present) (?:paper|work|study|article|report|research|thesis)|in response|to this end)$/;

const isMove = (signal: string): signal is Move => (MOVES as readonly string[]).includes(signal);

/**
 * The move's marker among the openings of a sentence, or null. "Therefore, to close this gap, …"
 * is read by its second marker, since the first may stand before any move.
 */
function moveOf(found: readonly Found[]): { found: Found; move: Move; clear: boolean } | null {
  let clear = true;
  for (const [at, opening] of found.entries()) {
    const { signal } = opening.marker;
    const leads = LEAD_IN.test(opening.text);
    const next = found[at + 1];
    if (isMove(signal) && !(leads && next && isMove(next.marker.signal))) {
      return { found: opening, move: signal, clear };
    }
    clear &&= leads;
  }
  return null;
}

/**
 * All sentences of a paper as the pool has them, and the pairs among neighbours of one section.
 * A sentence's id is the paper's, "#" and its index.
 */
export function pairsOf({ paper, sentences: raw }: SourcePaper): PaperPairs {
  const openings = raw.map(({ text }) => readOpening(text));
  const sentences = openings.map(({ text, found }, index): PoolSentence => ({
    id: `${paper.id}#${index}`,
    text,
    index,
    section: raw[index]?.section ?? null,
    kind: found.some(({ marker }) => !isMove(marker.signal)) ? 'distractor' : 'other',
  }));
  const result: PaperPairs = { sentences, pairs: [], dropped: [] };
  openings.forEach((opening, index) => {
    const { refused } = opening;
    // A marker that stays in its sentence makes no pair, but it fired: it is counted too.
    const hit = moveOf(opening.found) ?? (refused && moveOf([...opening.found, refused.found]));
    const gold = sentences[index];
    if (!hit || !gold) return;
    const { found, move } = hit;
    const drop = (reason: Drop): void => {
      result.dropped.push({ move, family: found.family, reason });
    };
    const query = sentences[index - 1];
    if (!query || query.section !== gold.section) return drop('no-antecedent');
    if (!hit.clear) return drop('after-other-marker');
    // What is too short after a further marker may stand behind the one that makes the pair.
    if (refused && (refused.reason === 'no-sentence' || refused.found === found)) {
      return drop(refused.reason);
    }
    const before = raw[index - 1]?.text ?? '';
    if (!meets(found.marker.when, cleanSentence(before), gold.text)) {
      gold.kind = 'distractor';
      return drop('condition');
    }
    if (query.text === gold.text) return drop('same-text');
    const bad = faultOf(query.text);
    if (bad) return drop(`query-${bad}`);
    const fault = faultOf(gold.text);
    if (fault) return drop(`gold-${fault}`);
    const marker = opening.marker ?? found.text;
    const pair = (as: PairMove, from: PoolSentence, to: PoolSentence): void => {
      result.pairs.push({
        id: `${as}:${to.id}`,
        move: as,
        marker,
        family: found.family,
        query: from.text,
        queryId: from.id,
        gold: to.text,
        goldId: to.id,
      });
    };
    pair(move, query, gold);
    if (move === 'specify' && found.marker.reversible) pair('broaden-reversed', gold, query);
  });
  return result;
}
