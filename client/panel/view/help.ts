/** The keys of the panel, shown on demand. */
import { html, type TemplateResult } from 'lit';
import type { Intents } from './intents';
import { keyHelp } from './keyboard';
import { iconButton } from './parts';
import { onMac } from './platform';

/** A list of the keys, with a button that hides it. */
export function helpTemplate(intents: Intents): TemplateResult {
  return html`<section class="help" aria-label="Keys">
    <div class="help-head">
      <h2>Keys on a card</h2>
      ${iconButton({ icon: 'close', label: 'Hide the keys', onClick: intents.toggleHelp })}
    </div>
    <dl>
      ${keyHelp.map(
        (line) =>
          html`<div>
            <dt>${keysOf(line).map((key) => html`<kbd>${key}</kbd>`)}</dt>
            <dd>${line.does}</dd>
          </div>`,
      )}
    </dl>
  </section>`;
}

function keysOf({ keys, mac }: (typeof keyHelp)[number]): readonly string[] {
  return mac !== undefined && onMac() ? [mac] : keys;
}
