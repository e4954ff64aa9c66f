/** Filters by year and pool. */
import { html, noChange, nothing, type TemplateResult } from 'lit';
import { live } from 'lit/directives/live.js';
import type { Entry, Filters, PanelState } from '../state';
import { counted, noFilters } from '../words';
import type { Intents } from './intents';
import { yearsTyped } from './years';

/** How many filters narrow the answer. */
export function filterCount({ years, pools }: Filters): number {
  return (years.from !== null || years.to !== null ? 1 : 0) + (pools !== null ? 1 : 0);
}

export interface FiltersView {
  state: PanelState;
  entry: Entry;
  /** What is wrong with the years as typed. */
  problem: string | null;
  /** One of the fields for years has the focus. */
  typing: boolean;
  setProblem: (problem: string | null) => void;
}

/** The filters: two fields for years, a box for each pool known. */
export function filtersTemplate(view: FiltersView, intents: Intents): TemplateResult {
  const { entry } = view;
  const { years } = entry.filters;
  const apply = (event: Event): void => {
    const box =
      event.currentTarget instanceof Element ? event.currentTarget.closest('.years') : null;
    const typed = (name: string): string => {
      const field = box?.querySelector(`[data-year=${name}]`);
      return field !== null && field !== undefined && 'value' in field ? String(field.value) : '';
    };
    const result = yearsTyped(typed('from'), typed('to'));
    if ('problem' in result) return view.setProblem(result.problem);
    if (result.from === years.from && result.to === years.to) return view.setProblem(null);
    intents.filter({ ...entry.filters, years: result });
  };
  // What is being typed, or is to be mended, stays; anything else gives way to what is filtered by.
  const shown = (year: number | null): unknown =>
    view.typing || view.problem !== null ? noChange : live(year === null ? '' : String(year));
  return html`<section class="filters" id="filters" aria-label="Filters">
    <div class="years" role="group" aria-label="Years of publication">
      <span class="filter-name">Years</span>
      <vscode-textfield
        data-year="from"
        placeholder="from"
        .label=${'From year'}
        .value=${shown(years.from)}
        ?invalid=${view.problem !== null}
        @change=${apply}
      ></vscode-textfield>
      <span aria-hidden="true">–</span>
      <vscode-textfield
        data-year="to"
        placeholder="to"
        .label=${'To year'}
        .value=${shown(years.to)}
        ?invalid=${view.problem !== null}
        @change=${apply}
      ></vscode-textfield>
    </div>
    ${
      view.problem === null
        ? nothing
        : html`<div class="filter-problem" role="alert">${view.problem}</div>`
    }
    ${pools(view, intents)}
    ${
      filterCount(entry.filters) === 0
        ? nothing
        : html`<button type="button" class="link clear" @click=${() => intents.filter(noFilters)}>
            Clear filters
          </button>`
    }
  </section>`;
}

function pools({ state, entry }: FiltersView, intents: Intents): TemplateResult | typeof nothing {
  const known = state.pools.map(({ name, sentences }) => ({
    name,
    title: counted(sentences, 'sentence'),
  }));
  const missing = (entry.filters.pools ?? entry.snapshot?.pools ?? [])
    .filter((name) => !known.some((pool) => pool.name === name))
    .map((name) => ({ name, title: '' }));
  const all = [...known, ...missing];
  if (all.length === 0) return nothing;
  // Without a filter, the pools that were asked are the ones ticked.
  const chosen = new Set(
    entry.filters.pools ?? entry.snapshot?.pools ?? all.map((pool) => pool.name),
  );
  const toggle = (name: string, on: boolean): void => {
    const next = all
      .map((pool) => pool.name)
      .filter((each) => (each === name ? on : chosen.has(each)));
    intents.filter({
      ...entry.filters,
      // None ticked asks nothing; that is nobody's wish, so it takes the filter away.
      pools: next.length === 0 ? null : next,
    });
  };
  return html`<div class="pools" role="group" aria-label="Pools">
    <span class="filter-name">Pools</span>
    <div class="pool-list">
      ${all.map(
        (pool) =>
          html`<vscode-checkbox
            title=${pool.title}
            .label=${pool.name}
            .checked=${
              // A click has changed it, whatever came of that.
              live(chosen.has(pool.name))
            }
            @change=${(event: Event) => {
              const box = event.target;
              const on = box !== null && 'checked' in box && box.checked === true;
              toggle(pool.name, on);
            }}
          ></vscode-checkbox>`,
      )}
    </div>
  </div>`;
}
