/** The top of the panel: the trail, the move, and the text that was taken. */
import { html, nothing, type TemplateResult } from 'lit';
import type { Status } from '../../../server/protocol';
import type { Entry, PanelState } from '../state';
import { counted, fileName, moveOrder, moveWords, orderWords } from '../words';
import { filterCount } from './filters';
import type { Intents } from './intents';
import { icon, iconButton } from './parts';

export interface HeaderView {
  state: PanelState;
  entry: Entry;
  filtersOpen: boolean;
  helpOpen: boolean;
}

/** Stays in sight while the cards scroll. */
export function barTemplate(view: HeaderView, intents: Intents): TemplateResult {
  const { state, entry } = view;
  return html`${state.trail.length > 1 ? trail(state, intents) : nothing}
    <div class="bar-row">
      <div class="segments" role="group" aria-label="Move">
        ${moveOrder.map(
          (move) =>
            html`<button
              type="button"
              class="segment"
              title=${move.hint}
              aria-pressed=${entry.move === move.move ? 'true' : 'false'}
              ?disabled=${entry.taken === null}
              @click=${() => intents.move(move.move)}
            >
              ${icon(move.icon)}<span class="segment-label">${move.label}</span>
            </button>`,
        )}
      </div>
      ${filterButton(view, entry, intents)}
      ${iconButton({
        icon: 'question',
        label: 'Keys',
        key: '?',
        expanded: view.helpOpen,
        className: 'help-button',
        onClick: intents.toggleHelp,
      })}
    </div>
    <p class="bar-text" aria-hidden="true">${entry.taken?.text ?? ''}</p>
    ${
      entry.phase === 'busy'
        ? html`<vscode-progress-bar
            class="busy-bar"
            indeterminate
            aria-label=${
              orderWords(entry, state.status)?.state === 'refining'
                ? 'Refining the order'
                : 'Looking for inspirations'
            }
          ></vscode-progress-bar>`
        : nothing
    }`;
}

function filterButton(view: HeaderView, entry: Entry, intents: Intents): TemplateResult {
  const count = filterCount(entry.filters);
  const label =
    count === 0 ? 'Filter by year and pool' : `Filter by year and pool, ${count} active`;
  return html`<button
    type="button"
    class="icon-button filter-button ${count > 0 ? 'on' : ''}"
    title=${label}
    aria-label=${label}
    aria-expanded=${view.filtersOpen ? 'true' : 'false'}
    aria-controls="filters"
    @click=${intents.toggleFilters}
  >
    ${icon(count > 0 ? 'filter-filled' : 'filter')}${
      count > 0 ? html`<vscode-badge variant="counter">${count}</vscode-badge>` : nothing
    }
  </button>`;
}

function trail(state: PanelState, intents: Intents): TemplateResult {
  const back = state.current > 0;
  return html`<nav class="trail" aria-label="Trail">
    ${iconButton({
      icon: 'arrow-left',
      label: 'Back on the trail',
      key: 'Escape',
      disabled: !back,
      onClick: () => intents.goTo(state.current - 1),
    })}
    <ol>
      ${state.trail.map((entry, index) => {
        const here = index === state.current;
        const name = entry.from === null ? 'Draft' : entry.from.name;
        const label = `${moveWords[entry.move].label}: ${entry.taken?.text ?? name}`;
        return html`<li class=${index > state.current ? 'ahead' : ''}>
          ${index === 0 ? nothing : icon('chevron-right')}
          <button
            type="button"
            class="crumb"
            title=${label}
            aria-label="${moveWords[entry.move].label}, ${name}"
            aria-current=${here ? 'step' : nothing}
            @click=${() => intents.goTo(index)}
          >
            ${icon(moveWords[entry.move].icon)}<span class="crumb-name">${name}</span>
          </button>
        </li>`;
      })}
    </ol>
  </nav>`;
}

/** The taken text and where it stands; scrolls away with the cards. */
export function takenTemplate(
  view: { state: PanelState; entry: Entry; whole: boolean; overflows: boolean },
  intents: Intents,
): TemplateResult | typeof nothing {
  const { entry, whole } = view;
  const { taken } = entry;
  if (taken === null) return nothing;
  return html`<section class="taken" aria-label="Text taken">
    <blockquote class="taken-text ${whole ? 'whole' : ''}" id="taken-text">
      ${taken.text}
    </blockquote>
    <div class="taken-meta">
      ${place(view.state, entry, intents)}
      ${
        view.overflows || whole
          ? html`<button
              type="button"
              class="link"
              aria-expanded=${whole ? 'true' : 'false'}
              aria-controls="taken-text"
              @click=${intents.toggleWholeText}
            >
              ${whole ? 'Show less' : 'Show all'}
            </button>`
          : nothing
      }
    </div>
  </section>`;
}

function place(state: PanelState, entry: Entry, intents: Intents): TemplateResult | typeof nothing {
  const start = state.trail[0]?.taken ?? null;
  const from =
    entry.from === null
      ? nothing
      : html`<span class="from" title=${entry.from.title}
          >${icon('quote')}<span>${entry.from.name}</span></span
        >`;
  if (start === null || start.uri === null || start.range === null) return from;
  const where = `${fileName(start.uri)}, line ${start.range.start.line + 1}`;
  const label =
    entry.from === null ? 'Show in the draft' : 'Show the sentence that cards are cited into';
  return html`${from}<button
      type="button"
      class="link place"
      title=${label}
      aria-label="${label}: ${where}"
      @click=${intents.reveal}
    >
      ${icon('go-to-file')}<span>${where}</span>
    </button>`;
}

/** "12 inspirations · 2 pools · 84 ms", and whether the order is refined. */
export function summaryTemplate(
  entry: Entry,
  status: Status | null,
): TemplateResult | typeof nothing {
  const { snapshot } = entry;
  if (snapshot === null || snapshot.inspirations.length === 0) return nothing;
  const order = orderWords(entry, status);
  const pools =
    snapshot.pools.length === 1 && snapshot.pools[0] !== undefined
      ? snapshot.pools[0]
      : counted(snapshot.pools.length, 'pool');
  const counts = [
    counted(snapshot.inspirations.length, 'inspiration'),
    pools,
    // While the order is refined, the time of the first results is no news.
    ...(order?.state === 'refining'
      ? []
      : [`${Math.round(snapshot.elapsedMs).toLocaleString('en')} ms`]),
  ].join(' · ');
  return html`<p class="summary">
    <span class="counts">${counts}</span>${
      order === null
        ? nothing
        : html`<span class="order ${order.state}" title=${order.detail}>${order.text}</span>`
    }
  </p>`;
}
