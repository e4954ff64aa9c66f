/** Where a reranker plugs in: stages run after recall, each with a snapshot of its own. */
import type { Move } from '../engine';
import type { PoolReader } from '../store/reader';
import type { QueryVectors } from './context';
import type { Candidate } from './fuse';

export type StageContext = QueryVectors & {
  move: Move;
  /** The query's plain text. */
  text: string;
  /** Plain sentences of the draft, never to be returned. */
  exclude: readonly string[];
  /** Id that the vectors to compare the query's with are stored under. */
  encoder: string;
  /** The database of a candidate's pool, for its passage and its neighbours' vectors. */
  reader(pool: string): PoolReader;
  /** Tells the user something beside the answer. */
  notice(text: string): void;
  signal: AbortSignal | undefined;
};

export type Stage = {
  name: string;
  /**
   * Candidates best first, scores set anew: those given, all or a part, and others that stand near
   * them. Where it rejects, the order that it was given stays.
   */
  run(candidates: Candidate[], context: StageContext): Promise<Candidate[]>;
};
