/** `ratio query`: a move's inspirations, as text or JSON. */
import type { Inspiration, Move, Snapshot } from '../engine/engine';
import { plainName } from '../cite/names';
import { citationLine } from '../language/citation';
import { placeOf, type Place } from './at';
import type { LocalEngine } from '../engine/local';
import { preparePools, withEngine } from './engine';
import { interruptSignal, UsageError } from './exit';
import { dim, plain, strong, wrap } from './text';

/** What a move is asked with. */
export interface AskOptions {
  move: Move;
  at?: string;
  pool: string[];
  top: number;
  perPaper: number;
  from?: number;
  to?: number;
  device: string;
  /** False keeps the order of recall. */
  rerank?: boolean;
}

interface QueryOptions extends AskOptions {
  /** Without, neighbours are shown on a terminal only. */
  neighbours?: boolean;
  json: boolean;
}

/** An answer with the plain sentence that was taken, and its place where it is one of a draft. */
export interface Asked {
  taken: string;
  place: Place | null;
  snapshot: Snapshot;
}

/** Asks a move for `text`, or for the sentence at `--at`; notices go to stderr. */
export async function ask(text: string | undefined, options: AskOptions): Promise<Asked> {
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
  const rerank = options.rerank ?? true;
  const answer = async (engine: LocalEngine): Promise<Snapshot> => {
    await preparePools(engine, options.pool.length > 0 ? options.pool : null, signal);
    const snapshot = await engine.inspire(
      {
        move: options.move,
        text: taken,
        pools: options.pool.length > 0 ? options.pool : null,
        exclude: place ? place.prose.sentences.map((sentence) => sentence.text) : [],
        limit: options.top,
        perPaper: options.perPaper,
        years: { from: options.from ?? null, to: options.to ?? null },
        rerank,
      },
      { signal },
    );
    if (rerank && !snapshot.reranked && snapshot.inspirations.length > 0) {
      const { reason = null } = (await engine.status()).reranker ?? {};
      if (reason !== null) process.stderr.write(`ratio: not reranked: ${plain(reason)}\n`);
    }
    return snapshot;
  };
  const snapshot = await withEngine(options.device, answer, { rerank, upkeep: 'none' });
  for (const notice of snapshot.notices) process.stderr.write(`ratio: ${notice}\n`);
  return { taken, place, snapshot };
}

/** Answers a move for `text`, or for the sentence at `--at`. */
export async function query(text: string | undefined, options: QueryOptions): Promise<void> {
  const { taken, snapshot } = await ask(text, options);
  process.stdout.write(
    options.json
      ? `${JSON.stringify(queryJson(options.move, taken, snapshot), null, 2)}\n`
      : queryText(options.move, taken, snapshot, options.neighbours ?? process.stdout.isTTY),
  );
}

/** A paper's record with its authors' names as they are read. */
const shownPaper = <Shown extends { authors: string[] }>(paper: Shown): Shown => ({
  ...paper,
  authors: paper.authors.map(plainName),
});

/** The JSON of a query; `query` is the plain sentence that was taken. */
function queryJson(move: Move, query: string, snapshot: Snapshot): object {
  return {
    move,
    query,
    pools: snapshot.pools,
    device: snapshot.device,
    reranked: snapshot.reranked ?? false,
    inspirations: snapshot.inspirations.map(
      ({ rank, score, text, role, before, after, paper, pool, why, relatives }) => ({
        rank,
        score,
        text,
        role,
        before,
        after,
        paper: shownPaper(paper),
        pool,
        why,
        relatives: (relatives ?? []).map((each) => ({ ...each, paper: shownPaper(each.paper) })),
      }),
    ),
  };
}

/** The text of an answer; with `neighbours` the sentences around each stand beside it. */
export function queryText(
  move: Move,
  query: string,
  snapshot: Snapshot,
  neighbours: boolean,
): string {
  const head = `${strong(move[0]?.toUpperCase() + move.slice(1))}  ${wrap(query, 2)}`;
  if (snapshot.inspirations.length === 0) {
    const why = snapshot.weak ? 'Nothing close' : 'No paper of these years';
    return `${head}\n\n  ${why} in these pools (${snapshot.pools.join(', ') || 'there are none'}).\n`;
  }
  const shown = snapshot.inspirations.map((each) => inspirationText(each, neighbours));
  return `${head}\n\n${shown.join('\n')}`;
}

/** Characters of a neighbour that are shown: it gives the sense, the passage has the whole. */
const NEIGHBOUR = 160;

/** The end of the sentence before. */
function endOf(text: string): string {
  if (text.length <= NEIGHBOUR) return text;
  return `… ${text.slice(-NEIGHBOUR).replace(/^\S*\s+/, '')}`;
}

/** The beginning of the sentence after. */
function beginningOf(text: string): string {
  if (text.length <= NEIGHBOUR) return text;
  return `${text.slice(0, NEIGHBOUR).replace(/\s+\S*$/, '')} …`;
}

/** An inspiration as lines for a terminal, with the shortened sentences around it if asked for. */
export function inspirationText(
  { rank, text, role, before, after, paper, pool, why, relatives }: Inspiration,
  neighbours: boolean,
): string {
  const number = strong(`${rank}.`.padStart(4));
  const facts = [role, `pool ${pool}`, paper.id, paper.url].filter(Boolean).join(' · ');
  const lines = [wrap(text, 5)];
  // Marked, since not every terminal dims.
  if (neighbours && after !== null) lines.push(dim(`↓ ${wrap(beginningOf(plain(after)), 7)}`));
  lines.push(dim(wrap(citationLine(paper), 5)), dim(plain(facts)));
  if (why.context) lines.push(dim(wrap(`follows a sentence like yours: “${why.context.text}”`, 5)));
  for (const relative of neighbours ? (relatives ?? []) : []) {
    const also = `${beginningOf(plain(relative.text))} (${citationLine(relative.paper)})`;
    lines.push(dim(`≈ ${wrap(also, 7)}`));
  }
  const head =
    neighbours && before !== null ? `     ${dim(`↑ ${wrap(endOf(plain(before)), 7)}`)}\n` : '';
  return `${head}${number} ${lines.join('\n     ')}\n`;
}
