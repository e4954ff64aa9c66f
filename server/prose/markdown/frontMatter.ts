import { isScalar, parseDocument } from 'yaml';

export interface FrontMatter {
  /** Where the text after it begins; 0 without front matter. */
  end: number;
  title: string | null;
  /** The abstract without its indentation, and the source offset of each unit. */
  abstract: { text: string; offsets: Uint32Array } | null;
  problem: string | null;
}

const CLOSED = /^\uFEFF?---[ \t]*\r?\n([^]*?)(?:\r?\n|(?<=\n))(?:---|\.\.\.)[ \t]*(?:\r?\n|$)/;
const OPENED = /^\uFEFF?---[ \t]*\r?\n(?=[\w"'-]+[ \t]*:)/;

/** Reads YAML front matter at the beginning of a Markdown source. Never throws. */
export function readFrontMatter(source: string): FrontMatter {
  const none: FrontMatter = { end: 0, title: null, abstract: null, problem: null };
  if (!/^\uFEFF?---/.test(source)) return none;
  const match = CLOSED.exec(source);
  if (!match) {
    if (!OPENED.test(source)) return none;
    const blank = /\n[ \t\r]*\n/.exec(source);
    return {
      ...none,
      end: blank ? blank.index + 1 : source.length,
      problem: 'The front matter is never closed; it was left out up to the first blank line',
    };
  }
  const yaml = match[1] ?? '';
  const base = match[0].indexOf('\n') + 1;
  const front: FrontMatter = { ...none, end: match[0].length };
  try {
    const document = parseDocument(yaml, { logLevel: 'silent', uniqueKeys: false });
    const error = document.errors[0];
    if (error) front.problem = `The front matter is no good YAML: ${error.message.split('\n')[0]}`;
    const title = document.get('title');
    if (typeof title === 'string' || typeof title === 'number') {
      front.title = String(title).replace(/[*`]/g, '').replace(/\s+/g, ' ').trim() || null;
    }
    const abstract = document.get('abstract', true);
    if (isScalar(abstract) && typeof abstract.value === 'string' && abstract.range) {
      front.abstract = dedent(yaml, abstract.range[0], abstract.range[1], base);
    }
  } catch (error) {
    front.problem = `The front matter could not be read: ${error instanceof Error ? error.message : String(error)}`;
  }
  return front;
}

/** Lines of a YAML scalar without indentation, quotes and block mark. */
function dedent(yaml: string, start: number, end: number, base: number): FrontMatter['abstract'] {
  let from = start;
  let to = end;
  const block = /^[|>][^\n]*\n/.exec(yaml.slice(start, end));
  if (block) from += block[0].length;
  else if (/["']/.test(yaml[start] ?? '')) {
    from++;
    to--;
  }
  const parts: string[] = [];
  const offsets: number[] = [];
  for (const line of yaml.slice(from, to).matchAll(/([ \t]*)([^\n]*\n?)/g)) {
    const text = line[2] ?? '';
    const at = base + from + line.index + (line[1]?.length ?? 0);
    parts.push(text);
    for (let i = 0; i < text.length; i++) offsets.push(at + i);
  }
  return { text: parts.join(''), offsets: Uint32Array.from(offsets) };
}
