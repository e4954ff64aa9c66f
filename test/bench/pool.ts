/** The pool that moves are measured on: built once by the real import, and kept. */
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { loadavg } from 'node:os';
import { join } from 'node:path';
import { vectorKind } from '../../server/engine/encoder/textForm';
import { INDEX_PARAMETERS } from '../../server/engine/index/build';
import { readStamp } from '../../server/engine/index/stamp';
import { EngineClient } from '../../server/engine/process/client';
import { poolFolder } from '../../server/engine/store/names';
import { SCHEMA_VERSION } from '../../server/engine/store/schema';
import { dataFolder, writeCorpus, writeIncoming } from './corpus';
import { benchFolder } from './stage';

export const POOL = 'bench';

export type BenchPool = {
  /** Data folder that holds the pool. */
  home: string;
  sentences: number;
  papers: number;
  /** What the build took; kept with the pool. */
  built: { date: string; seconds: number; load: string; whole: boolean };
};

/** What a pool is built from: another encoder, other data or other tables need another pool. */
function keyOf(stage: string, sentences: number): string {
  const config = readFileSync(join(stage, 'models', 'encoder', 'config.json'), 'utf8');
  const { id } = vectorKind(JSON.parse(config) as { id: string; dimensions: number });
  const bytes = statSync(join(dataFolder(), 'papers-val.jsonl.gz')).size;
  return createHash('sha256')
    .update(JSON.stringify([id, SCHEMA_VERSION, bytes, sentences]))
    .digest('hex')
    .slice(0, 10);
}

/** An engine as the language server starts it, on the staged package, without the starter pool. */
export function engineClient(stage: string, home: string): EngineClient {
  return new EngineClient({
    entry: join(stage, 'dist', 'engine.js'),
    home,
    modelDir: join(stage, 'models', 'encoder'),
    device: 'cpu',
  });
}

/** The note left beside a finished pool; null where there is none. */
function readNote(path: string): Omit<BenchPool, 'home'> | null {
  return existsSync(path) ? (JSON.parse(readFileSync(path, 'utf8')) as BenchPool) : null;
}

/**
 * The pool of exactly `sentences` sentences under out/bench/home, built where it is missing. A
 * build that was interrupted goes on, and one whose index file is of other parameters gets a new
 * one: the note says so, since the rate is then no rate of a whole build.
 */
export async function benchPool(
  stage: string,
  sentences: number,
  rebuild: boolean,
  tell: (line: string) => void,
): Promise<BenchPool> {
  const home = join(benchFolder(), 'home', `${sentences}-${keyOf(stage, sentences)}`);
  const file = join(home, 'bench.json');
  if (rebuild) rmSync(home, { recursive: true, force: true });
  const note = readNote(file);
  const indexed = readStamp(poolFolder(home, POOL))?.parameters === INDEX_PARAMETERS;
  if (note && indexed) return { ...note, home };
  const whole = !existsSync(poolFolder(home, POOL));
  mkdirSync(home, { recursive: true });
  const corpus = await writeCorpus(join(home, 'corpus.jsonl'), sentences);
  tell(`building a pool of ${sentences} sentences (${corpus.papers} papers), kept in ${home}`);
  const client = engineClient(stage, home);
  try {
    const seconds = await importTimed(client, corpus.path, tell);
    const info = (await client.pools()).find(({ name }) => name === POOL);
    if (info?.sentences !== sentences) {
      throw new Error(`The pool holds ${info?.sentences} sentences, not ${sentences}.`);
    }
    const built = { date: new Date().toISOString(), seconds, load: loadNow(), whole };
    const pool = { sentences, papers: info.papers, built };
    writeFileSync(file, JSON.stringify(pool));
    return { ...pool, home };
  } finally {
    await client.close();
  }
}

/** Imports a file into the bench's pool; resolves to the seconds that took. */
async function importTimed(
  client: EngineClient,
  path: string,
  tell: (line: string) => void,
): Promise<number> {
  const started = performance.now();
  let told = started;
  await client.addToPool(
    { pool: POOL, sources: [path] },
    {
      onProgress: ({ phase, sentences: done }) => {
        if (performance.now() - told < 15_000) return;
        told = performance.now();
        tell(`  ${phase}: ${done} sentences after ${Math.round((told - started) / 1000)} s`);
      },
    },
  );
  return (performance.now() - started) / 1000;
}

export type IndexingReport = { sentences: number; seconds: number; perSecond: number };

/**
 * Rate of a fresh import of `sentences` sentences, the process that imports started before; an
 * import of a few papers warms it up.
 */
export async function benchIndexing(
  stage: string,
  sentences: number,
  tell: (line: string) => void,
): Promise<IndexingReport> {
  const home = join(benchFolder(), 'indexing');
  rmSync(home, { recursive: true, force: true });
  const { path } = await writeCorpus(join(home, 'corpus.jsonl'), sentences);
  const few = await writeIncoming(join(home, 'few.jsonl'), 5);
  const client = engineClient(stage, home);
  try {
    await client.addToPool({ pool: 'warm-up', sources: [few.path] });
    const seconds = await importTimed(client, path, tell);
    return { sentences, seconds, perSecond: sentences / seconds };
  } finally {
    await client.close();
    rmSync(home, { recursive: true, force: true, maxRetries: 5 });
  }
}

/** The machine's load averages: how far other work disturbs a figure. Zeros on Windows. */
export function loadNow(): string {
  return loadavg()
    .map((load) => load.toFixed(1))
    .join(' ');
}
