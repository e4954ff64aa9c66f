/**
 * Measures what Ratio promises, on real papers and drafts, and prints a table and JSON.
 *
 *   RATIO_DATA=… npm run bench -- [--only NAME,NAME] [--json FILE] [--quick] [--rebuild]
 *
 * Parts: moves, rerank, cold, activation, hnsw, indexing, encode, prose, problems. The pool of 50,000
 * sentences is built once and kept in out/bench/home; `--rebuild` builds it anew, which also
 * measures the rate of a whole build. `--quick` tries everything on small sizes: its figures mean
 * nothing. Exits with 1 where a target is missed or a part could not be measured. Close other
 * programs first: the load averages before and after stand in the report.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { dataFolder } from './corpus';
import { parts, type Context, type PartName } from './parts';
import { benchPool, loadNow, type BenchPool } from './pool';
import { circumstances, reaches, table, type Row } from './report';
import { benchFolder, stagePackage } from './stage';

function options() {
  const { values } = parseArgs({
    options: {
      only: { type: 'string' },
      json: { type: 'string' },
      quick: { type: 'boolean', default: false },
      rebuild: { type: 'boolean', default: false },
    },
  });
  const names = Object.keys(parts) as PartName[];
  const asked = values.only?.split(',').map((name) => name.trim());
  const unknown = asked?.filter((name) => !names.includes(name as PartName)) ?? [];
  if (unknown.length > 0) {
    throw new Error(`There is no part ${unknown.join(', ')}: there are ${names.join(', ')}.`);
  }
  return { ...values, names: names.filter((name) => asked?.includes(name) ?? true) };
}

async function main(): Promise<void> {
  const { names, json, quick, rebuild } = options();
  dataFolder();
  const tell = (line: string): void => console.error(line);
  const before = loadNow();
  const stage = stagePackage(true);
  const size = quick ? 2_000 : 50_000;
  let pool: Promise<BenchPool> | undefined;
  const context: Context = {
    stage,
    quick,
    tell,
    pool: () => (pool ??= benchPool(stage, size, rebuild, tell)),
  };
  const rows: Row[] = [];
  const details: Record<string, unknown> = {};
  const failures: Record<string, string> = {};
  for (const name of names) {
    tell(`${name} …`);
    try {
      const { rows: own, detail } = await parts[name](context);
      rows.push(...own);
      details[name] = detail;
    } catch (error) {
      failures[name] = error instanceof Error ? error.message : String(error);
      tell(`${name} could not be measured: ${failures[name]}`);
    }
  }
  const report = {
    date: new Date().toISOString(),
    command: ['npm run bench --', ...process.argv.slice(2)].join(' '),
    quick,
    ...circumstances(),
    load: { before, after: loadNow() },
    rows: rows.map((row) => ({ ...row, reached: reaches(row) })),
    failures,
    details,
  };
  const file = json === undefined ? join(benchFolder(), 'report.json') : resolve(json);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, `${JSON.stringify(report, null, 2)}\n`);
  console.log(`\n${table(rows)}\n`);
  for (const [name, why] of Object.entries(failures)) console.log(`not measured: ${name}: ${why}`);
  const { machine } = report as unknown as { machine: Record<string, unknown> };
  console.log(`${Object.values(machine).join(', ')}; load ${before} before, ${loadNow()} after`);
  if (quick) console.log('Quick: small sizes, no figures to report.');
  console.log(`All of it: ${file}`);
  const { details: _, ...brief } = report;
  console.log(JSON.stringify(brief));
  const missed = rows.some((row) => reaches(row) === false) || Object.keys(failures).length > 0;
  if (missed && !quick) process.exitCode = 1;
}

main().catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 2;
});
