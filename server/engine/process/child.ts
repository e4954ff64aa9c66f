/** One engine process as its parent sees it: started, called, gone. */
import { fork, type ChildProcess } from 'node:child_process';
import { createInterface } from 'node:readline';
import { abortable } from '../errors';
import {
  fromEngineSchema,
  fromFailure,
  methods,
  type Event,
  type MethodName,
  type Params,
  type ProcessConfig,
  type Result,
  type ToEngine,
} from './messages';

/** The process ended with calls under way. */
export class EngineDied extends Error {}

const STOP_MS = 5000;

type Waiting = {
  method: MethodName;
  onEvent: ((value: unknown) => void) | undefined;
  resolve: (value: unknown) => void;
  reject: (error: Error) => void;
};

export type CallOptions<M extends MethodName> = {
  onEvent?: ((value: Event<M>) => void) | undefined;
  signal?: AbortSignal | undefined;
};

/**
 * A forked engine process, configured when made. It answers calls once {@link ready} has resolved, until it has
 * {@link ended}; its output goes to `log`.
 */
export class EngineChild {
  private readonly process: ChildProcess;
  private readonly waiting = new Map<number, Waiting>();
  private nextId = 1;
  private expected = false;
  /** True from the moment the process has ended. */
  dead = false;
  private lastWords = '';
  /** Resolves when the process can be called; rejects with its refusal or {@link EngineDied}. */
  readonly ready: Promise<void>;
  /** Resolves when the process has ended: null when it was told to, else how it died. */
  readonly ended: Promise<string | null>;

  constructor(
    entry: string,
    config: ProcessConfig,
    private readonly log: (line: string) => void,
  ) {
    // Desktop VS Code has no node of its own: its executable acts as Node by this variable.
    this.process = fork(entry, [], {
      execPath: process.execPath,
      execArgv: [],
      env: { ...process.env, ELECTRON_RUN_AS_NODE: '1' },
      serialization: 'json',
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    });
    for (const stream of [this.process.stdout, this.process.stderr]) {
      if (!stream) continue;
      createInterface({ input: stream }).on('line', (line) => {
        this.lastWords = line;
        this.log(line);
      });
    }
    this.ended = new Promise((resolve) => {
      const end = (how: string): void => {
        this.dead = true;
        const why = this.expected ? null : how;
        const died = new EngineDied(how);
        for (const call of this.waiting.values()) call.reject(died);
        this.waiting.clear();
        resolve(why);
      };
      this.process.once('error', (error) => end(`it could not be started (${error.message})`));
      this.process.once('exit', (code, signal) => {
        const words = this.lastWords ? `: ${this.lastWords}` : '';
        end(`it ended with ${signal ? `signal ${signal}` : `exit code ${code}`}${words}`);
      });
    });
    this.ready = new Promise((resolve, reject) => {
      this.process.on('message', (raw) => this.receive(raw, resolve, reject));
      void this.ended.then((how) => reject(new EngineDied(how ?? 'it was stopped')));
    });
    // Whoever starts a process waits for `ready`; one that is stopped early has no one waiting.
    this.ready.catch(() => undefined);
    this.send({ kind: 'configure', config });
  }

  get pid(): number | undefined {
    return this.process.pid;
  }

  get busy(): boolean {
    return this.waiting.size > 0;
  }

  private send(message: ToEngine): void {
    // A send to a process that just died fails; its exit rejects whatever waits.
    if (this.process.connected) this.process.send(message, () => undefined);
  }

  private receive(raw: unknown, resolve: () => void, reject: (error: Error) => void): void {
    const parsed = fromEngineSchema.safeParse(raw);
    if (!parsed.success) {
      this.log(`A message of the engine that makes no sense was dropped: ${parsed.error.message}`);
      return;
    }
    const message = parsed.data;
    switch (message.kind) {
      case 'ready':
        return resolve();
      case 'refused':
        return reject(fromFailure(message));
      case 'log':
        return this.log(message.line);
      default:
    }
    const call = this.waiting.get(message.id);
    if (!call) return;
    const schemas = methods[call.method];
    if (message.kind === 'event') {
      const event = schemas.event?.safeParse(message.value);
      if (event?.success) call.onEvent?.(event.data);
      else this.log(`An event of ${call.method} that makes no sense was dropped.`);
      return;
    }
    this.waiting.delete(message.id);
    if (message.kind === 'error') return call.reject(fromFailure(message));
    const result = schemas.result.safeParse(message.value);
    if (result.success) call.resolve(result.data);
    else call.reject(new Error(`The engine's answer to ${call.method} makes no sense.`));
  }

  /**
   * Calls a method. Rejects with {@link EngineDied} when the process ends first, with `cancelled` where the signal aborts
   * before the process can be called.
   */
  async call<M extends MethodName>(
    method: M,
    params: Params<M>,
    options: CallOptions<M> = {},
  ): Promise<Result<M>> {
    const { signal } = options;
    await abortable(this.ready, signal);
    if (!this.process.connected) throw new EngineDied('it has ended');
    const id = this.nextId++;
    const cancel = (): void => this.send({ kind: 'cancel', id });
    signal?.addEventListener('abort', cancel, { once: true });
    try {
      return await new Promise<Result<M>>((resolve, reject) => {
        this.waiting.set(id, {
          method,
          onEvent: options.onEvent as ((value: unknown) => void) | undefined,
          resolve: (value) => resolve(value as Result<M>),
          reject,
        });
        this.send({ kind: 'call', id, method, params });
      });
    } finally {
      signal?.removeEventListener('abort', cancel);
    }
  }

  /** Tells the process to go and waits until it has; a deaf one is killed. */
  async stop(): Promise<void> {
    this.expected = true;
    if (this.process.connected) this.process.disconnect();
    const killer = setTimeout(() => this.process.kill('SIGKILL'), STOP_MS);
    await this.ended;
    clearTimeout(killer);
  }
}
