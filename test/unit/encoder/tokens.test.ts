import assert from 'node:assert/strict';
import { join } from 'node:path';
import { readTokenizer } from '../../../server/engine/encoder/modelFiles';
import { clip } from '../../../server/engine/encoder/clip';
import { Tokens } from '../../../server/engine/encoder/tokens';
import { packageRoot } from '../../../server/paths';

describe('encoder: tokens', () => {
  let tokens: Tokens;
  before(async () => {
    const files = await readTokenizer(join(packageRoot(), 'models', 'encoder'));
    tokens = new Tokens(...files, 256);
  });

  it('gives the ids of BERT’s word pieces, lower-cased and without accents', () => {
    assert.deepEqual(tokens.encode('Hello, world!'), [101, 7592, 1010, 2088, 999, 102]);
    assert.deepEqual(tokens.encode('HÉLLO,\tworld!'), tokens.encode('Hello, world!'));
  });

  it('cuts a long text to the window and closes it', () => {
    const ids = tokens.encode('word '.repeat(1000));
    assert.equal(ids.length, 256);
    assert.equal(ids[0], 101);
    assert.equal(ids[255], 102);
    assert.equal(tokens.encode('word '.repeat(254)).length, 256);
    assert.equal(tokens.encode('word '.repeat(253)).length, 255);
  });

  it('gives an empty text no more than its special tokens', () => {
    for (const text of ['', ' ', '\n\t \u00A0', '\0\0', ' '.repeat(100_000)]) {
      assert.deepEqual(tokens.encode(text), [101, 102]);
    }
  });

  const hostile: Record<string, string> = {
    'a megabyte of words': 'word '.repeat(200_000),
    'a megabyte without a blank': 'x'.repeat(1_000_000),
    'lone surrogates': '\uD800 a \uDC00 b \uDC00\uD800',
    emoji: '👩‍👩‍👧'.repeat(50_000),
    NULs: 'a\0'.repeat(300_000),
    'combining marks': `e${'\u0301'.repeat(500_000)}`,
    ideographs: '漢'.repeat(500_000),
    'special tokens': '[SEP][CLS]'.repeat(50_000),
  };
  for (const [name, text] of Object.entries(hostile)) {
    it(`takes ${name} within a second`, () => {
      const start = process.cpuUsage();
      const ids = tokens.encode(text);
      const { user, system } = process.cpuUsage(start);
      assert.ok(user + system < 1e6, `${(user + system) / 1000} ms`);
      assert.ok(ids.length >= 2 && ids.length <= 256);
      assert.ok(ids.every((id) => Number.isInteger(id) && id >= 0 && id < 30522));
    });
  }

  it('does not leave half a character at the cut', () => {
    const text = clip(`a${'😀'.repeat(10_000)}`);
    assert.equal(text.charCodeAt(text.length - 1), 0xfffd);
    assert.ok(!/[\uD800-\uDBFF](?![\uDC00-\uDFFF])/.test(text));
  });
});
