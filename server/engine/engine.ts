/**
 * The Engine: what answers moves and keeps pools. One definition serves the engine process and the
 * terminal (in-process). Everything that crosses a process border is described by
 * a zod schema here; the types are inferred from the schemas.
 */
import * as z from 'zod';

/** Relation asked for: a response to a problem, a more general statement, a more concrete one. */
export const moveSchema = z.enum(['address', 'broaden', 'specify']);
export type Move = z.infer<typeof moveSchema>;
export const MOVES: readonly Move[] = moveSchema.options;

/** What a sentence does in its paper. */
export const roleSchema = z.enum(['background', 'method', 'result']);
export type Role = z.infer<typeof roleSchema>;

/** Bibliographic record. `date` is YYYY, YYYY-MM or YYYY-MM-DD. Unknown fields are null. */
export const paperSchema = z.object({
  id: z.string().min(1),
  title: z.string(),
  authors: z.array(z.string()),
  date: z.string().nullable(),
  venue: z.string().nullable(),
  url: z.string().nullable(),
  doi: z.string().nullable(),
});
export type Paper = z.infer<typeof paperSchema>;

/** Why a sentence was recalled. Ranks count from 1 within one move's candidate lists. */
export const whySchema = z.object({
  dense: z.object({ rank: z.number().int(), cosine: z.number() }).nullable(),
  lexical: z.object({ rank: z.number().int(), bm25: z.number() }).nullable(),
  /**
   * The sentence shortly before it in its section that matches the query best, with their cosine,
   * where that one matches better than the sentence itself.
   */
  context: z.object({ cosine: z.number(), text: z.string() }).nullish(),
});

/** A sentence of another paper that says much the same as an inspiration (LoG-Reranker, section 3). */
export const relativeSchema = z.object({
  /** As an inspiration's. */
  id: z.string(),
  text: z.string(),
  paper: paperSchema,
  pool: z.string(),
  /** Of the two sentences, each read together with the query and its own passage. */
  cosine: z.number(),
});

/** One result of a move. `before` and `after` are the neighbouring sentences in its paper. */
export const inspirationSchema = z.object({
  rank: z.number().int().positive(),
  score: z.number(),
  /** Stable over snapshots and restarts: `<pool>/<paper id>#<sentence index>`. */
  id: z.string(),
  text: z.string(),
  role: roleSchema.nullable(),
  before: z.string().nullable(),
  after: z.string().nullable(),
  paper: paperSchema,
  pool: z.string(),
  why: whySchema,
  /** Its two nearest relatives in other passages; absent before and without reranking. */
  relatives: z.array(relativeSchema).nullish(),
});
export type Inspiration = z.infer<typeof inspirationSchema>;

export const inspireRequestSchema = z.object({
  move: moveSchema,
  /** Plain text of the sentence(s) the user is stuck at. */
  text: z.string().min(1),
  /** Names of pools; null asks every pool there is. */
  pools: z.array(z.string()).nullable(),
  /** Plain sentences of the draft, never returned. */
  exclude: z.array(z.string()).default([]),
  /** How many inspirations at most. */
  limit: z.number().int().min(1).max(200).default(20),
  /** How many sentences of one paper at most. */
  perPaper: z.number().int().min(1).max(20).default(2),
  /** Publication years, both ends included; null leaves an end open. Papers without a date pass only when both are null. */
  years: z
    .object({ from: z.number().int().nullable(), to: z.number().int().nullable() })
    .default({ from: null, to: null }),
  /** False keeps the order of recall, where a reranker would refine it. */
  rerank: z.boolean().optional(),
});
export type InspireRequest = z.input<typeof inspireRequestSchema>;

/** One numbered state of a move's answer; each replaces the one before. */
export const snapshotSchema = z.object({
  sequence: z.number().int().nonnegative(),
  /** True for the last snapshot of a request. */
  final: z.boolean(),
  inspirations: z.array(inspirationSchema),
  /** True when nothing in the pools is close to the text: inspirations is then empty. */
  weak: z.boolean(),
  /** True when a larger `limit` would bring more. */
  more: z.boolean(),
  pools: z.array(z.string()),
  /** Execution provider that encoded the query (`PROVIDERS` of devices.ts). */
  device: z.string(),
  /** True once the reranker has set the order. */
  reranked: z.boolean().optional(),
  /** Things a user should know about this answer, in plain words (a skipped pool, a fallback). */
  notices: z.array(z.string()),
  /** Wall-clock milliseconds since the engine took the request. */
  elapsedMs: z.number(),
});
export type Snapshot = z.infer<typeof snapshotSchema>;

export const poolInfoSchema = z.object({
  name: z.string(),
  papers: z.number().int(),
  sentences: z.number().int(),
  /** Papers indexed by their title alone, for want of an abstract. */
  titleOnly: z.number().int(),
  bytes: z.number().int(),
  /** ISO time of the last change; null for an empty pool. */
  updated: z.string().nullable(),
  encoder: z.string().nullable(),
  index: z.enum(['hnsw', 'exact', 'none']),
  /** Sentences whose vectors are not in the index file yet (they are searched exactly). */
  unindexed: z.number().int(),
  /** Files and folders that `update` reads again. */
  sources: z.array(z.string()),
  /** What is wrong with the pool and what to do; null when all is well. */
  problem: z.string().nullable(),
});
export type PoolInfo = z.infer<typeof poolInfoSchema>;

export const importRequestSchema = z.object({
  pool: z.string(),
  /** Absolute paths of files or folders. */
  sources: z.array(z.string()),
  /** Only for sources that carry them (arXiv's metadata snapshot, JSONL): keep these categories… */
  categories: z.array(z.string()).default([]),
  /** …and papers dated on or after / on or before (YYYY[-MM[-DD]]). */
  since: z.string().nullable().default(null),
  until: z.string().nullable().default(null),
});
export type ImportRequest = z.input<typeof importRequestSchema>;

export const importProgressSchema = z.object({
  pool: z.string(),
  phase: z.enum(['waiting', 'reading', 'encoding', 'indexing', 'done']),
  /** Papers read from the sources, stored new or changed, and left as they were. */
  read: z.number().int(),
  stored: z.number().int(),
  unchanged: z.number().int(),
  sentences: z.number().int(),
  /** 0…1 where the amount of work is known, else null. */
  fraction: z.number().nullable(),
  /** File being read. */
  source: z.string().nullable(),
});
export type ImportProgress = z.infer<typeof importProgressSchema>;

/** A thing in a source that could not be indexed: one bad entry hides nothing else. */
export const importIssueSchema = z.object({
  source: z.string(),
  line: z.number().int().nullable(),
  message: z.string(),
});
export type ImportIssue = z.infer<typeof importIssueSchema>;

export const importReportSchema = z.object({
  pool: z.string(),
  read: z.number().int(),
  stored: z.number().int(),
  unchanged: z.number().int(),
  removed: z.number().int(),
  sentences: z.number().int(),
  titleOnly: z.number().int(),
  /** The first hundred issues, and how many there were. */
  issues: z.array(importIssueSchema),
  issueCount: z.number().int(),
  cancelled: z.boolean(),
  elapsedMs: z.number(),
});
export type ImportReport = z.infer<typeof importReportSchema>;

export const engineStatusSchema = z.object({
  encoder: z.object({ id: z.string(), dimensions: z.number().int() }),
  /** Whether heads trained on its vectors tell roles and problem statements; if not though there is a file, why. */
  heads: z.object({ loaded: z.boolean(), reason: z.string().nullable() }).optional(),
  /** The reranker: whether it runs, how many passages this machine's speed allows; what is amiss with it. */
  reranker: z
    .object({ loaded: z.boolean(), passages: z.number().int(), reason: z.string().nullable() })
    .optional(),
  device: z.object({
    /** What the setting asked for and what runs. */
    requested: z.string(),
    active: z.string(),
    /** Why `active` is not what was asked for (or why auto stayed on the CPU); null otherwise. */
    reason: z.string().nullable(),
  }),
  index: z.object({ kind: z.enum(['hnsw', 'exact']), reason: z.string().nullable() }),
  pools: z.array(poolInfoSchema),
  home: z.string(),
  pid: z.number().int(),
  rssBytes: z.number().int(),
});
export type EngineStatus = z.infer<typeof engineStatusSchema>;

export const problemsRequestSchema = z.object({ texts: z.array(z.string()).max(5000) });

/** Which sentences state a problem, gap or limitation. */
export const problemScoresSchema = z.object({
  /** One a text, 0…1. */
  probabilities: z.array(z.number()),
  /** Probability from which a sentence counts as a problem statement. */
  threshold: z.number(),
});
export type ProblemScores = z.infer<typeof problemScoresSchema>;

/** What an error that is meant for the user is of; all that crosses a process border as such. */
export const ERROR_CODES = [
  'bad-input',
  'no-pool',
  'pool-damaged',
  'pool-busy',
  'model-missing',
  'model-broken',
  'engine-down',
  'disk',
  'cancelled',
  'not-found',
] as const;

/** An error whose message is meant for the user: what, where and what to do. */
export class RatioError extends Error {
  constructor(
    readonly code: (typeof ERROR_CODES)[number],
    message: string,
  ) {
    super(message);
    this.name = 'RatioError';
  }
}

/**
 * What every front end calls. Long calls take a signal and report; all of them reject with
 * {@link RatioError} where a user can do something about it.
 */
export interface Engine {
  status(): Promise<EngineStatus>;
  /** Answers a move. Every snapshot goes to `onSnapshot`, the final one is also returned. */
  inspire(
    request: InspireRequest,
    options?: { onSnapshot?: (snapshot: Snapshot) => void; signal?: AbortSignal },
  ): Promise<Snapshot>;
  /**
   * How probable it is that each of the plain sentences (5,000 at most) states a problem; null where
   * the encoder has no head for that. Moves go first.
   */
  problems(texts: string[], options?: { signal?: AbortSignal }): Promise<ProblemScores | null>;
  pools(): Promise<PoolInfo[]>;
  /** Adds sources to a pool, made when it is not there; incremental by content. */
  addToPool(
    request: ImportRequest,
    options?: { onProgress?: (progress: ImportProgress) => void; signal?: AbortSignal },
  ): Promise<ImportReport>;
  /** Reads a pool's sources again: stores what is new or changed, removes what is gone. */
  updatePool(
    pool: string,
    options?: { onProgress?: (progress: ImportProgress) => void; signal?: AbortSignal },
  ): Promise<ImportReport>;
  removePool(pool: string): Promise<void>;
  close(): Promise<void>;
}
