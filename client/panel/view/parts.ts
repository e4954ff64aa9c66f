/** Small pieces that several templates use. */
import { html, nothing, type TemplateResult } from 'lit';
import { ifDefined } from 'lit/directives/if-defined.js';
import { paperLink } from '../links';
import { STARTER } from '../words';
import type { Intents } from './intents';

/** An id for references between elements: no spaces. */
export function domId(part: string, id: string): string {
  return `${part}-${encodeURIComponent(id)}`;
}

/** Says that the draft's .bib has a paper. */
export function inBib(key: string): TemplateResult {
  return html`<span class="in-bib" title="This paper is in your .bib as ${key}"
    >${icon('check')}<span class="in-bib-text">in your .bib as <code>${key}</code></span></span
  >`;
}

/** The pool that a sentence was found in. */
export function poolName(pool: string): TemplateResult {
  const title =
    pool === STARTER
      ? 'From the starter pool, which paraphrases its papers: open the paper before you quote'
      : `From the pool ${pool}`;
  return html`<span class="pool" title=${title}>${icon('library')}${pool}</span>`;
}

/** A codicon; says nothing to a screen reader. */
export function icon(name: string): TemplateResult {
  return html`<span class="codicon codicon-${name}" aria-hidden="true"></span>`;
}

interface IconButton {
  icon: string;
  /** Accessible name and tooltip. */
  label: string;
  /** Key that does the same, for the tooltip. */
  key?: string;
  onClick: () => void;
  /** Given: a toggle in that state. */
  pressed?: boolean;
  expanded?: boolean;
  disabled?: boolean;
  tabindex?: number;
  className?: string;
}

/**
 * An icon button. Not vscode-toolbar-button: a card has eight, each of which would load the icon
 * font's style sheet again in a shadow root of its own, and its toggles are switches to a reader.
 */
export function iconButton(button: IconButton): TemplateResult {
  return html`<button
    type="button"
    class="icon-button ${button.className ?? ''}"
    title=${button.key === undefined ? button.label : `${button.label} (${button.key})`}
    aria-label=${button.label}
    aria-keyshortcuts=${ifDefined(button.key)}
    aria-pressed=${ifDefined(button.pressed === undefined ? undefined : String(button.pressed))}
    aria-expanded=${ifDefined(button.expanded === undefined ? undefined : String(button.expanded))}
    tabindex=${ifDefined(button.tabindex)}
    ?disabled=${button.disabled ?? false}
    @click=${button.onClick}
  >
    ${icon(button.icon)}
  </button>`;
}

/** A notice line with an icon: information, a warning or an error. */
export function notice(
  kind: 'info' | 'warning' | 'error',
  text: string,
  actions: TemplateResult | typeof nothing = nothing,
): TemplateResult {
  return html`<div class="notice ${kind}" role=${kind === 'error' ? 'alert' : 'note'}>
    ${icon(kind)}
    <span class="notice-text">${text}</span>
    ${actions}
  </div>`;
}

/** Copies, or opens in the browser, what a card (or one of its relatives) cites. */
export function copyAndOpen(
  intents: Intents,
  paper: Parameters<typeof paperLink>[0],
  card: string,
  relative?: string,
): TemplateResult {
  const linked = paperLink(paper) !== null;
  return html`${iconButton({
    icon: 'copy',
    label: 'Copy sentence and citation',
    key: 'y',
    tabindex: -1,
    onClick: () => intents.act('copy', card, relative),
  })}
  ${iconButton({
    icon: 'link-external',
    label: linked ? 'Open paper' : 'Open paper: its record has no web address',
    key: 'o',
    tabindex: -1,
    disabled: !linked,
    onClick: () => intents.act('open', card, relative),
  })}`;
}
