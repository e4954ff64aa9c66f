/** Where a reranker plugs in: stages run after recall, each with a snapshot of its own. */
import type { Move } from '../engine';
import type { PoolReader } from '../store/reader';
import type { Candidate } from './fuse';

export type StageContext = {
  move: Move;
  /** The query's plain text and its vector. */
  text: string;
  vector: Float32Array;
  /** How many inspirations were asked for. */
  limit: number;
  /** The database of a candidate's pool, for its passage and its neighbours' vectors. */
  reader(pool: string): PoolReader;
  signal: AbortSignal | undefined;
};

export type Stage = {
  name: string;
  /** Re-ordered candidates (all or a part of those given, best first, scores set anew). */
  run(candidates: Candidate[], context: StageContext): Promise<Candidate[]>;
};
