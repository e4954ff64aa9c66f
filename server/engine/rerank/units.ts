/**
 * Structured context units (LoG-Reranker, equations 17 and 18): a sentence with its role, its
 * neighbours in its paper, and its relatives. An inspiration is such a unit; its neighbours are read
 * when it is sent, role and relatives are told here.
 */
import { roleSchema, type Role } from '../engine';
import type { RelatedSentence } from '../recall/fuse';
import { nearCopies } from '../recall/copies';
import { paperKey } from '../recall/recall';
import { normalise } from '../recall/text';

/** Relatives of a unit at most. */
const RELATIVES = 2;

/** The most probable role. `roles` are the probabilities of background, method and result. */
export function roleOf(roles: readonly number[]): Role | null {
  const best = roles.indexOf(Math.max(...roles));
  return roleSchema.options[best] ?? null;
}

/**
 * Of what the graph links a sentence with (most similar first) the relatives to show: those of other
 * papers, one of each, that say it in other words, each in words of its own.
 */
export function relativesOf(
  own: Pick<RelatedSentence, 'sentence' | 'paper'>,
  linked: readonly RelatedSentence[],
): RelatedSentence[] {
  const papers = new Set([paperKey(own.paper)]);
  const said = [normalise(own.sentence.text)];
  const shown: RelatedSentence[] = [];
  for (const related of linked) {
    if (shown.length === RELATIVES) break;
    const paper = paperKey(related.paper);
    if (papers.has(paper)) continue;
    const text = normalise(related.sentence.text);
    if (said.some((other) => nearCopies(other, text))) continue;
    said.push(text);
    papers.add(paper);
    shown.push(related);
  }
  return shown;
}
