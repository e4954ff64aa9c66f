/**
 * The file that stands while a GPU is tried. One whose process is gone tells the next start that the
 * device may have taken that process along; so whoever leaves in good order takes it away.
 */
import { rmSync } from 'node:fs';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';

/**
 * Devices are timed in a child, which cannot take this process along: one that went meanwhile was
 * killed. After so many times it may have been the machine that went, and the device is blamed.
 */
const TIMINGS = 2;

/** None that counts, one of a process at work, or one of a process that the device ended. */
export type Mark = { state: 'none' | 'busy' | 'died'; /** Timings cut short. */ timings: number };

function alive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/** Says what the marker of an earlier attempt means. */
export async function readMark(marker: string, key: string): Promise<Mark> {
  try {
    const found = JSON.parse(await readFile(marker, 'utf8')) as Record<string, unknown>;
    const { pid, key: of, timings } = found;
    if (of !== key || typeof pid !== 'number') return { state: 'none', timings: 0 };
    if (pid === process.pid) return { state: 'none', timings: 0 };
    if (alive(pid)) return { state: 'busy', timings: 0 };
    if (typeof timings === 'number' && timings < TIMINGS) return { state: 'none', timings };
    return { state: 'died', timings: 0 };
  } catch {
    return { state: 'none', timings: 0 };
  }
}

/** Takes a mark away, whoever made it. */
export async function unmark(marker: string): Promise<void> {
  await rm(marker, { force: true });
}

/**
 * Marks a device as being tried by this process: in a child where `timings` says how often, else in
 * the process itself. What it returns takes the mark away, as the end of the process does; a crash
 * does not get that far.
 */
export async function mark(
  marker: string,
  what: { key: string; timings?: number },
): Promise<() => Promise<void>> {
  await mkdir(dirname(marker), { recursive: true });
  const leave = (): void => {
    try {
      rmSync(marker, { force: true });
    } catch {
      // The folder may be gone, or not ours to write: the process ends all the same.
    }
  };
  process.once('exit', leave);
  try {
    await writeFile(marker, JSON.stringify({ pid: process.pid, ...what }));
  } catch (error) {
    process.off('exit', leave);
    throw error;
  }
  return async () => {
    process.off('exit', leave);
    await unmark(marker);
  };
}
