import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { RatioError } from '../../../server/engine/engine';
import { readConfig } from '../../../server/engine/encoder/modelFiles';
import { knowsMoves, queryText } from '../../../server/engine/encoder/prompts';
import { readPrompts } from '../../../server/evaluation/encoder';
import { packageRoot } from '../../../server/paths';

const modelDir = join(packageRoot(), 'models', 'encoder');

describe('prompts of an encoder', () => {
  let folder: string;
  beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'ratio-prompts-'))));
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  const write = (change: object): void => {
    const config = JSON.parse(readFileSync(join(modelDir, 'config.json'), 'utf8')) as object;
    writeFileSync(join(folder, 'config.json'), JSON.stringify({ ...config, ...change }));
  };

  it('have one prefix for all moves, with or without the move, or one a move', () => {
    assert.equal(queryText({ queryPrefix: '' }, 'address', 'x'), 'x');
    assert.equal(queryText({ queryPrefix: '{move}: ' }, 'broaden', '{move}'), 'broaden: {move}');
    assert.equal(queryText({ queryPrefix: { specify: 'S ' } }, 'specify', 'x'), 'S x');
    assert.equal(queryText({ queryPrefix: { specify: 'S ' } }, 'address', 'x'), 'x');
    assert.ok(!knowsMoves({ queryPrefix: 'query: ' }));
    assert.ok(knowsMoves({ queryPrefix: '{move}: ' }));
    assert.ok(knowsMoves({ queryPrefix: { address: 'a', broaden: 'b' } }));
  });

  it('are read alike by the engine and by evaluations', async () => {
    const each = [
      { queryPrefix: '{move}: ', documentPrefix: 'd: ' },
      { queryPrefix: { address: 'a: ', specify: 's: ' }, contextTemplate: null },
      { contextTemplate: '{title} [SEP] {before} {text}' },
    ];
    for (const prompts of each) {
      write(prompts);
      const config = await readConfig(folder);
      const evaluated = await readPrompts(folder);
      for (const [name, value] of Object.entries(prompts)) {
        assert.deepEqual(config[name as keyof typeof config], value);
        assert.deepEqual(evaluated[name as keyof typeof evaluated], value);
      }
    }
    const shipped = await readConfig(modelDir);
    assert.equal(shipped.queryPrefix, '{move}: ');
    assert.equal(shipped.contextTemplate, '{text} [SEP] {title} {before}');
  });

  it('name what is wrong with them', async () => {
    const bad: [object, RegExp][] = [
      [{ queryPrefix: undefined }, /queryPrefix/],
      [{ queryPrefix: 3 }, /queryPrefix/],
      [{ queryPrefix: { adress: 'a: ' } }, /queryPrefix/],
      [{ documentPrefix: null }, /documentPrefix/],
      [{ contextTemplate: '{title} {before}' }, /contextTemplate/],
    ];
    for (const [change, pattern] of bad) {
      write(change);
      const expected = (error: unknown): boolean =>
        error instanceof RatioError && error.code === 'model-broken' && pattern.test(error.message);
      await assert.rejects(readConfig(folder), expected);
      await assert.rejects(readPrompts(folder), expected);
    }
  });
});
