/** `ratio query`: a move's inspirations, as text or JSON. */
import type { Inspiration, Move, Snapshot } from '../engine/engine';
import { citationLine } from '../language/citation';
import { placeOf } from './at';
import { withEngine } from './engine';
import { interruptSignal, UsageError } from './exit';
import { dim, plain, strong, wrap } from './text';

interface QueryOptions {
  move: Move;
  at?: string;
  pool: string[];
  top: number;
  perPaper: number;
  from?: number;
  to?: number;
  device: string;
  json: boolean;
}

/** Answers a move for `text`, or for the sentence at `--at`. */
export async function query(text: string | undefined, options: QueryOptions): Promise<void> {
  if (text === undefined && options.at === undefined) {
    throw new UsageError('Give a text in quotes, or a place in a draft: --at FILE:LINE[:COLUMN].');
  }
  if (text !== undefined && options.at !== undefined) {
    throw new UsageError('Give either a text or --at FILE:LINE[:COLUMN], not both.');
  }
  if (options.from !== undefined && options.to !== undefined && options.from > options.to) {
    throw new UsageError(`There is no year from ${options.from} to ${options.to}.`);
  }
  const place = options.at === undefined ? null : placeOf(options.at);
  const taken = place ? place.sentence.text : (text ?? '').replace(/\s+/g, ' ').trim();
  if (!taken) throw new UsageError('The text is empty.');
  const signal = interruptSignal();
  const snapshot = await withEngine(options.device, (engine) =>
    engine.inspire(
      {
        move: options.move,
        text: taken,
        pools: options.pool.length > 0 ? options.pool : null,
        exclude: place ? place.prose.sentences.map((sentence) => sentence.text) : [],
        limit: options.top,
        perPaper: options.perPaper,
        years: { from: options.from ?? null, to: options.to ?? null },
      },
      { signal },
    ),
  );
  for (const notice of snapshot.notices) process.stderr.write(`ratio: ${notice}\n`);
  process.stdout.write(
    options.json
      ? `${JSON.stringify(queryJson(options.move, taken, snapshot), null, 2)}\n`
      : queryText(options.move, taken, snapshot),
  );
}

/** The JSON of a query; `query` is the plain sentence that was taken. */
function queryJson(move: Move, query: string, snapshot: Snapshot): object {
  return {
    move,
    query,
    pools: snapshot.pools,
    device: snapshot.device,
    inspirations: snapshot.inspirations.map(
      ({ rank, score, text, role, before, after, paper, pool, why }) => ({
        rank,
        score,
        text,
        role,
        before,
        after,
        paper,
        pool,
        why,
      }),
    ),
  };
}

function queryText(move: Move, query: string, snapshot: Snapshot): string {
  const head = `${strong(move[0]?.toUpperCase() + move.slice(1))}  ${wrap(query, 2)}`;
  if (snapshot.inspirations.length === 0) {
    return `${head}\n\n  Nothing close in these pools (${snapshot.pools.join(', ') || 'there are none'}).\n`;
  }
  return `${head}\n\n${snapshot.inspirations.map(inspirationText).join('\n')}`;
}

function inspirationText({ rank, text, role, paper, pool }: Inspiration): string {
  const number = `${rank}.`.padStart(4);
  const facts = [role, `pool ${pool}`, paper.id, paper.url].filter(Boolean).join(' · ');
  return `${strong(number)} ${wrap(text, 5)}\n     ${dim(wrap(citationLine(paper), 5))}\n     ${dim(plain(facts))}\n`;
}
