/**
 * Where the weak-match floor should stand: the best cosine, and the share of the query's stems that
 * the best lexical hits hold, of sentences that a user would ask about (abstracts outside the pool,
 * drafts) and of text that no paper is near to.
 *
 *   RATIO_DATA=… npx tsx test/bench/floor.ts [--sizes 8000,50000] [--count 600] [--errors]
 *     [--json FILE]
 *
 * Measured in the starter pool and in pools of the sizes given.
 */
import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Encoder } from '../../server/engine/encoder/encoder';
import { createEngine } from '../../server/engine/local';
import { FLOOR, floorFor, isWeak } from '../../server/engine/recall/floor';
import { depthFor, recall } from '../../server/engine/recall/recall';
import { Stemmer } from '../../server/engine/recall/terms';
import { poolDatabase } from '../../server/engine/store/names';
import { OpenPools } from '../../server/engine/store/pools';
import { packageRoot } from '../../server/paths';
import { dataFolder, rows, sentencesOf } from './corpus';
import { benchPool, loadNow, POOL } from './pool';
import { draftQueries } from './queries';
import { benchFolder, stagePackage } from './stage';
import { quantile, seeded, shuffled } from './statistics';
import { UNRELATED } from './unrelated';

const STARTER = 'starter';
const SEED = 3;
/** Rows of the validation split after those that the pool of 50,000 sentences takes. */
const AFTER_POOL = 7000;

/** What recall's floor looks at, for one query. */
type Match = { text: string; cosine: number; overlap: number };

/** Matches of each set of texts in one pool. */
type Measured = { name: string; sentences: number; sets: Record<SetName, Match[]> };
type SetName = 'abstracts' | 'drafts' | 'unrelated';

async function outsidePool(count: number): Promise<string[]> {
  const found: string[] = [];
  let row = 0;
  for await (const paper of rows(join(dataFolder(), 'papers-val.jsonl.gz'))) {
    if (row++ >= AFTER_POOL) found.push(...sentencesOf(paper));
  }
  return shuffled(found, seeded(SEED)).slice(0, count);
}

/** The matches of texts in one pool, by recall itself with its floor let down. */
async function matches(
  pools: OpenPools,
  pool: string,
  texts: readonly string[],
  encoder: Encoder,
  stemmer: Stemmer,
): Promise<Match[]> {
  const { pools: used } = await pools.use([pool]);
  const vectors = await encoder.encode(texts);
  const standing = { ...FLOOR };
  Object.assign(FLOOR, { cosine: -1, hopeless: -1, candidate: -1 });
  try {
    return texts.flatMap((text, i): Match[] => {
      const vector = vectors[i];
      if (!vector) return [];
      const years = { from: null, to: null };
      const query = { move: 'address' as const, text, vector, exclude: [], years };
      const { candidates } = recall(query, used, encoder.id, stemmer, depthFor(20));
      const stems = stemmer.terms(text).map(({ stem }) => stem);
      const overlaps = candidates
        .filter(({ why }) => why.lexical !== null)
        .sort((a, b) => (a.why.lexical?.rank ?? 0) - (b.why.lexical?.rank ?? 0))
        .slice(0, 5)
        .map(({ sentence }) => {
          const held = new Set(stemmer.terms(sentence.text).map(({ stem }) => stem));
          return stems.filter((stem) => held.has(stem)).length / Math.max(1, stems.length);
        });
      const cosine = Math.max(0, ...candidates.map((candidate) => candidate.cosine ?? 0));
      return [{ text, cosine, overlap: Math.max(0, ...overlaps) }];
    });
  } finally {
    Object.assign(FLOOR, standing);
  }
}

function describe(set: string, found: readonly Match[], sentences: number): Record<string, string> {
  const quantiles = (value: (match: Match) => number, at: readonly number[]): string =>
    at.map((q) => quantile(found.map(value), q).toFixed(2)).join(' ');
  const weak = share(found, ({ cosine, overlap }) => isWeak(cosine, overlap, sentences));
  return {
    texts: `${set} (${found.length})`,
    'cosine at 1, 5, 25, 50, 95, 99 %': quantiles(
      ({ cosine }) => cosine,
      [0.01, 0.05, 0.25, 0.5, 0.95, 0.99],
    ),
    'overlap at 5, 50, 95 %': quantiles(({ overlap }) => overlap, [0.05, 0.5, 0.95]),
    'weak now': `${(100 * weak).toFixed(1)} %`,
  };
}

function share<T>(values: readonly T[], test: (value: T) => boolean): number {
  return values.filter(test).length / Math.max(1, values.length);
}

/** Floors that might be; what each does in the pools measured. */
function trials(measured: readonly Measured[]): Record<string, number>[] {
  const tried: Record<string, number>[] = [];
  const standing = { ...FLOOR };
  for (const cosine of [26, 28, 30, 32, 34].map((hundredths) => hundredths / 100)) {
    for (const perDecade of [0, 0.04, 0.06, 0.07, 0.08, 0.1]) {
      for (const overlap of [0.4, 0.5, 0.6, 2]) {
        Object.assign(FLOOR, { cosine, perDecade, overlap });
        const trial: Record<string, number> = { cosine, perDecade, overlap };
        for (const { name, sentences, sets } of measured) {
          for (const [set, found] of Object.entries(sets)) {
            const stopped = share(found, (match) => isWeak(match.cosine, match.overlap, sentences));
            const value = set === 'unrelated' ? stopped : 1 - stopped;
            trial[`${name} ${set}`] = Number(value.toFixed(3));
          }
        }
        tried.push(trial);
      }
    }
  }
  Object.assign(FLOOR, standing);
  return tried;
}

function argument(name: string, fallback: string): string {
  const at = process.argv.indexOf(name);
  return at < 0 ? fallback : (process.argv[at + 1] ?? fallback);
}

/** The starter pool in a data folder of its own. */
async function starterHome(modelDir: string): Promise<string> {
  const home = join(benchFolder(), 'starter');
  if (existsSync(poolDatabase(home, STARTER))) return home;
  rmSync(home, { recursive: true, force: true });
  const starterPool = join(packageRoot(), 'media', 'starter-pool.jsonl');
  const options = { home, modelDir, device: 'cpu', importers: [], starterPool };
  const engine = await createEngine({ ...options, upkeep: 'none' });
  await engine.keepUp();
  await engine.close();
  return home;
}

async function main(): Promise<void> {
  const tell = (line: string): void => console.error(line);
  const modelDir = join(packageRoot(), 'models', 'encoder');
  const stage = stagePackage(false);
  const places = [{ pool: STARTER, home: await starterHome(modelDir) }];
  for (const size of argument('--sizes', '8000,50000').split(',')) {
    const { home } = await benchPool(stage, Number(size), false, tell);
    places.push({ pool: POOL, home });
  }
  const abstracts = await outsidePool(Number(argument('--count', '600')));
  const drafts = [...new Set(draftQueries(200).queries.map(({ text }) => text))];
  const unrelated = Object.values(UNRELATED).flat();
  const encoder = await Encoder.create({ modelDir, device: 'cpu' });
  const stemmer = new Stemmer();
  const measured: Measured[] = [];
  try {
    for (const { pool, home } of places) {
      const pools = new OpenPools(home, encoder);
      const sentences = (await pools.get(pool))?.sentences ?? 0;
      const of = (texts: string[]) => matches(pools, pool, texts, encoder, stemmer);
      const sets = {
        abstracts: await of(abstracts),
        drafts: await of(drafts),
        unrelated: await of(unrelated),
      };
      pools.close();
      measured.push({ name: `${sentences}`, sentences, sets });
      console.log(`\n${pool}, ${sentences} sentences, floor ${floorFor(sentences).toFixed(3)}`);
      console.table(Object.entries(sets).map(([name, list]) => describe(name, list, sentences)));
    }
  } finally {
    stemmer.close();
    await encoder.close();
  }
  const tried = trials(measured);
  const keeps = (trial: Record<string, number>): boolean =>
    measured.every(({ name }) => (trial[`${name} abstracts`] ?? 0) >= 0.95);
  const stops = (trial: Record<string, number>): number =>
    measured.reduce((sum, { name }) => sum + (trial[`${name} unrelated`] ?? 0), 0);
  console.log('\nFloors that 95 % of the abstracts’ sentences pass in every pool: shares of');
  console.log('sentences that pass, and of unrelated ones that are stopped');
  console.table(
    tried
      .filter(keeps)
      .sort((a, b) => stops(b) - stops(a))
      .slice(0, 30),
  );
  if (process.argv.includes('--errors')) {
    for (const { name, sentences, sets } of measured) {
      for (const { text, cosine, overlap } of sets.unrelated) {
        if (isWeak(cosine, overlap, sentences)) continue;
        console.log(`${name}: shown at ${cosine.toFixed(2)}, ${overlap.toFixed(2)}: ${text}`);
      }
    }
  }
  const file = argument('--json', '');
  if (file !== '') {
    const date = new Date().toISOString();
    const report = { date, load: loadNow(), floor: FLOOR, trials: tried };
    writeFileSync(file, `${JSON.stringify(report, null, 2)}\n`);
  }
}

main().catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
});
