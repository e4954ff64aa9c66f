/**
 * Hover over a problem statement: up to three Address inspirations. Verdicts and answers are cached
 * by sentence, so that moving over the same text again costs nothing, and dropped when the pointer
 * moves on.
 */
import type { CancellationToken, Hover } from 'vscode-languageserver';
import type { TextDocument } from 'vscode-languageserver-textdocument';
import type { Engine, InspireRequest, Inspiration, Snapshot } from '../engine/engine';
import { citationLine } from './citation';
import type { ProblemDetector } from './detector';
import { escapeMarkdown, safeLink } from './markdown';
import { statesProblem } from './problems';
import { withSignal } from '../signal';
import type { ProseSentence } from '../prose/prose';

/** Inspirations shown in a hover. */
const SHOWN = 3;
/** Sentences whose answers are kept. */
const CACHE_SIZE = 200;

/** Makes hovers, one at a time; keeps the answers to the last {@link CACHE_SIZE} sentences. */
export class ProblemHover {
  private answers = new Map<string, Snapshot>();
  /** State of the pools that the answers are of. */
  private answered = '';
  /** Ends when the last hover that asked the engine has its answer. */
  private turns: Promise<unknown> = Promise.resolve();

  /**
   * @param detector tells which sentences state a problem; cues alone unless another is given
   * @param pools tells the state of the pools; another text than before: they may have changed
   */
  constructor(
    private readonly engine: () => Engine,
    private readonly detector: Pick<ProblemDetector, 'states'> = {
      states: async (text) => statesProblem(text),
    },
    private readonly pools: () => string = () => '',
  ) {}

  /** Forgets every answer, those that are being made too: the pools or the engine have changed. */
  clear(): void {
    this.answers = new Map();
  }

  /** Answers from the pools as they are now. */
  private current(): Map<string, Snapshot> {
    const pools = this.pools();
    if (pools !== this.answered) this.clear();
    this.answered = pools;
    return this.answers;
  }

  /**
   * The hover for this sentence, or null where it states no problem or nothing is close.
   *
   * @param exclude gives the draft's own sentences, asked for only when the engine is
   */
  async at(
    document: TextDocument,
    sentence: ProseSentence,
    exclude: () => string[],
    pools: string[] | null,
    perPaper: number,
    token: CancellationToken,
  ): Promise<Hover | null> {
    const key = JSON.stringify([sentence.text, pools, perPaper]);
    // One at a time: of those that the pointer has left behind, none reaches the engine.
    const turn = this.turns.then(async () => {
      // Before the engine is asked: what changes meanwhile makes this answer an old one.
      const answers = this.current();
      const known = answers.get(key);
      if (known || token.isCancellationRequested) return known ?? null;
      if (!(await this.statesProblem(sentence.text, token))) return null;
      const request = { text: sentence.text, pools, exclude: exclude(), perPaper };
      const answer = await this.ask(request, token);
      if (answer) keep(answers, key, answer);
      return answer;
    });
    this.turns = turn.catch(() => undefined);
    const answer = await turn;
    if (!answer) return null;
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

  /** False also when the answer is not wanted any more. */
  private async statesProblem(text: string, token: CancellationToken): Promise<boolean> {
    try {
      const states = await withSignal(token, (signal) => this.detector.states(text, signal));
      return states && !token.isCancellationRequested;
    } catch (error) {
      if (token.isCancellationRequested) return false;
      throw error;
    }
  }

  /** Asks the engine; null when the answer is not wanted any more. */
  private async ask(
    request: Omit<InspireRequest, 'move' | 'limit'>,
    token: CancellationToken,
  ): Promise<Snapshot | null> {
    try {
      return await withSignal(token, (signal) =>
        this.engine().inspire(
          { ...request, move: 'address', limit: SHOWN, rerank: false },
          { signal },
        ),
      );
    } catch (error) {
      if (token.isCancellationRequested) return null;
      throw error;
    }
  }
}

/** Keeps an answer that shows something: of one that does not, the reason may pass. */
function keep(answers: Map<string, Snapshot>, key: string, answer: Snapshot): void {
  if (answer.weak || answer.inspirations.length === 0) return;
  answers.set(key, answer);
  const oldest = answers.keys().next().value;
  if (answers.size > CACHE_SIZE && oldest !== undefined) answers.delete(oldest);
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
