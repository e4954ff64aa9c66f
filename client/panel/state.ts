/**
 * What the panel shows, as plain data, and the pure functions that change it. The extension host
 * holds the one true state; every webview is drawn from a copy of it, and the copy that a webview
 * keeps over a reload of the window can become the state again ({@link restored}).
 */
import * as z from 'zod';
import {
  moveSchema,
  shownSnapshotSchema,
  statusSchema,
  takenSchema,
  type InspireResult,
  type Move,
  type ShownInspiration,
  type ShownRelative,
  type ShownSnapshot,
  type Status,
  type Taken,
} from '../../server/protocol';
import { MOST, noFilters, PAGE, shortName } from './words';

export const filtersSchema = z.object({
  years: z.object({ from: z.number().int().nullable(), to: z.number().int().nullable() }),
  /** Names of pools; null asks those that the workspace has chosen. */
  pools: z.array(z.string()).nullable(),
});
export type Filters = z.infer<typeof filtersSchema>;

export const verdictSchema = z.enum(['useful', 'not-useful', 'none']);
export type Verdict = z.infer<typeof verdictSchema>;

const entrySchema = z.object({
  id: z.string(),
  /** Number of the request that answers it; a report with another number is out of date. */
  run: z.number().int(),
  move: moveSchema,
  /** Null until it is known which text the move took. */
  taken: takenSchema.nullable(),
  /** The card whose sentence is asked about; null for text of the draft. */
  from: z.object({ id: z.string(), name: z.string(), title: z.string() }).nullable(),
  phase: z.enum(['busy', 'done', 'no-prose', 'error', 'stopped']),
  /** For `no-prose` and `error`: what is wrong and what to do. */
  message: z.string().nullable(),
  snapshot: shownSnapshotSchema.nullable(),
  filters: filtersSchema,
  limit: z.number().int().min(1).max(MOST),
  /** A page more was asked for: what is shown stays in its place, and the rest comes after it. */
  further: z.boolean().default(false),
  /** What is asked now, and what `snapshot` answers: keys that differ when the question does. */
  asked: z.string(),
  answered: z.string().nullable(),
  /** Run of the snapshot: sequence numbers count within one run. */
  answeredRun: z.number().int().nullable(),
  verdicts: z.record(z.string(), verdictSchema),
  /** Keys of papers cited from here, by paper, null once undone: for cards that the snapshot no longer holds. */
  cited: z.record(z.string(), z.string().nullable()).default({}),
  /** What the .bib holds has changed since it was answered: it is asked again when it is shown. */
  outdated: z.boolean().default(false),
});
export type Entry = z.infer<typeof entrySchema>;

export const panelStateSchema = z.object({
  version: z.literal(1),
  /** Distinguishes the entries of one window's life from those of another. */
  session: z.string(),
  /** Last number given to a run or an entry. */
  counter: z.number().int().nonnegative(),
  trail: z.array(entrySchema),
  /** Index into the trail; -1 while it is empty. */
  current: z.number().int().min(-1),
  /** Filters that the next trail starts with. */
  filters: filtersSchema,
  /** Pools as the engine last told of them: one at rest tells nothing. */
  pools: z.array(z.object({ name: z.string(), sentences: z.number() })).default([]),
  status: statusSchema.nullable(),
});
export type PanelState = z.infer<typeof panelStateSchema>;

/** Longest trail kept; the draft's own entry is never dropped. */
export const MOST_ENTRIES = 12;

/** A request that the panel wants answered; reports about it carry its `run`. */
export interface PanelStep {
  run: number;
  move: Move;
  /** Text to ask about; null when the caller began without knowing it. */
  text: string | null;
  /** Draft whose own sentences are to be left out; null for a free text. */
  uri: string | null;
  years: { from: number | null; to: number | null };
  pools: string[] | null;
  limit: number;
}

/** An empty panel. `session` names this life of the window. */
export function initialState(session: string): PanelState {
  return {
    version: 1,
    session,
    counter: 0,
    trail: [],
    current: -1,
    filters: noFilters,
    pools: [],
    status: null,
  };
}

/** The step of the trail that is shown; null while there is none. */
export function currentEntry(state: PanelState): Entry | null {
  return state.trail[state.current] ?? null;
}

/** The text of the draft that began the trail: the sentence that cards are cited into. */
export function origin(state: PanelState): Taken | null {
  return state.trail[0]?.taken ?? null;
}

/** What to ask for an entry. */
export function stepOf(state: PanelState, entry: Entry): PanelStep {
  return {
    run: entry.run,
    move: entry.move,
    text: entry.taken?.text ?? null,
    uri: entry.taken?.uri ?? origin(state)?.uri ?? null,
    years: entry.filters.years,
    pools: entry.filters.pools,
    limit: entry.limit,
  };
}

function askedKey(move: Move, taken: Taken | null, filters: Filters): string {
  return JSON.stringify([move, taken?.text ?? null, filters.years, filters.pools]);
}

function newEntry(
  state: PanelState,
  counter: number,
  given: Pick<Entry, 'move' | 'taken' | 'from' | 'limit'>,
): Entry {
  return {
    ...given,
    id: `${state.session}.${counter}`,
    run: counter,
    phase: 'busy',
    message: null,
    snapshot: null,
    filters: state.filters,
    further: false,
    asked: askedKey(given.move, given.taken, state.filters),
    answered: null,
    answeredRun: null,
    verdicts: {},
    cited: {},
    outdated: false,
  };
}

/** Starts a new trail for text of the draft. */
export function began(state: PanelState, move: Move, taken: Taken | null, page = PAGE): PanelState {
  const counter = state.counter + 1;
  return {
    ...state,
    counter,
    trail: [newEntry(state, counter, { move, taken, from: null, limit: page })],
    current: 0,
  };
}

/** Follows a card: what stood after the current entry gives way, as in a browser's history. */
export function chained(
  state: PanelState,
  move: Move,
  card: ShownInspiration,
  page = PAGE,
): PanelState {
  const counter = state.counter + 1;
  const kept = state.trail.slice(0, state.current + 1);
  const dropped = kept.length >= MOST_ENTRIES ? [...kept.slice(0, 1), ...kept.slice(2)] : kept;
  const entry = newEntry(state, counter, {
    move,
    taken: { text: card.text, uri: origin(state)?.uri ?? null, range: null },
    from: { id: card.id, name: shortName(card.paper), title: card.paper.title },
    limit: page,
  });
  const trail = [...dropped, entry];
  return { ...state, counter, trail, current: trail.length - 1 };
}

export interface Rerun {
  move?: Move;
  filters?: Filters;
  /** A page more than there is. */
  more?: boolean;
}

/**
 * Asks again about the current entry's text: for a page more, as many as before, or, where other cards come, for one
 * page. Cards that answer another move are cleared, and judgements of them: another move's answer is judged anew.
 */
export function rerun(state: PanelState, change: Rerun, page = PAGE): PanelState {
  const entry = currentEntry(state);
  if (entry === null) return change.filters ? { ...state, filters: change.filters } : state;
  const counter = state.counter + 1;
  const move = change.move ?? entry.move;
  const filters = change.filters ?? entry.filters;
  const asked = askedKey(move, entry.taken, filters);
  const limit = asked === entry.asked ? entry.limit + (change.more ? page : 0) : page;
  const next: Entry = {
    ...entry,
    run: counter,
    move,
    filters,
    limit: Math.min(MOST, Math.max(1, limit)),
    further: change.more === true && asked === entry.answered,
    asked,
    phase: 'busy',
    message: null,
    ...(move === entry.move
      ? {}
      : { snapshot: null, answered: null, answeredRun: null, verdicts: {} }),
  };
  const trail = state.trail.map((each, index) => (index === state.current ? next : each));
  // A step that is asked again by itself leaves alone what was chosen for the next question.
  return { ...state, counter, trail, filters: change.filters ?? state.filters };
}

/** Keeps filters for the next question, and shows them on the current entry, which is not asked again. */
export function filtered(state: PanelState, filters: Filters): PanelState {
  const trail = state.trail.map((entry, index) =>
    index === state.current ? withFilters(entry, filters) : entry,
  );
  return { ...state, trail, filters };
}

/** The entry with other filters; what it shows counts as answering them as it did before. */
function withFilters(entry: Entry, filters: Filters): Entry {
  const asked = askedKey(entry.move, entry.taken, filters);
  const answered = entry.answered === entry.asked ? asked : entry.answered;
  return { ...entry, filters, asked, answered };
}

/**
 * The filters, without one of pools that names just the pools which are asked anyway: `chosen`, or all that are known where
 * that is empty. Kept, it would leave out pools that come later.
 */
export function withoutEmptyFilter(
  { pools: known }: PanelState,
  filters: Filters,
  chosen: readonly string[],
): Filters {
  if (filters.pools === null) return filters;
  const anyway = new Set(chosen.length > 0 ? chosen : known.map(({ name }) => name));
  const named = new Set(filters.pools);
  const same = named.size === anyway.size && [...named].every((name) => anyway.has(name));
  return same ? { ...filters, pools: null } : filters;
}

/** Takes the filter of pools away, from the current step and for the next question. */
export function poolFilterDropped(state: PanelState): PanelState {
  const trail = state.trail.map((entry, index) =>
    index === state.current && entry.filters.pools !== null
      ? withFilters(entry, { ...entry.filters, pools: null })
      : entry,
  );
  return { ...state, trail, filters: { ...state.filters, pools: null } };
}

/** A pool is gone: filters name it no more. A filter that named it alone is none. */
export function poolRemoved(state: PanelState, pool: string): PanelState {
  const rest = (filters: Filters): Filters => {
    if (!filters.pools?.includes(pool)) return filters;
    const pools = filters.pools.filter((name) => name !== pool);
    return { ...filters, pools: pools.length > 0 ? pools : null };
  };
  const filters = rest(state.filters);
  const trail = state.trail.map((entry) => {
    const own = rest(entry.filters);
    return own === entry.filters ? entry : withFilters(entry, own);
  });
  const pools = state.pools.filter(({ name }) => name !== pool);
  const same =
    filters === state.filters &&
    pools.length === state.pools.length &&
    trail.every((entry, index) => entry === state.trail[index]);
  return same ? state : { ...state, trail, filters, pools };
}

/** Shows another entry of the trail; an index outside it changes nothing. */
export function wentTo(state: PanelState, index: number): PanelState {
  return state.trail[index] === undefined ? state : { ...state, current: index };
}

function changeRun(state: PanelState, run: number, change: (entry: Entry) => Entry): PanelState {
  const index = state.trail.findIndex((entry) => entry.run === run);
  const entry = state.trail[index];
  if (entry === undefined) return state;
  const changed = change(entry);
  if (changed === entry) return state;
  return { ...state, trail: state.trail.map((each, at) => (at === index ? changed : each)) };
}

/** The draft that trails began in has another address now, its file or a folder above having been renamed. */
export function moved(state: PanelState, from: string, to: string): PanelState {
  const renamed = (uri: string): string =>
    uri === from || uri.startsWith(`${from}/`) ? to + uri.slice(from.length) : uri;
  const trail = state.trail.map((entry) => {
    const { taken } = entry;
    if (taken?.uri == null || renamed(taken.uri) === taken.uri) return entry;
    return { ...entry, taken: { ...taken, uri: renamed(taken.uri) } };
  });
  return trail.every((entry, index) => entry === state.trail[index]) ? state : { ...state, trail };
}

/** Says which text a run took, as soon as that is known. */
export function took(state: PanelState, run: number, taken: Taken): PanelState {
  return changeRun(state, run, (entry) => ({
    ...entry,
    taken,
    asked: askedKey(entry.move, taken, entry.filters),
  }));
}

/**
 * Replaces a run's snapshot by a later one. Out-of-date runs and sequence numbers change nothing, and
 * a first order does not replace a refined one that answers the same.
 */
export function snapshotArrived(
  state: PanelState,
  run: number,
  taken: Taken,
  snapshot: ShownSnapshot,
): PanelState {
  return changeRun(state, run, (entry) => {
    const before = entry.answeredRun === run ? entry.snapshot : null;
    if (before !== null && (before.final || before.sequence >= snapshot.sequence)) return entry;
    // A card's text, or one that is asked about again, is sent without its place in the draft, yet is cited there.
    const { uri = null, range = null } = entry.taken ?? {};
    const kept = { ...taken, uri: uri ?? taken.uri, range: taken.range ?? range };
    const asked = askedKey(entry.move, kept, entry.filters);
    // Asked again (more of them, other pools), a refined order does not go back to be refined anew.
    const refined = entry.snapshot?.reranked === true && entry.answered === asked;
    if (refined && !snapshot.final && !snapshot.reranked) return { ...entry, taken: kept, asked };
    const alike = (entry.snapshot?.reranked ?? false) === (snapshot.reranked ?? false);
    const stays = entry.further && entry.answered === asked && alike;
    return {
      ...entry,
      taken: kept,
      further: stays,
      snapshot: stays && entry.snapshot ? continued(entry.snapshot, snapshot) : snapshot,
      asked,
      answered: asked,
      answeredRun: run,
      outdated: false,
      phase: snapshot.final ? 'done' : 'busy',
      message: null,
    };
  });
}

/** A longer answer in which the cards of a shorter one keep their places: with more candidates, scores shift a little. */
function continued(shorter: ShownSnapshot, longer: ShownSnapshot): ShownSnapshot {
  const found = new Map(longer.inspirations.map((each) => [each.id, each]));
  const first = shorter.inspirations.map((each) => found.get(each.id) ?? each);
  const shown = new Set(first.map(({ id }) => id));
  const rest = longer.inspirations.filter(({ id }) => !shown.has(id));
  const count = Math.max(first.length, longer.inspirations.length);
  return { ...longer, inspirations: [...first, ...rest].slice(0, count) };
}

/** Takes the result of a request, which repeats the last snapshot or says why there is none. */
export function finished(state: PanelState, run: number, result: InspireResult): PanelState {
  if (result.kind === 'answer') {
    const shown = snapshotArrived(state, run, result.taken, { ...result.snapshot, final: true });
    return changeRun(shown, run, (entry) =>
      entry.phase === 'busy' ? { ...entry, phase: 'done' } : entry,
    );
  }
  return changeRun(state, run, (entry) => ({
    ...entry,
    phase: 'no-prose',
    message: result.message,
    snapshot: null,
    answered: null,
    answeredRun: null,
  }));
}

/** A run failed; what it had already brought stays. */
export function failed(state: PanelState, run: number, message: string): PanelState {
  return changeRun(state, run, (entry) => ({ ...entry, phase: 'error', message }));
}

/** A run was given up before its end. */
export function stopped(state: PanelState, run: number): PanelState {
  return changeRun(state, run, (entry) =>
    entry.phase === 'busy' ? { ...entry, phase: 'stopped', message: null } : entry,
  );
}

/** Takes a new state of the engine; pools that it told of before stay known while it is at rest. */
export function statusChanged(state: PanelState, status: Status): PanelState {
  return { ...state, status, pools: poolsOf(status) ?? state.pools };
}

function poolsOf(status: Status | null): PanelState['pools'] | null {
  return status?.engine?.pools.map(({ name, sentences }) => ({ name, sentences })) ?? null;
}

/** Keeps a reader's judgement of a card. */
export function judged(
  state: PanelState,
  entryId: string,
  card: string,
  verdict: Verdict,
): PanelState {
  return {
    ...state,
    trail: state.trail.map((entry) =>
      entry.id === entryId ? { ...entry, verdicts: { ...entry.verdicts, [card]: verdict } } : entry,
    ),
  };
}

/** Takes back a judgement that could not be kept, unless another has been given since. */
export function judgementLost(
  state: PanelState,
  entryId: string,
  card: string,
  lost: Verdict,
  before: Verdict,
): PanelState {
  const entry = state.trail.find(({ id }) => id === entryId);
  return entry?.verdicts[card] === lost ? judged(state, entryId, card, before) : state;
}

/** Marks every card and every relative of a paper as standing in the .bib under `key`. */
export function citedAs(state: PanelState, paperId: string, key: string): PanelState {
  const marked = <T extends ShownRelative | ShownInspiration>(source: T): T =>
    source.paper.id === paperId ? { ...source, citedAs: key } : source;
  const mark = (snapshot: ShownSnapshot | null): ShownSnapshot | null =>
    snapshot && {
      ...snapshot,
      inspirations: snapshot.inspirations.map((card) => ({
        ...marked(card),
        relatives: card.relatives?.map(marked),
      })),
    };
  return {
    ...state,
    trail: state.trail.map((entry) => ({
      ...entry,
      snapshot: mark(entry.snapshot),
      cited: { ...entry.cited, [paperId]: key },
    })),
  };
}

/** What is cited may have been undone: no step goes by what was cited from the panel, and each is to be asked again. */
export function citationsChanged(state: PanelState): PanelState {
  return {
    ...state,
    trail: state.trail.map((entry) => ({
      ...entry,
      cited: Object.fromEntries(Object.keys(entry.cited).map((paper) => [paper, null])),
      outdated: entry.snapshot !== null,
    })),
  };
}

/**
 * The state that a webview kept over a reload, made current: requests that were under way then have
 * nobody to answer them and count as stopped, and the engine's old status is dropped.
 * Null where `saved` is no such state or holds no trail.
 */
export function restored(saved: unknown, status: Status | null): PanelState | null {
  const parsed = panelStateSchema.safeParse(saved);
  if (!parsed.success || parsed.data.trail.length === 0) return null;
  const state = parsed.data;
  const trail = state.trail.map((entry) =>
    entry.phase === 'busy' ? { ...entry, phase: 'stopped' as const } : entry,
  );
  const current = Math.min(Math.max(0, state.current), trail.length - 1);
  const counter = Math.max(state.counter, ...trail.map((entry) => entry.run));
  return { ...state, trail, current, counter, status, pools: poolsOf(status) ?? state.pools };
}
