/** The language server's process and the requests of protocol.ts, typed and checked. */
import * as vscode from 'vscode';
import {
  CancellationToken,
  LanguageClient,
  ProgressType,
  ResponseError,
  State,
  TransportKind,
  type LanguageClientOptions,
  type ServerOptions,
} from 'vscode-languageclient/node';
import * as z from 'zod';
import {
  citeResultSchema,
  feedbackFileResultSchema,
  importProgressSchema,
  importReportSchema,
  inspireProgressSchema,
  inspireResultSchema,
  message,
  poolsResultSchema,
  problemsResultSchema,
  statusSchema,
  takeResultSchema,
  type AddToPoolParams,
  type CiteParams,
  type CiteResult,
  type FeedbackParams,
  type ImportProgress,
  type ImportReport,
  type InspireParams,
  type InspireProgress,
  type InspireResult,
  type PoolInfo,
  type ProblemsParams,
  type ProblemsResult,
  type ShownSnapshot,
  type Status,
  type TakeParams,
  type TakeResult,
  type UpdatePoolParams,
} from '../server/protocol';
import { isAuthors, syncedDocuments } from './drafts';
import { serverSettings } from './settings';
import { TraceChannel } from './trace';

/** Commands that a hover's links may run. */
const HOVER_COMMANDS = ['ratio.address'];

let tokens = 0;

/** The language server, started at the first request, with one method a request. */
export class Connection implements vscode.Disposable {
  private readonly client: LanguageClient;
  private started: Promise<void> | null = null;
  /** As last told. */
  private latest: Status | null = null;
  /** Names of pools as last told: an engine at rest tells none. */
  poolNames: readonly string[] = [];
  private readonly trace: TraceChannel;
  private readonly statusChanged = new vscode.EventEmitter<Status>();
  readonly onStatus = this.statusChanged.event;

  constructor(context: vscode.ExtensionContext, output: vscode.LogOutputChannel) {
    const module = context.asAbsolutePath('dist/server.js');
    const serverOptions: ServerOptions = {
      run: { module, transport: TransportKind.ipc },
      debug: { module, transport: TransportKind.ipc, options: { execArgv: ['--inspect=6010'] } },
    };
    this.trace = new TraceChannel(output);
    const clientOptions: LanguageClientOptions = {
      documentSelector: syncedDocuments,
      // A selector can't name what it leaves out.
      middleware: {
        didOpen: async (document, next) => {
          if (isAuthors(document)) await next(document);
        },
        didChange: async (event, next) => {
          if (isAuthors(event.document)) await next(event);
        },
        didClose: async (document, next) => {
          if (isAuthors(document)) await next(document);
        },
      },
      outputChannel: output,
      traceOutputChannel: this.trace,
      // Read at every start: the server is started late, and again after it died.
      initializationOptions: () => serverSettings(),
      markdown: { isTrusted: { enabledCommands: HOVER_COMMANDS } },
    };
    this.client = new LanguageClient('ratio', 'Ratio', serverOptions, clientOptions);
    this.client.onNotification(message.status, (raw: unknown) => {
      const parsed = statusSchema.safeParse(raw);
      if (parsed.success) this.tell(parsed.data);
      else output.error(`Status was not understood: ${z.prettifyError(parsed.error)}`);
    });
  }

  /** Starts the server once; later calls wait for the same start. One that died for good is started anew. */
  start(): Promise<void> {
    if (this.gaveUp) this.started = null;
    this.started ??= this.client.start().catch((error: unknown) => {
      this.started = null;
      throw new Error(
        `The language server did not start: ${messageOf(error)}. “Ratio: Show Logs” says more; reloading the window starts it again.`,
        { cause: error },
      );
    });
    return this.started;
  }

  /** Sends the present settings to a running server. */
  async settingsChanged(): Promise<void> {
    // They are read at every start.
    if (!this.started || this.gaveUp) return;
    await this.started;
    await this.client.sendNotification(message.settings, serverSettings());
  }

  async inspire(
    parameters: Omit<InspireParams, 'token'>,
    onProgress: (progress: InspireProgress) => void,
    cancel: CancellationToken,
  ): Promise<InspireResult> {
    const token = `inspire-${(tokens += 1)}`;
    return this.withProgress(token, inspireProgressSchema, onProgress, () =>
      this.request(message.inspire, { ...parameters, token }, inspireResultSchema, cancel),
    );
  }

  take(parameters: TakeParams): Promise<TakeResult> {
    return this.request(message.take, parameters, takeResultSchema);
  }

  cite(parameters: CiteParams): Promise<CiteResult> {
    return this.request(message.cite, parameters, citeResultSchema);
  }

  problems(parameters: ProblemsParams, cancel: CancellationToken): Promise<ProblemsResult> {
    return this.request(message.problems, parameters, problemsResultSchema, cancel);
  }

  status(): Promise<Status> {
    return this.request(message.getStatus, {}, statusSchema);
  }

  /**
   * Asks for the status again where an answer shows that what was told of the reranker is out of
   * date: it is loaded after the engine is ready, and may fail later.
   */
  async answered({ reranked, rerankAsked, weak }: ShownSnapshot): Promise<void> {
    const reranker = this.latest?.engine?.reranker;
    if (!reranker || weak || rerankAsked === false) return;
    if (reranker.loaded === (reranked === true)) return;
    this.tell(await this.status());
  }

  restartEngine(): Promise<unknown> {
    return this.request(message.restartEngine, {}, z.unknown());
  }

  pools(): Promise<PoolInfo[]> {
    return this.request(message.pools, {}, poolsResultSchema);
  }

  addToPool(
    request: AddToPoolParams['request'],
    onProgress: (progress: ImportProgress) => void,
    cancel: CancellationToken,
  ): Promise<ImportReport> {
    const parameters: AddToPoolParams = { request, token: `import-${(tokens += 1)}` };
    return this.withProgress(parameters.token, importProgressSchema, onProgress, () =>
      this.request(message.addToPool, parameters, importReportSchema, cancel),
    );
  }

  updatePool(
    pool: string,
    onProgress: (progress: ImportProgress) => void,
    cancel: CancellationToken,
  ): Promise<ImportReport> {
    const parameters: UpdatePoolParams = { pool, token: `import-${(tokens += 1)}` };
    return this.withProgress(parameters.token, importProgressSchema, onProgress, () =>
      this.request(message.updatePool, parameters, importReportSchema, cancel),
    );
  }

  removePool(pool: string): Promise<unknown> {
    return this.request(message.removePool, { pool }, z.unknown());
  }

  feedback(feedback: FeedbackParams): Promise<unknown> {
    return this.request(message.feedback, feedback, z.unknown());
  }

  feedbackFile(): Promise<{ path: string; count: number }> {
    return this.request(message.feedbackFile, {}, feedbackFileResultSchema);
  }

  dispose(): void {
    this.trace.dispose();
    this.statusChanged.dispose();
  }

  /** Stops the server and with it the engine. */
  async stop(): Promise<void> {
    if (!this.started) return;
    try {
      await this.started;
      await this.client.dispose(3000);
    } catch {
      // A server that never came up has nothing to stop.
    }
  }

  /** Whether the client, which starts a server that died again, has done so too often. */
  private get gaveUp(): boolean {
    const { state } = this.client;
    return this.started !== null && (state === State.Stopped || state === State.StartFailed);
  }

  private tell(status: Status): void {
    this.latest = status;
    if (status.engine) this.poolNames = status.engine.pools.map(({ name }) => name);
    this.statusChanged.fire(status);
  }

  private async request<S extends z.ZodType>(
    method: string,
    parameters: unknown,
    result: S,
    cancel?: CancellationToken,
  ): Promise<z.output<S>> {
    await this.start();
    // An undefined third argument would count as a second parameter.
    const answer = cancel
      ? await this.client.sendRequest<unknown>(method, parameters, cancel)
      : await this.client.sendRequest<unknown>(method, parameters);
    return result.parse(answer);
  }

  private async withProgress<S extends z.ZodType, R>(
    token: string | number,
    schema: S,
    report: (value: z.output<S>) => void,
    run: () => Promise<R>,
  ): Promise<R> {
    await this.start();
    const listener = this.client.onProgress(new ProgressType<unknown>(), token, (raw) => {
      const parsed = schema.safeParse(raw);
      if (parsed.success) report(parsed.data);
    });
    try {
      return await run();
    } finally {
      listener.dispose();
    }
  }
}

/** True for the error of a request that was cancelled on purpose. */
export function isCancelled(error: unknown): boolean {
  return error instanceof ResponseError && (error.code === -32800 || error.code === -32802);
}

/** The message for the user: internal errors are shortened, their stack is in the log. */
export function messageOf(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  return text.split('\n')[0] ?? text;
}
