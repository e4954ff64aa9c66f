/** A query's own sentence, wherever it stands in its paper: finding it again is no answer. */
import { jaccard, normalise } from '../engine/recall/text';
import type { Pair, Sentence } from './split';

/** Above this share of common words two sentences of one paper are the same one, cleaned twice. */
const SAME = 0.8;
/** A sentence without its opening clause is still the same one if at least so many words are left. */
const TAIL_WORDS = 5;

/** A sentence prepared for {@link sameSentence}. */
export type Normalised = { text: string; words: ReadonlySet<string> };

/** Prepares a sentence; what the engine counts as the same text has the same words. */
export function normalised(text: string): Normalised {
  const plain = normalise(text);
  return { text: plain, words: new Set(plain.split(' ')) };
}

/** Whether two sentences of one paper are equal, nearly equal, or one the tail of the other. */
export function sameSentence(a: Normalised, b: Normalised): boolean {
  if (a.text === b.text) return true;
  if (a.text === '' || b.text === '') return false;
  const [long, short] = a.text.length > b.text.length ? [a, b] : [b, a];
  if (long.text.endsWith(` ${short.text}`) && short.text.split(' ').length >= TAIL_WORDS) {
    return true;
  }
  return jaccard(a.words, b.words) >= SAME;
}

/** Says whether a sentence of the pair's paper is its query. */
export function isOwn(
  pair: Pick<Pair, 'query' | 'queryId'>,
  query: Normalised,
  sentence: { id: string; text: string },
): boolean {
  return pair.queryId != null
    ? sentence.id === pair.queryId
    : sameSentence(query, normalised(sentence.text));
}

/**
 * Places in the pool of every pair's own sentence, in the order of the pairs; never its gold's. Where
 * two papers share a sentence the pool has it once, so a `queryId` may be of another paper.
 */
export function ownPlaces(pairs: readonly Pair[], pool: readonly Sentence[]): Set<number>[] {
  const papers = new Map<string, number[]>();
  const wanted = new Set(pairs.map((pair) => pair.paper));
  const asked = new Set(pairs.map(({ queryId }) => queryId));
  const named = new Map<string, number>();
  pool.forEach(({ id, paper }, place) => {
    if (asked.has(id)) named.set(id, place);
    if (!wanted.has(paper)) return;
    const places = papers.get(paper);
    if (places) places.push(place);
    else papers.set(paper, [place]);
  });
  return pairs.map((pair) => {
    const query = normalised(pair.query);
    const own = new Set<number>();
    for (const place of papers.get(pair.paper) ?? []) {
      const sentence = pool[place];
      if (!sentence || sentence.id === pair.goldId) continue;
      if (isOwn(pair, query, sentence)) own.add(place);
    }
    const place = named.get(pair.queryId ?? '');
    if (place !== undefined && pair.queryId !== pair.goldId) own.add(place);
    return own;
  });
}
