/** What the reranker knows of every sentence that it reads for judged queries: an order is fitted on it. */
import { join } from 'node:path';
import type { Stage } from '../../engine/recall/stage';
import { loadReranker } from '../../engine/load-reranker';
import { RerankStage, type KnownCandidate } from '../../engine/rerank/stage';
import { LineFile } from '../../mining/lineFile';
import { packageRoot } from '../../paths';
import { documentId } from './pool';
import type { JudgedQuery } from './queries';

/** A sentence of a query's passages; `told` and `hidden` as of `Reranker.score`. */
export type KnownSentence = {
  /** The query's id in its file. */
  query: string;
  /** As runs name it. */
  sentence: string;
  told: number[];
  /** Little-endian 32-bit floats in base64. */
  hidden: string;
};

/**
 * Does `work` with a stage that writes to `path` what is known of the sentences of every query: the
 * queries have to be asked one after the other, in order. The file appears whole or not at all.
 */
export async function withKnown<T>(
  path: string,
  queries: readonly JudgedQuery[],
  work: (stages: Stage[]) => Promise<T>,
): Promise<T> {
  const reranker = await loadReranker(join(packageRoot(), 'models', 'reranker'));
  const out = new LineFile(path);
  let behind: Promise<void> | undefined;
  let seen: KnownCandidate[] = [];
  const { passages } = reranker.config;
  const inner = new RerankStage(
    reranker,
    { passages, took: () => undefined },
    (sentences) => (seen = sentences),
  );
  const stage: Stage = {
    name: inner.name,
    run: async (candidates, context) => {
      seen = [];
      const ranked = await inner.run(candidates, context);
      const query = queries.find(
        ({ move, text }) => move === context.move && text === context.text,
      );
      if (!query) throw new Error('a query was asked that is not in the file');
      for (const { candidate, known } of seen) {
        const { paper, sentence } = candidate;
        const { buffer, byteOffset, byteLength } = known.hidden;
        const row: KnownSentence = {
          query: query.id,
          sentence: documentId(paper.id, sentence.position),
          told: known.told,
          hidden: Buffer.from(buffer, byteOffset, byteLength).toString('base64'),
        };
        behind = out.add(row);
        if (behind) await behind;
      }
      return ranked;
    },
  };
  try {
    const made = await work([stage]);
    await out.finish();
    return made;
  } catch (error) {
    await out.discard();
    throw error;
  } finally {
    await reranker.close();
  }
}
