/** `ratio pool …`: make, update, list, show and remove pools. */
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import type { ImportReport, PoolInfo } from '../engine/engine';
import { RatioError } from '../engine/engine';
import { STARTER } from '../engine/poolName';
import { throwIfCancelled } from '../engine/errors';
import type { LocalEngine } from '../engine/local';
import type { PaperDates } from '../engine/store/reader';
import { count } from '../evaluation/table';
import { preparePools, withEngine } from './engine';
import { interruptSignal, UsageError } from './exit';
import { issuePrinter } from './issues';
import { progressMeter } from './progress';
import { dim, plain, strong } from './text';

/** What brings the pool that ships back after it was removed. */
const RESTORE = `ratio pool add ${STARTER}`;

interface JsonOption {
  json: boolean;
}
interface ImportOptions extends JsonOption {
  device: string;
}
interface AddOptions extends ImportOptions {
  category: string[];
  since?: string;
  until?: string;
}

/** `ratio pool add NAME PATH…`; `ratio pool add starter` makes the pool that ships. */
export async function addPool(name: string, paths: string[], options: AddOptions): Promise<void> {
  if (paths.length === 0) {
    if (name === STARTER) {
      if (
        options.category.length > 0 ||
        options.since !== undefined ||
        options.until !== undefined
      ) {
        throw new UsageError(`"${STARTER}" is made whole: categories and dates are for paths.`);
      }
      return updatePool(name, options);
    }
    throw new UsageError(
      `Say what to add to "${name}": files or folders. Only the pool that ships, "${STARTER}", is made without.`,
    );
  }
  const sources = paths.map((path) => resolve(path));
  for (const [i, source] of sources.entries()) {
    if (!existsSync(source)) throw new UsageError(`There is no file or folder ${paths[i]}.`);
  }
  for (const date of [options.since, options.until]) {
    if (date !== undefined && !/^\d{4}(-\d{2}(-\d{2})?)?$/.test(date)) {
      throw new UsageError(`Dates are written YYYY, YYYY-MM or YYYY-MM-DD, not "${date}".`);
    }
  }
  const signal = interruptSignal();
  const meter = progressMeter();
  const report = await withEngine(options.device, (engine) =>
    engine.addToPool(
      {
        pool: name,
        sources,
        categories: options.category,
        since: options.since ?? null,
        until: options.until ?? null,
      },
      { signal, onProgress: meter.show },
    ),
  ).finally(meter.clear);
  finish(report, options);
}

/** `ratio pool update NAME` */
export async function updatePool(name: string, options: ImportOptions): Promise<void> {
  const signal = interruptSignal();
  const meter = progressMeter();
  const report = await withEngine(options.device, (engine) =>
    engine.updatePool(name, { signal, onProgress: meter.show }),
  ).finally(meter.clear);
  finish(report, options);
}

/** `ratio pool list` */
export async function listPools({ json }: JsonOption): Promise<void> {
  const pools = await withStarter(null, (engine) => engine.pools());
  if (json) {
    process.stdout.write(`${JSON.stringify(pools, null, 2)}\n`);
    return;
  }
  const width = Math.max(4, ...pools.map((pool) => pool.name.length));
  for (const pool of pools) {
    const size = `${count(pool.papers)} papers  ${count(pool.sentences)} sentences`;
    const state = pool.problem ? `  ! ${pool.problem}` : '';
    process.stdout.write(`${strong(pool.name.padEnd(width))}  ${size}${state}\n`);
  }
  if (pools.length === 0) process.stderr.write('ratio: there are no pools yet.\n');
}

/** `ratio pool show NAME` */
export async function showPool(name: string, { json }: JsonOption): Promise<void> {
  const { pool, dates } = await withStarter([name], async (engine) => {
    const found = (await engine.pools()).find((candidate) => candidate.name === name);
    // A damaged pool is shown with what is wrong with it.
    const read = found && engine.paperDates(name).catch(() => null);
    return { pool: found, dates: (await read) ?? null };
  });
  if (!pool) {
    const todo =
      name === STARTER ? `"${RESTORE}" brings it back.` : '"ratio pool list" lists them.';
    throw new RatioError('no-pool', `There is no pool "${name}". ${todo}`);
  }
  process.stdout.write(
    json ? `${JSON.stringify({ ...pool, dates }, null, 2)}\n` : poolText(pool, dates),
  );
}

/** `ratio pool remove NAME` */
export async function removePool(name: string): Promise<void> {
  // Needs no encoder: a pool can be removed when the model is missing, to free the disk say.
  await withEngine('cpu', (engine) => engine.removePool(name), { lazy: true, upkeep: 'none' });
  const rest = name === STARTER ? `"${RESTORE}" brings it back` : 'its sources were left alone';
  process.stderr.write(`ratio: pool "${name}" is removed; ${rest}.\n`);
}

/**
 * Asks the engine about pools (null: all). Of the upkeep only the pool that ships is made, where it is missing: to
 * look at the others, none needs to be in order.
 */
function withStarter<T>(
  pools: string[] | null,
  ask: (engine: LocalEngine) => Promise<T>,
): Promise<T> {
  const signal = interruptSignal();
  return withEngine(
    'cpu',
    async (engine) => {
      await preparePools(engine, pools, signal, { starterOnly: true });
      throwIfCancelled(signal);
      return ask(engine);
    },
    { upkeep: 'none' },
  );
}

/** A pool's rows for a terminal; `dates` are those of its papers, where they could be read. */
export function poolText(pool: PoolInfo, dates: PaperDates | null): string {
  const rows: [string, string][] = [
    ['papers', count(pool.papers)],
    ['sentences', count(pool.sentences)],
    ...(dates ? [['dated', datesText(dates)] as [string, string]] : []),
    ['title only', `${count(pool.titleOnly)} (no abstract in the record)`],
    ['size', `${(pool.bytes / 1e6).toFixed(1)} MB`],
    ['updated', pool.updated === null ? 'never' : minute(pool.updated)],
    ['encoder', pool.encoder ?? 'none yet'],
    ['index', pool.index + (pool.unindexed ? `, ${count(pool.unindexed)} searched exactly` : '')],
    ...pool.sources.map((source, i): [string, string] => [i === 0 ? 'sources' : '', plain(source)]),
    ...(pool.problem ? [['problem', pool.problem] as [string, string]] : []),
  ];
  const lines = rows.map(([key, value]) => `  ${dim(key.padEnd(10))}  ${value}`);
  return `${strong(pool.name)}\n${lines.join('\n')}\n`;
}

function datesText({ oldest, newest, undated }: PaperDates): string {
  const none = undated === 0 ? '' : `${count(undated)} without a date`;
  if (oldest === null || newest === null) return none || 'no papers';
  const span = oldest === newest ? oldest : `${oldest} to ${newest}`;
  return [plain(span), none].filter(Boolean).join(', ');
}

/** An ISO time as people read it. */
const minute = (time: string): string => time.replace(/^(.{10})T(.{5}).*$/, '$1 $2 UTC');

function finish(report: ImportReport, { json }: JsonOption): void {
  const issues = issuePrinter();
  report.issues.forEach(issues.show);
  issues.finish(report.issueCount);
  if (json) {
    process.stdout.write(`${JSON.stringify(report, null, 2)}\n`);
  } else {
    const seconds = (report.elapsedMs / 1000).toFixed(1);
    process.stdout.write(
      `${report.pool}: ${count(report.stored)} papers stored, ${count(report.unchanged)} unchanged, ` +
        `${count(report.removed)} removed, ${count(report.sentences)} sentences stored` +
        `${report.titleOnly ? `, ${count(report.titleOnly)} papers by their title alone` : ''}; ${seconds} s\n`,
    );
  }
  if (report.cancelled) {
    throw new RatioError(
      'cancelled',
      `Stopped. What was stored stays; the same command goes on from there.`,
    );
  }
  if (report.read === 0 && report.issueCount > 0) {
    throw new RatioError('not-found', 'No paper could be read; the lines above say why.');
  }
}
