import assert from 'node:assert/strict';
import { RatioError } from '../../../server/engine/engine';
import { poolNameFault } from '../../../server/protocol';
import { checkPoolName } from '../../../server/engine/store/names';

describe('pool names', () => {
  for (const name of ['a', 'my-papers_2.0', 'A'.repeat(64), '_x', 'console']) {
    it(`takes ${name}`, () => {
      checkPoolName(name);
      assert.equal(poolNameFault(name), null, 'the editor takes it as well');
    });
  }
  const bad = [
    '',
    '.',
    '..',
    '.hidden',
    'dot.',
    'a/b',
    'a\\b',
    'naïve',
    '论文',
    'a b',
    'a\0',
    'A'.repeat(65),
  ];
  for (const name of [...bad, 'con', 'NUL.txt', 'Com1']) {
    it(`refuses ${JSON.stringify(name)} and says what to use`, () => {
      assert.throws(
        () => checkPoolName(name),
        (error) =>
          error instanceof RatioError &&
          error.code === 'bad-input' &&
          /1 to 64 letters/.test(error.message) &&
          // What the editor says while the name is typed.
          error.message === poolNameFault(name),
      );
    });
  }
});
