/**
 * LaTeX of a title, a name or an abstract as plain text. Drafts are read by server/prose; this is
 * for the millions of short strings of bibliographies, where a parse of each would take hours.
 */
import { ACRONYM, CITE, NOTES, REFERENCE, SHORTHANDS, SIGNATURES } from '../prose/latex/macros';
import { ACCENTS, SPACES, SYMBOLS } from '../prose/latex/symbols';

const LATEX = /[\\${}~`]|''|--/;
const UMLAUT = /[aeiouyıw]/i;
/** Arguments that are dropped are at most this long; beyond it a brace was forgotten. */
const LONGEST_ARGUMENT = 2000;
const SPECIAL = /[\\${}~`'-]/g;
/** Letters: TeX eats the space after them ("\o rsted"); after other symbols writers mean it. */
const LETTER_SYMBOL = /^(?:ss|SS|ae|AE|oe|OE|o|O|aa|AA|l|L|i|j|dh|DH|th|TH|dj|DJ|ng|NG)$/;
/** Switches and formatting that print nothing themselves. */
const SILENT =
  /^(?:em|it|bf|sc|rm|tt|sf|sl|bfseries|itshape|scshape|ttfamily|rmfamily|sffamily|upshape|mdseries|normalfont|tiny|scriptsize|footnotesize|small|normalsize|large|Large|LARGE|huge|Huge|displaystyle|textstyle|left|right|big|Big|bigl|bigr|cal|mit|nocorr|textnormal|par|item|boldmath|unboldmath)$/;
const MATH_ENVIRONMENT =
  /^(?:equation|align|alignat|gather|multline|eqnarray|displaymath|flalign|math)\*?$/;

/** Plain text: accents and symbols as Unicode, inline math as its source without delimiters. */
export function latexToText(source: string): string {
  if (!LATEX.test(source)) return source;
  return new Reader(source).read();
}

class Reader {
  private at = 0;
  /** What was read, in pieces: a long string that grows is copied whenever its end is looked at. */
  private readonly out: string[] = [];
  /** Closing marks that do not come any more; looking for them each time would take forever. */
  private readonly absent = new Set<string>();

  constructor(private readonly source: string) {}

  read(): string {
    const { source } = this;
    while (this.at < source.length) {
      const char = source[this.at] ?? '';
      if (char === '\\') this.command();
      else if (char === '$') this.dollar();
      else if (char === '{' || char === '}') this.brace(char);
      else if (char === '~') this.tilde();
      else if (char === '`' || char === "'") this.quote(char);
      else if (char === '-') this.dash();
      else {
        SPECIAL.lastIndex = this.at;
        const next = SPECIAL.exec(source)?.index ?? source.length;
        this.emit(source.slice(this.at, next));
        this.at = next;
      }
    }
    return this.out.join('');
  }

  private emit(text: string): void {
    if (text !== '') this.out.push(text);
  }

  /** Drops white space from the end of what was read. */
  private close(): void {
    while (this.out.length > 0) {
      const last = this.out.pop()?.trimEnd() ?? '';
      if (last === '') continue;
      this.out.push(last);
      return;
    }
  }

  private lastChar(): string {
    return this.out.at(-1)?.at(-1) ?? ' ';
  }

  /** Index of a mark from here on, or -1. */
  private find(mark: string, from: number): number {
    if (this.absent.has(mark)) return -1;
    const at = this.source.indexOf(mark, from);
    if (at < 0) this.absent.add(mark);
    return at;
  }

  private command(): void {
    const { source } = this;
    const start = this.at;
    const name = /[a-zA-Z]+\*?/y;
    name.lastIndex = start + 1;
    const word = name.exec(source)?.[0];
    if (word === undefined) {
      this.controlSymbol(source[start + 1] ?? '');
      return;
    }
    this.at = start + 1 + word.length;
    this.controlWord(word.replace(/\*$/, ''));
  }

  private controlSymbol(symbol: string): void {
    const { source } = this;
    if (symbol === '(' || symbol === '[') {
      const close = this.find(symbol === '(' ? '\\)' : '\\]', this.at + 2);
      if (close >= 0) {
        if (symbol === '(') this.emit(source.slice(this.at + 2, close).trim());
        else {
          this.close();
          this.emit(' ');
        }
        this.at = close + 2;
        return;
      }
    }
    this.at += 1 + symbol.length;
    if (ACCENTS.has(symbol) && this.accent(symbol)) return;
    if (symbol === '' || symbol === '!' || symbol === '-' || symbol === '/' || symbol === '@')
      return;
    if (/[\s,;:>\\]/.test(symbol)) this.emit(' ');
    else this.emit(symbol);
  }

  /** Puts an accent on what follows; false, with nothing read, where no letter does. */
  private accent(name: string): boolean {
    // TeX skips white space after a letter (`\c c`); after a sign it is rather a slip.
    const symbol = !/[a-zA-Z]/.test(name);
    if (symbol && /\s/.test(this.source[this.at] ?? '')) return false;
    const rest =
      /\s*(?:\{\s*(?:\\([ijIJ])\s*|(\p{L})\p{M}*)\s*\}|\{\s*\}|\\([ij])(?![a-zA-Z])\s*|(\p{L}))/uy;
    rest.lastIndex = this.at;
    const match = rest.exec(this.source);
    if (!match) return false;
    const base = match[1] ?? match[2] ?? match[3] ?? match[4];
    if (base === undefined) return false;
    const letter = (base + (ACCENTS.get(name) ?? '')).normalize('NFC');
    // `\"word\"` is a quote that was escaped once too often, `\"a` an umlaut.
    if (name === '"' && !UMLAUT.test(base)) return false;
    this.emit(letter);
    this.at += match[0].length;
    return true;
  }

  private controlWord(name: string): void {
    if (ACCENTS.has(name) && this.accent(name)) return;
    if (CITE.test(name) || REFERENCE.test(name)) {
      this.close();
      this.skipArguments('ooom');
      return;
    }
    const note = NOTES.get(name);
    if (note !== undefined) {
      this.close();
      this.skipArguments(note);
      return;
    }
    if (name === 'begin' || name === 'end') {
      this.environment(name);
      return;
    }
    const symbol = SYMBOLS.get(name);
    if (symbol !== undefined) {
      this.emit(symbol);
      this.afterSymbol(name);
      return;
    }
    const shorthand = SHORTHANDS.get(name);
    if (shorthand !== undefined && this.source[this.at] !== '{') {
      const dot = this.source[this.at] === '.' && shorthand.endsWith('.');
      this.emit(dot ? shorthand.slice(0, -1) : shorthand);
      return;
    }
    if (SPACES.has(name) || name === 'par' || name === 'item') {
      this.emit(' ');
      this.skipArguments(SIGNATURES.get(name) ?? '');
      return;
    }
    if (ACRONYM.test(name) || SILENT.test(name)) {
      this.eatSpace();
      return;
    }
    const signature = SIGNATURES.get(name);
    if (signature !== undefined) {
      const read = signature.indexOf('t');
      this.skipArguments(read < 0 ? signature : signature.slice(0, read));
      if (read < 0 && signature === '') this.eatSpace();
      return;
    }
    // Formatting with an argument: the argument is the text. Without one, the name says most.
    if (!/^\s*[{[]/.test(this.source.slice(this.at, this.at + 3))) this.emit(name);
  }

  private afterSymbol(name: string): void {
    if (this.source.startsWith('{}', this.at)) this.at += 2;
    else if (LETTER_SYMBOL.test(name)) this.eatSpace();
  }

  private environment(which: string): void {
    const argument = /\s*\{([^{}]*)\}/y;
    argument.lastIndex = this.at;
    const match = argument.exec(this.source);
    if (!match) return;
    this.at += match[0].length;
    const name = match[1] ?? '';
    {
      this.close();
      this.emit(' ');
    }
    if (which === 'begin' && MATH_ENVIRONMENT.test(name)) {
      const close = `\\end{${name}}`;
      const end = this.find(close, this.at);
      if (end >= 0) this.at = end + close.length;
    }
  }

  private eatSpace(): void {
    while (/\s/.test(this.source[this.at] ?? '')) this.at++;
  }

  /** Skips arguments of the given kinds: s a star, o brackets, m or t braces. */
  private skipArguments(kinds: string): void {
    for (const kind of kinds) {
      let at = this.at;
      while (/[ \t]/.test(this.source[at] ?? '')) at++;
      if (kind === 's') {
        if (this.source[at] === '*') this.at = at + 1;
        continue;
      }
      const open = kind === 'o' ? '[' : '{';
      if (this.source[at] !== open) continue;
      const end = this.closing(at, open, kind === 'o' ? ']' : '}');
      if (end < 0) continue;
      this.at = end + 1;
    }
  }

  /** Index of what closes the bracket at an index, or -1. */
  private closing(from: number, open: string, close: string): number {
    let depth = 0;
    const limit = Math.min(this.source.length, from + LONGEST_ARGUMENT);
    for (let at = from; at < limit; at++) {
      const char = this.source[at];
      if (char === '\\') at++;
      else if (char === open) depth++;
      else if (char === close && --depth === 0) return at;
    }
    return -1;
  }

  private dollar(): void {
    const { source } = this;
    if (source[this.at + 1] === '$') {
      const close = this.find('$$', this.at + 2);
      if (close >= 0) {
        {
          this.close();
          this.emit(' ');
        }
        this.at = close + 2;
        return;
      }
    }
    const close = this.mathEnd(this.at + 1);
    if (close < 0) {
      this.emit('$');
      this.at++;
      return;
    }
    this.emit(source.slice(this.at + 1, close).trim());
    this.at = close + 1;
  }

  /** End of inline math that begins here, or -1 where the dollar is money. */
  private mathEnd(from: number): number {
    const { source } = this;
    for (let at = from; at < source.length; at++) {
      const char = source[at];
      if (char === '\\') at++;
      else if (char === '\n' && /^\n[ \t]*\n/.test(source.slice(at, at + 20))) return -1;
      else if (char === '$') {
        if (at === from) return -1;
        // "$5 to $10": a closing dollar stands after something and before no digit.
        if (/\d/.test(source[at + 1] ?? '')) return -1;
        if (!/\s/.test(source[at - 1] ?? '') || /[\\^_{}=<>]/.test(source.slice(from, at)))
          return at;
        return -1;
      }
    }
    return -1;
  }

  /** Braces that group are dropped; those of a set written in plain text ("{0, 1}") stay. */
  private brace(char: string): void {
    const { source } = this;
    this.at++;
    if (char === '}') return;
    const set = /([^\\{}$]*[,|:][^\\{}$]*)\}/y;
    set.lastIndex = this.at;
    const match = set.exec(source);
    const before = source[this.at - 2] ?? ' ';
    if (match && match[0].length < 60 && /[\s(=]/.test(before)) {
      this.emit(`{${match[1] ?? ''}}`);
      this.at += match[0].length;
    }
  }

  private tilde(): void {
    const before = this.lastChar();
    const after = this.source[this.at + 1] ?? ' ';
    // A tie between words; before a number on its own it says "about".
    this.emit(/\s|\(/.test(before) && !/\s|\\/.test(after) ? '~' : ' ');
    this.at++;
  }

  private quote(char: string): void {
    const { source } = this;
    if (source[this.at + 1] === char) {
      this.emit(char === '`' ? '\u201c' : '\u201d');
      this.at += 2;
      return;
    }
    const before = this.lastChar();
    const opens =
      char === '`' && /[\s([{\u201c]/.test(before) && /\S/.test(source[this.at + 1] ?? '');
    this.emit(opens ? '\u2018' : char);
    this.at++;
  }

  private dash(): void {
    const run = /-+/y;
    run.lastIndex = this.at;
    const dashes = run.exec(this.source)?.[0] ?? '-';
    const before = this.lastChar();
    const after = this.source[this.at + dashes.length] ?? ' ';
    this.at += dashes.length;
    // `--flag` keeps its dashes.
    const flag = /\s/.test(before) && !/\s/.test(after);
    if (dashes.length === 2 && !flag) this.emit('\u2013');
    else if (dashes.length === 3) this.emit('\u2014');
    else this.emit(dashes);
  }
}
