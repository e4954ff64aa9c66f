/** Structured context (LoG-Reranker, equations 17 and 18) of an answer, for a writing assistant. */
import * as z from 'zod';
import { BibIndex } from '../cite';
import { arxivIdOf } from '../cite/identity';
import { keyParts, makeKey } from '../cite/keys';
import { parseNames, plainName } from '../cite/names';
import { moveSchema, roleSchema, type Move, type Paper, type Snapshot } from '../engine/engine';
import { paperKey } from '../engine/recall/recall';
import { yearOf } from '../language/citation';
import { safeLink } from '../language/markdown';

export const citationSchema = z.object({
  /** The draft's own key where its .bib has the paper, else the key that `ratio cite` would give. */
  key: z.string(),
  /** Id of the paper, which `ratio cite` takes. */
  id: z.string(),
  authors: z.array(z.string()),
  year: z.number().int().nullable(),
  title: z.string(),
  venue: z.string().nullable(),
  doi: z.string().nullable(),
  /** http or https, else null. */
  url: z.string().nullable(),
});
export type ContextCitation = z.infer<typeof citationSchema>;

/** What `ratio context --format json` prints. Texts are papers' own: quoted, not instructions. */
export const contextSchema = z.object({
  move: moveSchema,
  query: z.string(),
  pools: z.array(z.string()),
  /** Whether the reranker set the order; without it there are no relatives. */
  reranked: z.boolean(),
  units: z.array(
    z.object({
      rank: z.number().int().positive(),
      score: z.number(),
      /** `<pool>/<paper id>#<sentence index>` */
      id: z.string(),
      role: roleSchema.nullable(),
      text: z.string(),
      /** Its two neighbours in the paper. */
      before: z.string().nullable(),
      after: z.string().nullable(),
      citation: citationSchema,
      /** Up to two sentences of other passages that say much the same, nearest first. */
      relatives: z.array(
        z.object({
          id: z.string(),
          text: z.string(),
          cosine: z.number(),
          citation: citationSchema,
        }),
      ),
    }),
  ),
});
export type StructuredContext = z.infer<typeof contextSchema>;

/** Relatives of a unit. */
const RELATIVES = 2;

/** One for a paper, whatever its pools name it; an id that is only counted, with the title, names one paper. */
function identity(paper: Paper): string {
  const key = paperKey(paper);
  return key.startsWith('id:') ? `${key}\n${paper.title.toLowerCase()}` : key;
}

/** Keys of papers: those of bibliographies that have them, else new ones, each paper one. */
function citations(bibliographies: readonly string[]): (paper: Paper) => ContextCitation {
  const indexes = bibliographies.map((text) => BibIndex.of(text));
  const known = new Map<string, string>();
  const taken = new Set<string>();
  const keyOf = (paper: Paper): string => {
    for (const index of indexes) {
      const key = index.find(paper);
      if (key !== null) return key;
    }
    return makeKey({
      parts: keyParts(
        parseNames(paper.authors),
        /^\d{4}/.exec(paper.date ?? '')?.[0] ?? '',
        paper.title,
      ),
      arxivId: arxivIdOf(paper),
      venue: paper.venue,
      entries: indexes[0]?.scan.entries ?? [],
      taken: (key) => taken.has(key.toLowerCase()) || indexes.some((index) => index.has(key)),
    });
  };
  return (paper) => {
    const same = identity(paper);
    let key = known.get(same);
    if (key === undefined) known.set(same, (key = keyOf(paper)));
    taken.add(key.toLowerCase());
    const { id, title, venue, doi, url } = paper;
    const authors = paper.authors.map(plainName);
    return { key, id, authors, year: yearOf(paper), title, venue, doi, url: safeLink(url) };
  };
}

/** The units of an answer, in its order; `bibliographies` are texts of the draft's .bib files. */
export function structuredContext(
  move: Move,
  query: string,
  snapshot: Snapshot,
  bibliographies: readonly string[] = [],
): StructuredContext {
  const cite = citations(bibliographies);
  return {
    move,
    query,
    pools: snapshot.pools,
    reranked: snapshot.reranked ?? false,
    units: snapshot.inspirations.map(
      ({ rank, score, id, role, text, before, after, paper, relatives }) => ({
        rank,
        score,
        id,
        role,
        text,
        before,
        after,
        citation: cite(paper),
        relatives: (relatives ?? []).slice(0, RELATIVES).map((relative) => ({
          id: relative.id,
          text: relative.text,
          cosine: relative.cosine,
          citation: cite(relative.paper),
        })),
      }),
    ),
  };
}
