/** The stated queries: sentences of the drafts, drawn with a fixed seed. */
import { MOVES, type Move } from '../../server/engine/engine';
import { seeded, shuffled } from '../../server/evaluation/random';
import { formatOf, parseProse } from '../../server/prose';
import type { WireRange } from '../../server/protocol';
import { drafts, type Draft } from '../unit/prose/drafts';
import { dataFolder } from './corpus';

export type DraftQuery = {
  move: Move;
  draft: Draft;
  text: string;
  /** Where the cursor stands: in the middle of the sentence. */
  cursor: number;
  /** A space within the sentence, where another one changes nothing that is read. */
  space: number;
  /** Whether a keystroke comes 50 ms before the request. */
  typed: boolean;
};

const SEED = 20250930;
/** Every so manieth query is asked in the largest draft, right after a keystroke. */
const TYPED_EVERY = 4;
const WORDS = { least: 6, most: 60 };

/** Draws `count` queries; the same ones whenever drafts, seed and parser are the same. */
export function draftQueries(count: number): { queries: DraftQuery[]; drafts: Draft[] } {
  const all = drafts();
  if (!all || all.length === 0) throw new Error(`There are no drafts in ${dataFolder()}/drafts.`);
  const largest = all.reduce((a, b) => (b.source.length > a.source.length ? b : a));
  const places = all.flatMap((draft) => {
    const { sentences } = parseProse(draft.source, formatOf(draft.path) ?? 'latex');
    return sentences.flatMap(({ text, start, end, offsets }) => {
      const count = text.split(' ').length;
      const at = text.indexOf(' ', Math.floor(text.length / 2));
      const space = at < 0 ? -1 : (offsets[at] ?? -1);
      const plain = draft.source[space] === ' ' && draft.source[space + 1] !== ' ';
      if (count < WORDS.least || count > WORDS.most || !plain) return [];
      const cursor = Math.max(start, Math.min(end, space));
      return [{ draft, text, cursor, space }];
    });
  });
  const random = seeded(SEED);
  const typed = shuffled(
    places.filter(({ draft }) => draft === largest),
    random,
  );
  const others = shuffled(places, random);
  const queries: DraftQuery[] = [];
  for (let i = 0; queries.length < count; i++) {
    const types = i % TYPED_EVERY === TYPED_EVERY - 1;
    const from = types ? typed : others;
    const place = from[Math.floor(types ? i / TYPED_EVERY : i) % from.length];
    const move = MOVES[i % MOVES.length];
    if (!place || !move) throw new Error('The drafts hold too few sentences.');
    queries.push({ ...place, move, typed: types });
  }
  return { queries, drafts: all };
}

/** LSP range of `length` characters of one line at an offset. */
export function rangeAt(source: string, offset: number, length = 0): WireRange {
  const before = source.slice(0, offset);
  const line = before.split('\n').length - 1;
  const character = offset - (before.lastIndexOf('\n') + 1);
  return { start: { line, character }, end: { line, character: character + length } };
}
