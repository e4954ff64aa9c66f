/** Words as the lexical baselines and the reranker's BM25 see them. */
export { STOP_WORDS, terms, tokens } from '../engine/rerank/words';
