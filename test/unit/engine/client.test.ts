import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { ERROR_CODES, RatioError } from '../../../server/engine/engine';
import { EngineClient } from '../../../server/engine/process/client';
import { fromFailure, toFailure } from '../../../server/engine/process/messages';

/**
 * An engine process without an engine. In its data folder, `needed` is there while a pool has to be put in
 * order, which lasts until it is cancelled, or fails where there is `full`, `starter` while that has to be built; where
 * there is `slow`, it does not start, and with `deadly` it dies when it has removed a pool. `asked` lists the calls.
 */
const STAND_IN = `
const { appendFileSync, existsSync, renameSync, rmSync } = require('node:fs');
const { join } = require('node:path');
const send = (message) => process.send(message);
let home, keeping = null;
const report = { pool: 'big', read: 0, stored: 0, unchanged: 0, removed: 0, sentences: 0,
  titleOnly: 0, issues: [], issueCount: 0, cancelled: true, elapsedMs: 1 };
process.on('disconnect', () => process.exit(0));
process.on('message', (message) => {
  if (message.kind === 'configure') {
    home = message.config.home;
    return setTimeout(send, existsSync(join(home, 'slow')) ? 60_000 : 0, { kind: 'ready' });
  }
  const { id, kind, method } = message;
  const answer = (value) => send({ kind: 'result', id, value });
  const fail = (code) => send({ kind: 'error', id, code, message: 'Failed: ' + code });
  if (kind === 'cancel') {
    if (id !== keeping) return;
    keeping = null;
    return answer(null);
  }
  appendFileSync(join(home, 'asked'), method + '\\n');
  switch (method) {
    case 'upkeepNeeded':
      return answer({
        starter: existsSync(join(home, 'starter')),
        pools: existsSync(join(home, 'needed')) ? ['big'] : [],
      });
    case 'keepUp':
      if (existsSync(join(home, 'full'))) return fail('disk');
      keeping = id;
      return;
    case 'removePool':
      if (keeping !== null) return fail('pool-busy');
      if (existsSync(join(home, 'gone'))) return fail('no-pool');
      if (existsSync(join(home, 'deadly'))) {
        renameSync(join(home, 'deadly'), join(home, 'gone'));
        process.exit(1);
      }
      rmSync(join(home, 'needed'));
      return answer(null);
    case 'addToPool':
      return answer(report);
    case 'inspire':
      return answer({ sequence: 0, final: true, inspirations: [], weak: false, more: false,
        pools: [], device: 'cpu', notices: [], elapsedMs: 1 });
    default:
      return answer(null);
  }
});
`;

const isCancelled = (error: unknown): boolean =>
  error instanceof RatioError && error.code === 'cancelled';

describe('engine client', function () {
  this.timeout(30_000);
  let home: string;
  let client: EngineClient;
  beforeEach(() => {
    home = mkdtempSync(join(tmpdir(), 'ratio-client-'));
    const entry = join(home, 'engine.cjs');
    writeFileSync(entry, STAND_IN);
    client = new EngineClient({ entry, home, modelDir: '', device: 'cpu' });
  });
  afterEach(async () => {
    await client.close();
    rmSync(home, { recursive: true, force: true });
  });

  const put = (name: string): void => writeFileSync(join(home, name), '');
  const asked = (method: string): number =>
    existsSync(join(home, 'asked'))
      ? readFileSync(join(home, 'asked'), 'utf8')
          .split('\n')
          .filter((line) => line === method).length
      : 0;
  const until = async (test: () => boolean): Promise<void> => {
    while (!test()) await sleep(5);
  };

  it('removes a pool that upkeep is writing to, and looks again what is to be done', async () => {
    put('needed');
    await client.start();
    await until(() => asked('keepUp') === 1);
    await client.removePool('big');
    await until(() => asked('upkeepNeeded') === 2);
    assert.deepEqual([asked('keepUp'), asked('removePool')], [1, 1]);
    assert.equal(client.state.problem, null);
  });

  it('looks what is to be done when an import has ended, and forgets an old problem', async () => {
    put('needed');
    put('full');
    await client.start();
    await until(() => client.state.problem !== null);
    assert.match(client.state.problem ?? '', /Failed: disk/);
    rmSync(join(home, 'full'));
    rmSync(join(home, 'needed'));
    await client.addToPool({ pool: 'big', sources: [] });
    await until(() => client.state.problem === null);
    assert.deepEqual([asked('upkeepNeeded'), asked('keepUp')], [2, 1]);
  });

  it('takes a pool for removed that is gone when the process which removed it has died', async () => {
    put('deadly');
    await client.removePool('big');
    assert.equal(asked('removePool'), 2);
    await assert.rejects(
      client.removePool('big'),
      (error) => error instanceof RatioError && error.code === 'no-pool',
    );
  });

  it('lets a move wait for the starter pool only where it asks that', async () => {
    put('starter');
    await client.start();
    await until(() => asked('keepUp') === 1);
    const question = { move: 'address' as const, text: 'A lamp' };
    assert.equal((await client.inspire({ ...question, pools: ['big'] })).final, true);
    for (const pools of [null, ['big', 'starter']]) {
      const signal = AbortSignal.timeout(200);
      await assert.rejects(client.inspire({ ...question, pools }, { signal }), isCancelled);
    }
    assert.equal(asked('inspire'), 1);
  });

  it('does not hold what is cancelled while the engine starts', async () => {
    put('slow');
    const text = 'A lamp';
    for (const ask of [
      (signal: AbortSignal) => client.inspire({ move: 'address', text, pools: null }, { signal }),
      (signal: AbortSignal) => client.problems([text], { signal }),
      (signal: AbortSignal) => client.addToPool({ pool: 'big', sources: [] }, { signal }),
    ]) {
      await assert.rejects(ask(AbortSignal.timeout(100)), isCancelled);
    }
  });

  it('says in words what is wrong with a request', async () => {
    await assert.rejects(
      client.inspire({ move: 'address', text: '', pools: null, limit: 0 }),
      (error) =>
        error instanceof RatioError &&
        error.code === 'bad-input' &&
        /at text/.test(error.message) &&
        !/[[{]/.test(error.message),
    );
  });
});

describe('errors between processes', () => {
  it('keep their code, every one there is', () => {
    for (const code of ERROR_CODES) {
      const error = fromFailure(toFailure(new RatioError(code, 'Why.')));
      assert.ok(error instanceof RatioError);
      assert.deepEqual([error.code, error.message], [code, 'Why.']);
    }
    assert.equal(fromFailure(toFailure(new Error('A bug'))) instanceof RatioError, false);
  });
});
