import assert from 'node:assert/strict';
import { stripVTControlCharacters } from 'node:util';
import type { PoolInfo } from '../../../server/engine/engine';
import { UsageError } from '../../../server/cli/exit';
import { addPool, poolText } from '../../../server/cli/pool';

const pool: PoolInfo = {
  name: 'library',
  papers: 3,
  sentences: 1200,
  titleOnly: 1,
  bytes: 2_500_000,
  updated: '2026-03-04T05:06:07.890Z',
  encoder: 'bag+t1',
  index: 'hnsw',
  unindexed: 0,
  sources: ['/home/ada/library.bib'],
  problem: null,
};
const lines = (...given: Parameters<typeof poolText>): string[] =>
  stripVTControlCharacters(poolText(...given))
    .split('\n')
    .map((line) => line.trim().replace(/ {2,}/g, ' '));

describe('a pool in a terminal', () => {
  it('has its dates', () => {
    const shown = lines(pool, { oldest: '1999', newest: '2025-04-01', undated: 2 });
    assert.ok(shown.includes('dated 1999 to 2025-04-01, 2 without a date'), shown.join('\n'));
    assert.ok(shown.includes('updated 2026-03-04 05:06 UTC'), shown.join('\n'));
  });

  it('says so where there are none', () => {
    const dated = (oldest: string | null, undated: number): string | undefined =>
      lines(pool, { oldest, newest: oldest, undated }).find((line) => line.startsWith('dated'));
    assert.equal(dated('2024', 0), 'dated 2024');
    assert.equal(dated(null, 3), 'dated 3 without a date');
    assert.equal(dated(null, 0), 'dated no papers');
    const unread = lines({ ...pool, updated: null }, null);
    assert.ok(!unread.some((line) => line.startsWith('dated')));
    assert.ok(unread.includes('updated never'));
  });

  it('is not made of nothing, unless it is the one that ships', async () => {
    const options = { json: false, device: 'cpu', category: [] };
    await assert.rejects(
      addPool('library', [], options),
      (error) => error instanceof UsageError && /what to add to "library"/.test(error.message),
    );
  });
});
