/** Keeps a range of a document valid while the document is edited. */

/** Offsets in UTF-16 code units, end exclusive. */
export interface Span {
  start: number;
  end: number;
}

/** One content change: `length` units at `offset` were replaced by `inserted` units. */
export interface Change {
  offset: number;
  length: number;
  inserted: number;
}

/**
 * The span after a change. Text typed inside it or at its end belongs to it, text typed right
 * before it does not; a span whose text was replaced becomes the replacement. What is typed after a
 * `finished` sentence begins the next one.
 */
export function shiftSpan(
  span: Span,
  { offset, length, inserted }: Change,
  finished = false,
): Span {
  const changeEnd = offset + length;
  const shift = inserted - length;
  const typedBefore = length === 0 ? offset <= span.start : changeEnd <= span.start;
  if (typedBefore) return { start: span.start + shift, end: span.end + shift };
  const after =
    length === 0 ? offset > span.end || (finished && offset === span.end) : offset >= span.end;
  if (after) return span;
  return {
    start: Math.min(span.start, offset),
    end: changeEnd >= span.end ? offset + inserted : span.end + shift,
  };
}

/** Whether a change replaced all of a span and something beside it. */
export function swallows({ offset, length }: Change, { start, end }: Span): boolean {
  return offset <= start && offset + length >= end && length > end - start;
}

/** Whether a sentence ends with its final mark, closing quotes and brackets after it or not. */
export function isFinished(text: string): boolean {
  return /[.!?…]["'”’»)\]}]*\s*$/.test(text);
}
