/** The suites' side of the bridge extension: see bridge-extension/extension.ts. */
import { copyFileSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'esbuild';
import { bridgeExtension, bridgeSource } from './paths';
import type { CodeServer } from './server';

export interface Position {
  /** 0-based. */
  readonly line: number;
  /** 0-based, in UTF-16 code units. */
  readonly character: number;
}

export interface DocumentState {
  readonly text: string;
  readonly dirty: boolean;
  readonly language: string;
  readonly eol: '\n' | '\r\n';
}

/** File through which the extension host says where its bridge listens. */
export function bridgeFile(serverFolder: string): string {
  return join(serverFolder, 'bridge.json');
}

/** Bundles the bridge extension to out/test/bridge and returns that folder. */
export async function buildBridge(): Promise<string> {
  await build({
    entryPoints: [join(bridgeSource, 'extension.ts')],
    outfile: join(bridgeExtension, 'extension.js'),
    bundle: true,
    platform: 'node',
    format: 'cjs',
    target: 'node20',
    external: ['vscode'],
    logLevel: 'warning',
  });
  copyFileSync(join(bridgeSource, 'package.json'), join(bridgeExtension, 'package.json'));
  return bridgeExtension;
}

/** Answers for one window. The extension host that wrote the file last is taken to be its own. */
export class Bridge {
  private port: number | undefined;

  constructor(private readonly server: CodeServer) {}

  /** To call before a window is opened, so that its bridge is not taken for the former one's. */
  static forget(server: CodeServer): void {
    rmSync(bridgeFile(server.folder), { force: true });
  }

  /** Waits for an extension host to answer (again: also after one was killed or reloaded). */
  async ready(timeoutMs = 60_000): Promise<{ version: string; trusted: boolean; pid: number }> {
    const end = Date.now() + timeoutMs;
    for (;;) {
      try {
        return await this.call('ready', {}, 3_000);
      } catch (error) {
        // A new extension host listens elsewhere.
        this.port = undefined;
        if (Date.now() > end) {
          throw new Error(`No extension host answered in ${timeoutMs / 1000} s`, { cause: error });
        }
        await new Promise((resolve) => setTimeout(resolve, 150));
      }
    }
  }

  /** Runs a command by id; the result must survive JSON. */
  execute(command: string, ...args: readonly unknown[]): Promise<unknown> {
    return this.call('execute', { command, args });
  }

  commands(): Promise<string[]> {
    return this.call('commands', {});
  }

  /** Selects the nth (0-based) occurrence of `text` in a file of the workspace and shows it. */
  selectText(file: string, text: string, occurrence = 0): Promise<Position> {
    return this.call('selectText', { file, text, occurrence });
  }

  /** Puts the cursor before the nth (0-based) occurrence of `text`. */
  placeCursor(file: string, text: string, occurrence = 0): Promise<Position> {
    return this.call('selectText', { file, text, occurrence, cursorOnly: true });
  }

  selectRange(file: string, start: Position, end: Position): Promise<Position> {
    return this.call('selectRange', { file, start, end });
  }

  /** What the editor holds of a file, saved or not. */
  document(file: string): Promise<DocumentState> {
    return this.call('document', { file });
  }

  /** Waits until a document is as a condition wants it; throws with what it is instead. */
  async documentWhere(
    file: string,
    condition: (document: DocumentState) => boolean,
    timeoutMs = 10_000,
  ): Promise<DocumentState> {
    const end = Date.now() + timeoutMs;
    for (;;) {
      const state = await this.document(file);
      if (condition(state)) return state;
      if (Date.now() > end) {
        throw new Error(`${file} is not as expected: ${JSON.stringify(state, null, 1)}`);
      }
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  }

  active(): Promise<{ file: string; selected: string } | null> {
    return this.call('active', {});
  }

  extension(id: string): Promise<{ active: boolean; version: string } | null> {
    return this.call('extension', { id });
  }

  /** Sets a user setting; undefined removes it. (The host does not watch settings.json.) */
  async setConfiguration(key: string, value: unknown): Promise<void> {
    await this.call('setConfiguration', { key, value });
  }

  /** The value in force, as every extension sees it. */
  configuration(key: string): Promise<unknown> {
    return this.call('configuration', { key });
  }

  private async call<T>(method: string, params: object, timeoutMs = 60_000): Promise<T> {
    this.port ??= readPort(this.server.folder);
    const response = await fetch(`http://127.0.0.1:${this.port}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${this.server.mark}` },
      body: JSON.stringify({ method, params }),
      signal: AbortSignal.timeout(timeoutMs),
    });
    const reply = (await response.json()) as { result?: T; error?: string };
    if (reply.error !== undefined) throw new Error(`${method}: ${reply.error}`);
    return reply.result as T;
  }
}

function readPort(serverFolder: string): number {
  return (JSON.parse(readFileSync(bridgeFile(serverFolder), 'utf8')) as { port: number }).port;
}
