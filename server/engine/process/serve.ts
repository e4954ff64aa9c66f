/** The engine process: an engine behind the IPC channel of the process that started it. */
import os from 'node:os';
import { RatioError } from '../engine';
import { errorText } from '../errors';
import type { Importer } from '../import/source';
import { createEngine, type EngineOptions, type LocalEngine } from '../local';
import {
  methods,
  toEngineSchema,
  toFailure,
  type FromEngine,
  type MethodName,
  type Params,
  type ProcessConfig,
} from './messages';

/** How often the process looks whether its parent still lives. */
const WATCH_MS = 2000;
/**
 * Time for what writes (imports, upkeep, removals) to end at a batch when the process is told to go. What takes
 * longer is cut short as by a crash: what was stored stays.
 */
const GRACE_MS = 3000;

function send(message: FromEngine): void {
  // The parent may be gone already: then there is no one to tell.
  if (process.connected) process.send?.(message, undefined, undefined, () => undefined);
}

type CallContext = { signal: AbortSignal; event: (value: unknown) => void };

/** One handler a method; parameters have passed their schema. */
function handlers(engine: LocalEngine): {
  [M in MethodName]: (params: Params<M>, context: CallContext) => Promise<unknown>;
} {
  return {
    status: () => engine.status(),
    inspire: (request, { signal, event }) => engine.inspire(request, { signal, onSnapshot: event }),
    problems: ({ texts }, { signal }) => engine.problems(texts, { signal }),
    pools: () => engine.pools(),
    addToPool: (request, { signal, event }) =>
      engine.addToPool(request, { signal, onProgress: event }),
    updatePool: ({ pool }, { signal, event }) =>
      engine.updatePool(pool, { signal, onProgress: event }),
    removePool: ({ pool }) => engine.removePool(pool),
    release: async ({ pool }) => engine.release(pool),
    upkeepNeeded: () => engine.upkeepNeeded(),
    keepUp: ({ starterOnly }, { signal, event }) =>
      engine.keepUp({ starterOnly, signal, onProgress: event }),
  };
}

/**
 * Serves the engine to the parent process until that disconnects or dies. `overrides` is for what
 * cannot cross a process border: importers, stages, a test's encoder.
 */
export function serveEngine(
  overrides: { importers: readonly Importer[] } & Partial<
    Pick<EngineOptions, 'stages' | 'createEncoder'>
  >,
): void {
  let engine: LocalEngine | null = null;
  const running = new Map<number, AbortController>();

  const leave = (): void => {
    for (const controller of running.values()) controller.abort();
    setTimeout(() => process.exit(0), GRACE_MS).unref();
    void Promise.resolve(engine?.close()).finally(() => process.exit(0));
  };
  process.once('disconnect', leave);
  const parent = process.ppid;
  setInterval(() => {
    if (!alive(parent)) leave();
  }, WATCH_MS).unref();

  const configure = async (config: ProcessConfig): Promise<void> => {
    if (config.role === 'import') lowerPriority();
    try {
      engine = await createEngine({
        ...overrides,
        home: config.home,
        modelDir: config.modelDir,
        rerankerDir: config.rerankerDir ?? undefined,
        device: config.device,
        starterPool: config.starterPool ?? undefined,
        upkeep: 'none',
        lazy: config.role === 'import',
        log: (line) => send({ kind: 'log', line }),
      });
      send({ kind: 'ready' });
    } catch (error) {
      send({ kind: 'refused', ...toFailure(error) });
    }
  };

  const call = async (id: number, method: MethodName, params: unknown): Promise<void> => {
    const controller = new AbortController();
    running.set(id, controller);
    try {
      if (!engine) throw new RatioError('engine-down', 'The engine is not ready.');
      const handle = handlers(engine)[method] as (
        params: unknown,
        context: CallContext,
      ) => Promise<unknown>;
      const value = await handle(methods[method].params.parse(params), {
        signal: controller.signal,
        event: (event) => send({ kind: 'event', id, value: event }),
      });
      send({ kind: 'result', id, value: value ?? null });
    } catch (error) {
      send({ kind: 'error', id, ...toFailure(error) });
    } finally {
      running.delete(id);
    }
  };

  process.on('message', (raw) => {
    const parsed = toEngineSchema.safeParse(raw);
    if (!parsed.success) {
      send({
        kind: 'log',
        line: `A message that makes no sense was dropped: ${parsed.error.message}`,
      });
      return;
    }
    const message = parsed.data;
    if (message.kind === 'configure') void configure(message.config);
    else if (message.kind === 'call') void call(message.id, message.method, message.params);
    else running.get(message.id)?.abort();
  });
}

function lowerPriority(): void {
  try {
    os.setPriority(os.constants.priority.PRIORITY_LOW);
  } catch (error) {
    send({ kind: 'log', line: `The import runs at normal priority (${errorText(error)}).` });
  }
}

/** On POSIX an orphan gets another parent; on Windows the old id stays, so it is probed. */
function alive(parent: number): boolean {
  if (process.ppid !== parent) return false;
  try {
    process.kill(parent, 0);
    return true;
  } catch {
    return false;
  }
}
