import type { PlainBuilder } from '../plainBuilder';
import type { Prose } from '../prose';

import type { Frame } from './arguments';
import {
  SPECIAL,
  dashes,
  plainRun,
  putParameter,
  quoteMark,
  skipComment,
  whitespace,
} from './characters';
import type { Definitions } from './definitions';
import type { LatexDocument } from './document';
import { dollarMath } from './formulas';
import { ReaderState } from './state';
import { readControl } from './words';

/**
 * Reads LaTeX as TeX's own mouth does: character by character, macros replaced as they come, so
 * that one pass in linear time also reads a broken draft. What is text goes to the builder.
 */
export class LatexReader {
  private readonly state: ReaderState;

  constructor(builder: PlainBuilder, definitions: Definitions, prose: Pick<Prose, 'problems'>) {
    this.state = new ReaderState(builder, definitions, prose);
  }

  /** Reads a part of a document to its end. */
  read(doc: LatexDocument, from: number, to: number): void {
    const { state } = this;
    state.done = false;
    state.frames.push({ doc, pos: from, to, origin: null, parameters: [] });
    for (let frame = state.frames.at(-1); frame; frame = state.frames.at(-1)) {
      if (state.done || frame.pos >= frame.to) {
        state.frames.pop();
        frame.onEnd?.();
      } else step(state, frame);
    }
  }
}

function step(reader: ReaderState, frame: Frame): void {
  const { source } = frame.doc;
  const at = frame.pos;
  const code = source.charCodeAt(at);
  if (code > 127 || SPECIAL[code] === 0) {
    plainRun(reader, frame);
    return;
  }
  frame.pos = at + 1;
  switch (code) {
    case 92:
      readControl(reader, frame, at);
      break;
    case 123: // { and }: what they group is read as it comes
    case 125:
      break;
    case 36:
      dollarMath(reader, frame, at);
      break;
    case 37:
      skipComment(reader, frame, at);
      break;
    case 126: // ~
    case 38: // &
      reader.builder.whitespace(reader.origin(frame, at));
      break;
    case 35:
      putParameter(reader, frame, at);
      break;
    case 96: // `
      quoteMark(reader, frame, at, '`', '\u2018', '\u201C');
      break;
    case 39: // '
      quoteMark(reader, frame, at, "'", '\u2019', '\u201D');
      break;
    case 45:
      dashes(reader, frame, at);
      break;
    case 41:
    case 93:
      reader.builder.close(code === 41 ? ')' : ']', reader.origin(frame, at));
      break;
    case 46: // . , ; : ! ?
    case 44:
    case 59:
    case 58:
    case 33:
    case 63:
      reader.put(frame, at, at + 1, source[at] ?? '', true);
      break;
    case 32:
    case 9:
    case 10:
    case 11:
    case 12:
    case 13:
      whitespace(reader, frame, at);
      break;
    default: // ( [ ^ _
      reader.put(frame, at, at + 1, source[at] ?? '');
  }
}
