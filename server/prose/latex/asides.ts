/** Macros for remarks of authors to each other, told by how they are defined. */

const COLOUR =
  /\\(?:text)?color\s*(?:\[[^\]]*\])?\s*\{[^{}]*\}|\\(?:colorbox|sethlcolor)\s*\{[^{}]*\}|\\fcolorbox\s*\{[^{}]*\}\s*\{[^{}]*\}/g;
const NOTE =
  /^[\s{]*\\(?:todo|fixme|fxnote|marginpar|marginnote|footnote|pdfcomment|pdfmargincomment)\b/;
/** "[JD: remark]", "[remark]", "JD: remark", "(JD) …" being too like prose. */
const REMARK = /^(?:\[[^\]]*#\d[^\]]*\]|[[(<]?\s*\p{L}[^#:]{0,30}:\s*#\d[^#]*)$/u;

/**
 * Whether a macro of one argument is for remarks: a note of a package, or coloured text in square
 * brackets or behind a name.
 */
export function isAside(signature: string, body: string): boolean {
  if (!/^[so]*m$/.test(signature) || !body.includes('#')) return false;
  if (NOTE.test(body)) return true;
  const plain = body.replace(COLOUR, '');
  if (plain === body) return false;
  const text = plain
    .replace(/%[^\n]*/g, '')
    .replace(/\\([{}])/g, (_, brace: string) => (brace === '{' ? '[' : ']'))
    .replace(/\\[lr]?[lr]?brack\b\s*/g, '')
    .replace(/\\[a-zA-Z@]+\*?|\\./g, ' ')
    .replace(/[{}$]/g, '')
    .replace(/[~\s]+/g, ' ')
    .trim();
  return REMARK.test(text);
}
