/**
 * Where the weak-match floor should stand: the best cosine, and the share of the query's stems that
 * the best lexical hits hold, of sentences that a user would ask about (abstracts outside the pool,
 * drafts) and of text that no paper is near to.
 *
 *   RATIO_DATA=… npx tsx test/bench/floor.ts [--sentences 50000] [--count 600] [--json FILE]
 */
import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Encoder } from '../../server/engine/encoder/encoder';
import { createEngine } from '../../server/engine/local';
import { FLOOR, isWeak } from '../../server/engine/recall/floor';
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

function describe(name: string, found: readonly Match[]): Record<string, string | number> {
  const cosines = found.map(({ cosine }) => cosine);
  const overlaps = found.map(({ overlap }) => overlap);
  const at = (values: number[], q: number): string => quantile(values, q).toFixed(2);
  return {
    texts: name,
    count: found.length,
    'cosine 1 %': at(cosines, 0.01),
    '5 %': at(cosines, 0.05),
    '25 %': at(cosines, 0.25),
    '50 %': at(cosines, 0.5),
    '95 %': at(cosines, 0.95),
    'overlap 5 %': at(overlaps, 0.05),
    'overlap 50 %': at(overlaps, 0.5),
    'overlap 95 %': at(overlaps, 0.95),
    'weak now': `${(100 * share(found, ({ cosine, overlap }) => isWeak(cosine, overlap))).toFixed(1)} %`,
  };
}

function share<T>(values: readonly T[], test: (value: T) => boolean): number {
  return values.filter(test).length / Math.max(1, values.length);
}

function argument(name: string, fallback: string): string {
  const at = process.argv.indexOf(name);
  return at < 0 ? fallback : (process.argv[at + 1] ?? fallback);
}

async function main(): Promise<void> {
  const tell = (line: string): void => console.error(line);
  const size = Number(argument('--sentences', '50000'));
  const { home } = await benchPool(stagePackage(false), size, false, tell);
  const modelDir = join(packageRoot(), 'models', 'encoder');
  const starterHome = join(benchFolder(), 'starter');
  if (!existsSync(poolDatabase(starterHome, STARTER))) {
    rmSync(starterHome, { recursive: true, force: true });
    const starterPool = join(packageRoot(), 'media', 'starter-pool.jsonl');
    const engine = await createEngine({
      home: starterHome,
      modelDir,
      device: 'cpu',
      importers: [],
      starterPool,
      upkeep: 'none',
    });
    await engine.keepUp();
    await engine.close();
  }
  const encoder = await Encoder.create({ modelDir, device: 'cpu' });
  const stemmer = new Stemmer();
  const abstracts = await outsidePool(Number(argument('--count', '600')));
  const asked = draftQueries(200).queries.map(({ text }) => text);
  const sets = {
    abstracts,
    drafts: [...new Set(asked)],
    unrelated: Object.values(UNRELATED).flat(),
  };
  const found: Record<string, Record<string, Match[]>> = {};
  try {
    for (const [pool, folder] of [
      [POOL, home],
      [STARTER, starterHome],
    ] as const) {
      const pools = new OpenPools(folder, encoder);
      const own: Record<string, Match[]> = {};
      for (const [name, texts] of Object.entries(sets)) {
        own[name] = await matches(pools, pool, texts, encoder, stemmer);
      }
      pools.close();
      found[pool] = own;
      console.log(`\n${pool}`);
      console.table(Object.entries(own).map(([name, list]) => describe(name, list)));
    }
  } finally {
    stemmer.close();
    await encoder.close();
  }
  const trials = [];
  for (const cosine of [0.3, 0.35, 0.4, 0.425, 0.45, 0.475, 0.5, 0.55]) {
    for (const hopeless of [0.2, 0.3, 0.35, 0.4]) {
      for (const overlap of [0.4, 0.5, 0.6, 0.75, 2]) {
        if (hopeless >= cosine) continue;
        const weak = (match: Match): boolean =>
          match.cosine < cosine && (match.cosine < hopeless || match.overlap < overlap);
        const part = (pool: string, set: string): number => share(found[pool]?.[set] ?? [], weak);
        trials.push({
          cosine,
          hopeless,
          overlap,
          passed: 1 - part(POOL, 'abstracts'),
          stopped: part(POOL, 'unrelated'),
          draftsPassed: 1 - part(POOL, 'drafts'),
          starterStopped: part(STARTER, 'unrelated'),
          starterAbstractsPassed: 1 - part(STARTER, 'abstracts'),
          starterDraftsPassed: 1 - part(STARTER, 'drafts'),
        });
      }
    }
  }
  const kept = trials
    .filter(({ passed }) => passed >= 0.95)
    .sort((a, b) => b.stopped + b.starterStopped - a.stopped - a.starterStopped);
  console.log('\nFloors that at least 95 % of the abstracts’ sentences pass, best first');
  console.table(kept.slice(0, 25));
  if (process.argv.includes('--errors')) {
    for (const [pool, own] of Object.entries(found)) {
      for (const { text, cosine, overlap } of own['unrelated'] ?? []) {
        if (isWeak(cosine, overlap)) continue;
        console.log(`${pool}: shown at ${cosine.toFixed(2)}, ${overlap.toFixed(2)}: ${text}`);
      }
    }
  }
  const file = argument('--json', '');
  if (file !== '') {
    const date = new Date().toISOString();
    writeFileSync(
      file,
      `${JSON.stringify({ date, load: loadNow(), floor: FLOOR, trials }, null, 2)}\n`,
    );
  }
}

main().catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
});
