import { DISPLAY as DISPLAY_ENVIRONMENTS } from '../latex/environments';
import { CITE, REFERENCE } from '../latex/macros';
import type { Prose } from '../prose';
import { BREAK, DISPLAY_MATH, DROP, INLINE_MATH, NOTHING } from './marks';

const FENCE = /[ \t>]*(?:(?:[-*+]|\d{1,9}[.)])[ \t]+)*(`{3,}|~{3,})([^\n]*)/y;
const COLON_FENCE = /[ \t>]*(:{3,})([^\n]*)/y;
const TAG = /<\/?([a-zA-Z][\w.-]*)(?:\s[^<>]{0,2000})?\/?>/y;
const RAW_TEX = /\\([a-zA-Z]+)\*?/y;
const RAW_ARGUMENT = /\[[^\]\n]*\]|\{[^{}\n]*\}/y;
const ENVIRONMENT = /\\begin\s*\{([a-zA-Z]+\*?)\}/y;
const SHORTCODE = /\{\{<\s*(\w+)?\s*([^\n]*?)\s*>\}\}|\{%[^\n]*?%\}|\{\{%[^\n]*?%\}\}/y;
const LINE_OF_NO_PROSE =
  /[ \t]*(?:\([\w:.-]+\)=|\+\+\+.*|%[ \t].*|import\s[^\n]+\sfrom\s+['"][^'"\n]+['"];?|\[toc\]|\[\[_?toc_?\]\])[ \t]*$/iy;
const TABLE_BLOCK =
  /^[ \t]*(?:\+[-=+:]{3,}\+|-{2,}(?:[ \t]+-{2,})+)[ \t]*\r?$|^(?:Table|Figure)?:[ \t]+\S/m;
/** Display math between blank lines in the midst of a sentence. */
const SET_OFF =
  /(?<=[^\s.!?#|:])(?:[ \t]*\r?\n){1,3}[ \t]*\uE001+[ \t]*(?:\{[^{}\n]*\})?(?:[ \t]*\r?\n){1,3}[ \t]*(?=\p{Ll})/gu;
/** Blocks whose whole content is no prose. */
const OPAQUE = new Set(
  'script style pre table svg figure head video audio iframe math template'.split(' '),
);
const BLOCK_TAGS = new Set(
  (
    'address article aside blockquote body caption center dd details dialog div dl dt fieldset ' +
    'figcaption footer form h1 h2 h3 h4 h5 h6 header hr html li main nav ol p section summary td th tr ul br'
  ).split(' '),
);
/** Directives of MyST and Quarto whose content is prose. */
const PROSE_DIRECTIVE =
  /^\{?(?:note|warning|tip|important|caution|attention|hint|danger|error|seealso|admonition|abstract|epigraph|pull-quote|topic|sidebar|margin|aside|dropdown|card|grid|tab-item|tab-set|prf:[a-z]+|theorem|proof|lemma|definition|corollary|remark|example|exercise|div)\b/i;
const DROPPED_DIRECTIVE =
  /^\s*\{(?:figure|table|list-table|csv-table|code|code-block|image|toctree|math|bibliography|raw|iframe|video|mermaid|embed)\b/i;

export interface Masked {
  text: string;
  inputs: Prose['inputs'];
  problems: Prose['problems'];
}

/**
 * Hides what is no Markdown prose: code fences, HTML, math, raw TeX, divs, shortcodes. The text
 * keeps its length, so offsets into it are offsets into the source.
 */
export function maskMarkdown(source: string, from: number): Masked {
  return new Masker(source).mask(from);
}

class Masker {
  private readonly inputs: Prose['inputs'] = [];
  private readonly problems: Prose['problems'] = [];
  private out = '';
  private done = 0;
  private readonly absent = new Set<string>();
  /** Where the paragraph that was looked for last ends, from where. */
  private paragraph: [number, number] = [0, -1];
  /** Braces that close the argument of a raw command whose text is kept. */
  private readonly closers = new Set<number>();

  constructor(private readonly source: string) {}

  mask(from: number): Masked {
    const { source } = this;
    this.hide(0, from, ' ');
    let at = from;
    let lineStart = true;
    while (at < source.length) {
      if (lineStart) {
        const next = this.line(at);
        lineStart = false;
        if (next > at) {
          at = next;
          lineStart = true;
          continue;
        }
      }
      const code = source.charCodeAt(at);
      if (code === 10) {
        at++;
        lineStart = true;
      } else at = this.inline(at, code);
    }
    this.out += source.slice(this.done);
    const text = this.tables(this.out).replace(SET_OFF, (hit) => hit.replace(/[\r\n]/g, ' '));
    return { text, inputs: this.inputs, problems: this.problems };
  }

  /** Replaces a range; line ends stay unless the mark is one for a part of a line. */
  private hide(from: number, to: number, mark: string): void {
    if (to <= from) return;
    this.out += this.source.slice(this.done, from);
    const text = this.source.slice(from, to);
    // Spaces before a line's text would make it code.
    if (mark === ' ' && !/^[ \t\r]*$/.test(this.source.slice(to, this.lineEnd(to)))) {
      const line = text.lastIndexOf('\n') + 1;
      this.out += text.slice(0, line).replace(/[^\r\n]/g, ' ') + NOTHING.repeat(text.length - line);
    } else if (mark === DISPLAY_MATH || mark === INLINE_MATH) this.out += mark.repeat(to - from);
    else this.out += text.replace(/[^\r\n]+/g, (hit) => mark.repeat(hit.length));
    this.done = to;
  }

  private lineEnd(at: number): number {
    const found = this.source.indexOf('\n', at);
    return found < 0 ? this.source.length : found;
  }

  private paragraphEnd(at: number): number {
    if (at >= this.paragraph[0] && at < this.paragraph[1]) return this.paragraph[1];
    const blank = /\n[ \t\r]*\n/g;
    blank.lastIndex = at;
    this.paragraph = [at, blank.exec(this.source)?.index ?? this.source.length];
    return this.paragraph[1];
  }

  /** Deals with a line that is no prose as a whole; gives where to go on, `at` if it is prose. */
  private line(at: number): number {
    const { source } = this;
    FENCE.lastIndex = at;
    const fence = FENCE.exec(source);
    if (fence?.[1] && !(fence[1].startsWith('`') && fence[2]?.includes('`'))) {
      return this.fence(at, fence[1], fence[2] ?? '');
    }
    COLON_FENCE.lastIndex = at;
    const colon = COLON_FENCE.exec(source);
    if (colon?.[1]) {
      if (DROPPED_DIRECTIVE.test(colon[2] ?? '')) return this.fence(at, colon[1], colon[2] ?? '');
      const end = this.lineEnd(at);
      this.hide(at, end, ' ');
      return Math.min(this.options(end + 1), source.length);
    }
    const end = this.lineEnd(at);
    const line = source.slice(at, end);
    LINE_OF_NO_PROSE.lastIndex = 0;
    if (LINE_OF_NO_PROSE.test(line.replace(/\r$/, ''))) {
      this.hide(at, end, ' ');
      return Math.min(end + 1, source.length);
    }
    return at;
  }

  /** `:class: x` lines that open a directive. */
  private options(at: number): number {
    const option = /[ \t]*:[\w-]+:[^\n]*(?:\n|$)/y;
    option.lastIndex = at;
    while (option.test(this.source) && option.lastIndex > at) {
      this.hide(at, option.lastIndex, ' ');
      at = option.lastIndex;
    }
    return at;
  }

  private fence(at: number, mark: string, info: string): number {
    const { source } = this;
    const open = this.lineEnd(at);
    const character = mark[0] ?? '`';
    const close = new RegExp(`^[ \\t>]*\\${character}{${mark.length},}[ \\t]*\\r?$`, 'gm');
    close.lastIndex = Math.min(open + 1, source.length);
    const key = character + mark.length;
    const found = this.absent.has(key) ? null : close.exec(source);
    if (!found) {
      this.absent.add(key);
      this.problems.push({
        message: `${mark} is never closed; the rest of its paragraph was left out`,
        start: at,
      });
      const end = this.paragraphEnd(at);
      this.hide(at, end, ' ');
      return end;
    }
    const end = found.index + found[0].length;
    if (PROSE_DIRECTIVE.test(info.trim()) && info.trim().startsWith('{')) {
      // The content is read: only the fence's own lines go, the closing one when it is reached.
      this.hide(at, open, ' ');
      return this.directive(open + 1, found.index, end);
    }
    this.hide(at, end, ' ');
    return Math.min(end + 1, source.length);
  }

  private directive(from: number, close: number, end: number): number {
    let at = this.options(from);
    let lineStart = true;
    while (at < close) {
      if (lineStart) {
        const next = this.line(at);
        lineStart = false;
        if (next > at) {
          at = next;
          lineStart = true;
          continue;
        }
      }
      const code = this.source.charCodeAt(at);
      if (code === 10) {
        at++;
        lineStart = true;
      } else at = this.inline(at, code);
    }
    if (at < end) this.hide(Math.max(at, close), end, ' ');
    return Math.max(at, end);
  }

  private inline(at: number, code: number): number {
    switch (code) {
      case 96:
        return this.codeSpan(at);
      case 60:
        return this.html(at);
      case 36:
        return this.math(at);
      case 92:
        return this.backslash(at);
      case 123:
        return this.shortcode(at);
      case 125:
        if (this.closers.delete(at)) this.hide(at, at + 1, NOTHING);
        return at + 1;
      default:
        return at + 1;
    }
  }

  private codeSpan(at: number): number {
    const { source } = this;
    let length = 1;
    while (source.charCodeAt(at + length) === 96) length++;
    const limit = Math.min(this.paragraphEnd(at), at + 5000);
    let run = 0;
    for (let i = at + length; i <= limit; i++) {
      if (source.charCodeAt(i) === 96 && i < limit) run++;
      else {
        if (run === length) return i;
        run = 0;
      }
    }
    return at + length;
  }

  private html(at: number): number {
    const { source } = this;
    if (source.startsWith('<!--', at)) {
      const close = this.absent.has('-->') ? -1 : source.indexOf('-->', at + 4);
      if (close < 0) {
        this.absent.add('-->');
        this.hide(at, at + 4, ' ');
        return at + 4;
      }
      const whole = /^[ \t]*$/.test(source.slice(source.lastIndexOf('\n', at) + 1, at));
      this.hide(at, close + 3, whole ? ' ' : NOTHING);
      return close + 3;
    }
    TAG.lastIndex = at;
    const match = TAG.exec(source);
    const name = match?.[1]?.toLowerCase();
    if (!match || name === undefined) return at + 1;
    let end = at + match[0].length;
    if (OPAQUE.has(name) && !match[0].startsWith('</') && !match[0].endsWith('/>')) {
      const close = new RegExp(`</${name}\\s*>`, 'gi');
      close.lastIndex = end;
      const found = this.absent.has(name) ? null : close.exec(source);
      if (found) end = found.index + found[0].length;
      else this.absent.add(name);
      this.hide(at, end, ' ');
      return end;
    }
    const block = BLOCK_TAGS.has(name);
    const before = source.slice(source.lastIndexOf('\n', at - 1) + 1, at);
    const after = source.slice(end, this.lineEnd(end));
    // On a long line of tags the question is not worth its cost.
    const alone =
      block &&
      before.length + after.length < 2000 &&
      /^\s*(?:<[^<>]*>\s*)*$/.test(before) &&
      /^\s*(?:<[^<>]*>\s*)*$/.test(after);
    this.hide(at, end, block ? (alone ? ' ' : BREAK) : NOTHING);
    return end;
  }

  private math(at: number): number {
    const { source } = this;
    if (source.charCodeAt(at + 1) === 36) {
      const close = source.indexOf('$$', at + 2);
      if (close < 0 || close - at > 5000) return at + 2;
      this.hide(at, close + 2, DISPLAY_MATH);
      return close + 2;
    }
    // Pandoc's rule: no space within the dollars, no digit after the closing one.
    if (/[\s]/.test(source[at + 1] ?? ' ') || /[\w\\]/.test(source[at - 1] ?? ' ')) return at + 1;
    const limit = Math.min(this.paragraphEnd(at), at + 2000);
    for (let i = at + 1; i < limit; i++) {
      const code = source.charCodeAt(i);
      if (code === 92) i++;
      else if (code === 96) return at + 1;
      else if (code === 36) {
        if (/\s/.test(source[i - 1] ?? '') || /\d/.test(source[i + 1] ?? '')) continue;
        this.hide(at, i + 1, INLINE_MATH);
        return i + 1;
      }
    }
    return at + 1;
  }

  private backslash(at: number): number {
    const { source } = this;
    ENVIRONMENT.lastIndex = at;
    const environment = ENVIRONMENT.exec(source)?.[1];
    if (environment !== undefined) {
      const close = `\\end{${environment}}`;
      const found = this.absent.has(close) ? -1 : source.indexOf(close, at);
      if (found >= 0) {
        const end = found + close.length;
        const math = DISPLAY_ENVIRONMENTS.has(environment.replace(/\*$/, ''));
        this.hide(at, end, math ? DISPLAY_MATH : ' ');
        return end;
      }
      this.absent.add(close);
    }
    RAW_TEX.lastIndex = at;
    const match = RAW_TEX.exec(source);
    const name = match?.[1];
    if (!match || name === undefined || /[\w:\\]/.test(source[at - 1] ?? ' ')) return at + 2;
    let end = at + match[0].length;
    const points = CITE.test(name) || REFERENCE.test(name) || name === 'footnote';
    const dropped = points || !/^(?:text[a-z]{2}|emph|underline|mbox)$/.test(name);
    if (!dropped && source[end] === '{') {
      const limit = Math.min(this.paragraphEnd(end), end + 2000);
      let depth = 0;
      for (let i = end; i < limit; i++) {
        if (source[i] === '{') depth++;
        else if (source[i] === '}' && --depth === 0) {
          this.closers.add(i);
          break;
        }
      }
      this.hide(at, end + 1, NOTHING);
      return end + 1;
    }
    for (;;) {
      RAW_ARGUMENT.lastIndex = end;
      if (!RAW_ARGUMENT.test(source)) break;
      end = RAW_ARGUMENT.lastIndex;
    }
    this.hide(at, end, points ? DROP : NOTHING);
    return end;
  }

  private shortcode(at: number): number {
    SHORTCODE.lastIndex = at;
    const match = SHORTCODE.exec(this.source);
    if (!match) return at + 1;
    const end = at + match[0].length;
    const target = match[2];
    if (match[1] === 'include' && target) this.inputs.push({ target, start: at, end });
    this.hide(at, end, ' ');
    return end;
  }

  /** Grid and simple tables, and captions of tables: their block goes. */
  private tables(text: string): string {
    if (!TABLE_BLOCK.test(text)) return text;
    return text.replace(/(?:^|(?<=\n))(?:[^\n]*\S[^\n]*(?:\n|$))+/g, (block) =>
      TABLE_BLOCK.test(block) && !/^[^\n:|+-]*\w[^\n]*\n:[ \t]/.test(block)
        ? block.replace(/[^\r\n]/g, ' ')
        : block,
    );
  }
}
