/** The whole page: the bar, the question, and what answers it. */
import { html, nothing, type TemplateResult } from 'lit';
import { repeat } from 'lit/directives/repeat.js';
import type { MoveKeys } from '../messages';
import type { Entry, PanelState } from '../state';
import { MOST, moveWords } from '../words';
import type { EntryMemory } from './bridge';
import { cardTemplate } from './card';
import type { Deck } from './deck';
import { filtersTemplate } from './filters';
import { barTemplate, summaryTemplate, takenTemplate } from './header';
import { helpTemplate } from './help';
import type { Intents } from './intents';
import { tabStop } from './merge';
import { notice } from './parts';
import * as states from './states';

export interface PageView {
  state: PanelState;
  keys: MoveKeys;
  deck: Deck;
  /** What is remembered of the current entry. */
  own: EntryMemory | null;
  filtersOpen: boolean;
  helpOpen: boolean;
  /** The wait for cards is long enough to outline those to come. */
  skeleton: boolean;
  /** The taken text does not fit its lines. */
  textOverflows: boolean;
  yearProblem: string | null;
  /** A year is being typed. */
  typingYears: boolean;
  setYearProblem: (problem: string | null) => void;
}

/** The whole page; without a step to show, the words for an empty panel. */
export function pageTemplate(view: PageView, intents: Intents): TemplateResult {
  const { state } = view;
  const entry = state.trail[state.current] ?? null;
  if (entry === null) {
    return html`<main class="content">
      ${states.emptyTemplate(state.status, view.keys, intents)}
    </main>`;
  }
  return html`<header class="bar">${barTemplate({ ...view, entry }, intents)}</header>
    ${view.helpOpen ? helpTemplate(intents) : nothing}
    ${takenTemplate(
      { state, entry, whole: view.own?.wholeText ?? false, overflows: view.textOverflows },
      intents,
    )}
    ${
      view.filtersOpen
        ? filtersTemplate(
            {
              state,
              entry,
              problem: view.yearProblem,
              typing: view.typingYears,
              setProblem: view.setYearProblem,
            },
            intents,
          )
        : nothing
    }
    <main class="content">${answer(view, entry, intents)}</main>`;
}

function answer(view: PageView, entry: Entry, intents: Intents): TemplateResult {
  const { status } = view.state;
  const { snapshot, phase } = entry;
  const shown = view.deck.order.length > 0;
  if (phase === 'no-prose') return states.noProseTemplate(entry.message ?? '');
  if (phase === 'error' && !shown) return states.failedTemplate(entry.message ?? '', intents);
  if (phase === 'stopped' && snapshot === null) return states.stoppedTemplate(intents);
  const trouble =
    phase === 'error'
      ? states.failedNotice(entry.message ?? '', intents)
      : html`${states.statusNotice(status, intents)}${
          cut(view, entry) ? states.stoppedNotice(intents) : nothing
        }`;
  if (snapshot === null && !shown) {
    return html`${trouble}${view.skeleton ? states.loadingTemplate(status, intents) : nothing}`;
  }
  if (snapshot !== null && snapshot.inspirations.length === 0 && !shown) {
    return html`${trouble}${notices(entry)}${
      phase === 'busy' ? nothing : states.nothingTemplate(entry, intents)
    }`;
  }
  const more = snapshot !== null && snapshot.more && phase !== 'busy' && entry.limit < MOST;
  return html`${trouble} ${notices(entry)} ${summaryTemplate(entry, status)}
  ${cards(view, entry, intents)}
  ${
    more
      ? html`<div class="more">${states.button('Show More', () => intents.more(), true)}</div>`
      : nothing
  }`;
}

/** Whether an answer was called off once some of it, or cards of the question before, had come. */
function cut({ deck }: PageView, entry: Entry): boolean {
  return entry.phase === 'stopped' && (!deck.answers(entry) || entry.snapshot?.final === false);
}

function notices(entry: Entry): TemplateResult[] {
  return (entry.snapshot?.notices ?? []).map((text) => notice('info', text));
}

function cards(view: PageView, entry: Entry, intents: Intents): TemplateResult {
  const { deck } = view;
  const stop = tabStop(deck.order, view.own?.active ?? null);
  const expanded = new Set(view.own?.expanded ?? []);
  const unfolded = view.own?.unfolded ?? [];
  const stale = !deck.answers(entry);
  return html`<div
    class="cards ${stale ? 'stale' : ''}"
    role="feed"
    aria-label="${moveWords[entry.move].label}: inspirations"
    aria-busy=${entry.phase === 'busy' ? 'true' : 'false'}
    ?inert=${stale && !deck.isOf(entry)}
  >
    ${repeat(
      deck.order,
      (id) => id,
      (id, index) => {
        const card = deck.card(id);
        if (card === null) return nothing;
        return cardTemplate(
          {
            card,
            position: index + 1,
            count: deck.order.length,
            active: id === stop,
            expanded: expanded.has(id),
            unfolded: new Set(unfolded.flatMap(([of, relative]) => (of === id ? [relative] : []))),
            verdict: entry.verdicts[id] ?? 'none',
            dropped: deck.dropped.has(id),
          },
          intents,
        );
      },
    )}
  </div>`;
}
