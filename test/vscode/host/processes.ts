/** Processes of a run: found by a mark in their environment, by parentage, and ended by id. */
import { execFileSync } from 'node:child_process';
import { readFileSync, readdirSync } from 'node:fs';

/** Variable that every process of one server inherits, so that an orphan is still recognised. */
export const MARK = 'RATIO_TEST_MARK';

export interface ProcessInfo {
  readonly pid: number;
  readonly parent: number;
  readonly command: string;
}

/**
 * Living processes that carry `mark` in their environment or descend from `root`. Zombies do not
 * count. Where /proc is missing (macOS) only descendants are found.
 */
export function processesOf(mark: string, root: number | undefined): ProcessInfo[] {
  const all = listProcesses();
  const found = new Set<number>();
  if (root !== undefined && all.some((entry) => entry.pid === root)) found.add(root);
  for (let grew = true; grew;) {
    grew = false;
    for (const entry of all) {
      if (!found.has(entry.pid) && found.has(entry.parent)) {
        found.add(entry.pid);
        grew = true;
      }
    }
  }
  return all.filter((entry) => found.has(entry.pid) || hasMark(entry.pid, mark));
}

/** True when a process with this id exists and is no zombie. */
export function isAlive(pid: number): boolean {
  return listProcesses().some((entry) => entry.pid === pid);
}

/** Sends a signal; a process that is gone already is no error. */
export function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

/** Waits until `condition` holds; false when it still does not after `timeoutMs`. */
export async function waitUntil(
  condition: () => boolean | Promise<boolean>,
  timeoutMs: number,
  everyMs = 100,
): Promise<boolean> {
  const end = Date.now() + timeoutMs;
  for (;;) {
    if (await condition()) return true;
    if (Date.now() >= end) return false;
    await new Promise((resolve) => setTimeout(resolve, everyMs));
  }
}

function listProcesses(): ProcessInfo[] {
  if (process.platform !== 'linux') return listByPs();
  const list: ProcessInfo[] = [];
  for (const name of readdirSync('/proc')) {
    if (!/^\d+$/.test(name)) continue;
    try {
      const stat = readFileSync(`/proc/${name}/stat`, 'utf8');
      // The name in parentheses may hold spaces; state and parent follow the last one.
      const [state, parent] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
      if (state === 'Z' || state === 'X') continue;
      const command = readFileSync(`/proc/${name}/cmdline`, 'utf8').replaceAll('\0', ' ').trim();
      list.push({ pid: Number(name), parent: Number(parent), command });
    } catch {
      // It ended while we looked.
    }
  }
  return list;
}

function listByPs(): ProcessInfo[] {
  const text = execFileSync('ps', ['-axo', 'pid=,ppid=,stat=,command='], { encoding: 'utf8' });
  const list: ProcessInfo[] = [];
  for (const line of text.split('\n')) {
    const match = /^\s*(\d+)\s+(\d+)\s+(\S+)\s+(.*)$/.exec(line);
    if (!match || match[3]?.startsWith('Z')) continue;
    list.push({ pid: Number(match[1]), parent: Number(match[2]), command: match[4] ?? '' });
  }
  return list;
}

function hasMark(pid: number, mark: string): boolean {
  if (process.platform !== 'linux') return false;
  try {
    return readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0').includes(`${MARK}=${mark}`);
  } catch {
    return false;
  }
}
