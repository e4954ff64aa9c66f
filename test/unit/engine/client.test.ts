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
 * order, which lasts until it is cancelled, or fails where there is `full`; `asked` lists the calls.
 */
const STAND_IN = `
const { appendFileSync, existsSync, rmSync } = require('node:fs');
const { join } = require('node:path');
const send = (message) => process.send(message);
let home, keeping = null;
const report = { pool: 'big', read: 0, stored: 0, unchanged: 0, removed: 0, sentences: 0,
  titleOnly: 0, issues: [], issueCount: 0, cancelled: true, elapsedMs: 1 };
process.on('disconnect', () => process.exit(0));
process.on('message', (message) => {
  if (message.kind === 'configure') {
    home = message.config.home;
    return send({ kind: 'ready' });
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
      return answer({ starter: false, pools: existsSync(join(home, 'needed')) ? ['big'] : [] });
    case 'keepUp':
      if (existsSync(join(home, 'full'))) return fail('disk');
      keeping = id;
      return;
    case 'removePool':
      if (keeping !== null) return fail('pool-busy');
      rmSync(join(home, 'needed'));
      return answer(null);
    case 'addToPool':
      return answer(report);
    default:
      return answer(null);
  }
});
`;

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
