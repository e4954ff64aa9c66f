import { nextBlank, type LatexDocument } from './document';

/** Longest inline formula: a `$` without its mate costs no more than this. */
const LONGEST_INLINE = 20_000;
const TAIL =
  /^(?:\s|~|\\(?:nonumber|notag|quad|qquad|,|;|!|:| |\\|end\s*\{[^}]*\}|label\s*\{[^}]*\}|tag\*?\s*\{[^}]*\}|right[).\]|]?)|[{}$])$/;
const TAIL_TOKEN = /\\(?:end|label|tag\*?)\s*\{[^{}]*\}|\\right[).\]|]|\\[a-zA-Z]+|\\[^]|[^]/g;

/** Where the inline formula that opens before `from` with `$` is closed; -1 if it is not. */
export function dollarEnd(doc: LatexDocument, from: number, to: number): number {
  const { source } = doc;
  const limit = Math.min(to, nextBlank(doc, from), from + LONGEST_INLINE);
  let first = -1;
  for (let at = from; at < limit; at++) {
    const code = source.charCodeAt(at);
    if (code === 92) at++;
    else if (code === 36) return at;
    else if (code === 37) {
      const end = source.indexOf('\n', at);
      if (end < 0) break;
      at = end;
    } else if (code === 123) {
      // `\text{… $x$ …}`: dollars in a group belong to it, if there is one after it.
      const close = doc.closing[at] ?? -1;
      if (close < 0 || close >= limit) continue;
      if (first < 0) {
        const inner = source.indexOf('$', at);
        if (inner >= 0 && inner < close && source[inner - 1] !== '\\') first = inner;
      }
      at = close;
    }
  }
  return first;
}

/** Where `close` stands next, not past a blank line unless `far`; -1 if nowhere. */
export function mathEnd(doc: LatexDocument, close: string, from: number, to: number): number {
  const limit = Math.min(to, nextBlank(doc, from));
  for (let at = from; at < limit; at++) {
    const code = doc.source.charCodeAt(at);
    if (code === close.charCodeAt(0) && doc.source.startsWith(close, at)) return at;
    if (code === 92) at++;
  }
  return -1;
}

/** The mark that ends a display, and its index: what TeX prints last, if it is `.,;:!?`. */
export function displayMark(source: string, from: number, to: number): [string, number] {
  const base = Math.max(from, to - 400);
  const text = source.slice(base, to).replace(/(?<!\\)%[^\n]*/g, (hit) => ' '.repeat(hit.length));
  let mark = '';
  let at = base;
  TAIL_TOKEN.lastIndex = 0;
  for (let token = TAIL_TOKEN.exec(text); token; token = TAIL_TOKEN.exec(text)) {
    if (TAIL.test(token[0])) continue;
    mark = /^[.,;:!?]$/.test(token[0]) ? token[0] : '';
    at = base + token.index;
  }
  return [mark, at];
}
