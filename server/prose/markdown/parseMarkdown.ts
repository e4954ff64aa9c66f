import type { Prose, ProseHeading, ProseSentence } from '../prose';
import { readBlocks, type BlockProse } from './blocks';
import { readFrontMatter } from './frontMatter';
import { maskMarkdown } from './mask';

/** Results of chunks by their text, so that a chunk that did not change is not read again. */
export type ChunkMemo = Map<string, BlockProse>;

const DEFINITION = /^ {0,3}\[(?!\^)([^[\]\n]{1,200})\]:[ \t]*\S[^\n]*$/gm;
const LABEL = /\[([^[\]\n]{1,200})\]/g;
/** A chunk longer than this is cut at a line's end: it bounds what one block may cost. */
const LONGEST_CHUNK = 50_000;

/**
 * Reads Markdown with remark, one top-level block after the other, so that after an edit only the
 * blocks it touched are read again.
 *
 * @param memo results of an earlier reading; those of this one replace them.
 */
export function parseMarkdown(source: string, memo: ChunkMemo = new Map()): Prose {
  const front = readFrontMatter(source);
  const masked = maskMarkdown(source, front.end);
  const prose: Prose = {
    format: 'markdown',
    sentences: [],
    headings: [],
    inputs: masked.inputs,
    title: front.title,
    problems: masked.problems,
  };
  if (front.problem !== null) prose.problems.unshift({ message: front.problem, start: 0 });
  const collector = new Collector(prose);
  const fresh: ChunkMemo = new Map();
  const read = (text: string, original: string, definitions: string): BlockProse => {
    const key = `${definitions}\n\0${text}\0${original === text ? '' : original}`;
    const found = fresh.get(key) ?? memo.get(key) ?? readBlocks(text, original, definitions);
    fresh.set(key, found);
    return found;
  };
  if (front.abstract) {
    const { text, offsets } = front.abstract;
    const hidden = maskMarkdown(text, 0).text;
    for (const [from, to] of chunksOf(hidden)) {
      const part = read(hidden.slice(from, to), text.slice(from, to), '');
      collector.add(part, (at) => offsets[from + at] ?? (offsets.at(-1) ?? 0) + 1);
    }
  }
  const definitions = definitionsOf(masked.text);
  for (const [from, to] of chunksOf(masked.text)) {
    const text = masked.text.slice(from, to);
    if (text.trim() === '') continue;
    const part = read(text, source.slice(from, to), definitionsFor(text, definitions));
    collector.add(part, (at) => at + from);
  }
  memo.clear();
  for (const [key, part] of fresh) memo.set(key, part);
  prose.title ??= firstTitle(prose);
  return prose;
}

/**
 * Ranges of top-level blocks: a line at the margin after a blank line opens one. Fences and other
 * blocks with blank lines in them are hidden by now; lists and quotes may be cut between items,
 * which changes nothing of their prose.
 */
function chunksOf(masked: string): [number, number][] {
  const chunks: [number, number][] = [];
  let start = 0;
  let blank = false;
  for (let at = 0; at < masked.length;) {
    const newline = masked.indexOf('\n', at);
    const end = newline < 0 ? masked.length : newline + 1;
    if (isBlank(masked, at, end)) blank = true;
    else {
      const margin = !/\s/.test(masked[at] ?? ' ');
      if ((blank && margin && at > start) || at - start > LONGEST_CHUNK) {
        chunks.push([start, at]);
        start = at;
      }
      blank = false;
    }
    at = end;
  }
  if (start < masked.length) chunks.push([start, masked.length]);
  return chunks;
}

function isBlank(text: string, from: number, to: number): boolean {
  for (let i = from; i < to; i++) {
    const code = text.charCodeAt(i);
    if (code !== 32 && code !== 9 && code !== 10 && code !== 13) return false;
  }
  return true;
}

/** Link definitions by label: what `[text][label]` means is said elsewhere in the draft. */
function definitionsOf(masked: string): Map<string, string> {
  const found = new Map<string, string>();
  for (const match of masked.matchAll(DEFINITION)) {
    const label = normal(match[1] ?? '');
    if (!found.has(label)) found.set(label, match[0].trim());
  }
  return found;
}

function definitionsFor(chunk: string, definitions: ReadonlyMap<string, string>): string {
  if (definitions.size === 0) return '';
  const used = new Set<string>();
  for (const match of chunk.matchAll(LABEL)) {
    const definition = definitions.get(normal(match[1] ?? ''));
    if (definition !== undefined) used.add(definition);
  }
  return [...used].join('\n');
}

function normal(label: string): string {
  return label.trim().replace(/\s+/g, ' ').toLowerCase();
}

/** The draft's title where its first block is a heading of the first level. */
function firstTitle(prose: Prose): string | null {
  const first = prose.headings[0];
  if (!first || first.level !== 1) return null;
  const sentence = prose.sentences[0];
  return sentence && sentence.start < first.start ? null : first.text;
}

/** Puts chunks together: places, paragraph numbers and sections count through the draft. */
class Collector {
  private paragraph = 0;
  private section: string | null = null;

  constructor(private readonly prose: Prose) {}

  add(part: BlockProse, place: (at: number) => number): void {
    let highest = -1;
    const headings = part.headings.map((heading) => moved(heading, place));
    let next = 0;
    for (const sentence of part.sentences) {
      for (; next < headings.length; next++) {
        const heading = part.headings[next];
        if (!heading || heading.start > sentence.start) break;
        if (heading.level < 7) this.section = heading.text;
      }
      highest = Math.max(highest, sentence.paragraph);
      this.prose.sentences.push({
        ...moved(sentence, place),
        section: this.section,
        paragraph: this.paragraph + sentence.paragraph,
      });
    }
    for (; next < headings.length; next++) {
      const heading = part.headings[next];
      if (heading && heading.level < 7) this.section = heading.text;
    }
    this.prose.headings.push(...headings);
    this.paragraph += highest + 1;
  }
}

function moved<T extends ProseSentence | ProseHeading>(item: T, place: (at: number) => number): T {
  return {
    ...item,
    start: place(item.start),
    end: place(item.end - 1) + 1,
    offsets: item.offsets.map((offset) => place(offset)),
  };
}
