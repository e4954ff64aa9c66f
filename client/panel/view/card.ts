/** A card: one inspiration with its passage, its paper and what can be done with it. */
import { html, nothing, type TemplateResult } from 'lit';
import { ifDefined } from 'lit/directives/if-defined.js';
import type { ShownInspiration } from '../../../server/protocol';
import { paperLink } from '../links';
import type { Verdict } from '../state';
import { authorLine, moveOrder, roleWords, yearOf } from '../words';
import type { Intents } from './intents';
import { copyAndOpen, domId, iconButton, inBib, poolName } from './parts';
import { relativesTemplate } from './relatives';

interface CardView {
  card: ShownInspiration;
  /** From 1. */
  position: number;
  count: number;
  /** Holds the tab stop. */
  active: boolean;
  expanded: boolean;
  /** Ids of its relatives that are unfolded. */
  unfolded: ReadonlySet<string>;
  verdict: Verdict;
  /** A later snapshot left it out; it stays while the reader is on it. */
  dropped: boolean;
}

/** One card, as an article of the feed. */
export function cardTemplate(view: CardView, intents: Intents): TemplateResult {
  const { card, active, expanded } = view;
  const folds = card.before !== null || card.after !== null;
  return html`<article
    class="card ${active ? 'active' : ''} ${expanded ? 'expanded' : ''}"
    data-id=${card.id}
    tabindex=${active ? 0 : -1}
    aria-posinset=${view.position}
    aria-setsize=${view.count}
    aria-labelledby=${domId('sentence', card.id)}
    aria-describedby="${domId('paper', card.id)} ${domId('marks', card.id)}"
    @focusin=${() => intents.activate(card.id)}
  >
    ${marks(view, folds, intents)}
    <blockquote class="passage">
      ${neighbour(card.before, 'before')}
      <p class="sentence" id=${domId('sentence', card.id)}>${card.text}</p>
      ${neighbour(card.after, 'after')}
    </blockquote>
    ${paperLines(card, active, intents)} ${actions(view, intents)}
    ${relativesTemplate(view, intents)}
  </article>`;
}

function neighbour(text: string | null, side: 'before' | 'after'): TemplateResult | typeof nothing {
  if (text === null) return nothing;
  return html`<p class="neighbour ${side}" title=${text}>${text}</p>`;
}

function marks(view: CardView, folds: boolean, intents: Intents): TemplateResult {
  const { card, expanded, active } = view;
  const bare = !folds && !view.dropped && card.role === null && card.citedAs === null;
  return html`<div class="marks" ?hidden=${bare}>
    <span class="marks-text" id=${domId('marks', card.id)}>
      ${
        card.role === null
          ? nothing
          : html`<span class="role ${card.role}">${roleWords[card.role]}</span>`
      }
      ${card.citedAs === null ? nothing : inBib(card.citedAs)}
      ${view.dropped ? html`<span class="dropped">left the refined results</span>` : nothing}
    </span>
    ${
      folds
        ? iconButton({
            icon: expanded ? 'chevron-up' : 'chevron-down',
            label: expanded ? 'Show less of the passage' : 'Show more of the passage',
            key: 'Enter',
            expanded,
            tabindex: active ? 0 : -1,
            className: 'fold',
            onClick: () => intents.expand(card.id),
          })
        : nothing
    }
  </div>`;
}

function paperLines(card: ShownInspiration, active: boolean, intents: Intents): TemplateResult {
  const { paper } = card;
  const link = paperLink(paper);
  const year = yearOf(paper);
  const byline = [authorLine(paper.authors), year, paper.venue?.trim() || null].filter(
    (part): part is string => part !== null && part !== '',
  );
  const open = (event: Event): void => {
    // The host opens it, so that one rule decides what may be opened. VS Code's own listener, on the window, would
    // open the address a second time.
    event.preventDefault();
    event.stopPropagation();
    intents.act('open', card.id);
  };
  return html`<div class="paper" id=${domId('paper', card.id)}>
    ${
      link === null
        ? html`<span class="title">${paper.title}</span>`
        : html`<a
            class="title"
            href=${link}
            title=${link}
            tabindex=${active ? 0 : -1}
            @click=${open}
            >${paper.title}</a
          >`
    }
    <span class="byline" title=${ifDefined(allAuthors(paper.authors))}>${byline.join(' · ')}</span>
    ${origins(card)}
  </div>`;
}

function allAuthors(authors: readonly string[]): string | undefined {
  return authors.length > 3 ? authors.join(', ') : undefined;
}

function origins(card: ShownInspiration): TemplateResult {
  const { dense, lexical, context } = card.why;
  const why = [
    dense === null ? null : `meaning #${dense.rank}`,
    lexical === null ? null : `words #${lexical.rank}`,
    context ? 'follows a sentence like yours' : null,
  ].filter((part) => part !== null);
  const detail = [
    dense === null ? null : `By meaning: rank ${dense.rank}, cosine ${dense.cosine.toFixed(3)}`,
    lexical === null ? null : `By words: rank ${lexical.rank}, BM25 ${lexical.bm25.toFixed(2)}`,
    context ? `Before it in its paper, cosine ${context.cosine.toFixed(3)}: ${context.text}` : null,
  ].filter((part) => part !== null);
  return html`<span class="origins"
    >${poolName(card.pool)}${
      why.length === 0
        ? nothing
        : html`<span class="why" title=${detail.join('\n')}>${why.join(' · ')}</span>`
    }</span
  >`;
}

function actions(view: CardView, intents: Intents): TemplateResult {
  const { card, active, verdict } = view;
  // A button of our own: vscode-button sets its tab stop back to 0 when it is first drawn.
  // One tab stop for the row: its first action. Arrow keys reach the others.
  const first = active ? 0 : -1;
  return html`<div class="actions" role="toolbar" aria-label="Actions">
    <button
      type="button"
      class="cite"
      tabindex=${first}
      title="Cite in the draft (c)"
      aria-keyshortcuts="c"
      @click=${() => intents.act('cite', card.id)}
    >
      Cite
    </button>
    <span class="group"> ${copyAndOpen(intents, card.paper, card.id)} </span>
    <span class="group" role="group" aria-label="Moves from this sentence">
      ${moveOrder.map((move) =>
        iconButton({
          icon: move.icon,
          label: `${move.label} this sentence`,
          key: move.key,
          tabindex: -1,
          onClick: () => intents.chain(move.move, card.id),
        }),
      )}
    </span>
    <span class="group end" role="group" aria-label="Judgement">
      ${judgement('useful', 'Useful', 'thumbsup', 'u')}
      ${judgement('not-useful', 'Not useful', 'thumbsdown', 'n')}
    </span>
  </div>`;

  function judgement(kind: Verdict, label: string, name: string, key: string): TemplateResult {
    const pressed = verdict === kind;
    return iconButton({
      icon: pressed ? `${name}-filled` : name,
      label,
      key,
      pressed,
      tabindex: -1,
      onClick: () => intents.judge(pressed ? 'none' : kind, card.id),
    });
  }
}
