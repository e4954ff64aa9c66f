/** A code-server for one suite: its own port, user data, extensions and processes. */
import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import {
  closeSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { bridgeFile } from './bridge';
import type { CodeServerHost } from './code-server-install';
import { logFolder } from './paths';
import { MARK, processesOf, signal, waitUntil, type ProcessInfo } from './processes';

export interface ServerOptions {
  /** Name of its log files. */
  readonly name?: string;
  /** User settings over the quiet defaults below. */
  readonly settings?: Readonly<Record<string, unknown>>;
  /** Workspace trust as VS Code has it by default. Off unless asked for. */
  readonly trust?: boolean;
  /** A package to install before the start. */
  readonly vsix?: string;
  /** Folders of unpacked extensions to install as they are, by a link. */
  readonly unpacked?: readonly string[];
  /** Environment of the server and thus of the extension host; undefined removes a variable. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** A PATH without `node`, as most users of desktop VS Code have it. */
  readonly withoutNode?: boolean;
}

/** No noise from the host itself; close to desktop's defaults otherwise. */
const QUIET_SETTINGS = {
  'workbench.startupEditor': 'none',
  'workbench.enableExperiments': false,
  'workbench.tips.enabled': false,
  'workbench.secondarySideBar.defaultVisibility': 'hidden',
  'chat.disableAIFeatures': true,
  'chat.commandCenter.enabled': false,
  'telemetry.telemetryLevel': 'off',
  'extensions.autoCheckUpdates': false,
  'extensions.autoUpdate': false,
  'git.enabled': false,
  // The web workbench saves by itself; desktop does not.
  'files.autoSave': 'off',
  'window.restoreWindows': 'none',
};

/** Time for extension host, language server and engine to end by themselves, in milliseconds. */
const GRACE_MS = 8_000;

/** Command line of a process that belongs to VS Code itself. */
const OWN_PROCESS = /out\/node\/entry|bootstrap-fork --type=|server-main/;

const running = new Set<CodeServer>();
process.on('exit', () => running.forEach((server) => server.killNow()));
for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.once(name, () => process.exit(1));
}

export class CodeServer {
  private constructor(
    private readonly child: ChildProcess,
    readonly url: string,
    /** Temporary folder that holds everything of this server; removed by `stop`. */
    readonly folder: string,
    /** Every process of this server has it in its environment (see `MARK`). */
    readonly mark: string,
    private readonly name: string,
  ) {}

  /** Starts code-server and waits until it answers. Throws with the end of its log otherwise. */
  static async start(host: CodeServerHost, options: ServerOptions = {}): Promise<CodeServer> {
    const folder = realpathSync(mkdtempSync(join(tmpdir(), 'ratio-vscode-')));
    const mark = randomUUID();
    const env = environment(options, folder, mark);
    const settings = { ...QUIET_SETTINGS, ...options.settings };
    writeSettings(folder, settings);
    const common = ['--config', '/dev/null'];
    common.push('--user-data-dir', join(folder, 'ud'), '--extensions-dir', join(folder, 'ext'));
    // Before the package: VS Code takes these up when it first looks at the folder.
    for (const [at, source] of (options.unpacked ?? []).entries()) {
      mkdirSync(join(folder, 'ext'), { recursive: true });
      symlinkSync(source, join(folder, 'ext', `unpacked-${at}`), 'dir');
    }
    if (options.vsix) installExtension(host, [...common, '--install-extension', options.vsix], env);

    const port = await freePort();
    const args = [host.entry, ...common, '--bind-addr', `127.0.0.1:${port}`, '--auth', 'none'];
    args.push(
      '--disable-telemetry',
      '--disable-update-check',
      '--disable-getting-started-override',
    );
    if (!options.trust) args.push('--disable-workspace-trust');
    const log = openSync(join(folder, 'server.log'), 'a');
    // A group of its own, so that the end of a run takes every process with it.
    const child = spawn(host.node, args, { env, detached: true, stdio: ['ignore', log, log] });
    closeSync(log);
    const url = `http://127.0.0.1:${port}`;
    const name = options.name ?? 'server';
    const server = new CodeServer(child, url, folder, mark, name);
    running.add(server);
    let failure: string | undefined;
    child.once('error', (error) => (failure = error.message));
    child.once('exit', (code) => (failure = `it ended with code ${code}`));
    const answers = await waitUntil(
      async () => failure !== undefined || (await isHealthy(url)),
      30_000,
    );
    if (!answers || failure !== undefined) {
      const tail = server.log().split('\n').slice(-20).join('\n');
      await server.stop().catch(() => undefined);
      throw new Error(`code-server did not start: ${failure ?? 'no answer in 30 s'}\n${tail}`);
    }
    return server;
  }

  get pid(): number {
    return this.child.pid ?? -1;
  }

  /** Data folder of Ratio that the extension of this server uses. */
  get ratioHome(): string {
    return join(this.folder, 'ratio-home');
  }

  log(): string {
    const path = join(this.folder, 'server.log');
    return existsSync(path) ? readFileSync(path, 'utf8') : '';
  }

  /** Living processes of this server: code-server, extension hosts, and what those started. */
  processes(): ProcessInfo[] {
    return processesOf(this.mark, this.child.pid);
  }

  /** Processes of this server whose command line matches, e.g. `/--type=extensionHost/`. */
  find(command: RegExp): ProcessInfo[] {
    return this.processes().filter((entry) => command.test(entry.command));
  }

  /** Copies the logs of server, extension host and extensions to out/vscode-logs. */
  keepLogs(): string {
    const target = join(logFolder, this.name.replaceAll(/[^\w.-]+/g, '-'));
    rmSync(target, { recursive: true, force: true });
    mkdirSync(target, { recursive: true });
    for (const part of ['server.log', join('ud', 'logs')]) {
      const source = join(this.folder, part);
      if (existsSync(source)) cpSync(source, join(target, part), { recursive: true });
    }
    return target;
  }

  /**
   * Ends the server and waits until all its processes are gone. VS Code's own are killed after a
   * moment (an extension host waits for hours for its window to come back); whatever else outlives
   * them by 8 s is killed too, and named in the Error that is thrown.
   */
  async stop(): Promise<void> {
    if (!running.has(this)) return;
    if (this.child.exitCode === null && this.child.pid) signal(this.child.pid, 'SIGTERM');
    const gone = () => this.processes().length === 0;
    if (!(await waitUntil(gone, 2_000))) {
      for (const entry of this.find(OWN_PROCESS)) signal(entry.pid, 'SIGKILL');
    }
    const clean = await waitUntil(gone, GRACE_MS);
    const orphans = clean ? [] : this.processes();
    this.killNow();
    await waitUntil(gone, 3_000);
    if (orphans.length > 0) this.keepLogs();
    rmSync(this.folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
    if (orphans.length > 0) {
      const list = orphans.map((entry) => `  ${entry.pid} ${entry.command.slice(0, 200)}`);
      throw new Error(`Processes outlived the editor by ${GRACE_MS / 1000} s:\n${list.join('\n')}`);
    }
  }

  /** Kills everything at once (also called when the test process exits). */
  killNow(): void {
    running.delete(this);
    for (const entry of this.processes()) signal(entry.pid, 'SIGKILL');
  }
}

function environment(options: ServerOptions, folder: string, mark: string): NodeJS.ProcessEnv {
  // Those of a VS Code terminal or of npm would change what is tested.
  const foreign = /^(VSCODE_|npm_|ELECTRON_|NODE_OPTIONS$|PORT$|PASSWORD$|CI$)/i;
  const inherited = Object.entries(process.env).filter(([name]) => !foreign.test(name));
  const env: NodeJS.ProcessEnv = Object.fromEntries(inherited);
  env[MARK] = mark;
  env['RATIO_HOME'] = join(folder, 'ratio-home');
  env['RATIO_TEST_BRIDGE'] = bridgeFile(folder);
  // No marketplace: nothing is looked up on the network.
  env['EXTENSIONS_GALLERY'] = '{"serviceUrl":""}';
  // Makes VS Code take this environment as it is, without asking a login shell.
  env['VSCODE_CLI'] = '1';
  if (options.withoutNode) {
    const empty = join(folder, 'no-commands');
    mkdirSync(empty, { recursive: true });
    env['PATH'] = empty;
  }
  // A variable that is undefined is not handed on.
  return { ...env, ...options.env };
}

function installExtension(host: CodeServerHost, args: string[], env: NodeJS.ProcessEnv): void {
  const result = spawnSync(host.node, [host.entry, ...args], {
    env,
    encoding: 'utf8',
    timeout: 120_000,
  });
  if (result.status !== 0 || !/successfully installed/.test(result.stdout)) {
    throw new Error(`The package could not be installed:\n${result.stdout}\n${result.stderr}`);
  }
}

function writeSettings(folder: string, settings: Readonly<Record<string, unknown>>): void {
  const path = join(folder, 'ud', 'User', 'settings.json');
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, JSON.stringify(settings, null, 2));
}

async function isHealthy(url: string): Promise<boolean> {
  try {
    return (await fetch(`${url}/healthz`, { signal: AbortSignal.timeout(2_000) })).ok;
  } catch {
    return false;
  }
}

async function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer();
    probe.once('error', reject);
    probe.listen(0, '127.0.0.1', () => {
      const address = probe.address();
      probe.close(() => {
        if (address && typeof address === 'object') resolve(address.port);
        else reject(new Error('no free port'));
      });
    });
  });
}
