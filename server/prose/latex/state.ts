import type { PlainBuilder } from '../plainBuilder';
import type { Prose } from '../prose';
import { skipBlanks, type Argument, type Frame } from './arguments';
import type { Definitions } from './definitions';

/** Depth of macros in macros; a deeper one is taken for endless. */
export const DEEPEST = 100;

/** What a reader of LaTeX is at: the texts it is in, and where its plain text goes. */
export class ReaderState {
  /** The texts being read, the innermost last. */
  readonly frames: Frame[] = [];
  /** Calls of the draft's macros so far. */
  calls = 0;
  /** Single quotes that are open. */
  singleQuotes = 0;
  /** After `\end{document}`. */
  done = false;

  constructor(
    readonly builder: PlainBuilder,
    readonly definitions: Definitions,
    private readonly prose: Pick<Prose, 'problems'>,
  ) {}

  /** Adds text that the source range stands for; within a macro's body, the call's range. */
  put(frame: Frame, from: number, to: number, text: string, punctuation = false): void {
    const start = frame.origin?.start ?? from;
    const end = frame.origin?.end ?? to;
    if (punctuation) this.builder.punctuation(text, start, end);
    else this.builder.symbol(text, start, end);
  }

  /** Where the draft has what stands at `at`: within a macro's body, the start of the call. */
  origin(frame: Frame, at: number): number {
    return frame.origin?.start ?? at;
  }

  /** Whether a heading or label is being read: a blank line does not end it. */
  inArgument(): boolean {
    return this.frames.some((frame) => frame.onEnd !== undefined);
  }

  /** Ends the paragraph, but for one within an argument. */
  paragraphBreak(): void {
    if (this.inArgument()) this.builder.whitespace(0);
    else this.builder.endParagraph();
    this.singleQuotes = 0;
  }

  /**
   * Reads an argument next, before the text that it stands in; `onEnd` is called after it. What is nested too deep is left out.
   */
  pushArgument(argument: Argument, onEnd?: () => void): void {
    if (this.frames.length > DEEPEST * 2) {
      onEnd?.();
      return;
    }
    const frame: Frame = {
      doc: argument.doc,
      pos: argument.from,
      to: argument.to,
      origin: argument.origin,
      parameters: argument.parameters,
    };
    if (onEnd) frame.onEnd = onEnd;
    this.frames.push(frame);
  }

  /** White space after a control word is no text. */
  swallow(frame: Frame): void {
    frame.pos = skipBlanks(frame.doc, frame.pos, frame.to);
  }

  /** Notes what a user may want to mend in the draft; a hundred at most. */
  problem(frame: Frame, at: number, message: string): void {
    if (this.prose.problems.length < 100) {
      this.prose.problems.push({ message, start: this.origin(frame, at) });
    }
  }
}
