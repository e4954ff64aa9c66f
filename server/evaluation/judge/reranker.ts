/**
 * The reranker of measured runs: as in the product, but with as many passages on any machine; and what it
 * knows of every sentence that it reads, which an order is fitted on.
 */
import { mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Stage } from '../../engine/recall/stage';
import { loadReranker } from '../../engine/loadReranker';
import { TOLD } from '../../engine/rerank/order';
import { RerankStage, type KnownCandidate } from '../../engine/rerank/stage';
import { LineFile } from '../../mining/lineFile';
import { packageRoot } from '../../paths';
import { documentId } from './pool';
import type { JudgedQuery } from './queries';

/** The first line of a known file. */
export type KnownAbout = { reranker: string; told: readonly string[] };

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
 * Does `work` with a stage that reranks; with `path`, what is known of the sentences of every query goes
 * there, and the file appears whole or not at all. The queries have to be asked one after the other, in
 * order. `work` also gets the id of the encoder whose cosines the reranker was trained with; null: any will do.
 */
export async function withReranker<T>(
  path: string | null,
  queries: readonly JudgedQuery[],
  work: (stages: Stage[], encoder: string | null) => Promise<T>,
): Promise<T> {
  const reranker = await loadReranker(join(packageRoot(), 'models', 'reranker'));
  if (path !== null) mkdirSync(dirname(path), { recursive: true });
  const out = path === null ? null : new LineFile(path);
  let seen: KnownCandidate[] = [];
  const { passages, id, encoder } = reranker.config;
  const inner = new RerankStage(
    reranker,
    { passages, took: () => undefined },
    out ? (sentences) => (seen = sentences) : undefined,
  );
  const waiting = [...queries];
  const stage: Stage = {
    name: inner.name,
    run: async (candidates, context) => {
      seen = [];
      const ranked = await inner.run(candidates, context);
      if (!out) return ranked;
      // Queries without a candidate are not reranked; the same text may be asked under two ids.
      const place = waiting.findIndex(
        ({ move, text }) => move === context.move && text === context.text,
      );
      const [query] = waiting.splice(0, place + 1).slice(-1);
      if (place < 0 || !query) throw new Error('a query was asked that is not in the file');
      for (const { candidate, known } of seen) {
        const { paper, sentence } = candidate;
        const { buffer, byteOffset, byteLength } = known.hidden;
        const row: KnownSentence = {
          query: query.id,
          sentence: documentId(paper.id, sentence.position),
          told: known.told,
          hidden: Buffer.from(buffer, byteOffset, byteLength).toString('base64'),
        };
        await out.add(row);
      }
      return ranked;
    },
  };
  try {
    const about: KnownAbout = { reranker: id, told: TOLD };
    await out?.add(about);
    const made = await work([stage], encoder);
    await out?.finish();
    return made;
  } catch (error) {
    await out?.discard();
    throw error;
  } finally {
    await reranker.close();
  }
}
