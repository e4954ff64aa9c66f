/** Candidates as a front end gets them. */
import type { Inspiration } from '../engine';
import type { PoolReader } from '../store/reader';
import type { Candidate } from './fuse';
import type { MovePools } from './movePools';

/** What is read of a candidate's pool to show it. */
type Around = { before: string | null; after: string | null; stated: string | null };

function inspirationId({
  pool,
  paper,
  sentence,
}: Pick<Candidate, 'pool' | 'paper' | 'sentence'>): string {
  return `${pool}/${paper.id}#${sentence.position}`;
}

/** Neighbours and explaining sentences of candidates of one pool. */
function readAround(reader: PoolReader, candidates: readonly Candidate[]): Map<Candidate, Around> {
  const stated = reader.sentences(candidates.flatMap(({ context }) => context?.id ?? []));
  return new Map(
    candidates.map((candidate) => {
      const { sentence, context } = candidate;
      const { paper, position } = sentence;
      const passage = reader.passage(paper, position - 1, position + 1);
      const at = (place: number): string | null =>
        passage.find((neighbour) => neighbour.position === place)?.text ?? null;
      const around: Around = {
        before: at(position - 1),
        after: at(position + 1),
        stated: (context && stated.get(context.id)?.text) ?? null,
      };
      return [candidate, around];
    }),
  );
}

/**
 * Candidates as inspirations, with their neighbours. Null where a pool of theirs turned out to be broken and was
 * left out: its candidates may not be shown then.
 */
export function inspirations(
  candidates: readonly Candidate[],
  pools: MovePools,
): Inspiration[] | null {
  const around = new Map<Candidate, Around>();
  // Other pools are not read: they may be gone by now.
  for (const name of new Set(candidates.map(({ pool }) => pool))) {
    const own = candidates.filter(({ pool }) => pool === name);
    const pool = pools.find(name);
    const read = pools.read(pool, () => readAround(pool.reader, own));
    if (!read) return null;
    for (const [candidate, texts] of read) around.set(candidate, texts);
  }
  return candidates.map((candidate, i) => {
    const { sentence, paper, pool, score, why, context, relatives } = candidate;
    const { before = null, after = null, stated = null } = around.get(candidate) ?? {};
    return {
      rank: i + 1,
      score,
      id: inspirationId(candidate),
      text: sentence.text,
      role: sentence.role,
      before,
      after,
      paper,
      pool,
      why: {
        ...why,
        context: context && stated !== null ? { cosine: context.cosine, text: stated } : null,
      },
      ...(relatives && {
        relatives: relatives.map((relative) => ({
          id: inspirationId(relative),
          text: relative.sentence.text,
          paper: relative.paper,
          pool: relative.pool,
          cosine: relative.cosine,
        })),
      }),
    };
  });
}
