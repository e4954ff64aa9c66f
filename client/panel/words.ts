/**
 * What the panel calls things. Shared by the host and the browser side, so free of `vscode`, of the
 * DOM and of zod.
 */
import type { Move, Paper, Role, Status } from '../../server/protocol';
import type { Entry, Filters } from './state';

export interface MoveWords {
  move: Move;
  label: string;
  /** What the move asks for, for a tooltip. */
  hint: string;
  /** Codicon. */
  icon: string;
  /** Letter that makes the move from a card. */
  key: string;
}

export const moveWords: Record<Move, MoveWords> = {
  address: {
    move: 'address',
    label: 'Address',
    hint: 'Responses to this problem, gap or limitation',
    icon: 'lightbulb',
    key: 'a',
  },
  broaden: {
    move: 'broaden',
    label: 'Broaden',
    hint: 'The same point at a more general level',
    icon: 'zoom-out',
    key: 'b',
  },
  specify: {
    move: 'specify',
    label: 'Specify',
    hint: 'The same point made more concrete',
    icon: 'zoom-in',
    key: 's',
  },
};

export const moveOrder: readonly MoveWords[] = [
  moveWords.address,
  moveWords.broaden,
  moveWords.specify,
];

export const roleWords: Record<Role, string> = {
  background: 'Background',
  method: 'Method',
  result: 'Result',
};

/** How many inspirations a move asks for at first and how many more "Show more" brings. */
export const PAGE = 20;
/** The pool that ships with Ratio. */
export const STARTER = 'starter';
/** The most that one request may ask for. */
export const MOST = 200;

export const noFilters: Filters = { years: { from: null, to: null }, pools: null };

/** Why an answer is empty: where it is not weak, its years leave no sentence. */
export function nothingWords({ weak }: { weak: boolean }): string {
  return weak ? 'Nothing close in these pools' : 'No paper of these years in these pools';
}

/** "1 inspiration", "12 inspirations". */
export function counted(count: number, one: string, many = `${one}s`): string {
  return `${count.toLocaleString('en')} ${count === 1 ? one : many}`;
}

/** The first three authors, with "et al." for the rest. */
export function authorLine(authors: readonly string[]): string {
  const named = authors.map((name) => name.trim()).filter((name) => name !== '');
  if (named.length <= 3) return named.join(', ');
  return `${named.slice(0, 3).join(', ')} et al.`;
}

/** Year of a paper's date, or null. */
export function yearOf(paper: Paper): string | null {
  return /^\d{4}/.exec(paper.date ?? '')?.[0] ?? null;
}

/** A short name for a paper: last name of the first author and year, else the title. */
export function shortName(paper: Paper): string {
  const first = paper.authors[0]?.trim() ?? '';
  const last = first.includes(',') ? first.split(',')[0]?.trim() : first.split(/\s+/).at(-1);
  if (!last) return paper.title;
  const several = paper.authors.length > 1 ? ' et al.' : '';
  const year = yearOf(paper);
  return `${last}${several}${year === null ? '' : ` ${year}`}`;
}

/** A relative's paper in one line: authors and year, then the title; the title alone without authors. */
export function relativeWords(paper: Paper): { name: string; title: string | null } {
  const name = shortName(paper);
  return { name, title: name === paper.title ? null : paper.title };
}

export interface OrderWords {
  state: 'refining' | 'refined' | 'unrefined';
  text: string;
  /** For a tooltip. */
  detail: string;
}

/** Whether the order of an entry's cards is refined; null where there is nothing that could refine it. */
export function orderWords(entry: Entry, status: Status | null): OrderWords | null {
  const { snapshot, phase } = entry;
  if (snapshot === null) return null;
  if (snapshot.reranked) {
    return {
      state: 'refined',
      text: 'Order refined',
      detail: 'Each passage was read together with your sentence.',
    };
  }
  const reranker = status?.engine?.reranker;
  if (reranker === undefined) return null;
  // The status may not know yet that it is loaded; without one the last snapshot follows at once.
  if (phase === 'busy' && !snapshot.final && snapshot.rerankAsked !== false) {
    return {
      state: 'refining',
      text: 'Refining the order…',
      detail:
        'The first results stand in the retriever’s order. Passages are being read together with your sentence.',
    };
  }
  if (!reranker.loaded) return null;
  const why =
    snapshot.rerankAsked === false
      ? 'The setting ratio.rerank.enabled is off.'
      : phase === 'stopped'
        ? 'It was stopped before it was refined.'
        : (reranker.reason ?? '');
  return {
    state: 'unrefined',
    text: 'Order not refined',
    detail: `The order is the retriever’s. ${why}`.trim(),
  };
}

/** Last part of a document's URI, decoded: what a draft is called in the panel. */
export function fileName(uri: string): string {
  const last = uri.split(/[\\/]/).at(-1) ?? uri;
  try {
    return decodeURIComponent(last);
  } catch {
    return last;
  }
}
