/** What stands in place of cards, or above them, when there is something else to say. */
import { html, nothing, type TemplateResult } from 'lit';
import type { Status } from '../../../server/protocol';
import type { MoveKeys } from '../messages';
import type { Entry } from '../state';
import { moveOrder, moveWords, noFilters, nothingWords } from '../words';
import { filterCount } from './filters';
import type { Intents } from './intents';
import { icon, notice } from './parts';

/** Nothing has been asked yet. */
export function emptyTemplate(
  status: Status | null,
  keys: MoveKeys,
  intents: Intents,
): TemplateResult {
  const noPools = status?.engine != null && status.engine.pools.length === 0;
  return html`<section class="empty">
    ${statusNotice(status, intents)}
    ${status?.state === 'starting' ? notice('info', 'The engine is starting.') : nothing}
    <h2>Inspiration while you write</h2>
    <p>
      Ratio finds sentences of published papers that answer yours, generalise it or make it
      concrete, each with its citation.
    </p>
    <ol class="steps">
      <li>
        <span>Select text in a LaTeX or Markdown draft, or put the cursor in a sentence.</span>
      </li>
      <li>
        <div>
          <span>Choose a move:</span>
          <dl class="moves">
            ${moveOrder.map(
              (move) =>
                html`<div class="move">
                  <dt>
                    ${icon(move.icon)}<span>${move.label}</span>${
                      keys[move.move] === undefined ? nothing : html`<kbd>${keys[move.move]}</kbd>`
                    }
                  </dt>
                  <dd>${move.hint}</dd>
                </div>`,
            )}
          </dl>
        </div>
      </li>
      <li>
        <span>Cite what helps with <kbd>c</kbd>, or follow it with another move.</span>
      </li>
    </ol>
    <div class="buttons">
      ${noPools ? html`<p class="hint">There is no pool of papers yet.</p>` : nothing}
      ${button('Add to Pool…', () => intents.command('addToPool'), !noPools)}
      ${button('Choose Pools…', () => intents.command('choosePools'), true)}
    </div>
  </section>`;
}

/** Something is wrong with the engine, or it is starting: one line above the rest. */
export function statusNotice(
  status: Status | null,
  intents: Intents,
): TemplateResult | typeof nothing {
  if (status === null) return nothing;
  if (status.state === 'failed') {
    return notice('error', status.problem ?? 'The engine has stopped.', engineButtons(intents));
  }
  if (status.problem !== null) return notice('warning', status.problem);
  return nothing;
}

function engineButtons(intents: Intents): TemplateResult {
  return html`<span class="buttons">
    ${button('Restart Engine', () => intents.command('restartEngine'), false)}
    ${button('Show Logs', () => intents.command('showLogs'), true)}
  </span>`;
}

/** The engine could not be used at all, and there are no cards to keep. */
export function failedTemplate(message: string, intents: Intents): TemplateResult {
  return html`<section class="message error" role="alert">
    ${icon('error')}
    <h2>The answer could not be computed</h2>
    <p>${message}</p>
    <div class="buttons">
      ${button('Try Again', intents.again, false)}
      ${button('Restart Engine', () => intents.command('restartEngine'), true)}
      ${button('Show Logs', () => intents.command('showLogs'), true)}
    </div>
  </section>`;
}

/** A failure after some cards had come. */
export function failedNotice(message: string, intents: Intents): TemplateResult {
  return notice(
    'error',
    message,
    html`<span class="buttons">
      ${button('Try Again', intents.again, false)}
      ${button('Show Logs', () => intents.command('showLogs'), true)}
    </span>`,
  );
}

/** The place of the move holds no prose; `message` says what to do. */
export function noProseTemplate(message: string): TemplateResult {
  return html`<section class="message" role="status">
    ${icon('list-selection')}
    <h2>No prose taken</h2>
    <p>${message}</p>
  </section>`;
}

/** The question was called off before anything had come. */
export function stoppedTemplate(intents: Intents): TemplateResult {
  return html`<section class="message">
    ${icon('debug-pause')}
    <h2>Stopped before there was an answer</h2>
    <div class="buttons">${button('Ask Again', intents.again, false)}</div>
  </section>`;
}

/** Called off after some cards had come. */
export function stoppedNotice(intents: Intents): TemplateResult {
  return notice(
    'info',
    'Stopped before the answer was complete.',
    html`<span class="buttons">${button('Ask Again', intents.again, false)}</span>`,
  );
}

/** Nothing close, or no paper of the years filtered by. */
export function nothingTemplate(entry: Entry, intents: Intents): TemplateResult {
  const filtered = filterCount(entry.filters) > 0;
  const weak = entry.snapshot?.weak ?? false;
  const pools = entry.snapshot?.pools ?? [];
  return html`<section class="message">
    ${icon('search')}
    <h2>${nothingWords({ weak })}</h2>
    ${pools.length === 0 ? nothing : html`<p class="asked">Asked: ${pools.join(', ')}</p>`}
    <p>
      ${
        weak
          ? `Ratio shows nothing rather than far-fetched sentences. What can help:`
          : 'Other years may have some. Papers without a year are left out while years are filtered.'
      }
    </p>
    ${
      weak
        ? html`<ul class="advice">
            <li>Take more or less text, or say it in the words a paper would use.</li>
            <li>Ask for ${otherMoves(entry)} instead.</li>
            <li>Add papers on this subject, or ask other pools.</li>
          </ul>`
        : nothing
    }
    <div class="buttons">
      ${filtered ? button('Clear Filters', () => intents.filter(noFilters), false) : nothing}
      ${button('Add to Pool…', () => intents.command('addToPool'), filtered)}
      ${button('Choose Pools…', () => intents.command('choosePools'), true)}
    </div>
  </section>`;
}

function otherMoves(entry: Entry): string {
  return moveOrder
    .filter((move) => move.move !== entry.move)
    .map((move) => moveWords[move.move].label)
    .join(' or ');
}

/** The shape of cards to come. */
export function loadingTemplate(status: Status | null, intents: Intents): TemplateResult {
  const starting = status?.state === 'starting' || status?.state === 'stopped';
  return html`<section class="loading" aria-hidden=${starting ? 'false' : 'true'}>
    ${
      starting
        ? html`<div class="starting">
            <vscode-progress-ring aria-label="Starting"></vscode-progress-ring>
            <span
              ><strong>Starting the engine…</strong> It loads its model once and then stays
              warm.</span
            >
            <button type="button" class="link" @click=${intents.cancel}>Cancel</button>
          </div>`
        : nothing
    }
    ${[0, 1, 2].map(
      () =>
        html`<div class="skeleton" aria-hidden="true">
          <span class="bone short"></span>
          <span class="bone tall"></span>
          <span class="bone tall"></span>
          <span class="bone tall part"></span>
          <span class="bone"></span>
          <span class="bone short"></span>
        </div>`,
    )}
  </section>`;
}

/** A labelled button. */
export function button(label: string, onClick: () => void, secondary: boolean): TemplateResult {
  return html`<vscode-button ?secondary=${secondary} @click=${onClick}>${label}</vscode-button>`;
}
