/** LaTeX source as tokens, for finding where in a sentence a citation goes. */
import { addressEnd, groupEnd, readCite } from './latexCites';
import { ADDRESSES } from './texSource';
import { CLOSERS, PUNCTUATION, type Token, type TokenKind, type Window } from './tokens';

const set = (words: string) => new Set(words.split(' '));
const NOTES = set(
  'footnote footnotemark footnotetext thanks endnote sidenote marginpar marginnote todo missingfigure fxnote',
);
/** Print nothing; the number of arguments that belong to them. */
const SILENT = new Map(
  Object.entries({
    label: 1,
    index: 1,
    nocite: 1,
    vspace: 1,
    hspace: 1,
    glsadd: 1,
    pagestyle: 1,
    par: 0,
    noindent: 0,
    newline: 0,
    linebreak: 0,
    pagebreak: 0,
    newpage: 0,
    clearpage: 0,
    xspace: 0,
    qed: 0,
    qedhere: 0,
    smallskip: 0,
    medskip: 0,
    bigskip: 0,
    hfill: 0,
    centering: 0,
    phantomsection: 0,
    unskip: 0,
    ignorespaces: 0,
  }),
);
/** Content whose arguments are no prose. */
const WHOLE = new Map(
  Object.entries({
    ref: 1,
    eqref: 1,
    pageref: 1,
    autoref: 1,
    cref: 1,
    Cref: 1,
    nameref: 1,
    vref: 1,
    url: 1,
    nolinkurl: 1,
    path: 1,
    href: 2,
    hyperref: 1,
    includegraphics: 1,
    gls: 1,
    Gls: 1,
    glspl: 1,
    ac: 1,
    acp: 1,
    ce: 1,
    SI: 2,
    qty: 2,
    num: 1,
    texttt: 1,
    code: 1,
    input: 1,
  }),
);
const DISPLAY =
  /^(?:equation|align|gather|multline|eqnarray|displaymath|flalign|alignat|xalignat|IEEEeqnarray|dmath|subequations|figure|wrapfigure|SCfigure|table|wraptable|longtable|tabular|tabularx|tikzpicture|lstlisting|verbatim|Verbatim|minted|algorithm|algorithm2e|algorithmic|comment|filecontents)\*?$/;

/**
 * Splits a window into tokens that cover it without gaps. Never throws.
 *
 * @param isAside whether a macro is the draft's own for remarks of its authors
 */
export function latexTokens(
  text: string,
  window: Window,
  isAside: (name: string) => boolean = () => false,
): Token[] {
  const { from, to } = window;
  const tokens: Token[] = [];
  const opens: number[] = [];
  let i = from;
  const push = (kind: TokenKind, end: number, more: Partial<Token> = {}) => {
    tokens.push({ kind, start: i, end, ...more });
    i = end;
  };
  // The sentence may stand inside a footnote or a caption: then that is looked into.
  const holdsSentence = (end: number) => i < window.start && end >= window.end;

  while (i < to) {
    const char = text.charAt(i);
    if (char === '\\') command();
    else if (char === '%') push('space', lineBehind(text, i, to));
    else if (/[\s~]/.test(char)) push('space', matchEnd(/[\s~]+/y, text, i, to));
    else if (char === '$') {
      const double = text.startsWith('$$', i);
      const end = mathEnd(text, i, to, double ? '$$' : '$');
      if (end < 0 || holdsSentence(end - 1)) push('content', i + (double ? 2 : 1));
      else push(double ? 'display' : 'content', end);
    } else if (char === '{') {
      opens.push(i);
      push('open', i + 1);
    } else if (char === '}') push('close', i + 1, { opener: opens.pop() ?? -1 });
    else if (text.startsWith("''", i)) push('closer', i + 2);
    else if (PUNCTUATION.test(char)) push('punct', i + 1);
    else if (CLOSERS.test(char)) push('closer', i + 1);
    else push('content', Math.max(i + 1, matchEnd(/[\p{L}\p{N}\p{M}]+/uy, text, i, to)));
  }
  return tokens;

  function command(): void {
    const name = /^[a-zA-Z@]+/.exec(text.slice(i + 1, i + 60))?.[0] ?? '';
    if (!name || name === '@') {
      const next = text.charAt(i + 1);
      if (next === '[' || next === '(') {
        const end = text.indexOf(next === '[' ? '\\]' : '\\)', i + 2);
        if (end >= 0 && end + 2 <= to && !holdsSentence(end)) {
          push(next === '[' ? 'display' : 'content', end + 2);
          return;
        }
      }
      push(/[\s\\,;:!/@]/.test(next) ? 'silent' : 'content', Math.min(to, i + 2));
      return;
    }
    const behind = i + 1 + name.length;
    const cite = readCite(text, i, to);
    if (cite) return push('cite', cite.end, { cite: cite.cite });
    if (name === 'verb' || name === 'lstinline') return verbatim(behind);
    if (name === 'begin' || name === 'end') return environment(name, behind);
    if (NOTES.has(name)) return whole('note', behind, 1);
    const silent = SILENT.get(name);
    if (silent !== undefined) return whole('silent', behind, silent);
    const args = WHOLE.get(name);
    if (args !== undefined) return whole('content', behind, args, ADDRESSES.has(name));
    const takes = /^\s*[{[]/.test(text.slice(behind, behind + 20));
    if (takes && isAside(name)) return whole('note', behind, 1);
    push('content', behind);
  }

  function verbatim(behind: number): void {
    let at = text[behind] === '*' ? behind + 1 : behind;
    if (text[at] === '[') at = Math.max(at, groupEnd(text, at, to));
    const close = text.charAt(at) === '{' ? '}' : text.charAt(at);
    const end = close ? text.indexOf(close, at + 1) : -1;
    push('content', end < 0 || end >= to ? behind : end + 1);
  }

  function environment(name: string, behind: number): void {
    const group = /^\s*\{([^{}]*)\}/.exec(text.slice(behind, behind + 60));
    const inner = group?.[1] ?? '';
    const end = behind + (group?.[0].length ?? 0);
    if (name === 'begin' && DISPLAY.test(inner)) {
      const closing = `\\end{${inner}}`;
      const found = text.indexOf(closing, end);
      if (found >= 0 && found + closing.length <= to && !holdsSentence(found)) {
        return push('display', found + closing.length);
      }
    }
    push('silent', Math.min(to, end));
  }

  /**
   * A command with its star, optional arguments and `count` groups as one token; the first group
   * may be an address.
   */
  function whole(kind: TokenKind, behind: number, count: number, address = false): void {
    let end = text[behind] === '*' ? behind + 1 : behind;
    // Where the command is left to be looked into: an address before the sentence is not.
    let inner = behind;
    for (let groups = 0; count > 0;) {
      const next = matchEnd(/\s*/y, text, end, to);
      const open = text[next];
      if (next >= to || !(open === '[' || (open === '{' && groups < count))) break;
      const plain = address && open === '{' && groups === 0 ? addressEnd(text, next, to) : -1;
      const close = plain < 0 ? groupEnd(text, next, to) : plain;
      if (close < 0) break;
      if (open === '{') groups++;
      end = close;
      if (plain >= 0 && !holdsSentence(plain - 1)) inner = plain;
      if (groups === count) break;
    }
    push(
      kind === 'content' || !holdsSentence(end - 1) ? kind : 'content',
      holdsSentence(end - 1) ? inner : end,
    );
  }
}

function matchEnd(sticky: RegExp, text: string, from: number, to: number): number {
  sticky.lastIndex = from;
  const match = sticky.exec(text);
  return Math.min(to, from + (match?.[0].length ?? 0));
}

/** Behind a comment's line end, where the white space that TeX drops with it ends. */
function lineBehind(text: string, from: number, to: number): number {
  const line = text.indexOf('\n', from);
  return line < 0 || line >= to ? to : line + 1;
}

function mathEnd(text: string, open: number, to: number, mark: string): number {
  for (let i = open + mark.length; i < to; i++) {
    if (text[i] === '\\') i++;
    else if (text.startsWith(mark, i)) return i + mark.length;
  }
  return -1;
}
