/** The lexical baselines' BM25 is the one that the reranker takes a feature from. */
export { Bm25 } from '../engine/rerank/bm25';
