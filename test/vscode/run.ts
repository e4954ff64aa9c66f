/**
 * Tests in a real VS Code: `npx tsx test/vscode/run.ts [--inhost] [--ui] [--grep TEXT]`.
 * Without a choice both kinds run. `--no-build` takes the extension as it was built last.
 */
import { spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import Mocha from 'mocha';
import { bundleInHost, runInHost } from './host/inhost';
import { ensureHosts, type Hosts } from './host/install';
import { outFolder, repository } from './host/paths';
import { collect, line, summary, type TestResult } from './host/results';

const INHOST_LIMIT_MS = 5 * 60_000;
const UI_LIMIT_MS = 15 * 60_000;

const { values: flags } = parseArgs({
  options: {
    inhost: { type: 'boolean', default: false },
    ui: { type: 'boolean', default: false },
    grep: { type: 'string' },
    'no-build': { type: 'boolean', default: false },
  },
});
const wanted = { inhost: flags.inhost || !flags.ui, ui: flags.ui || !flags.inhost };
const results: TestResult[] = [];
const seconds: Record<string, number> = {};

function onResult(result: TestResult): void {
  results.push(result);
  console.log(line(result));
}

async function timed<T>(step: string, work: () => Promise<T>): Promise<T> {
  const started = Date.now();
  try {
    return await work();
  } finally {
    seconds[step] = (Date.now() - started) / 1000;
  }
}

/** A part that broke as a whole is one failed result, so that it can't be overlooked. */
async function part(kind: TestResult['kind'], work: () => Promise<void>): Promise<void> {
  console.log(`vscode: ${kind === 'inhost' ? 'suites in the extension host' : 'UI suites'}`);
  const before = results.length;
  try {
    await timed(kind, work);
    if (results.length === before && !flags.grep) throw new Error('no test ran');
  } catch (error) {
    const detail = error instanceof Error ? (error.stack ?? error.message) : String(error);
    onResult({ kind, title: `(the ${kind} run)`, state: 'failed', ms: 0, detail });
  }
}

async function buildExtension(): Promise<void> {
  const built = spawnSync(process.execPath, ['esbuild.mjs'], { cwd: repository, stdio: 'inherit' });
  if (built.status !== 0) throw new Error('The extension does not build (node esbuild.mjs).');
}

async function runUi(): Promise<void> {
  const mocha = new Mocha({
    ui: 'bdd',
    timeout: 60_000,
    // A browser's moment may pass unseen on a busy machine; what fails twice has failed, and what
    // passes at the second try is printed and counted.
    retries: 1,
    reporter: Mocha.reporters.Base,
    ...(flags.grep ? { grep: flags.grep } : {}),
  });
  const folder = join(repository, 'test', 'vscode', 'ui');
  for (const name of readdirSync(folder).sort()) {
    if (name.endsWith('.test.ts')) mocha.addFile(join(folder, name));
  }
  let limit: NodeJS.Timeout | undefined;
  const tooLong = new Promise<never>((_, reject) => {
    const fail = () => reject(new Error(`not finished in ${UI_LIMIT_MS / 60_000} minutes`));
    limit = setTimeout(fail, UI_LIMIT_MS);
  });
  try {
    const finished = new Promise<number>((resolve) => {
      collect(mocha.run(resolve), 'ui', onResult);
    });
    await Promise.race([finished, tooLong]);
  } finally {
    clearTimeout(limit);
  }
}

function finish(host: string): number {
  const count = (state: TestResult['state']) => results.filter((r) => r.state === state).length;
  const [passed, failed, skipped] = [count('passed'), count('failed'), count('skipped')];
  const took = Object.entries(seconds).map(([step, s]) => `${step} ${s.toFixed(1)} s`);
  mkdirSync(outFolder, { recursive: true });
  const report = { host, passed, failed, skipped, seconds, results };
  writeFileSync(join(outFolder, 'vscode-results.json'), JSON.stringify(report, null, 2) + '\n');
  console.log(`vscode: ${host}; ${took.join(', ')}`);
  console.log(`vscode: ${summary(results)}`);
  if (skipped > 0 && process.env['CI']) {
    console.log('vscode: a skipped test counts as a failure in CI');
    return 1;
  }
  return failed > 0 || passed + skipped === 0 ? 1 : 0;
}

async function main(): Promise<number> {
  let hosts: Hosts | undefined;
  try {
    hosts = await timed('install', () => ensureHosts((text) => console.log(text), wanted.ui));
    if (!flags['no-build']) await timed('build', buildExtension);
    if (wanted.inhost) await timed('bundle', bundleInHost);
  } catch (error) {
    const detail = error instanceof Error ? error.message : String(error);
    onResult({ kind: 'inhost', title: '(getting ready)', state: 'failed', ms: 0, detail });
    return finish(hosts?.inHost.kind ?? 'no host');
  }
  const { inHost, ui } = hosts;
  if (wanted.inhost) {
    const options = { grep: flags.grep, timeoutMs: INHOST_LIMIT_MS, onResult };
    await part('inhost', () => runInHost(inHost, options));
  }
  if (wanted.ui) await part('ui', runUi);
  return finish(`${inHost.kind} ${inHost.version}${ui ? ', UI in code-server' : ''}`);
}

// Handles that a broken run leaves open must not keep the command from ending.
main().then(
  (code) => process.exit(code),
  (error: unknown) => {
    console.error(error);
    process.exit(1);
  },
);
