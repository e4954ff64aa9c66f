/**
 * What the engine process and the process that started it say to each other over the IPC channel.
 *
 * | message | who → whom | why |
 * | --- | --- | --- |
 * | `configure` | parent → engine | first message: folders, model, device, what the process is for |
 * | `ready`, `refused` | engine → parent | it can be called; or why it cannot (no model, …) |
 * | `call`, `cancel` | parent → engine | one Engine method; the answer is not wanted any more |
 * | `event` | engine → parent | a snapshot or progress of a call |
 * | `result`, `error` | engine → parent | end of a call |
 * | `log` | engine → parent | a line for the log |
 */
import * as z from 'zod';
import {
  ERROR_CODES,
  engineStatusSchema,
  importProgressSchema,
  importReportSchema,
  importRequestSchema,
  inspireRequestSchema,
  poolInfoSchema,
  problemScoresSchema,
  problemsRequestSchema,
  RatioError,
  snapshotSchema,
} from '../engine';

export const configSchema = z.object({
  home: z.string(),
  modelDir: z.string(),
  /** Folder of the reranker; null: answers keep the order of recall. */
  rerankerDir: z.string().nullable(),
  device: z.string(),
  starterPool: z.string().nullable(),
  /**
   * `serve` answers moves and writes to no pool (in the data folder no more than `device.json`, with its marker);
   * `import` writes to pools, at low priority.
   */
  role: z.enum(['serve', 'import']),
});
export type ProcessConfig = z.infer<typeof configSchema>;

const poolParams = z.object({ pool: z.string() });
const nothing = z.null();
export const upkeepSchema = z.object({ starter: z.boolean(), pools: z.array(z.string()) });

/** Methods of the engine process: what they take, what they answer, what they report meanwhile. */
export const methods = {
  status: { params: nothing, result: engineStatusSchema, event: null },
  inspire: { params: inspireRequestSchema, result: snapshotSchema, event: snapshotSchema },
  problems: { params: problemsRequestSchema, result: problemScoresSchema.nullable(), event: null },
  pools: { params: nothing, result: z.array(poolInfoSchema), event: null },
  addToPool: {
    params: importRequestSchema,
    result: importReportSchema,
    event: importProgressSchema,
  },
  updatePool: { params: poolParams, result: importReportSchema, event: importProgressSchema },
  removePool: { params: poolParams, result: nothing, event: null },
  /** Closes the files of a pool that the other process is about to remove. */
  release: { params: poolParams, result: nothing, event: null },
  upkeepNeeded: { params: nothing, result: upkeepSchema, event: null },
  keepUp: {
    params: z.object({ starterOnly: z.boolean() }),
    result: nothing,
    event: importProgressSchema,
  },
} as const;
export type Methods = typeof methods;
export type MethodName = keyof Methods;
export type Params<M extends MethodName> = z.input<Methods[M]['params']>;
export type Result<M extends MethodName> = z.output<Methods[M]['result']>;
export type Event<M extends MethodName> = Methods[M]['event'] extends z.ZodType
  ? z.output<Methods[M]['event']>
  : never;

const methodName = z.enum(Object.keys(methods) as [MethodName, ...MethodName[]]);
const callId = z.number().int();
const failure = { code: z.string(), message: z.string() };

export const toEngineSchema = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('configure'), config: configSchema }),
  z.object({ kind: z.literal('call'), id: callId, method: methodName, params: z.unknown() }),
  z.object({ kind: z.literal('cancel'), id: callId }),
]);
export type ToEngine = z.infer<typeof toEngineSchema>;

export const fromEngineSchema = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('ready') }),
  z.object({ kind: z.literal('refused'), ...failure }),
  z.object({ kind: z.literal('event'), id: callId, value: z.unknown() }),
  z.object({ kind: z.literal('result'), id: callId, value: z.unknown() }),
  z.object({ kind: z.literal('error'), id: callId, ...failure }),
  z.object({ kind: z.literal('log'), line: z.string() }),
]);
export type FromEngine = z.infer<typeof fromEngineSchema>;

/** Code that a plain error crosses the process border with. */
const PLAIN = 'error';

/**
 * An error as it crosses the process border: a {@link RatioError} by its code, any other with its stack as message.
 */
export function toFailure(error: unknown): { code: string; message: string } {
  if (error instanceof RatioError) return { code: error.code, message: error.message };
  return {
    code: PLAIN,
    message: error instanceof Error ? (error.stack ?? error.message) : String(error),
  };
}

/** The error again, on the other side. */
export function fromFailure({ code, message }: { code: string; message: string }): Error {
  const known = ERROR_CODES.find((each) => each === code);
  return known ? new RatioError(known, message) : new Error(message);
}
