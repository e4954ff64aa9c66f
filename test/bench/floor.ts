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
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Encoder } from '../../server/engine/encoder/encoder';
import { knowsMoves, queryText } from '../../server/engine/encoder/prompts';
import { embeddedText, vectorKind } from '../../server/engine/encoder/textForm';
import { createEngine } from '../../server/engine/local';
import { FLOOR, floorFor, isWeak } from '../../server/engine/recall/floor';
import { depthFor, recall } from '../../server/engine/recall/recall';
import { Stemmer } from '../../server/engine/recall/terms';
import { OpenPools } from '../../server/engine/store/pools';
import { seeded, shuffled } from '../../server/evaluation/random';
import { packageRoot } from '../../server/paths';
import { dataFolder, rows, sentencesOf } from './corpus';
import { benchPool, loadNow, POOL } from './pool';
import { draftQueries } from './queries';
import { benchFolder, stagePackage } from './stage';
import { quantile } from './statistics';
import { UNRELATED } from './unrelated';

const STARTER = 'starter';
const SEED = 3;
/** Rows of the validation split after those that the pool of 50,000 sentences takes. */
const AFTER_POOL = 7000;

/** What recall's floor looks at, for one query. */
type Match = { text: string; likeness: number; overlap: number; known: number };

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
  const forms = texts.map(embeddedText);
  const { prompts } = encoder;
  const plains = await encoder.encode(forms.map((form) => prompts.documentPrefix + form));
  const vectors = knowsMoves(prompts)
    ? await encoder.encode(forms.map((form) => queryText(prompts, 'address', form)))
    : plains;
  const standing = { ...FLOOR };
  Object.assign(FLOOR, { closeness: -1, hopeless: -1, candidate: -1 });
  try {
    return texts.flatMap((text, i): Match[] => {
      const vector = vectors[i];
      const plain = plains[i];
      if (!vector || !plain) return [];
      const years = { from: null, to: null };
      const query = { move: 'address' as const, text, vector, plain, exclude: [], years };
      const { candidates } = recall(query, used, vectorKind(encoder).id, stemmer, depthFor(20));
      const stems = stemmer.terms(text).map(({ stem }) => stem);
      const overlaps = candidates
        .filter(({ why }) => why.lexical !== null)
        .sort((a, b) => (a.why.lexical?.rank ?? 0) - (b.why.lexical?.rank ?? 0))
        .slice(0, 5)
        .map(({ sentence }) => {
          const held = new Set(stemmer.terms(sentence.text).map(({ stem }) => stem));
          return stems.filter((stem) => held.has(stem)).length / Math.max(1, stems.length);
        });
      const likeness = Math.max(
        0,
        ...candidates.map((candidate) => Math.max(candidate.alike ?? 0, candidate.features.before)),
      );
      const known = stems.filter((stem) =>
        used.some((pool) => pool.reader.documentFrequency(stem) > 0),
      ).length;
      return [
        {
          text,
          likeness,
          overlap: Math.max(0, ...overlaps),
          known: known / Math.max(1, stems.length),
        },
      ];
    });
  } finally {
    Object.assign(FLOOR, standing);
  }
}

function describe(set: string, found: readonly Match[], sentences: number): Record<string, string> {
  const quantiles = (value: (match: Match) => number, at: readonly number[]): string =>
    at.map((q) => quantile(found.map(value), q).toFixed(2)).join(' ');
  const weak = share(found, (match) => isWeak(match.likeness, match, sentences));
  return {
    texts: `${set} (${found.length})`,
    'likeness at 1, 5, 25, 50, 95, 99 %': quantiles(
      ({ likeness }) => likeness,
      [0.01, 0.05, 0.25, 0.5, 0.95, 0.99],
    ),
    'known at 5, 50, 95 %': quantiles(({ known }) => known, [0.05, 0.5, 0.95]),
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
  for (const closeness of [0.5, 0.55, 0.58, 0.61, 0.64, 0.67]) {
    for (const perDecade of [0.1, 0.15, 0.2, 0.23, 0.26]) {
      for (const overlap of [0.4, 0.5, 0.6, 2]) {
        Object.assign(FLOOR, { closeness, perDecade, overlap });
        const trial: Record<string, number> = { closeness, perDecade, overlap };
        for (const { name, sentences, sets } of measured) {
          for (const [set, found] of Object.entries(sets)) {
            const stopped = share(found, (match) => isWeak(match.likeness, match, sentences));
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

/** The starter pool in a data folder of its own, encoded again where the encoder is another. */
async function starterHome(modelDir: string): Promise<string> {
  const home = join(benchFolder(), 'starter');
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
  const stage = stagePackage(true);
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
      const pools = new OpenPools(home, vectorKind(encoder));
      const sentences = (await pools.read(pool, ({ sentences }) => sentences)) ?? 0;
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
      for (const match of sets.unrelated) {
        const { text, likeness, known } = match;
        if (isWeak(likeness, match, sentences)) continue;
        console.log(`${name}: shown at ${likeness.toFixed(2)}, ${known.toFixed(2)}: ${text}`);
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
