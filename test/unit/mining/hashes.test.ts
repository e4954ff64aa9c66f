import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { essence, rankOf, TextMap } from '../../../server/mining/hashes';

describe('TextMap', () => {
  it('keeps 100,000 texts apart and remembers their first numbers', () => {
    const map = new TextMap();
    for (let i = 0; i < 100_000; i++) assert.equal(map.put(`text ${i}`, i), undefined);
    assert.equal(map.size, 100_000);
    for (let i = 0; i < 100_000; i += 997) assert.equal(map.put(`text ${i}`, 7), i);
    assert.equal(map.size, 100_000);
  });

  it('gives the number of a text, and takes another in its place', () => {
    const map = new TextMap();
    for (let i = 0; i < 10_000; i++) map.set(`text ${i}`, i);
    assert.equal(map.get('no text'), undefined);
    map.set('text 7', 2 ** 32 - 1);
    assert.deepEqual([map.get('text 6'), map.get('text 7'), map.size], [6, 2 ** 32 - 1, 10_000]);
    assert.equal(map.put('text 7', 1), 2 ** 32 - 1);
  });

  it('says whether a text is new', () => {
    const map = new TextMap();
    assert.ok(map.add(''));
    assert.ok(!map.add(''));
    assert.ok(map.add('a'));
  });
});

describe('rankOf', () => {
  it('spreads evenly, by seed', () => {
    const ranks = Array.from({ length: 20_000 }, (_, i) => rankOf(`paper#${i}`, 13));
    assert.ok(ranks.every((rank) => rank >= 0 && rank < 1));
    for (let tenth = 0; tenth < 10; tenth++) {
      const inside = ranks.filter((rank) => Math.floor(rank * 10) === tenth).length;
      assert.ok(Math.abs(inside - 2000) < 250, `${inside} in tenth ${tenth}`);
    }
    const other = Array.from({ length: 20_000 }, (_, i) => rankOf(`paper#${i}`, 14));
    const both = ranks.filter((rank, i) => rank < 0.1 && (other[i] ?? 1) < 0.1).length;
    assert.ok(both < 300, `${both} sentences are in both tenths`);
  });
});

describe('essence', () => {
  it('ignores case, spaces and punctuation, and keeps letters of all scripts', () => {
    assert.equal(essence('We prune, at night!'), essence('we  prune at Night'));
    assert.notEqual(essence('图剪枝'), essence('图'));
  });
});
