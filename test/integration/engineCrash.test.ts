import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { RatioError, type Engine } from '../../server/engine/engine';
import { skipBecause } from '../skip';
import {
  checkPool,
  engineEntry,
  isAlive,
  modelFolder,
  paperRows,
  Scene,
  sleep,
  storedSentences,
  until,
} from './engineSupport';

const EACH = 3;
const question = {
  move: 'address' as const,
  text: 'Labels are noisy and cost too much',
  pools: null,
};

describe('engine process: crashes', function () {
  this.timeout(400_000);
  let scene: Scene;
  beforeEach(() => (scene = new Scene()));
  afterEach(() => scene.dispose());

  it('loses nothing that was reported as stored when an import is killed 20 times', async () => {
    const client = await scene.client({ deaths: { most: 1000, windowMs: 1000 } });
    const papers = 100;
    const files = new Map<string, string>();
    let kills = 0;
    for (let round = 0; kills < 20; round++) {
      const pool = `pool${round}`;
      const path = scene.file(`${pool}.jsonl`, paperRows(papers, EACH, `r${round}x`));
      files.set(pool, path);
      let reported = 0;
      for (let complete = false; !complete;) {
        let running = true;
        let events = 0;
        const importing = client
          .addToPool(
            { pool, sources: [path] },
            {
              onProgress: ({ stored, unchanged }) => {
                events++;
                reported = Math.max(reported, stored + unchanged);
              },
            },
          )
          .then(
            (report) => (complete = report.stored + report.unchanged === papers),
            (error: unknown) => {
              assert.ok(error instanceof RatioError && error.code === 'engine-down', String(error));
              assert.match(error.message, /died twice/);
            },
          )
          .finally(() => (running = false));
        // Killed once as it was started and once as it was resumed; every third time early.
        for (let n = 0; running && n < 2 && kills < 20; n++) {
          const known = events;
          await until(() => !running || client.importPid !== undefined, 30_000, 'a process');
          if (kills % 3 !== 0) {
            await until(() => !running || events > known, 60_000, 'progress');
          }
          await sleep((kills * 137) % 400);
          const pid = client.importPid;
          if (!running || pid === undefined) break;
          process.kill(pid, 'SIGKILL');
          kills++;
          await until(() => client.importPid !== pid, 10_000, 'the death to be seen');
          assert.ok(checkPool(scene.home, pool, EACH).papers >= reported);
        }
        await importing;
        assert.ok(checkPool(scene.home, pool, EACH).papers >= reported);
      }
      assert.equal(checkPool(scene.home, pool, EACH).papers, papers);
    }
    // The same imports where nothing is killed.
    const home = join(scene.folder, 'undisturbed');
    const undisturbed = await scene.client({ home });
    for (const [pool, path] of files) {
      await undisturbed.addToPool({ pool, sources: [path] });
      assert.deepEqual(storedSentences(scene.home, pool), storedSentences(home, pool));
    }
    const found = async (engine: Engine): Promise<string[]> => {
      const text = 'A parser that lowers the cost of labels';
      const { inspirations } = await engine.inspire({ ...question, text });
      return inspirations.map(({ id }) => id).sort();
    };
    const expected = await found(undisturbed);
    assert.ok(expected.length > 10, `${expected.length} inspirations`);
    assert.deepEqual(await found(client), expected);
  });

  it('answers every one of 20 moves while the engine is killed', async () => {
    const client = await scene.client({ deaths: { most: 1000, windowMs: 1000 } });
    await client.addToPool({ pool: 'one', sources: [scene.file('a.jsonl', paperRows(40, EACH))] });
    const expected = (await client.inspire(question)).inspirations.map(({ id }) => id);
    assert.ok(expected.length > 0);
    for (let i = 0; i < 20; i++) {
      const sequences: number[] = [];
      const move = client.inspire(question, {
        onSnapshot: ({ sequence }) => sequences.push(sequence),
      });
      await sleep((i * 3) % 25);
      const { pid } = client;
      if (pid !== undefined) process.kill(pid, 'SIGKILL');
      const { inspirations, final } = await move;
      // A kill that came after the answer belongs to no later move.
      await until(() => client.pid !== pid || pid === undefined, 10_000, 'the death to be seen');
      assert.equal(final, true);
      assert.deepEqual(
        inspirations.map(({ id }) => id),
        expected,
      );
      assert.deepEqual(
        sequences,
        sequences.map((_, n) => n),
      );
    }
    assert.ok(scene.log.some((line) => line.includes('Asking once more')));
  });

  it('gives up after five deaths, says why, and starts again when told to', async () => {
    const client = await scene.client();
    const states: string[] = [];
    client.onState(({ state }) => states.push(state));
    for (let i = 0; i < 5; i++) {
      await client.start();
      const { pid } = client;
      assert.ok(pid);
      process.kill(pid, 'SIGKILL');
      await until(() => client.pid === undefined, 5000, 'the death to be seen');
    }
    assert.equal(client.state.state, 'failed');
    assert.match(client.state.problem ?? '', /died too often.*SIGKILL.*[Rr]estart/s);
    await assert.rejects(
      client.pools(),
      (error) => error instanceof RatioError && error.code === 'engine-down',
    );
    await client.restart();
    assert.deepEqual(await client.pools(), []);
    assert.equal(client.state.state, 'ready');
    assert.ok(states.includes('starting'));
  });

  it('leaves no orphan when its parent is killed, and needs no PATH', async () => {
    const path = scene.file('a.jsonl', paperRows(2000, EACH));
    const script = join(scene.folder, 'parent.ts');
    const client = join(__dirname, '..', '..', 'server', 'engine', 'process', 'client');
    const options = {
      entry: await engineEntry(),
      home: scene.home,
      modelDir: modelFolder(),
      device: 'cpu',
    };
    writeFileSync(
      script,
      `import { EngineClient } from ${JSON.stringify(client)};
      const client = new EngineClient(${JSON.stringify(options)});
      void client.start().then(() => {
        void client.addToPool({ pool: 'one', sources: [${JSON.stringify(path)}] }, {
          onProgress: ({ stored }) => stored > 0 && console.log(client.pid + ' ' + client.importPid),
        });
      });`,
    );
    const parent = spawn(process.execPath, ['--require', require.resolve('tsx/cjs'), script], {
      env: { ...process.env, PATH: '' },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const pids = await new Promise<number[]>((resolve, reject) => {
      parent.once('exit', (code) => reject(new Error(`The parent ended with ${code}`)));
      parent.stdout.once('data', (data: Buffer) =>
        resolve((data.toString().split('\n')[0] ?? '').split(' ').map(Number)),
      );
    });
    assert.equal(pids.length, 2);
    assert.ok(pids.every(isAlive));
    parent.removeAllListeners('exit');
    parent.kill('SIGKILL');
    await until(() => !pids.some(isAlive), 15_000, 'the engine processes to go');
    assert.ok(checkPool(scene.home, 'one', EACH).papers > 0);
  });

  it('keeps what it has when the disk is full, and goes on once there is room', async function () {
    const disk = join(scene.folder, 'disk');
    const mounted = process.platform === 'linux' && process.getuid?.() === 0 && mount(disk, '4m');
    if (!mounted) skipBecause(this, 'needs Linux and the right to mount a small disk');
    try {
      const client = await scene.client({ home: join(disk, 'home') });
      const path = scene.file('a.jsonl', paperRows(500, EACH));
      let reported = 0;
      await assert.rejects(
        client.addToPool(
          { pool: 'one', sources: [path] },
          { onProgress: ({ stored }) => (reported = stored) },
        ),
        (error) =>
          error instanceof RatioError &&
          error.code === 'disk' &&
          /full.*Free some/s.test(error.message),
      );
      assert.ok(reported > 0);
      execFileSync('mount', ['-o', 'remount,size=64m', disk]);
      const kept = checkPool(join(disk, 'home'), 'one', EACH).papers;
      assert.ok(kept >= reported && kept < 500);
      const report = await client.addToPool({ pool: 'one', sources: [path] });
      assert.deepEqual([report.unchanged, report.stored], [kept, 500 - kept]);
      assert.equal(checkPool(join(disk, 'home'), 'one', EACH).papers, 500);
      await client.close();
    } finally {
      execFileSync('umount', ['-l', disk]);
    }
  });
});

function mount(folder: string, size: string): boolean {
  mkdirSync(folder);
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${size}`, 'tmpfs', folder], {
      stdio: 'ignore',
    });
    return readFileSync('/proc/mounts', 'utf8').includes(folder);
  } catch {
    return false;
  }
}
