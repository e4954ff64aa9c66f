/**
 * Marks that stand in masked Markdown, one for each unit of what they hide, so that the Markdown
 * parser sees plain characters and every offset stays what it is in the source.
 */
export const DISPLAY_MATH = '\uE001';
export const INLINE_MATH = '\uE002';
/** Nothing: an inline tag. */
export const NOTHING = '\uE003';
/** The end of a block: a block's tag within a line. */
export const BREAK = '\uE004';
/** Something dropped with the space before it: a raw cite or reference. */
export const DROP = '\uE005';
/** A unit of inline code, where patterns look at text only. */
export const CODE = '\uE010';
