/**
 * Every message of Ratio between the editor (client) and the language server, beyond LSP itself.
 * Each says who sends it to whom and why, and has a schema that the receiver checks.
 *
 * | message | who → whom | why |
 * | --- | --- | --- |
 * | `ratio/inspire` | client → server | answer a move for a range of a draft or for a given text |
 * | `$/progress` with the request's token | server → client | numbered snapshots, each replacing the last |
 * | `ratio/cite` | client → server | compute the edit of draft and .bib that cites a paper |
 * | `ratio/take` | client → server | which plain text a move would take at a place, or where a text taken before stands now |
 * | `ratio/problems` | client → server | list the sentences of a draft that state a problem; cancellable |
 * | `ratio/status` | server → client (notification) | engine state for the status item and the panel |
 * | `ratio/getStatus` | client → server | the same, when the client asks |
 * | `ratio/restartEngine` | client → server | stop the engine and start a fresh one |
 * | `ratio/pools` | client → server | list pools for pickers |
 * | `ratio/addToPool`, `ratio/updatePool` | client → server | import, with `$/progress` reports; cancellable |
 * | `ratio/removePool` | client → server | delete a pool |
 * | `ratio/feedback` | client → server | keep a Useful / Not useful judgement in the data folder |
 * | `ratio/feedbackFile` | client → server | where the judgements are kept, for export |
 * | `ratio/settings` | client → server (notification) | all settings anew, after a change; at the start they are the initialization options |
 */
import * as z from 'zod';
import { DEVICES } from './engine/devices';
import {
  engineStatusSchema,
  importProgressSchema,
  importReportSchema,
  importRequestSchema,
  inspirationSchema,
  moveSchema,
  paperSchema,
  poolInfoSchema,
  relativeSchema,
  snapshotSchema,
} from './engine/engine';

const positionSchema = z.object({
  line: z.number().int().nonnegative(),
  character: z.number().int().nonnegative(),
});
const rangeSchema = z.object({ start: positionSchema, end: positionSchema });
export type WireRange = z.infer<typeof rangeSchema>;

/** LSP progress token that snapshots or import progress are reported on. */
const tokenSchema = z.union([z.string(), z.number()]);

const yearsSchema = z.object({
  from: z.number().int().nullable(),
  to: z.number().int().nullable(),
});

export const inspireParamsSchema = z.object({
  move: moveSchema,
  /** The draft the move is made in; null for a free text. */
  uri: z.string().nullable(),
  /** Selection (an empty one takes the sentence at it). Needed unless `text` is given. */
  range: rangeSchema.nullable(),
  /** Text to ask about instead of the range: a card's sentence (chain). */
  text: z.string().nullable(),
  pools: z.array(z.string()).nullable(),
  years: yearsSchema.nullable(),
  limit: z.number().int().min(1).max(200),
  /** False keeps the retriever's order (the setting `ratio.rerank.enabled`). */
  rerank: z.boolean().optional(),
  token: tokenSchema,
});
export type InspireParams = z.infer<typeof inspireParamsSchema>;

/** What a front end adds to a sentence of a paper: whether the draft's .bib has that paper. */
const citedSchema = {
  /** Key of the paper in the .bib that the draft uses, or null. */
  citedAs: z.string().nullable(),
};

export const shownRelativeSchema = relativeSchema.extend(citedSchema);
export type ShownRelative = z.infer<typeof shownRelativeSchema>;

/** An inspiration as the panel shows it. */
export const shownInspirationSchema = inspirationSchema.extend({
  ...citedSchema,
  relatives: z.array(shownRelativeSchema).nullish(),
});
export type ShownInspiration = z.infer<typeof shownInspirationSchema>;

export const shownSnapshotSchema = snapshotSchema.extend({
  inspirations: z.array(shownInspirationSchema),
  /** False where the request kept the reranker out. */
  rerankAsked: z.boolean().optional(),
});
export type ShownSnapshot = z.infer<typeof shownSnapshotSchema>;

/** The text a move took: plain, and where it stands in the draft. */
export const takenSchema = z.object({
  text: z.string(),
  uri: z.string().nullable(),
  /** Range of the whole sentence(s) taken, for citing; null for a free text. */
  range: rangeSchema.nullable(),
});
export type Taken = z.infer<typeof takenSchema>;

/** Sent on the request's progress token, the taken text with every snapshot. */
export const inspireProgressSchema = z.object({
  taken: takenSchema,
  snapshot: shownSnapshotSchema,
});
export type InspireProgress = z.infer<typeof inspireProgressSchema>;

/** The final snapshot, or why the selection holds nothing to ask about. */
export const inspireResultSchema = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('answer'), taken: takenSchema, snapshot: shownSnapshotSchema }),
  z.object({ kind: z.literal('no-prose'), message: z.string() }),
]);
export type InspireResult = z.infer<typeof inspireResultSchema>;

export const takeParamsSchema = z.object({
  uri: z.string(),
  range: rangeSchema,
  /** Text taken there before: sought from the range outwards, since the draft may have changed. */
  text: z.string().optional(),
});
export type TakeParams = z.infer<typeof takeParamsSchema>;
export const takeResultSchema = takenSchema.nullable();
export type TakeResult = z.infer<typeof takeResultSchema>;

export const citeParamsSchema = z.object({
  uri: z.string(),
  /** Range of the draft sentence that began the trail, in the draft's present text. */
  range: rangeSchema,
  paper: paperSchema,
  /** .bib chosen by the user after `needs-bib`; null lets the server find it. */
  bib: z.string().nullable(),
});
export type CiteParams = z.infer<typeof citeParamsSchema>;

/** One text edit in LSP positions. */
const textEditSchema = z.object({ range: rangeSchema, newText: z.string() });

export const citeResultSchema = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('edits'),
    key: z.string(),
    /** The paper was in the .bib already; its key was reused. */
    reused: z.boolean(),
    /** The new entry is of the user's own notes or draft: the user is asked before. */
    unpublished: z.boolean(),
    /** The sentence cites the paper already; the draft is left as it is. */
    alreadyCitedHere: z.boolean(),
    /** False where the draft does not name the .bib, so that it must be told of it. */
    bibDeclared: z.boolean(),
    bibUri: z.string(),
    documents: z.array(
      z.object({
        uri: z.string(),
        /** Version the edits were computed for; null for a file that no editor has open. */
        version: z.number().int().nullable(),
        create: z.boolean(),
        edits: z.array(textEditSchema),
      }),
    ),
  }),
  z.object({
    kind: z.literal('needs-bib'),
    reason: z.string(),
    candidates: z.array(z.string()),
    suggested: z.string(),
  }),
]);
export type CiteResult = z.infer<typeof citeResultSchema>;

/** `version` is that of the client's document when it asked. */
export const problemsParamsSchema = z.object({ uri: z.string(), version: z.number().int() });
export type ProblemsParams = z.infer<typeof problemsParamsSchema>;

/** Null where the document is no open draft. */
export const problemsResultSchema = z
  .object({
    /** Version of the document that the ranges are for. */
    version: z.number().int(),
    /** False where cue words alone decided. */
    learned: z.boolean(),
    /** Why cue words alone decided, where that is a fault. */
    notice: z.string().nullable(),
    /** In the order of the draft. */
    problems: z.array(
      z.object({
        range: rangeSchema,
        text: z.string(),
        /** Title of the section it stands in, where known. */
        section: z.string().nullable(),
        probability: z.number(),
      }),
    ),
  })
  .nullable();
export type ProblemsResult = z.infer<typeof problemsResultSchema>;

/** State of the engine as a user sees it. */
export const statusSchema = z.object({
  state: z.enum(['stopped', 'starting', 'ready', 'importing', 'failed']),
  /** Why it failed or runs with less than asked, and what to do; null when all is well. */
  problem: z.string().nullable(),
  engine: engineStatusSchema.nullable(),
});
export type Status = z.infer<typeof statusSchema>;

export const addToPoolParamsSchema = z.object({ request: importRequestSchema, token: tokenSchema });
export type AddToPoolParams = z.input<typeof addToPoolParamsSchema>;
export const updatePoolParamsSchema = z.object({ pool: z.string(), token: tokenSchema });
export type UpdatePoolParams = z.infer<typeof updatePoolParamsSchema>;
export const removePoolParamsSchema = z.object({ pool: z.string() });
export const poolsResultSchema = z.array(poolInfoSchema);

export const feedbackParamsSchema = z.object({
  verdict: z.enum(['useful', 'not-useful', 'none']),
  move: moveSchema,
  query: z.string(),
  inspiration: inspirationSchema,
});
export type FeedbackParams = z.infer<typeof feedbackParamsSchema>;
export const feedbackFileResultSchema = z.object({ path: z.string(), count: z.number().int() });

/** Names of the messages; the schema of what each carries stands above. */
export const message = {
  inspire: 'ratio/inspire',
  take: 'ratio/take',
  cite: 'ratio/cite',
  problems: 'ratio/problems',
  status: 'ratio/status',
  getStatus: 'ratio/getStatus',
  restartEngine: 'ratio/restartEngine',
  pools: 'ratio/pools',
  addToPool: 'ratio/addToPool',
  updatePool: 'ratio/updatePool',
  removePool: 'ratio/removePool',
  feedback: 'ratio/feedback',
  feedbackFile: 'ratio/feedbackFile',
  settings: 'ratio/settings',
} as const;

// What the client takes of the engine's interface; it imports nothing of the engine itself.
export { importProgressSchema, importReportSchema, moveSchema };
export type {
  EngineStatus,
  ImportProgress,
  ImportReport,
  Move,
  Paper,
  PoolInfo,
  Role,
} from './engine/engine';
export { poolNameFault } from './engine/poolName';

/** Settings that the client sends as initialization options and on change. */
export const serverSettingsSchema = z.object({
  /** Pools of this workspace; empty asks every pool. */
  pools: z.array(z.string()).default([]),
  device: z.enum(DEVICES).default('auto'),
  /** Folder of an encoder other than the one that ships; null for the shipped one. Ignored in untrusted workspaces. */
  encoderPath: z.string().nullable().default(null),
  /** Data folder other than the platform's; null for that. Ignored in untrusted workspaces. */
  home: z.string().nullable().default(null),
  perPaper: z.number().int().min(1).max(20).default(2),
  hover: z.boolean().default(true),
  codeActions: z.boolean().default(true),
  /** Minutes without a request after which the engine process stops. */
  idleMinutes: z.number().min(0.05).default(15),
});
export type ServerSettings = z.infer<typeof serverSettingsSchema>;
