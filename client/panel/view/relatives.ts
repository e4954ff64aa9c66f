/** Where else a card's sentence is said: its relatives, each folded to its citation. */
import { html, nothing, type TemplateResult } from 'lit';
import { ifDefined } from 'lit/directives/if-defined.js';
import type { ShownInspiration, ShownRelative } from '../../../server/protocol';
import { relativeWords } from '../words';
import type { Intents } from './intents';
import { copyAndOpen, domId, icon, inBib, poolName } from './parts';

interface RelativesView {
  card: ShownInspiration;
  /** The card holds the tab stop. */
  active: boolean;
  /** Ids of the relatives that are unfolded. */
  unfolded: ReadonlySet<string>;
}

/** The relatives of a card in one list, each folded to its citation; nothing where it has none. */
export function relativesTemplate(
  view: RelativesView,
  intents: Intents,
): TemplateResult | typeof nothing {
  const relatives = view.card.relatives ?? [];
  if (relatives.length === 0) return nothing;
  return html`<div class="relatives">
    <span class="also" aria-hidden="true">Also in</span>
    <ul aria-label="Also in">
      ${relatives.map((relative) => relativeTemplate(relative, view, intents))}
    </ul>
  </div>`;
}

function relativeTemplate(
  relative: ShownRelative,
  { card, active, unfolded }: RelativesView,
  intents: Intents,
): TemplateResult {
  const { name, title } = relativeWords(relative.paper);
  const open = unfolded.has(relative.id);
  const body = domId('relative', `${card.id} ${relative.id}`);
  return html`<li class="relative ${open ? 'unfolded' : ''}" data-relative=${relative.id}>
    <button
      type="button"
      class="relative-head"
      title="${open ? 'Hide' : 'Show'} the sentence there (r)"
      aria-keyshortcuts="r"
      aria-expanded=${open ? 'true' : 'false'}
      aria-controls=${ifDefined(open ? body : undefined)}
      tabindex=${active ? 0 : -1}
      @click=${() => intents.unfold(card.id, relative.id)}
    >
      ${icon(open ? 'chevron-down' : 'chevron-right')}<span class="relative-citation"
        ><span class="sr-only">Also in </span><span class="relative-name">${name}</span>${
          title === null ? nothing : html` <span class="relative-title">${title}</span>`
        }</span
      >
    </button>
    ${open ? relativeBody(relative, card, body, active, intents) : nothing}
  </li>`;
}

function relativeBody(
  relative: ShownRelative,
  card: ShownInspiration,
  id: string,
  active: boolean,
  intents: Intents,
): TemplateResult {
  const first = active ? 0 : -1;
  const near = `Cosine of the two sentences: ${relative.cosine.toFixed(3)}`;
  return html`<div class="relative-body" id=${id}>
    <blockquote class="relative-text" title=${near}>${relative.text}</blockquote>
    <div class="relative-foot">
      <span class="relative-actions" role="toolbar" aria-label="Actions for this paper">
        <button
          type="button"
          class="cite"
          tabindex=${first}
          title="Cite this paper in the draft (c)"
          aria-keyshortcuts="c"
          @click=${() => intents.act('cite', card.id, relative.id)}
        >
          Cite
        </button>
        ${copyAndOpen(intents, relative.paper, card.id, relative.id)}
      </span>
      ${relative.citedAs === null ? nothing : inBib(relative.citedAs)} ${poolName(relative.pool)}
    </div>
  </div>`;
}
