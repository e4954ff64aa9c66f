/**
 * Pairs of a query and the sentence that makes a move from it, mined from abstracts by a few sure
 * markers. The marker is cut off, since it would give the move away.
 */
import type { Move } from '../../server/engine/engine';

/** Places of query and gold within one paper's sentences, and their texts without markers. */
export type Pair = { move: Move; query: number; gold: number; queryText: string; goldText: string };

/** What the sentence before states as a problem is answered. */
const ADDRESS = [
  /^To (?:address|tackle|overcome|mitigate|alleviate|resolve|solve|remedy|counter|circumvent|handle) (?:this|these|such|those|the (?:above|aforementioned))\b[^,;:]{0,60}, /,
  /^To (?:bridge|fill|close) (?:this|these|that|the)\b[^,;:]{0,40}, /,
  /^In response(?: to (?:this|these)[^,;:]{0,40})?, /,
  /^As a (?:remedy|solution)(?: to (?:this|these)[^,;:]{0,40})?, /,
];
/** What the sentence before states in general is made concrete; backwards, that is Broaden. */
const SPECIFY = [
  /^(?:More )?[Ss]pecifically, /,
  /^(?:More )?[Cc]oncretely, /,
  /^In particular, /,
  /^For example, /,
  /^For instance, /,
  /^Namely, /,
  /^As an? (?:example|illustration|instance), /,
];
const BROADEN = [
  /^More (?:broadly|generally), /,
  /^(?:Broadly|Generally)(?: speaking)?, /,
  /^In general, /,
  /^(?:In a broader sense|At a higher level), /,
];

/** The sentence without its marker, its first letter raised; null where none of them opens it. */
function unmarked(text: string, markers: readonly RegExp[]): string | null {
  for (const marker of markers) {
    const rest = text.replace(marker, '');
    if (rest !== text) return rest.charAt(0).toUpperCase() + rest.slice(1);
  }
  return null;
}

function withoutMarker(text: string): string {
  return unmarked(text, [...ADDRESS, ...SPECIFY, ...BROADEN]) ?? text;
}

/** Sentences with fewer words say too little to be a query or a gold. */
const LEAST_WORDS = 6;

/** Pairs of one abstract's consecutive sentences. */
export function pairsOf(sentences: readonly string[]): Pair[] {
  const pairs: Pair[] = [];
  sentences.forEach((text, at) => {
    const before = sentences[at - 1];
    if (before === undefined) return;
    const add = (move: Move, query: number, gold: number, from: string, to: string): void => {
      if ([from, to].some((one) => one.split(' ').length < LEAST_WORDS)) return;
      pairs.push({ move, query, gold, queryText: from, goldText: to });
    };
    const earlier = withoutMarker(before);
    const response = unmarked(text, ADDRESS);
    if (response !== null) add('address', at - 1, at, earlier, response);
    const concrete = unmarked(text, SPECIFY);
    if (concrete !== null) {
      add('specify', at - 1, at, earlier, concrete);
      add('broaden', at, at - 1, concrete, earlier);
    }
    const general = unmarked(text, BROADEN);
    if (general !== null) add('broaden', at - 1, at, earlier, general);
  });
  return pairs;
}
