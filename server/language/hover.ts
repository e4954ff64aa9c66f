/**
 * Hover over a problem statement: up to three Address inspirations. Answers are cached by sentence,
 * so that moving over the same text again costs nothing, and dropped when the pointer moves on.
 */
import type { CancellationToken, Hover } from 'vscode-languageserver';
import type { TextDocument } from 'vscode-languageserver-textdocument';
import type { Engine, Inspiration, Snapshot } from '../engine/engine';
import { citationLine } from './citation';
import { escapeMarkdown, safeLink } from './markdown';
import { statesProblem } from './problems';
import type { ProseSentence } from '../prose/prose';

/** Inspirations shown in a hover. */
const SHOWN = 3;
/** Sentences whose answers are kept. */
const CACHE_SIZE = 200;

export class ProblemHover {
  private readonly answers = new Map<string, Snapshot>();

  constructor(private readonly engine: () => Engine) {}

  /** Forgets every answer: the pools have changed. */
  clear(): void {
    this.answers.clear();
  }

  /** The hover for this sentence, or null where it states no problem or nothing is close. */
  async at(
    document: TextDocument,
    sentence: ProseSentence,
    exclude: string[],
    pools: string[] | null,
    perPaper: number,
    token: CancellationToken,
  ): Promise<Hover | null> {
    if (!statesProblem(sentence.text)) return null;
    const key = JSON.stringify([sentence.text, pools, perPaper]);
    let answer = this.answers.get(key);
    if (!answer) {
      const abort = new AbortController();
      const listener = token.onCancellationRequested(() => abort.abort());
      try {
        answer = await this.engine().inspire(
          { move: 'address', text: sentence.text, pools, exclude, perPaper, limit: SHOWN },
          { signal: abort.signal },
        );
      } catch (error) {
        if (token.isCancellationRequested) return null;
        throw error;
      } finally {
        listener.dispose();
      }
      this.answers.set(key, answer);
      const oldest = this.answers.keys().next().value;
      if (this.answers.size > CACHE_SIZE && oldest !== undefined) this.answers.delete(oldest);
    }
    if (token.isCancellationRequested || answer.inspirations.length === 0) return null;
    const range = {
      start: document.positionAt(sentence.start),
      end: document.positionAt(sentence.end),
    };
    return {
      range,
      contents: { kind: 'markdown', value: hoverText(answer.inspirations, document.uri, range) },
    };
  }
}

/** Markdown of the hover: sentences, citations and links that open the panel. */
function hoverText(inspirations: Inspiration[], uri: string, range: Hover['range']): string {
  const open = commandLink('ratio.address', [{ uri, range }]);
  const items = inspirations.slice(0, SHOWN).map((inspiration) => {
    const url = safeLink(inspiration.paper.url);
    const citation = escapeMarkdown(citationLine(inspiration.paper));
    const source = url ? `[${citation}](<${url}>)` : citation;
    return `${escapeMarkdown(inspiration.text)}  \n— ${source}`;
  });
  return [
    `**Ratio** · ways others addressed a problem like this · [open in panel](${open})`,
    ...items,
  ].join('\n\n');
}

/** A command: URI, as editors that trust it run it. */
function commandLink(command: string, parameters: unknown[]): string {
  return `command:${command}?${encodeURIComponent(JSON.stringify(parameters)).replace(/[()]/g, (c) => (c === '(' ? '%28' : '%29'))}`;
}
