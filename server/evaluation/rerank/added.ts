/** What is added to the reranker's own score of a passage: it is not the model alone that is measured. */
import { FEATURES } from '../../engine/rerank/features';
import type { RerankerConfig } from '../../engine/rerank/modelFiles';

/** Weights by what they are of: features of the best sentence, and the cosine with the whole passage. */
export type Added = Partial<Record<(typeof FEATURES)[number] | 'passageCosine', number>>;

const WORDS: Record<keyof Added, string> = {
  cosine: 'cosine of question and sentence',
  before: 'best cosine of question and a sentence before',
  bm25: 'BM25 of the sentence over the best',
  passageBm25: 'BM25 of the passage over the best',
  passageCosine: 'cosine of question and whole passage',
};

/** What a config adds to the score after the graph, for plain questions. */
export function addedTo({
  blend,
  passageCosine,
}: Pick<RerankerConfig, 'blend' | 'passageCosine'>): Added {
  const weights = FEATURES.map((name, i): [keyof Added, number] => [name, blend.none[i] ?? 0]);
  const all: [keyof Added, number][] = [['passageCosine', passageCosine], ...weights];
  return Object.fromEntries(all.filter(([, weight]) => weight !== 0));
}

/** The same as a sentence; empty where nothing is added. */
export function addedText(added: Added): string {
  const terms = (Object.keys(WORDS) as (keyof Added)[]).flatMap((name) => {
    const weight = added[name];
    return weight === undefined ? [] : [`${weight} × ${WORDS[name]}`];
  });
  return terms.length === 0 ? '' : `Added to the reranker's own score: ${terms.join(', ')}.\n`;
}
