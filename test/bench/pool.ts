/** The pool that moves are measured on: built once by the real import, and kept. */
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { INDEX_PARAMETERS } from '../../server/engine/index/build';
import { EngineClient } from '../../server/engine/process/client';
import { SCHEMA_VERSION } from '../../server/engine/store/schema';
import { dataFolder, writeCorpus } from './corpus';
import { benchFolder } from './stage';

export const POOL = 'bench';

export type BenchPool = {
  /** Data folder that holds the pool. */
  home: string;
  sentences: number;
  papers: number;
  /** What the build took; kept with the pool. */
  built: { date: string; seconds: number; load: string; resumed: boolean };
};

/** What a pool is built from: another encoder, other data or another index need another pool. */
function keyOf(stage: string, sentences: number): string {
  const config = readFileSync(join(stage, 'models', 'encoder', 'config.json'), 'utf8');
  const { id } = JSON.parse(config) as { id: string };
  const bytes = statSync(join(dataFolder(), 'papers-val.jsonl.gz')).size;
  return createHash('sha256')
    .update(JSON.stringify([id, INDEX_PARAMETERS, SCHEMA_VERSION, bytes, sentences]))
    .digest('hex')
    .slice(0, 10);
}

/** An engine as the language server starts it, on the staged package. */
export function engineClient(stage: string, home: string, starter = true): EngineClient {
  return new EngineClient({
    entry: join(stage, 'dist', 'engine.js'),
    home,
    modelDir: join(stage, 'models', 'encoder'),
    device: 'cpu',
    starterPool: starter ? join(stage, 'media', 'starter-pool.jsonl') : undefined,
  });
}

/**
 * The pool of exactly `sentences` sentences under out/bench/home, built where it is missing. A
 * build that was interrupted goes on, and its rate says so.
 */
export async function benchPool(
  stage: string,
  sentences: number,
  rebuild: boolean,
  tell: (line: string) => void,
): Promise<BenchPool> {
  const home = join(benchFolder(), 'home', `${sentences}-${keyOf(stage, sentences)}`);
  const note = join(home, 'bench.json');
  if (rebuild) rmSync(home, { recursive: true, force: true });
  if (existsSync(note)) return JSON.parse(readFileSync(note, 'utf8')) as BenchPool;
  const resumed = existsSync(join(home, 'pools', POOL));
  mkdirSync(home, { recursive: true });
  const corpus = await writeCorpus(join(home, 'corpus.jsonl'), sentences);
  tell(`building a pool of ${sentences} sentences (${corpus.papers} papers), kept in ${home}`);
  const client = engineClient(stage, home, false);
  try {
    const started = performance.now();
    let told = 0;
    await client.addToPool(
      { pool: POOL, sources: [corpus.path] },
      {
        onProgress: ({ phase, sentences: done }) => {
          if (performance.now() - told < 15_000) return;
          told = performance.now();
          tell(`  ${phase}: ${done} sentences after ${Math.round((told - started) / 1000)} s`);
        },
      },
    );
    const seconds = (performance.now() - started) / 1000;
    const info = (await client.pools()).find(({ name }) => name === POOL);
    if (info?.sentences !== sentences) {
      throw new Error(`The pool holds ${info?.sentences} sentences, not ${sentences}.`);
    }
    const built = { date: new Date().toISOString(), seconds, load: loadNow(), resumed };
    const pool = { home, sentences, papers: info.papers, built };
    writeFileSync(note, JSON.stringify(pool));
    return pool;
  } finally {
    await client.close();
  }
}

/** Load averages of the machine: how far others disturb a figure. Empty where there are none. */
export function loadNow(): string {
  try {
    return readFileSync('/proc/loadavg', 'utf8').split(' ').slice(0, 3).join(' ');
  } catch {
    return '';
  }
}
