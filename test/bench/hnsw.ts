/** The graph's recall against exact search over the same vectors, and what a search takes. */
import { createReadStream, rmSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { Encoder } from '../../server/engine/encoder/encoder';
import { vectorKind } from '../../server/engine/encoder/textForm';
import { ExactIndex } from '../../server/engine/index/exact';
import { HNSW, HnswIndex, loadHnsw } from '../../server/engine/index/hnsw';
import { indexFile } from '../../server/engine/index/stamp';
import { depthFor } from '../../server/engine/recall/recall';
import { openForReading } from '../../server/engine/store/database';
import { poolDatabase, poolFolder } from '../../server/engine/store/names';
import { PoolReader } from '../../server/engine/store/reader';
import { mean } from '../../server/evaluation/bootstrap';
import { seeded, shuffled } from '../../server/evaluation/random';
import { packageRoot } from '../../server/paths';
import { sentencesOf, writeIncoming } from './corpus';
import { POOL, type BenchPool } from './pool';
import { quantile } from './statistics';

const K = 10;
const SEED = 7;

export type HnswReport = {
  sentences: number;
  queries: number;
  /** Mean share of the ten nearest that the graph finds; and the least over the queries. */
  recallAt10: number;
  least: number;
  /** Milliseconds a search. */
  graphMs: { k10: number; asInMoves: number };
  exactMs: number;
  parameters: typeof HNSW;
};

/** Sentences of papers that the pool does not hold. */
async function strangers(home: string, count: number): Promise<string[]> {
  const path = join(home, 'strangers.jsonl');
  await writeIncoming(path, count);
  const found: string[] = [];
  for await (const line of createInterface({ input: createReadStream(path) })) {
    found.push(...sentencesOf(JSON.parse(line) as Parameters<typeof sentencesOf>[0]));
  }
  rmSync(path);
  return shuffled(found, seeded(SEED)).slice(0, count);
}

/** Rejects where hnswlib-node or the pool's index file is missing. */
export async function benchHnsw(pool: BenchPool, count: number): Promise<HnswReport> {
  const { module, reason } = loadHnsw();
  if (!module) throw new Error(reason ?? 'hnswlib-node is missing.');
  const database = openForReading(poolDatabase(pool.home, POOL));
  if (!database) throw new Error(`There is no pool in ${pool.home}.`);
  const reader = new PoolReader(database);
  const modelDir = join(packageRoot(), 'models', 'encoder');
  const encoder = await Encoder.create({ modelDir, device: 'cpu' });
  try {
    const queries = await encoder.encode(await strangers(pool.home, count));
    const file = indexFile(poolFolder(pool.home, POOL));
    const graph = await HnswIndex.read(module, encoder.dimensions, file);
    const exact = new ExactIndex(encoder.dimensions);
    for (let after = 0; ; after = exact.lastId) {
      const rows = reader.vectorsAfter(vectorKind(encoder).id, after, 4096);
      if (rows.length === 0) break;
      exact.add(rows);
    }
    if (graph.size !== exact.size) {
      throw new Error(`The index file holds ${graph.size} sentences, the pool ${exact.size}.`);
    }
    const time = { k10: [] as number[], asInMoves: [] as number[], exact: [] as number[] };
    const timed = <T>(into: number[], work: () => T): T => {
      const started = performance.now();
      const result = work();
      into.push(performance.now() - started);
      return result;
    };
    const shares = queries.map((query) => {
      const near = timed(time.exact, () => exact.search(query, K));
      const found = new Set(timed(time.k10, () => graph.search(query, K)).map(({ id }) => id));
      timed(time.asInMoves, () => graph.search(query, depthFor(20)));
      return near.filter(({ id }) => found.has(id)).length / near.length;
    });
    return {
      sentences: exact.size,
      queries: queries.length,
      recallAt10: mean(shares),
      least: Math.min(...shares),
      graphMs: { k10: quantile(time.k10, 0.5), asInMoves: quantile(time.asInMoves, 0.5) },
      exactMs: quantile(time.exact, 0.5),
      parameters: { ...HNSW },
    };
  } finally {
    reader.close();
    await encoder.close();
  }
}
