/** From a start of the language server to the first and the final answer of a move. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { draftQueries, rangeAt } from './queries';
import { Session } from './session';
import { quantile } from './statistics';

/** Milliseconds from starting the process to the first and the final snapshot. */
export type Start = { initialized: number; first: number; all: number };

/** Starts a server, opens a draft and asks at once, as a user in a hurry does. */
async function startAndAsk(stage: string, home: string, which: number): Promise<Start> {
  const { queries } = draftQueries(which + 1);
  const query = queries[which];
  if (!query) throw new Error('There is no such query.');
  const { draft, cursor, move } = query;
  const started = performance.now();
  const session = await Session.start(stage, home);
  try {
    const initialized = performance.now() - started;
    const uri = await session.open(draft.path, draft.source);
    const asked = performance.now() - started;
    const { first, all } = await session.inspire(
      move,
      {
        uri,
        range: rangeAt(draft.source, cursor),
      },
      true,
    );
    return { initialized, first: asked + first, all: asked + all };
  } finally {
    await session.stop();
  }
}

export type ColdReport = {
  /** With the pools built: median and largest of the starts. */
  built: {
    starts: Start[];
    first: { p50: number; max: number };
    all: { p50: number; max: number };
  };
  /** With an empty data folder: the pool that ships is built before the first answer. */
  veryFirst: Start[];
};

/** Measures `starts` starts on the pools of `home`, and `firsts` in empty data folders. */
export async function benchColdStart(
  stage: string,
  home: string,
  starts: number,
  firsts: number,
): Promise<ColdReport> {
  // The data folder's own upkeep (the pool that ships) is not part of a start with pools built.
  await startAndAsk(stage, home, 0);
  const built: Start[] = [];
  for (let i = 0; i < starts; i++) built.push(await startAndAsk(stage, home, i));
  const veryFirst: Start[] = [];
  for (let i = 0; i < firsts; i++) {
    const empty = mkdtempSync(join(tmpdir(), 'ratio-first-'));
    try {
      veryFirst.push(await startAndAsk(stage, empty, i));
    } finally {
      rmSync(empty, { recursive: true, force: true, maxRetries: 5 });
    }
  }
  const part = (which: 'first' | 'all') => {
    const values = built.map((start) => start[which]);
    return { p50: quantile(values, 0.5), max: Math.max(...values) };
  };
  return { built: { starts: built, first: part('first'), all: part('all') }, veryFirst };
}
