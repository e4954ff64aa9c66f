/** A real LSP client over stdio for tests: starts dist/server.js with a data folder of its own. */
import { spawn, type ChildProcess } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import {
  createProtocolConnection,
  ProgressType,
  StreamMessageReader,
  StreamMessageWriter,
  type CancellationToken,
  type ProtocolConnection,
} from 'vscode-languageserver-protocol/node';
import { packageRoot } from '../../server/paths';
import {
  inspireProgressSchema,
  inspireResultSchema,
  message,
  statusSchema,
  type InspireParams,
  type InspireProgress,
  type InspireResult,
  type ServerSettings,
  type Status,
} from '../../server/protocol';

export interface ClientOptions {
  settings?: Partial<ServerSettings>;
  home?: string;
  env?: NodeJS.ProcessEnv;
}

let tokens = 0;

export class LanguageClient {
  readonly statuses: Status[] = [];

  private constructor(
    readonly process: ChildProcess,
    readonly connection: ProtocolConnection,
    readonly home: string,
    private readonly ownsHome: boolean,
  ) {
    connection.onNotification(message.status, (raw: unknown) => {
      this.statuses.push(statusSchema.parse(raw));
    });
    connection.onNotification('window/logMessage', () => undefined);
    connection.listen();
  }

  /** Starts and initialises a server. */
  static async start(options: ClientOptions = {}): Promise<LanguageClient> {
    const home = options.home ?? mkdtempSync(join(tmpdir(), 'ratio-lsp-'));
    const child = spawn(process.execPath, [join(packageRoot(), 'dist', 'server.js'), '--stdio'], {
      env: { ...process.env, ...options.env, RATIO_HOME: home },
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    const { stdin, stdout } = child;
    const connection = createProtocolConnection(
      new StreamMessageReader(stdout),
      new StreamMessageWriter(stdin),
    );
    const client = new LanguageClient(child, connection, home, options.home === undefined);
    await connection.sendRequest('initialize', {
      processId: process.pid,
      rootUri: null,
      capabilities: {},
      initializationOptions: { device: 'cpu', ...options.settings },
    });
    await connection.sendNotification('initialized', {});
    return client;
  }

  /** Opens a document by path. */
  async open(path: string, text: string, languageId = 'latex'): Promise<string> {
    const uri = pathToFileURL(path).href;
    await this.connection.sendNotification('textDocument/didOpen', {
      textDocument: { uri, languageId, version: 1, text },
    });
    return uri;
  }

  /** Sends `ratio/inspire` and collects its snapshots. */
  async inspire(
    parameters: Partial<InspireParams> & Pick<InspireParams, 'move'>,
    cancel?: CancellationToken,
  ): Promise<{ result: InspireResult; snapshots: InspireProgress[] }> {
    const token = `t${(tokens += 1)}`;
    const snapshots: InspireProgress[] = [];
    const listener = this.connection.onProgress(new ProgressType<unknown>(), token, (raw) => {
      snapshots.push(inspireProgressSchema.parse(raw));
    });
    try {
      const result = await this.request(
        message.inspire,
        {
          uri: null,
          range: null,
          text: null,
          pools: null,
          years: null,
          limit: 10,
          ...parameters,
          token,
        },
        cancel,
      );
      return { result: inspireResultSchema.parse(result), snapshots };
    } finally {
      listener.dispose();
    }
  }

  request(method: string, parameters: unknown, cancel?: CancellationToken): Promise<unknown> {
    // An undefined third argument would count as a second parameter.
    return cancel
      ? this.connection.sendRequest(method, parameters, cancel)
      : this.connection.sendRequest(method, parameters);
  }

  /** Ends the server politely and deletes its data folder. */
  async stop(): Promise<void> {
    const ended = new Promise((resolve) => this.process.once('exit', resolve));
    if (this.process.exitCode === null && this.process.signalCode === null) {
      await this.connection.sendRequest('shutdown').catch(() => undefined);
      await this.connection.sendNotification('exit').catch(() => undefined);
      await ended;
    }
    this.connection.dispose();
    if (this.ownsHome) rmSync(this.home, { recursive: true, force: true, maxRetries: 5 });
  }
}

/** Range of `text` within `source`, as LSP positions. */
export function rangeOf(
  source: string,
  text: string,
): {
  start: { line: number; character: number };
  end: { line: number; character: number };
} {
  const start = source.indexOf(text);
  if (start < 0) throw new Error(`“${text}” is not in the source`);
  const position = (offset: number) => {
    const before = source.slice(0, offset).split('\n');
    return { line: before.length - 1, character: before.at(-1)?.length ?? 0 };
  };
  return { start: position(start), end: position(start + text.length) };
}
