/** The sentences of a draft that state a problem, in its order. */
import type { CancellationToken, TextDocuments } from 'vscode-languageserver/node';
import type { TextDocument } from 'vscode-languageserver-textdocument';
import type { Drafts } from './drafts';
import type { ProblemDetector } from './language/detector';
import type { ProblemsParams, ProblemsResult } from './protocol';
import { withSignal } from './signal';

/** Lists the problem statements of open drafts. */
export class ProblemList {
  constructor(
    private readonly documents: Pick<TextDocuments<TextDocument>, 'get'>,
    private readonly drafts: Pick<Drafts, 'prose'>,
    private readonly detector: Pick<ProblemDetector, 'detect'>,
  ) {}

  /**
   * The list for the document's present text, whose version it names; null where it is no open
   * draft. Rejects with `cancelled` when the token is cancelled.
   */
  async list({ uri }: ProblemsParams, token: CancellationToken): Promise<ProblemsResult> {
    const document = this.documents.get(uri);
    const prose = document && this.drafts.prose(document);
    if (!document || !prose) return null;
    // Before anything is awaited: edits change the document in place.
    const { version } = document;
    const sentences = prose.sentences.map(({ text, section, start, end }) => ({
      text,
      section,
      range: { start: document.positionAt(start), end: document.positionAt(end) },
    }));
    const texts = sentences.map(({ text }) => text);
    const detected = await withSignal(token, (signal) => this.detector.detect(texts, signal));
    const problems = sentences.flatMap((sentence, i) => {
      const probability = detected.probabilities[i] ?? 0;
      return probability >= detected.threshold ? [{ ...sentence, probability }] : [];
    });
    return { version, learned: detected.learned, notice: detected.problem, problems };
  }
}
