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
 * The span after a change: text typed inside it or at its end belongs to it, text before it shifts
 * it, and a span whose text was deleted shrinks to the place where it stood.
 */
export function shiftSpan(span: Span, change: Change): Span {
  const { offset, length, inserted } = change;
  const changeEnd = offset + length;
  const shift = inserted - length;
  const move = (at: number, atStart: boolean): number => {
    if (at > changeEnd || (at === changeEnd && (length > 0 || atStart))) return at + shift;
    if (at < offset || (at === offset && atStart)) return at;
    return at === offset ? offset + inserted : offset + (atStart ? 0 : inserted);
  };
  if (changeEnd <= span.start && !(length === 0 && offset === span.start)) {
    return { start: span.start + shift, end: span.end + shift };
  }
  if (length === 0 && offset === span.start)
    return { start: span.start + inserted, end: span.end + inserted };
  if (offset > span.end) return span;
  const start =
    offset < span.start ? Math.min(move(span.start, true), offset + inserted) : span.start;
  const end = Math.max(start, move(span.end, false));
  return { start, end };
}
