/** Runs the bundled mocha suites inside the extension host of either kind of VS Code. */
import { randomUUID } from 'node:crypto';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runTests } from '@vscode/test-electron';
import { build } from 'esbuild';
import { launchBrowser, windowUrl } from './browser';
import type { CodeServerHost } from './code-server-install';
import type { ElectronHost, Host } from './install';
import {
  extensionUnderTest,
  inHostBundle,
  repository,
  screenshotFolder,
  workspaceFixture,
} from './paths';
import { MARK, processesOf, signal } from './processes';
import type { TestResult } from './results';
import { CodeServer } from './server';

export interface InHostOptions {
  readonly grep?: string | undefined;
  /** Hard limit of the whole run, in milliseconds. */
  readonly timeoutMs: number;
  /** Called with each result as it comes. */
  readonly onResult: (result: TestResult) => void;
}

/** Bundles test/vscode/inhost to out/test/inhost, CommonJS, as the extension host loads it. */
export async function bundleInHost(): Promise<void> {
  rmSync(inHostBundle, { recursive: true, force: true });
  await build({
    entryPoints: [
      join(repository, 'test', 'vscode', 'inhost', 'index.ts'),
      join(repository, 'test', 'vscode', 'inhost', '*.test.ts').replaceAll('\\', '/'),
    ],
    outdir: inHostBundle,
    bundle: true,
    platform: 'node',
    format: 'cjs',
    target: 'node20',
    sourcemap: 'inline',
    external: ['vscode', 'mocha', 'onnxruntime-node', 'hnswlib-node', 'libsql'],
    logLevel: 'warning',
  });
}

/**
 * Runs the suites and resolves when all have reported. Throws an Error when the run itself broke:
 * nothing loaded, a hard time-out, or an end without the last report.
 */
export async function runInHost(host: Host, options: InHostOptions): Promise<void> {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'ratio-inhost-')));
  const workspace = join(folder, 'workspace');
  const resultFile = join(folder, 'results.jsonl');
  cpSync(workspaceFixture, workspace, { recursive: true });
  const env = {
    RATIO_TEST_RESULTS: resultFile,
    RATIO_TEST_GREP: options.grep ?? '',
    RATIO_HOME: join(folder, 'ratio-home'),
  };
  const follower = follow(resultFile, options.onResult);
  let problem: string | undefined;
  try {
    problem =
      host.kind === 'electron'
        ? await inElectron(host, folder, workspace, env, options.timeoutMs)
        : await inCodeServer(host, workspace, env, options.timeoutMs);
  } finally {
    follower.stop();
    rmSync(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
  }
  if (!follower.ended()) {
    throw new Error(`The run in the extension host broke: ${problem ?? 'no end was reported'}`);
  }
}

/** Returns what went wrong besides failed tests, which the results tell. */
async function inCodeServer(
  host: CodeServerHost,
  workspace: string,
  env: Record<string, string>,
  timeoutMs: number,
): Promise<string | undefined> {
  const server = await CodeServer.start(host, { name: 'inhost', env });
  const browser = await launchBrowser(host.chromium);
  let problem: string | undefined;
  try {
    const page = await browser.newPage({ viewport: { width: 1440, height: 900 } });
    const relayed: string[] = [];
    const ended = new Promise<number>((resolve) => {
      // The workbench calls these two when they exist; results come through the file.
      void page.exposeFunction('codeAutomationLog', (_type: string, args: unknown[]) => {
        relayed.push(args.map(String).join(' '));
      });
      void page.exposeFunction('codeAutomationExit', resolve);
    });
    await page.goto(
      windowUrl(server.url, {
        folder: workspace,
        extension: extensionUnderTest,
        testsPath: join(inHostBundle, 'index.js'),
      }),
    );
    const code = await Promise.race([ended, after(timeoutMs)]);
    if (code !== 0) {
      const tail = relayed.slice(-30).join('\n');
      problem = code === undefined ? `no end in ${timeoutMs / 1000} s` : `exit code ${code}`;
      if (tail) problem += `\n${tail}`;
      mkdirSync(screenshotFolder, { recursive: true });
      await page.screenshot({ path: join(screenshotFolder, 'failed-inhost.png') });
      problem += `\nlogs: ${server.keepLogs()}`;
    }
  } finally {
    await browser.close().catch(() => undefined);
    await server.stop();
  }
  return problem;
}

async function inElectron(
  host: ElectronHost,
  folder: string,
  workspace: string,
  env: Record<string, string>,
  timeoutMs: number,
): Promise<string | undefined> {
  const mark = randomUUID();
  const profile = [
    `--user-data-dir=${join(folder, 'ud')}`,
    `--extensions-dir=${join(folder, 'ext')}`,
  ];
  const launch = [workspace, '--disable-telemetry', '--disable-crash-reporter', ...profile];
  // runTests always passes --disable-workspace-trust, and no dialog is shown while tests run, so
  // nothing could answer the question: an untrusted workspace is tested in the UI suites.
  const run = runTests({
    // xvfb-run takes the editor as its first argument.
    vscodeExecutablePath: host.virtualDisplay ? 'xvfb-run' : host.executable,
    launchArgs: host.virtualDisplay ? ['-a', host.executable, ...launch] : launch,
    extensionDevelopmentPath: extensionUnderTest,
    extensionTestsPath: join(inHostBundle, 'index.js'),
    extensionTestsEnv: { ...env, [MARK]: mark },
  }).then(
    () => undefined,
    (error: unknown) => (error instanceof Error ? error.message : String(error)),
  );
  const problem = await Promise.race([
    run,
    after(timeoutMs).then(() => `no end in ${timeoutMs / 1000} s`),
  ]);
  for (const entry of processesOf(mark, undefined)) signal(entry.pid, 'SIGKILL');
  return problem;
}

/** Reads a growing file of JSON lines; `ended` is true once the last line says so. */
function follow(file: string, onResult: (result: TestResult) => void) {
  let read = 0;
  let end = false;
  const poll = () => {
    if (!existsSync(file)) return;
    const lines = readFileSync(file, 'utf8').split('\n');
    // The last part is empty, or a line that is still being written.
    for (; read < lines.length - 1; read++) {
      const record = JSON.parse(lines[read] ?? '{}') as TestResult | { end: true };
      if ('end' in record) end = true;
      else onResult(record);
    }
  };
  const timer = setInterval(poll, 250);
  return {
    ended: () => end,
    stop: () => {
      clearInterval(timer);
      poll();
    },
  };
}

function after(ms: number): Promise<undefined> {
  return new Promise((resolve) => setTimeout(() => resolve(undefined), ms).unref());
}
