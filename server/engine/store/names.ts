/** Where pools are by their names, and which names are taken. */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { RatioError } from '../engine';
import { isPoolName, poolNameFault } from '../poolName';

/** Throws `bad-input` unless `name` can be a pool's name. */
export function checkPoolName(name: string): void {
  const fault = poolNameFault(name);
  if (fault !== null) throw new RatioError('bad-input', fault);
}

/** Folder that holds the pools. */
export function poolsFolder(home: string): string {
  return join(home, 'pools');
}

/** Folder of one pool, whether there is one or not. */
export function poolFolder(home: string, name: string): string {
  return join(poolsFolder(home), name);
}

/** Its database. */
export function poolDatabase(home: string, name: string): string {
  return join(poolFolder(home, name), 'pool.db');
}

/** Names of the pools in the data folder, sorted; none where there is no folder yet. */
export function listPools(home: string): string[] {
  let entries;
  try {
    entries = readdirSync(poolsFolder(home), { withFileTypes: true });
  } catch {
    return [];
  }
  return entries
    .filter((entry) => entry.isDirectory() && isPoolName(entry.name))
    .map((entry) => entry.name)
    .sort();
}

/**
 * The pool that `name` means: on Windows and macOS two names that differ in case are one folder,
 * so a new pool may not differ from an old one by case alone.
 */
export function checkNewPoolName(home: string, name: string): void {
  checkPoolName(name);
  const twin = listPools(home).find(
    (other) => other !== name && other.toLowerCase() === name.toLowerCase(),
  );
  if (twin !== undefined) {
    throw new RatioError('bad-input', `There is a pool “${twin}”: use that name, or another one.`);
  }
}

/** Throws `bad-input` for what is no pool's name, `no-pool` where there is no such pool. */
export function checkPoolExists(home: string, name: string): void {
  checkPoolName(name);
  const names = listPools(home);
  if (names.includes(name)) return;
  const known = names.length > 0 ? `There are: ${names.join(', ')}.` : 'There is none yet.';
  throw new RatioError('no-pool', `There is no pool “${name}”. ${known}`);
}
