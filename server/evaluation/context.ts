/**
 * What a sentence is scored with: by itself, or with its surroundings (its paper's title and the
 * sentences before it in its section). A query's own sentence is never part of a context that the
 * query is scored against.
 *
 * - `bare`: the sentence alone.
 * - `concat`: one text for every system alike: title, the sentences before, the sentence, in this
 *   order, or the encoder's own template for documents with context where it has one.
 * - `combine`: score(q, sentence) + weight · the best score(q, c) of the context's sentences and
 *   title, at least 0.
 */
import { isOwn, normalised } from './own';
import type { Pair, Sentence } from './split';

export const CONTEXT_MODES = ['concat', 'combine'] as const;
export type ContextMode = (typeof CONTEXT_MODES)[number];

/** Sentences before a document that belong to its context, and the weight of `combine`. */
export const CONTEXT = { before: 4, weight: 0.7 };

/** A sentence as its paper's list has it. */
export type Neighbour = { id: string; text: string };
export type Context = { title: string; before: readonly Neighbour[] };
export type Template = (parts: { title: string; before: string; text: string }) => string;

/** Title, sentences before and sentence as one text. */
export const concatenated: Template = ({ title, before, text }) => {
  const stop = /[.!?:]$/.test(title) || title === '' ? '' : '.';
  return [title + stop, before, text].filter((part) => part !== '').join(' ');
};

/**
 * The texts to score and how a document's score is made of theirs. The first texts are the
 * documents, which are also the collection that BM25's statistics are of.
 */
export type Units = {
  documents: number;
  texts: string[];
  /** The same texts as an encoder with a template of its own wants them; else null. */
  templated: string[] | null;
  /** Documents that `compose` scores by another text for this pair, since theirs holds its query. */
  replaced(pair: number): readonly number[];
  /** Scores of the documents for the pair at this place, from the row of all texts' scores. */
  compose(pair: number, row: Float32Array, into: Float32Array): Float32Array;
};

/** The documents alone. */
export function bareUnits(texts: string[]): Units {
  return {
    documents: texts.length,
    texts,
    templated: null,
    replaced: () => [],
    compose: (_pair, row) => (row.length === texts.length ? row : row.subarray(0, texts.length)),
  };
}

type Source = {
  pairs: readonly Pair[];
  pool: readonly Sentence[];
  /** Context of the sentence at this place of the pool. */
  contexts: readonly Context[];
};

/** Per pair the documents whose context holds its query, with the ids to leave out. */
function affected({ pairs, pool, contexts }: Source): Map<number, Set<string>>[] {
  const papers = new Map<string, number[]>();
  pool.forEach(({ paper }, place) => {
    const places = papers.get(paper);
    if (places) places.push(place);
    else papers.set(paper, [place]);
  });
  return pairs.map((pair) => {
    const query = normalised(pair.query);
    const held = new Map<number, Set<string>>();
    for (const place of papers.get(pair.paper) ?? []) {
      // Texts are looked at even where the query's id is known: a list may hold it twice.
      const own = (contexts[place]?.before ?? []).filter(
        (neighbour) =>
          isOwn(pair, query, neighbour) || isOwn({ query: pair.query }, query, neighbour),
      );
      if (own.length > 0) held.set(place, new Set(own.map((neighbour) => neighbour.id)));
    }
    return held;
  });
}

/** Every document as one text with its context; a pair's own query cut out where it stood. */
export function concatUnits(source: Source, template: Template | null = null): Units {
  const { pool, contexts } = source;
  const texts: string[] = [];
  const templated: string[] | null = template ? [] : null;
  const add = (place: number, without?: ReadonlySet<string>): number => {
    const { title = '', before = [] } = contexts[place] ?? {};
    const kept = before.filter((neighbour) => !without?.has(neighbour.id));
    const parts = {
      title,
      before: kept.map((neighbour) => neighbour.text).join(' '),
      text: pool[place]?.text ?? '',
    };
    if (template) templated?.push(template(parts));
    return texts.push(concatenated(parts)) - 1;
  };
  pool.forEach((_, place) => add(place));
  const variants = affected(source).map((held) =>
    [...held].map(([place, without]) => ({ place, unit: add(place, without) })),
  );
  return {
    documents: pool.length,
    texts,
    templated,
    replaced: (pair) => (variants[pair] ?? []).map(({ place }) => place),
    compose(pair, row, into) {
      into.set(row.subarray(0, pool.length));
      for (const { place, unit } of variants[pair] ?? []) into[place] = row[unit] ?? 0;
      return into;
    },
  };
}

/** Documents and the sentences of their contexts as texts of their own, scores combined. */
export function combineUnits(source: Source, weight = CONTEXT.weight): Units {
  const { pool, contexts } = source;
  const texts = pool.map((sentence) => sentence.text);
  const places = new Map(pool.map((sentence, place) => [sentence.id, place]));
  const titles = new Map<string, number>();
  // Titles are told from ids by the space, which no id has.
  const unitOf = (key: string, text: string, known: Map<string, number>): number => {
    const unit = known.get(key);
    if (unit !== undefined) return unit;
    known.set(key, texts.length);
    texts.push(text);
    return texts.length - 1;
  };
  const starts = new Int32Array(pool.length + 1);
  const members: number[] = [];
  contexts.forEach(({ title, before }, place) => {
    if (title !== '') members.push(unitOf(` ${title}`, title, titles));
    for (const { id, text } of before) members.push(unitOf(id, text, places));
    starts[place + 1] = members.length;
  });
  const units = Int32Array.from(members);
  const held = affected(source).map((documents) => {
    const byPlace = new Map<number, Set<number>>();
    for (const [place, ids] of documents) {
      byPlace.set(place, new Set([...ids].map((id) => places.get(id) ?? -1)));
    }
    return byPlace;
  });
  return {
    documents: pool.length,
    texts,
    templated: null,
    replaced: () => [],
    compose(pair, row, into) {
      const without = held[pair];
      for (let place = 0; place < pool.length; place++) {
        const skip = without?.get(place);
        let best = 0;
        for (let at = starts[place] ?? 0; at < (starts[place + 1] ?? 0); at++) {
          const unit = units[at] ?? 0;
          const score = row[unit] ?? 0;
          if (score > best && !skip?.has(unit)) best = score;
        }
        into[place] = (row[place] ?? 0) + weight * best;
      }
      return into;
    },
  };
}
