/** A language server over stdio with an editor's side of the protocol, and clocks on its answers. */
import { spawn, type ChildProcess } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import {
  CancellationTokenSource,
  createProtocolConnection,
  ProgressType,
  StreamMessageReader,
  StreamMessageWriter,
  type ProtocolConnection,
} from 'vscode-languageserver/node';
import type { ImportProgress, Move } from '../../server/engine/engine';
import {
  importReportSchema,
  inspireResultSchema,
  message,
  statusSchema,
  type InspireParams,
  type Status,
  type WireRange,
} from '../../server/protocol';

export type Place = { uri: string; range: WireRange };

/** Milliseconds from sending a move to its first and to its final snapshot. */
export type Timing = {
  first: number;
  all: number;
  inspirations: number;
  weak: boolean;
  reranked: boolean;
};

/** How long the longest answer may take before a bench gives up. */
const PATIENCE_MS = 180_000;

let tokens = 0;

/** A running server and its connection; {@link Session.stop} ends both. */
export class Session {
  private constructor(
    private readonly child: ChildProcess,
    private readonly connection: ProtocolConnection,
  ) {}

  /** Starts a server of the staged package on a data folder, and initialises it. */
  static async start(stage: string, home: string): Promise<Session> {
    const child = spawn(process.execPath, [join(stage, 'dist', 'server.js'), '--stdio'], {
      env: { ...process.env, RATIO_HOME: home },
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    const connection = createProtocolConnection(
      new StreamMessageReader(child.stdout),
      new StreamMessageWriter(child.stdin),
    );
    connection.onNotification('window/logMessage', () => undefined);
    connection.onNotification(message.status, () => undefined);
    connection.listen();
    const session = new Session(child, connection);
    await session.request('initialize', {
      processId: process.pid,
      rootUri: null,
      capabilities: {},
      initializationOptions: { device: 'cpu' },
    });
    await connection.sendNotification('initialized', {});
    return session;
  }

  /** Sends a request; rejects when the server has ended or does not answer for minutes. */
  private async request(method: string, parameters: unknown): Promise<unknown> {
    let timer: NodeJS.Timeout | undefined;
    let gone: () => void = () => undefined;
    const failed = new Promise<never>((_resolve, reject) => {
      gone = () => reject(new Error(`The language server ended during ${method}.`));
      this.child.once('exit', gone);
      timer = setTimeout(() => reject(new Error(`No answer to ${method}.`)), PATIENCE_MS);
    });
    try {
      return await Promise.race([this.connection.sendRequest(method, parameters), failed]);
    } finally {
      clearTimeout(timer);
      this.child.off('exit', gone);
    }
  }

  /** Opens a document; returns its URI. */
  async open(path: string, text: string): Promise<string> {
    const uri = pathToFileURL(path).href;
    const languageId = path.endsWith('.md') ? 'markdown' : 'latex';
    await this.connection.sendNotification('textDocument/didOpen', {
      textDocument: { uri, languageId, version: 1, text },
    });
    return uri;
  }

  /** Replaces a range of an open document, as typing does. */
  async change(uri: string, version: number, range: WireRange, text: string): Promise<void> {
    await this.connection.sendNotification('textDocument/didChange', {
      textDocument: { uri, version },
      contentChanges: [{ range, text }],
    });
  }

  /** Asks for a move at a place and times its answers. Rejects where there is no prose. */
  async inspire(move: Move, place: Place, rerank: boolean): Promise<Timing> {
    const token = `bench-${(tokens += 1)}`;
    let first: number | null = null;
    const started = performance.now();
    const listener = this.connection.onProgress(new ProgressType<unknown>(), token, () => {
      first ??= performance.now() - started;
    });
    const parameters: InspireParams = {
      move,
      ...place,
      text: null,
      pools: null,
      years: null,
      limit: 20,
      rerank,
      token,
    };
    try {
      const raw = await this.request(message.inspire, parameters);
      const all = performance.now() - started;
      const answer = inspireResultSchema.parse(raw);
      if (answer.kind !== 'answer') throw new Error(`A query of the bench found no prose.`);
      const { inspirations, weak, reranked = false } = answer.snapshot;
      return { first: first ?? all, all, inspirations: inspirations.length, weak, reranked };
    } finally {
      listener.dispose();
    }
  }

  /** What the server says of engine and pools. Rejects like every request: see `request`. */
  async status(): Promise<Status> {
    return statusSchema.parse(await this.request(message.getStatus, {}));
  }

  /** Imports `path` into `pool` until it is done or `stop` is called. */
  import(
    pool: string,
    path: string,
    onProgress: (progress: ImportProgress) => void,
  ): { stop: () => void; done: Promise<{ cancelled: boolean; sentences: number }> } {
    const token = `bench-${(tokens += 1)}`;
    const cancel = new CancellationTokenSource();
    const listener = this.connection.onProgress(
      new ProgressType<ImportProgress>(),
      token,
      onProgress,
    );
    const done = this.connection
      .sendRequest(message.addToPool, { request: { pool, sources: [path] }, token }, cancel.token)
      .then((raw) => importReportSchema.parse(raw))
      .finally(() => {
        listener.dispose();
        cancel.dispose();
      });
    return { stop: () => cancel.cancel(), done };
  }

  /** Removes a pool with what is in it. */
  async removePool(pool: string): Promise<void> {
    await this.request(message.removePool, { pool });
  }

  /** Resident memory, in bytes, of the server and of its children; null where /proc is not. */
  memory(): { pid: number; bytes: number }[] | null {
    try {
      const parents = new Map<number, number>();
      for (const name of readdirSync('/proc')) {
        if (!/^\d+$/.test(name)) continue;
        try {
          const stat = readFileSync(`/proc/${name}/stat`, 'utf8');
          parents.set(Number(name), Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]));
        } catch {
          // Ended meanwhile.
        }
      }
      const own = this.child.pid ?? -1;
      const pids = [
        own,
        ...[...parents].filter(([, parent]) => parent === own).map(([pid]) => pid),
      ];
      return pids.map((pid) => {
        const [, kib] = /VmRSS:\s*(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
        return { pid, bytes: Number(kib ?? NaN) * 1024 };
      });
    } catch {
      return null;
    }
  }

  /**
   * Processor time in ms that a process of {@link memory} has taken so far, its threads together;
   * NaN where /proc is not. Linux counts it in hundredths of a second.
   */
  static processorMs(pid: number): number {
    try {
      const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
      const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
      return 10 * (Number(fields[11]) + Number(fields[12]));
    } catch {
      return NaN;
    }
  }

  /** Ends the server as an editor does; a deaf one is killed. */
  async stop(): Promise<void> {
    if (this.child.exitCode === null && this.child.signalCode === null) {
      const ended = new Promise<void>((resolve) => this.child.once('exit', () => resolve()));
      const killer = setTimeout(() => this.child.kill('SIGKILL'), 10_000);
      await this.connection.sendRequest('shutdown').catch(() => undefined);
      await this.connection.sendNotification('exit').catch(() => undefined);
      await ended;
      clearTimeout(killer);
    }
    this.connection.dispose();
  }
}
