/**
 * Makes sure that a real VS Code is there to test in: VS Code desktop where it can be downloaded
 * and shown, else code-server in headless Chromium.
 *
 * `RATIO_VSCODE_HOST` = `electron` | `code-server` | `auto` (default) chooses;
 * `RATIO_VSCODE_VERSION` is the desktop version (`stable` by default, `1.100.0`, `insiders`).
 */
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import {
  downloadAndUnzipVSCode,
  ProgressReportStage,
  type ProgressReport,
} from '@vscode/test-electron';
import {
  codeServerIsInstalled,
  ensureCodeServer,
  type CodeServerHost,
} from './code-server-install';
import { hostCache } from './paths';

export interface ElectronHost {
  readonly kind: 'electron';
  readonly version: string;
  readonly executable: string;
  /** Start it under `xvfb-run`: this machine has no display. */
  readonly virtualDisplay: boolean;
}

export type Host = ElectronHost | CodeServerHost;

/** A host for each kind of suite; without one, `uiSkip` says why. */
export interface Hosts {
  readonly inHost: Host;
  readonly ui: CodeServerHost | undefined;
  readonly uiSkip: string | undefined;
}

type Log = (line: string) => void;
type Choice = 'electron' | 'code-server' | 'auto';

/** How long VS Code's download may take to begin before we call it refused, in milliseconds. */
const DOWNLOAD_MUST_BEGIN_MS = 12_000;

/** Installs the hosts that the wanted suites need. Throws an Error that says what to do. */
export async function ensureHosts(log: Log, wantUi = true): Promise<Hosts> {
  const choice = chosenHost();
  const inHost = await ensureInHost(choice, log);
  if (!wantUi) return { inHost, ui: undefined, uiSkip: 'not asked for' };
  if (inHost.kind === 'code-server') return { inHost, ui: inHost, uiSkip: undefined };
  if (choice === 'electron') {
    const uiSkip = 'UI suites drive code-server, and RATIO_VSCODE_HOST=electron was asked for';
    return { inHost, ui: undefined, uiSkip };
  }
  // A person's machine is not made to compile code-server unasked; a CI is.
  if (process.env['CI'] || codeServerIsInstalled()) {
    return { inHost, ui: await ensureCodeServer(log), uiSkip: undefined };
  }
  const uiSkip = 'UI suites drive code-server; RATIO_VSCODE_HOST=code-server installs it';
  return { inHost, ui: undefined, uiSkip };
}

async function ensureInHost(choice: Choice, log: Log): Promise<Host> {
  if (choice === 'code-server') return ensureCodeServer(log);
  if (choice === 'electron') return ensureElectron(log);
  // What a former run installed needs no network to decide on.
  if (codeServerIsInstalled() && !electronIsInstalled()) return ensureCodeServer(log);
  let refused: string;
  try {
    return await ensureElectron(log);
  } catch (error) {
    refused = error instanceof Error ? error.message : String(error);
    log(`VS Code desktop is not available (${refused}); using code-server`);
  }
  try {
    return await ensureCodeServer(log);
  } catch (error) {
    throw new Error(
      `No VS Code to test in.\n- Desktop: ${refused}\n- code-server: ` +
        `${error instanceof Error ? error.message : String(error)}`,
      { cause: error },
    );
  }
}

function chosenHost(): Choice {
  const value = process.env['RATIO_VSCODE_HOST'] || 'auto';
  if (value === 'electron' || value === 'code-server' || value === 'auto') return value;
  throw new Error(`RATIO_VSCODE_HOST is "${value}"; use electron, code-server or auto.`);
}

function electronIsInstalled(): boolean {
  if (!existsSync(hostCache)) return false;
  return readdirSync(hostCache).some((name) => /^vscode-/.test(name));
}

async function ensureElectron(log: Log): Promise<ElectronHost> {
  const needsDisplay =
    process.platform === 'linux' && !process.env['DISPLAY'] && !process.env['WAYLAND_DISPLAY'];
  if (needsDisplay && spawnSync('xvfb-run', ['--help']).status !== 0) {
    throw new Error('no display; install xvfb (Debian: apt-get install xvfb xauth)');
  }
  const version = process.env['RATIO_VSCODE_VERSION'] || 'stable';
  const executable = await download(version, log);
  return { kind: 'electron', version, executable, virtualDisplay: needsDisplay };
}

/** Downloads VS Code, or finds it in the cache; gives up early where nothing comes. */
async function download(version: string, log: Log): Promise<string> {
  return new Promise<string>((resolve, reject) => {
    const giveUp = (why: string) => reject(new Error(`downloading VS Code ${version}: ${why}`));
    const timer = setTimeout(
      () => giveUp(`nothing came within ${DOWNLOAD_MUST_BEGIN_MS / 1000} s`),
      DOWNLOAD_MUST_BEGIN_MS,
    );
    let begun = false;
    const report = (progress: ProgressReport) => {
      if (progress.stage === ProgressReportStage.Downloading && !begun) {
        begun = true;
        clearTimeout(timer);
        log(`downloading VS Code ${version} (${Math.round(progress.totalBytes / 1e6)} MB)`);
      } else if (progress.stage === ProgressReportStage.Retrying && !begun) {
        clearTimeout(timer);
        giveUp(String(progress.error));
      }
    };
    downloadAndUnzipVSCode({
      version,
      cachePath: hostCache,
      timeout: DOWNLOAD_MUST_BEGIN_MS,
      reporter: { report, error: (error: unknown) => log(String(error)) },
    })
      .then(resolve, (error: unknown) => giveUp(String(error)))
      .finally(() => clearTimeout(timer));
  });
}

if (require.main === module) {
  ensureHosts((line) => console.log(line)).then(
    (hosts) => console.log(JSON.stringify(hosts, null, 2)),
    (error: unknown) => {
      console.error(error instanceof Error ? error.message : error);
      process.exitCode = 1;
    },
  );
}
