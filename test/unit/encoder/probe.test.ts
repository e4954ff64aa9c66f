/** Timing of devices that is cut short, with a program that stands in for a slow or a dead one. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Encoder } from '../../../server/engine/encoder/encoder';
import { readConfig } from '../../../server/engine/encoder/modelFiles';
import { EncoderSession } from '../../../server/engine/encoder/session';
import { probe } from '../../../server/engine/encoder/probe';
import { packageRoot } from '../../../server/paths';
import { skipBecause } from '../../skip';

const modelDir = join(packageRoot(), 'models', 'encoder');
/** Well under the time that the timing program is given. */
const SOON_MS = 20_000;

function alive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

describe('timing of devices', function () {
  this.timeout(300_000);
  let home: string;
  let cacheFile: string;
  let started: string;
  beforeEach(() => {
    home = mkdtempSync(join(tmpdir(), 'ratio-probe-'));
    cacheFile = join(home, 'device.json');
    started = join(home, 'started');
  });
  afterEach(() => rmSync(home, { recursive: true, force: true }));

  /** An environment in which the timing program runs this before all else. */
  const doing = (code: string): NodeJS.ProcessEnv => {
    const path = join(home, 'first.cjs');
    writeFileSync(path, `if (/probeChild/.test(process.argv.join())) { ${code} }`);
    return { ...process.env, NODE_OPTIONS: `--require ${JSON.stringify(path)}` };
  };
  const sleeping = (): NodeJS.ProcessEnv =>
    doing(
      `require('fs').writeFileSync(${JSON.stringify(started)}, String(process.pid));` +
        'Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);',
    );
  const options = (environment: NodeJS.ProcessEnv) => ({
    cacheFile,
    environment,
    candidates: ['webgpu' as const],
  });
  const reasonOf = async (environment: NodeJS.ProcessEnv): Promise<string> => {
    const config = await readConfig(modelDir);
    return (await probe({ ...options(environment), modelDir, threads: 1, config })).reason;
  };
  const assertTimedAgain = async (): Promise<void> => {
    const reason = await reasonOf(doing('process.exit(3)'));
    assert.equal(reason, 'webgpu could not be used: exit 3');
    assert.match(readFileSync(cacheFile, 'utf8'), /exit 3/);
  };
  const assertNothingKept = async (): Promise<void> => {
    for (const path of [cacheFile, `${cacheFile}.probing`]) {
      assert.equal(existsSync(path), false, path);
    }
    // The system takes a moment to clear a killed process away.
    const pid = Number(readFileSync(started, 'utf8'));
    const end = performance.now() + SOON_MS;
    while (alive(pid) && performance.now() < end) await sleep(20);
    assert.equal(alive(pid), false, 'the timing program still runs');
  };

  for (const how of ['exit', 'close']) {
    it(`leaves nothing behind where its engine goes meanwhile (${how})`, async () => {
      const program = join(__dirname, 'probeAndLeave.ts');
      const child = spawn(process.execPath, ['--require', 'tsx/cjs', program, home, started, how], {
        cwd: packageRoot(),
        env: sleeping(),
        stdio: ['ignore', 'ignore', 'inherit'],
      });
      const ended = new Promise<number | null>((resolve) => child.once('exit', resolve));
      while (!existsSync(started)) await sleep(20);
      const code = await Promise.race([ended, sleep(SOON_MS, 'still there', { ref: false })]);
      child.kill('SIGKILL');
      assert.equal(code, 0);
      await assertNothingKept();
      await assertTimedAgain();
    });
  }

  it('ends with its encoder', async () => {
    const own = await Encoder.create({ modelDir, device: 'auto', threads: 1 });
    const probing = own.probeDevice(options(sleeping()));
    while (!existsSync(started)) await sleep(20);
    const start = performance.now();
    await own.close();
    assert.ok(performance.now() - start < SOON_MS);
    assert.equal((await probing).active, 'cpu');
    await assertNothingKept();
  });

  it('gives a device free again that fails at its first run', async () => {
    await assertTimedAgain();
    const { key } = JSON.parse(readFileSync(cacheFile, 'utf8')) as { key: string };
    const verdict = { key, at: Date.now(), provider: 'webgpu', reason: 'faster' };
    writeFileSync(cacheFile, JSON.stringify(verdict));
    const own = await Encoder.create({ modelDir, device: 'auto', threads: 1 });
    const { load } = EncoderSession;
    let closed = 0;
    EncoderSession.load = async () =>
      ({
        provider: 'webgpu',
        run: () => Promise.reject(new Error('out of memory')),
        close: async () => void closed++,
      }) as unknown as EncoderSession;
    try {
      const { active, reason } = await own.probeDevice(options(process.env));
      assert.deepEqual([active, reason], ['cpu', 'webgpu could not be used: out of memory']);
      assert.equal(closed, 1);
    } finally {
      EncoderSession.load = load;
      await own.close();
    }
  });

  it('keeps no verdict where its program was told to go', async function () {
    if (process.platform === 'win32') skipBecause(this, 'Windows ends processes without signals');
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
      const told = doing(`process.kill(process.pid, '${signal}'); setInterval(() => 0, 1000);`);
      assert.match(await reasonOf(told), new RegExp(`could not be timed: ended by ${signal}`));
      assert.equal(existsSync(cacheFile), false);
    }
    await assertTimedAgain();
  });

  it('blames the device for what ended a process that had it, or two that only timed it', async () => {
    await assertTimedAgain();
    const { key } = JSON.parse(readFileSync(cacheFile, 'utf8')) as { key: string };
    // No process has so high a number.
    const gone = { pid: 2 ** 30, key };
    const after = async (mark: object): Promise<string> => {
      rmSync(cacheFile, { force: true });
      writeFileSync(`${cacheFile}.probing`, JSON.stringify(mark));
      return reasonOf(doing('process.exit(3)'));
    };
    assert.match(await after(gone), /not tried again/);
    assert.match(await after({ ...gone, timings: 1 }), /exit 3/);
    assert.match(await after({ ...gone, timings: 2 }), /not tried again/);
  });
});
