import type { ProseHeading, ProseSentence } from './prose';
import { behind, clip, hasLetter, hint, masked } from './plainSpans';
import { splitSentences, type SplitHints, type TextRange } from './splitSentences';

const NOTHING_BUT_LEAD =
  /^[\s,;.:&\u2013\u2014-]*(?:(?:see|also|e\.g\.|i\.e\.|cf\.|and|or|in|from|by|resp\.|among others|inter alia)[\s,;]*)*[\s,;.:&\u2013\u2014-]*$/i;
const CONNECTOR =
  /^(?:\s|,|;|&|\/|-|\u2013|\u2014|\band\b|\bor\b|\bto\b|\bthrough\b|\bas well as\b)*$/i;
const LETTER = /\p{L}/u;
const WORD_END = /[\p{L}\p{N}]$/u;
const WORD_START = /^[\p{L}\p{N}]/u;
/** A longer block is no prose of a person; cutting it bounds the work. */
const LONGEST_BLOCK = 100_000;

/**
 * Collects the plain text of one block after another with the source range of every unit, and
 * makes sentences or a heading of it when the block ends. White space is collapsed.
 */
export class PlainBuilder {
  readonly sentences: ProseSentence[] = [];
  readonly headings: ProseHeading[] = [];
  section: string | null = null;
  private text = '';
  private starts = new Uint32Array(1024);
  private ends = new Uint32Array(1024);
  private length = 0;
  private paragraph = 0;
  private space = false;
  private spaceAt = 0;
  private math: number[] = [];
  /** Math and code: no sentence ends within. */
  private whole: number[] = [];
  /** Where a block (display math, listing) was left out. */
  private blocks: number[] = [];
  private last = 0;
  /** A blank line that ends the block, unless it only sets off display math within a sentence. */
  private soft = false;
  private displayed = -1;
  /** Where something was dropped in this block, as indices of the text. */
  private drops: number[] = [];
  /** Where a reference ("Section 3") was dropped, and stops that were closed up to one before them. */
  private references: number[] = [];
  private finals: number[] = [];
  private floor = 0;

  /** The plain text of the block so far. */
  get current(): string {
    return this.text;
  }

  /** Whether white space stands before what comes next. */
  get atSpace(): boolean {
    return this.space || this.length === 0;
  }

  /** Adds characters that stand in the source as they are, without white space among them. */
  run(text: string, start: number): void {
    this.flushSpace(text);
    this.reserve(text.length);
    const from = Math.max(start, this.floor);
    for (let i = 0; i < text.length; i++) {
      this.starts[this.length + i] = Math.max(start + i, from);
      this.ends[this.length + i] = start + i + 1;
    }
    this.append(text);
    this.floor = Math.max(from, start + text.length - 1);
  }

  /** Adds characters that one source range stands for as a whole. */
  symbol(text: string, start: number, end: number): void {
    if (text === '') return;
    this.flushSpace(text);
    this.reserve(text.length);
    const from = Math.max(start, this.floor);
    this.starts.fill(from, this.length, this.length + text.length);
    this.ends.fill(end, this.length, this.length + text.length);
    this.append(text);
    this.floor = from;
  }

  /** Adds a comma, stop or the like; after something dropped it closes up to the word before. */
  punctuation(text: string, start: number, end: number): void {
    if (this.droppedSinceText()) {
      this.space = false;
      // "see App.~\ref{x}.": the abbreviation's stop is the sentence's as well.
      if (text === '.' && this.last === 46) return this.closeStop(end);
    }
    this.symbol(text, start, end);
  }

  /** White space in the source. */
  whitespace(at: number): void {
    if (!this.space) this.spaceAt = at;
    this.space = true;
    if (this.length > LONGEST_BLOCK) this.endParagraph();
  }

  /** Marks the source range added by `write` as inline math. */
  inMath(write: () => void): void {
    this.flushSpace('');
    const from = this.length;
    write();
    if (this.length > from) {
      this.math.push(from, this.length);
      this.whole.push(from, this.length);
    }
  }

  /** Keeps what `write` adds in one sentence: inline code. */
  inCode(write: () => void): void {
    this.flushSpace('');
    const from = this.length;
    write();
    if (this.length > from) this.whole.push(from, this.length);
  }

  /**
   * Something dropped with the space before it: cite, reference, label, footnote. What only joined
   * it to another dropped one ("and", a comma) goes as well.
   *
   * @param reference whether it printed the number of a place: "Sec.~\ref{x}" goes on
   */
  drop(joins: boolean, reference = false): void {
    if (this.soft) this.endParagraph();
    this.space = false;
    const last = this.drops.at(-1);
    if (joins && last !== undefined && last < this.length) {
      const between = this.text.slice(last);
      if (between.length < 24 && CONNECTOR.test(between)) this.cut(last);
    }
    this.drops.push(this.length);
    if (reference) this.references.push(this.length);
  }

  /** Whether nothing was added since something was dropped. */
  droppedSinceText(): boolean {
    return this.drops.at(-1) === this.length;
  }

  /** Display math: closes up like a drop; its own last mark is kept. */
  display(mark: string, start: number): void {
    this.space = false;
    this.drops.push(this.length);
    if (mark !== '' && this.length > 0 && !'.,;:!?'.includes(String.fromCharCode(this.last))) {
      this.symbol(mark, start, start + 1);
    }
    this.drops.push(this.length);
    if (mark === '') this.blocks.push(this.length);
    this.displayed = this.length;
    this.whitespace(start);
  }

  /** A closing bracket: taken back with its opening one when only dropped things stood between. */
  close(bracket: string, start: number): void {
    const last = this.drops.at(-1);
    const from = last === undefined ? -1 : this.text.lastIndexOf(bracket === ')' ? '(' : '[');
    if (from >= 0 && last !== undefined && last > from) {
      const inner = this.text.slice(from + 1);
      if (!inner.includes(bracket) && NOTHING_BUT_LEAD.test(inner)) {
        const referred = (this.references.at(-1) ?? -1) > from;
        this.cut(from);
        while (this.length > 0 && this.last === 32) this.cut(this.length - 1);
        this.space = false;
        this.drops.push(this.length);
        if (referred) this.references.push(this.length);
        return;
      }
      this.space = false;
    }
    this.run(bracket, start);
  }

  /**
   * A blank line: ends the block, unless display math stands beside it and the text after goes on
   * in lower case.
   */
  blankLine(): void {
    if (this.length === 0) this.reset();
    else this.soft = true;
  }

  /** Ends the block: its text becomes sentences. */
  endParagraph(): void {
    if (this.length > 0) {
      if (LETTER.test(this.text)) this.makeSentences();
      this.paragraph++;
    }
    this.reset();
  }

  /** Ends the block as a heading; levels under 7 open a section. Gives its text. */
  endHeading(level: number): string {
    const from = this.text.length - this.text.trimStart().length;
    const text = this.text.trim();
    if (text !== '') {
      const to = from + text.length;
      this.headings.push({
        text,
        level,
        start: this.starts[from] ?? 0,
        end: this.endOf(from, to),
        offsets: this.starts.slice(from, to),
        math: clip(this.math, from, to),
      });
      if (level < 7) this.section = text;
      this.paragraph++;
    }
    this.reset();
    return text;
  }

  /** Forgets the block. */
  reset(): void {
    this.text = '';
    this.length = 0;
    this.last = 0;
    this.soft = false;
    this.displayed = -1;
    this.space = false;
    this.math = [];
    this.whole = [];
    this.blocks = [];
    this.drops = [];
    this.references = [];
    this.finals = [];
  }

  private makeSentences(): void {
    const drops = this.drops.length > 0 ? new Set(this.drops) : null;
    // A space may stand between where something was dropped and where the text goes on.
    const mayOpen = drops
      ? (index: number) => drops.has(index) || (index > 0 && drops.has(index - 1))
      : undefined;
    for (const { start, end } of this.split({
      ...(mayOpen && { mayOpen }),
      ...hint('numbered', this.references),
      ...hint('final', this.finals),
    })) {
      const math = clip(this.math, start, end);
      const text = this.text.slice(start, end);
      if (!hasLetter(text, math)) continue;
      this.sentences.push({
        text,
        start: this.starts[start] ?? 0,
        end: this.endOf(start, end),
        section: this.section,
        paragraph: this.paragraph,
        offsets: this.starts.slice(start, end),
        math,
      });
    }
  }

  private split(hints: SplitHints): TextRange[] {
    const text = masked(this.text, this.whole, this.math);
    if (this.blocks.length === 0) return splitSentences(text, hints);
    const ranges: TextRange[] = [];
    let from = 0;
    for (const block of [...this.blocks, text.length]) {
      const rest = /^\s*["'\u201C\u2018(]*\p{Lu}/u.test(text.slice(block, block + 12));
      if (block < text.length && (!rest || /,\s*$/.test(text.slice(from, block)))) continue;
      const base = from;
      const part = splitSentences(text.slice(base, block), behind(hints, base));
      for (const { start, end } of part) ranges.push({ start: start + base, end: end + base });
      from = block;
    }
    return ranges;
  }

  /** The furthest source end of the units: a macro's text may reach beyond its last unit. */
  private endOf(from: number, to: number): number {
    return Math.max(this.ends[to - 1] ?? 0, (this.starts[to - 1] ?? 0) + (to > from ? 1 : 0));
  }

  private flushSpace(next: string): void {
    if (this.soft) {
      this.soft = false;
      const goesOn = this.displayed === this.length && /^\p{Ll}/u.test(next);
      if (!goesOn) this.endParagraph();
      else this.space = true;
    }
    if (!this.space) {
      // "Figure~\\ref{x}a": the space that went with what was dropped was needed.
      if (!this.droppedSinceText() || !WORD_END.test(this.text) || !WORD_START.test(next)) return;
      this.spaceAt = this.floor;
    }
    this.space = false;
    if (this.length === 0 || this.last === 32) return;
    this.reserve(1);
    const at = Math.max(this.spaceAt, this.floor);
    this.starts[this.length] = at;
    this.ends[this.length] = this.spaceAt + 1;
    this.append(' ');
    this.floor = at;
  }

  /** Makes the stop before what was dropped the sentence's: its range reaches to `end`. */
  private closeStop(end: number): void {
    const { length } = this;
    this.ends[length - 1] = end;
    while (this.references.at(-1) === length) this.references.pop();
    let dropped = 0;
    for (; this.drops.at(-1) === length; dropped++) this.drops.pop();
    for (; dropped > 0; dropped--) this.drops.push(length - 1);
    if (this.finals.at(-1) !== length) this.finals.push(length);
  }

  private append(text: string): void {
    this.length += text.length;
    this.text += text;
    this.last = text.charCodeAt(text.length - 1);
  }

  private cut(length: number): void {
    this.text = this.text.slice(0, length);
    this.length = length;
    this.last = length > 0 ? this.text.charCodeAt(length - 1) : 0;
    const { drops, blocks, math, whole, references, finals } = this;
    for (const spans of [drops, blocks, math, whole, references, finals]) {
      while (spans.length > 0 && (spans.at(-1) ?? 0) > length) spans.pop();
    }
    if (this.math.length % 2 === 1) this.math.pop();
    if (this.whole.length % 2 === 1) this.whole.pop();
  }

  private reserve(more: number): void {
    if (this.length + more <= this.starts.length) return;
    const size = Math.max(this.starts.length * 2, this.length + more);
    const starts = new Uint32Array(size);
    starts.set(this.starts);
    const ends = new Uint32Array(size);
    ends.set(this.ends);
    this.starts = starts;
    this.ends = ends;
  }
}
