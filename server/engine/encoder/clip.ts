/** The part of a text that an encoder looks at. */

/** UTF-16 units of a text that are looked at; 256 tokens of any language fit in well. */
const LONGEST = 8192;
/** Blanks may fill a text, so more is looked at before they are squeezed. */
const LONGEST_RAW = 8 * LONGEST;

const LONE_SURROGATE = /[\uD800-\uDBFF](?![\uDC00-\uDFFF])|(?<![\uD800-\uDBFF])[\uDC00-\uDFFF]/g;
// Control characters and blanks alike separate words here; the tokeniser would drop the former.
// eslint-disable-next-line no-control-regex
const BLANKS = /[\s\u0000-\u001F\u007F-\u009F]+/g;

/** The part of a text that can matter, well-formed, single-spaced. Linear in `LONGEST_RAW`. */
export function clip(text: string): string {
  const squeezed = text
    .slice(0, LONGEST_RAW)
    .replace(BLANKS, ' ')
    .slice(0, LONGEST)
    .replace(LONE_SURROGATE, '\uFFFD');
  return squeezed.trim();
}
