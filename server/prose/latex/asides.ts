/** Macros for remarks of authors to each other, told by how they are defined. */

const COLOUR =
  /\\(?:text)?color\s*(?:\[[^\]]*\])?\s*\{[^{}]*\}|\\(?:colorbox|sethlcolor)\s*\{[^{}]*\}|\\fcolorbox\s*\{[^{}]*\}\s*\{[^{}]*\}/g;
const NOTE =
  /^[\s{]*\\(?:todo|fixme|fxnote|marginpar|marginnote|footnote|pdfcomment|pdfmargincomment)\b\s*(?:\[[^\]]*\]\s*)?/;
/** What is coloured behind a label of this kind is part of the text: "Takeaway: …". */
const CONTENT =
  /^[[(<]?\s*(?:take-?aways?|findings?|observations?|insights?|key\b|hypothes[ie]s|h\d|rq|(?:research )?questions?|claims?|answers?|results?|summary|note|definition|contributions?|conclusions?|lessons?|examples?|problems?|challenges?|goals?|ideas?|intuition|limitations?|motivation|steps?|cases?|tasks?|remarks?)\b/i;
/** "[JD: remark]", "[remark]", "JD: remark", "(JD) …" being too like prose. */
const REMARK = /^(?:\[[^\]]*#\d[^\]]*\]|[[(<]?\s*\p{L}[^#:]{0,30}:\s*#\d[^#]*)$/u;

/**
 * Whether a macro of one argument is for remarks: a note of a package, or coloured text in square
 * brackets or behind a name.
 */
export function isAside(signature: string, body: string): boolean {
  if (!/^[so]*m$/.test(signature) || !body.includes('#')) return false;
  const note = NOTE.exec(body);
  // A mark of a revision has a note too, and then the text itself.
  if (note) return !behindGroup(body, note[0].length).includes('#');
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
  return REMARK.test(text) && !CONTENT.test(text);
}

/** What follows the group in braces at `at`. */
function behindGroup(body: string, at: number): string {
  let depth = 0;
  for (let i = at; i < body.length; i++) {
    if (body[i] === '{') depth++;
    else if (body[i] === '}' && --depth <= 0) return body.slice(i + 1);
  }
  return '';
}
