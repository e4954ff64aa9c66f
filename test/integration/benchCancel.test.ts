/** Building the benchmark can be stopped at any time, and leaves what was there before. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { RatioError } from '../../server/engine/engine';
import { buildBench } from '../../server/mining/bench';
import { packageRoot } from '../../server/paths';
import { skipBecause } from '../skip';

/** As many papers as a progress report tells of at once. */
const PAPERS = 2000;

const row = (n: number): string =>
  JSON.stringify({
    id: `lab:${n}`,
    title: `Labels at sea ${n}`,
    date: '2024-05-01',
    abstract:
      `Labels for the lamps of harbour ${n} are scarce and remain expensive to collect. ` +
      `To address this issue, we let the crew of ship ${n} label its own lamps while it sleeps. ` +
      `Specifically, the lamp asks ship ${n} for one label whenever its doubt grows. ` +
      `The crew of ship ${n} has written down how the lamps behaved on every night.`,
  });

const isCancelled = (error: unknown): boolean =>
  error instanceof RatioError && error.code === 'cancelled';

describe('a benchmark whose building is stopped', function () {
  this.timeout(60_000);
  const folder = mkdtempSync(join(tmpdir(), 'ratio-stopped-'));
  const papers = join(folder, 'papers.jsonl');
  const out = join(folder, 'bench');
  const val = join(out, 'val');
  const options = { poolSize: Infinity, queries: Infinity, seed: 13 };
  const bytes = (): unknown =>
    readdirSync(val).map((name) => [name, readFileSync(join(val, name), 'utf8')]);
  let earlier: unknown;
  before(async () => {
    const few = join(folder, 'few.jsonl');
    writeFileSync(few, [1, 2, 3].map(row).join('\n'));
    writeFileSync(papers, Array.from({ length: PAPERS }, (_, n) => row(n)).join('\n'));
    await buildBench({ val: [few] }, out, options);
    earlier = bytes();
  });
  after(() => rmSync(folder, { recursive: true, force: true }));

  /** Calls `stop` once all papers are mined, before the benchmark is made of them. */
  const whenMined = (stop: () => void): (() => void) => {
    const look = setInterval(() => {
      if (!existsSync(join(val, '.work', 'report.json'))) return;
      clearInterval(look);
      stop();
    }, 1);
    return () => clearInterval(look);
  };

  it('leaves the earlier one, at the last paper mined', async () => {
    const abort = new AbortController();
    const building = buildBench({ val: [papers] }, out, {
      ...options,
      signal: abort.signal,
      onProgress: (mined) => mined === PAPERS && abort.abort(),
    });
    await assert.rejects(building, isCancelled);
    assert.deepEqual(bytes(), earlier);
  });

  it('leaves the earlier one, after mining', async () => {
    const abort = new AbortController();
    const done = whenMined(() => abort.abort());
    try {
      const building = buildBench({ val: [papers] }, out, { ...options, signal: abort.signal });
      await assert.rejects(building, isCancelled);
    } finally {
      done();
    }
    assert.ok(abort.signal.aborted);
    assert.deepEqual(bytes(), earlier);
  });

  it('ends the command with code 130', async function () {
    if (process.platform === 'win32') skipBecause(this, 'Windows has no SIGINT for one process');
    const cli = join(packageRoot(), 'dist', 'cli.js');
    const words = ['bench', 'build', '--val', papers, '-o', out, '--pool-size', 'all'];
    const child = spawn(process.execPath, [cli, ...words], { stdio: 'ignore' });
    const done = whenMined(() => child.kill('SIGINT'));
    const code = await new Promise((resolve) => child.once('exit', resolve));
    done();
    assert.equal(code, 130);
    assert.deepEqual(bytes(), earlier);
  });
});
