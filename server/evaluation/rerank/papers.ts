/** Papers as a reranker may see them for a mined pair: nothing may tell where its query stood. */
import { embeddedText } from '../../engine/encoder/textForm';
import { isOwn, normalised, sameSentence } from '../own';
import { readPapers } from '../papers';
import { derivedSeed, seeded } from '../random';
import type { Pair } from '../split';

/** A sentence in its embedded form. */
export type ListedSentence = { id: string; text: string };
/** A paper's sentences in order, section by section. */
export type ListedPaper = { id: string; sections: ListedSentence[][] };

/** The papers that are wanted, from a `papers.jsonl`; those that it lacks are missing. */
export async function readListed(
  path: string,
  wanted: ReadonlySet<string>,
): Promise<Map<string, ListedPaper>> {
  const papers = new Map<string, ListedPaper>();
  for await (const { id, sentences } of readPapers(path)) {
    if (!wanted.has(id)) continue;
    const sections: ListedSentence[][] = [];
    let last: string | null | undefined;
    for (const sentence of sentences) {
      const section = sentence.section ?? null;
      if (section !== last) sections.push([]);
      last = section;
      sections.at(-1)?.push({ id: sentence.id, text: embeddedText(sentence.text) });
    }
    papers.set(id, { id, sections });
  }
  return papers;
}

/** Sentences on either side of a hit that may share a window with it. */
const REACH = 6;

/**
 * The sections of a paper as they are shown for a pair. From the pair's own paper its query and
 * near-copies of it are left out, never the gold. From any other paper, near-copies of the query that
 * were not recalled are; where there are none, one sentence near the hit, drawn by the ids of query
 * and paper, that was not recalled (or, where all were, another than the hit). So a gap tells nothing.
 *
 * @param hit id of the paper's best recalled sentence
 * @param recalled ids of all recalled sentences
 */
export function shownSections(
  paper: ListedPaper,
  pair: Pair,
  hit: string,
  recalled: ReadonlySet<string>,
): ListedSentence[][] {
  const query = normalised(pair.query);
  const own = paper.id === pair.paper;
  const keeps = (id: string): boolean => id === pair.goldId || id === hit;
  const out = new Set<string>();
  for (const sentence of paper.sections.flat()) {
    if (keeps(sentence.id) || (!own && recalled.has(sentence.id))) continue;
    // By text too where the id is known: a list may hold the query twice.
    const copy = sameSentence(query, normalised(sentence.text));
    if (copy || (own && isOwn(pair, query, sentence))) out.add(sentence.id);
  }
  if (out.size === 0) {
    const section = paper.sections.find((each) => each.some(({ id }) => id === hit)) ?? [];
    const at = section.findIndex(({ id }) => id === hit);
    const near = section
      .slice(Math.max(0, at - REACH), at + REACH + 1)
      .filter(({ id }) => !keeps(id));
    const unseen = near.filter(({ id }) => !recalled.has(id));
    const from = unseen.length > 0 ? unseen : near;
    const draw = seeded(derivedSeed(0, `${pair.id} ${paper.id}`))();
    const drawn = from[Math.floor(draw * from.length)];
    if (drawn) out.add(drawn.id);
  }
  return paper.sections.map((section) => section.filter(({ id }) => !out.has(id)));
}
