/** A paper sought in pools by what names it. */
import type { Paper } from '../engine';
import { errorText, userError } from '../errors';
import type { OpenPools } from './pools';
import type { PoolReader } from './reader';

/**
 * The paper that one of the ids names, else one of the DOIs (as `normaliseDoi` gives them), the first that a
 * pool has; and what to know of pools that were left out. `names`: the pools to look in, null for all. Rejects
 * with `no-pool` where none of the pools named, or of those there are, can be asked.
 */
export async function findPaper(
  pools: OpenPools,
  { ids, dois }: { ids: readonly string[]; dois: readonly string[] },
  names: string[] | null,
): Promise<{ found: { paper: Paper; pool: string } | null; notices: string[] }> {
  if (names === null && pools.names().length === 0) return { found: null, notices: [] };
  const used = await pools.use(names);
  const notices = [...used.notices];
  const readable = new Set(used.pools);
  const first = (
    read: (reader: PoolReader) => Paper | null,
  ): { paper: Paper; pool: string } | null => {
    for (const pool of readable) {
      try {
        const paper = read(pool.reader);
        if (paper) return { paper, pool: pool.name };
      } catch (error) {
        readable.delete(pool);
        const shown = userError(error, 'reading a pool', pool.folder);
        notices.push(`Pool “${pool.name}” was left out. ${errorText(shown)}`);
      }
    }
    return null;
  };
  const looks = [
    ...ids.map((id) => (reader: PoolReader) => reader.paperById(id)),
    ...dois.map((doi) => (reader: PoolReader) => reader.paperByDoi(doi)),
  ];
  try {
    for (const look of looks) {
      const found = first(look);
      if (found) return { found, notices };
    }
  } finally {
    used.release();
  }
  return { found: null, notices };
}
