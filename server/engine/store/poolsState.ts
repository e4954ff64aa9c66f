/** Whether pools have changed, told by their files alone: no database is opened for it. */
import { statSync } from 'node:fs';
import { listPools, poolDatabase } from './names';

/** Size and time of change of a file; empty where it is missing, empty or cannot be read. */
function fileState(path: string): string {
  try {
    const { size, mtimeMs } = statSync(path);
    return size === 0 ? '' : `${size} ${mtimeMs}`;
  } catch {
    return '';
  }
}

/**
 * A text that changes with whatever is written to a pool of the data folder `home`, by this or another
 * process: names and states of the databases and their logs. It may change more often than the pools.
 */
export function poolsState(home: string): string {
  const states = listPools(home).map((name) => {
    const path = poolDatabase(home, name);
    return [name, fileState(path), fileState(`${path}-wal`)];
  });
  return JSON.stringify(states);
}
