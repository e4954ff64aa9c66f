/**
 * Puts code-server (VS Code's own server and workbench, from npm) into `.vscode-test/code-server`.
 * Its install scripts are not run as they stand: they download what the package registry does not
 * carry. Dependencies are installed without scripts, then only the native modules that VS Code
 * needs are built.
 */
import { spawn, spawnSync } from 'node:child_process';
import {
  createWriteStream,
  existsSync,
  mkdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { arch, platform } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { chromium } from 'playwright-core';
import { hostCache } from './paths';
import { isAlive, waitUntil } from './processes';

/** The last release on npm for Node 20; it carries VS Code 1.100.3. */
export const CODE_SERVER_VERSION = '4.100.3';
const NODE_MAJOR = 20;
/** Raise it when the steps below change, so that older installations are redone. */
const RECIPE = 1;

export interface CodeServerHost {
  readonly kind: 'code-server';
  readonly version: string;
  /** Node that runs code-server (its native modules are built for it). */
  readonly node: string;
  /** Script to start code-server with. */
  readonly entry: string;
  /** Chromium or Chrome for Playwright. */
  readonly chromium: string;
}

type Log = (line: string) => void;

const folder = join(hostCache, 'code-server');
const stampFile = join(folder, 'stamp.json');
const entry = join(folder, 'node_modules', 'code-server', 'out', 'node', 'entry.js');

/** True when a finished installation is there, so that no download is needed. */
export function codeServerIsInstalled(): boolean {
  return readStamp() !== undefined;
}

/**
 * Installs what is missing: Chromium and ripgrep (Debian, as root), code-server (npm).
 * Throws an Error that says what to do where that is not possible.
 */
export async function ensureCodeServer(log: Log): Promise<CodeServerHost> {
  if (platform() === 'win32') {
    throw new Error('code-server does not run on Windows; set RATIO_VSCODE_HOST=electron.');
  }
  const tools = await ensureTools(log);
  let node = readStamp();
  if (!node) {
    node = await withLock(async () => readStamp() ?? (await install(tools.ripgrep, log)), log);
  }
  return {
    kind: 'code-server',
    version: CODE_SERVER_VERSION,
    node,
    entry,
    chromium: tools.chromium,
  };
}

/** Node of a finished installation that fits this recipe and machine. */
function readStamp(): string | undefined {
  try {
    const stamp = JSON.parse(readFileSync(stampFile, 'utf8')) as Record<string, unknown>;
    const node = stamp['node'];
    const fits = stamp['key'] === stampKey() && typeof node === 'string';
    return fits && existsSync(node) && existsSync(entry) ? node : undefined;
  } catch {
    return undefined;
  }
}

function stampKey(): string {
  return [CODE_SERVER_VERSION, `recipe ${RECIPE}`, `node ${NODE_MAJOR}`, platform(), arch()].join();
}

async function install(ripgrep: string, log: Log): Promise<string> {
  const started = Date.now();
  const say = (line: string) =>
    log(`code-server: ${line} (${((Date.now() - started) / 1000).toFixed(0)} s)`);
  if (existsSync(folder)) say('removing an unfinished or older installation');
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'package.json'), '{"private":true}\n');

  say(`installing ${CODE_SERVER_VERSION} from npm into ${folder}`);
  const packages = [`code-server@${CODE_SERVER_VERSION}`];
  const ownNode = Number(process.versions.node.split('.')[0]) === NODE_MAJOR;
  const nodePackage = `node-${platform()}-${arch()}`;
  if (!ownNode) packages.push(`${nodePackage}@${NODE_MAJOR}`);
  const env = npmEnvironment(process.execPath);
  await npm(['install', '--ignore-scripts', '--no-save', ...packages], folder, env, 'top');

  const node = ownNode ? process.execPath : join(folder, 'node_modules', nodePackage, 'bin/node');
  const server = join(folder, 'node_modules', 'code-server');
  const vscode = join(server, 'lib', 'vscode');
  const buildEnv = npmEnvironment(node);
  const plain = ['install', '--ignore-scripts', '--omit=dev'];
  say('installing the packages of VS Code');
  await npm(plain, vscode, buildEnv, 'vscode');
  await npm(plain, join(vscode, 'extensions'), buildEnv, 'extensions');

  say('building native modules');
  const rebuild = ['rebuild', '--foreground-scripts'];
  await npm([...rebuild, 'argon2'], folder, buildEnv, 'argon2');
  const natives = ['node-pty', '@vscode/spdlog', 'native-watchdog', '@parcel/watcher'];
  await npm([...rebuild, ...natives], vscode, buildEnv, 'natives');

  // The links that code-server's own install script makes.
  const os = platform() === 'darwin' ? 'darwin' : 'linux';
  link(`code-${os}.sh`, join(vscode, 'bin', 'remote-cli', 'code-server'));
  link(`browser-${os}.sh`, join(vscode, 'bin', 'helpers', 'browser.sh'));
  link('node_modules', join(vscode, 'node_modules.asar'));
  // Searching and quick open call ripgrep, which is downloaded by a script that we skipped.
  link(ripgrep, join(vscode, 'node_modules', '@vscode', 'ripgrep', 'bin', 'rg'));

  const check = spawnSync(node, [entry, '--config', '/dev/null', '--version'], {
    encoding: 'utf8',
    timeout: 30_000,
  });
  if (check.status !== 0 || !check.stdout.includes(CODE_SERVER_VERSION)) {
    throw new Error(`code-server does not start: ${check.stderr || check.stdout}`);
  }
  writeFileSync(stampFile, JSON.stringify({ key: stampKey(), node }, null, 2) + '\n');
  say('ready');
  return node;
}

function link(target: string, path: string): void {
  rmSync(path, { force: true });
  mkdirSync(dirname(path), { recursive: true });
  symlinkSync(target, path);
}

/**
 * Environment for npm with `node` first on the PATH. Variables of an npm that may have started us
 * are dropped (they carry the repository's settings), except where packages come from.
 */
function npmEnvironment(node: string): NodeJS.ProcessEnv {
  const keep =
    /^npm_config_(registry|cache|userconfig|globalconfig|proxy|https_proxy|noproxy|cafile)$/i;
  const env: NodeJS.ProcessEnv = {};
  for (const [name, value] of Object.entries(process.env)) {
    if (!/^npm_/i.test(name) || keep.test(name)) env[name] = value;
  }
  env['PATH'] = dirname(node) + delimiter + (process.env['PATH'] ?? '');
  // node-pty's script calls `npx node-gyp`, which would ask.
  env['npm_config_yes'] = 'true';
  env['npm_config_audit'] = env['npm_config_fund'] = env['npm_config_update_notifier'] = 'false';
  // With the headers beside Node, node-gyp downloads none.
  const prefix = dirname(dirname(realpathSync.native(existsSync(node) ? node : process.execPath)));
  if (existsSync(join(prefix, 'include', 'node', 'common.gypi'))) {
    env['npm_config_nodedir'] = prefix;
  }
  return env;
}

async function npm(
  args: string[],
  cwd: string,
  env: NodeJS.ProcessEnv,
  name: string,
): Promise<void> {
  const logFile = join(folder, `npm-${name}.log`);
  const output = createWriteStream(logFile);
  const child = spawn('npm', args, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] });
  child.stdout.pipe(output, { end: false });
  child.stderr.pipe(output, { end: false });
  const timer = setTimeout(() => child.kill('SIGKILL'), 10 * 60_000);
  const code = await new Promise<number | null>((resolve, reject) => {
    child.on('error', reject);
    child.on('close', resolve);
  }).finally(() => {
    clearTimeout(timer);
    output.end();
  });
  if (code !== 0) {
    const tail = readFileSync(logFile, 'utf8').split('\n').slice(-15).join('\n');
    throw new Error(
      `npm ${args.join(' ')} failed in ${cwd} (log: ${logFile}). Building needs Python 3, make ` +
        `and a C++ compiler (Debian: apt-get install build-essential python3).\n${tail}`,
    );
  }
}

async function ensureTools(log: Log): Promise<{ chromium: string; ripgrep: string }> {
  let browser = findChromium();
  let ripgrep = which('rg');
  const missing = [
    ...(browser ? [] : ['chromium', 'fonts-dejavu-core']),
    ...(ripgrep ? [] : ['ripgrep']),
  ];
  if (missing.length > 0 && which('apt-get')) {
    const prefix = aptPrefix();
    if (prefix) {
      log(`code-server: apt-get install ${missing.join(' ')}`);
      apt([...prefix, 'apt-get', 'update', '-qq']);
      apt([...prefix, 'apt-get', 'install', '-y', '-qq', '--no-install-recommends', ...missing]);
      browser = findChromium();
      ripgrep = which('rg');
    }
  }
  if (browser && ripgrep) return { chromium: browser, ripgrep };
  const lacks = [browser ? '' : 'Chromium', ripgrep ? '' : 'ripgrep (rg)'].filter(Boolean);
  throw new Error(
    `The tests in a real VS Code need ${lacks.join(' and ')}. ` +
      'Debian, Ubuntu: sudo apt-get install chromium ripgrep. macOS: brew install ripgrep, and ' +
      'Chrome or `npx playwright-core install chromium`. RATIO_CHROMIUM may name a browser.',
  );
}

/** `[]` as root, `sudo` on a CI machine that asks for no password, else undefined. */
function aptPrefix(): string[] | undefined {
  if (process.getuid?.() === 0) return [];
  const free = process.env['CI'] && spawnSync('sudo', ['-n', 'true']).status === 0;
  return free ? ['sudo', '-n'] : undefined;
}

function apt(words: string[]): void {
  const [command = '', ...args] = words;
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  const result = spawnSync(command, args, { env, encoding: 'utf8', timeout: 10 * 60_000 });
  if (result.status !== 0) throw new Error(`${words.join(' ')} failed:\n${result.stderr}`);
}

function findChromium(): string | undefined {
  const named = process.env['RATIO_CHROMIUM'];
  if (named) {
    if (!existsSync(named)) throw new Error(`RATIO_CHROMIUM names no file: ${named}`);
    return named;
  }
  const mac = '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome';
  return (
    which('chromium') ??
    which('chromium-browser') ??
    which('google-chrome') ??
    [mac, chromium.executablePath()].find((path) => existsSync(path))
  );
}

function which(name: string): string | undefined {
  for (const part of (process.env['PATH'] ?? '').split(delimiter)) {
    const path = join(part, name);
    if (part && existsSync(path)) return path;
  }
  return undefined;
}

/** Keeps a second run from installing into the same folder at the same time. */
async function withLock<T>(work: () => Promise<T>, log: Log): Promise<T> {
  const lock = join(hostCache, 'code-server.lock');
  mkdirSync(hostCache, { recursive: true });
  const take = () => {
    try {
      writeFileSync(lock, String(process.pid), { flag: 'wx' });
      return true;
    } catch {
      const owner = existsSync(lock) ? Number(readFileSync(lock, 'utf8')) : 0;
      if (owner && !isAlive(owner)) rmSync(lock, { force: true });
      return false;
    }
  };
  // Twice: the first try removes the lock of a run that was killed.
  if (!take() && !take()) {
    log('code-server: waiting for another run that installs it');
    if (!(await waitUntil(take, 10 * 60_000, 500))) {
      throw new Error(`Another run has been installing code-server for 10 minutes (${lock}).`);
    }
  }
  try {
    return await work();
  } finally {
    rmSync(lock, { force: true });
  }
}
