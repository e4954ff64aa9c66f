/** What `npm run bench` reports: rows with targets, the machine, a table. */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { availableParallelism, cpus, platform, release, totalmem } from 'node:os';
import { join } from 'node:path';
import { packageRoot } from '../../server/paths';

export type Row = {
  name: string;
  /** NaN (null in JSON) where there is no figure. */
  value: number;
  unit: string;
  /** What the figure must reach; null where it is reported only. */
  target: { bound: 'most' | 'least'; value: number } | null;
  note: string;
};

/** Whether a row reaches its target; null where it has none. A row without a figure misses it. */
export function reaches({ value, target }: Row): boolean | null {
  if (!target) return null;
  return target.bound === 'most' ? value <= target.value : value >= target.value;
}

/** A figure that must not be above `most`. */
export function atMost(name: string, value: number, unit: string, most: number, note = ''): Row {
  return { name, value, unit, target: { bound: 'most', value: most }, note };
}

/** A figure that must not be below `least`. */
export function atLeast(name: string, value: number, unit: string, least: number, note = ''): Row {
  return { name, value, unit, target: { bound: 'least', value: least }, note };
}

/** A figure without a target. */
export function figure(name: string, value: number, unit: string, note = ''): Row {
  return { name, value, unit, target: null, note };
}

function shown(value: number): string {
  if (!Number.isFinite(value)) return '–';
  const digits =
    Math.abs(value) >= 100 ? 0 : Math.abs(value) >= 10 ? 1 : Math.abs(value) >= 1 ? 2 : 4;
  return value.toFixed(digits);
}

/** The rows in aligned columns for a terminal, without a line end after the last. */
export function table(rows: readonly Row[]): string {
  const cells = rows.map((row) => {
    const reached = reaches(row);
    const bound = row.target?.bound === 'most' ? '≤' : '≥';
    return [
      row.name,
      `${shown(row.value)} ${row.unit}`.trim(),
      row.target ? `${bound} ${row.target.value}` : '',
      reached === null ? '' : reached ? 'pass' : 'FAIL',
      row.note,
    ];
  });
  const head = ['what', 'measured', 'target', '', 'note'];
  const widths = head.map((title, i) =>
    Math.max(title.length, ...cells.map((row) => row[i]?.length ?? 0)),
  );
  const line = (row: readonly string[]): string =>
    row
      .map((cell, i) => cell.padEnd(widths[i] ?? 0))
      .join('  ')
      .trimEnd();
  return [line(head), line(widths.map((width) => '─'.repeat(width))), ...cells.map(line)].join(
    '\n',
  );
}

function versionOf(name: string): string | null {
  try {
    const path = join(packageRoot(), 'node_modules', name, 'package.json');
    return (JSON.parse(readFileSync(path, 'utf8')) as { version: string }).version;
  } catch {
    return null;
  }
}

function commit(): string | null {
  try {
    const options = {
      cwd: packageRoot(),
      encoding: 'utf8' as const,
      stdio: ['ignore', 'pipe', 'ignore'] as ['ignore', 'pipe', 'ignore'],
    };
    const head = execFileSync('git', ['rev-parse', '--short=12', 'HEAD'], options).trim();
    const changed = execFileSync('git', ['status', '--porcelain'], options).trim() !== '';
    return changed ? `${head} with changes` : head;
  } catch {
    return null;
  }
}

/** What the figures were taken on and of. */
export function circumstances(): Record<string, unknown> {
  const manifest = readFileSync(join(packageRoot(), 'package.json'), 'utf8');
  return {
    machine: {
      processor: cpus()[0]?.model ?? 'unknown',
      processors: availableParallelism(),
      memoryGb: Math.round(totalmem() / 2 ** 30),
      system: `${platform()} ${release()}`,
    },
    versions: {
      ratio: (JSON.parse(manifest) as { version: string }).version,
      commit: commit(),
      node: process.version,
      'onnxruntime-node': versionOf('onnxruntime-node'),
      'hnswlib-node': versionOf('hnswlib-node'),
      libsql: versionOf('libsql'),
    },
  };
}
