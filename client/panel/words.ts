/**
 * What the panel calls things. Shared by the host and the browser side, so free of `vscode`, of the
 * DOM and of zod.
 */
import type { Move, Paper, Role } from '../../server/engine/engine';
import type { Filters } from './state';

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

/** Last part of a document's URI, decoded: what a draft is called in the panel. */
export function fileName(uri: string): string {
  const last = uri.split(/[\\/]/).at(-1) ?? uri;
  try {
    return decodeURIComponent(last);
  } catch {
    return last;
  }
}
