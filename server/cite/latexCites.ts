/** LaTeX citation commands: reading one, adding a key to it, and the one a draft prefers. */
import { ADDRESS, withoutComments } from './texSource';
import type { Cite } from './tokens';

const PARENTHETICAL = new Set(
  'cite citep Citep citealp Citealp parencite Parencite autocite Autocite footcite Footcite smartcite Smartcite supercite shortcite citen onlinecite upcite cites Cites parencites Parencites autocites Autocites footcites Footcites smartcites supercites'.split(
    ' ',
  ),
);
const TEXTUAL = new Set(
  'citet Citet citealt Citealt textcite Textcite textcites Textcites newcite citeA shortciteA citeauthor Citeauthor citeyear citeyearpar citetitle citedate fullcite footfullcite'.split(
    ' ',
  ),
);
/** Commands with one pair of braces for each key. */
const MULTIPLE = /cites$/;

const COMMAND = new RegExp(ADDRESS, 'y');

/** End of an address's group, which opens at `open` and closes on the same line, or -1. */
export function addressEnd(text: string, open: number, to: number): number {
  let depth = 0;
  for (let i = open; i < to && text[i] !== '\n' && text[i] !== '\r'; i++) {
    if (text[i] === '{') depth++;
    else if (text[i] === '}' && --depth === 0) return i + 1;
  }
  return -1;
}

/** End of the address command at `at` (its backslash), its other arguments aside, or -1. */
function addressBehind(text: string, at: number, to: number): number {
  COMMAND.lastIndex = at;
  return COMMAND.test(text) ? addressEnd(text, COMMAND.lastIndex, to) : -1;
}

/**
 * End of the balanced group that opens at `open`, or -1; escaped braces, comments and addresses
 * aside.
 */
export function groupEnd(text: string, open: number, to: number): number {
  const [left, right] = text[open] === '[' ? ['[', ']'] : ['{', '}'];
  let depth = 0;
  let braces = 0;
  for (let i = open; i < to; i++) {
    const char = text[i];
    if (char === '\\') i = Math.max(i + 1, addressBehind(text, i, to) - 1);
    else if (char === '%') {
      while (i < to && text[i] !== '\n') i++;
    } else if (left === '[' && char === '{') braces++;
    else if (left === '[' && char === '}') {
      if (--braces < 0) return -1;
    } else if (braces === 0 && char === left) depth++;
    else if (braces === 0 && char === right && --depth === 0) return i + 1;
  }
  return -1;
}

const skipSpace = (text: string, from: number, to: number) => {
  let i = from;
  while (i < to && /[ \t\r\n]/.test(text.charAt(i))) i++;
  return i;
};

/** Reads the citation command at `at` (its backslash), or null where there is none. */
export function readCite(text: string, at: number, to: number): { cite: Cite; end: number } | null {
  const match = /^\\([a-zA-Z]+)\*?/.exec(text.slice(at, Math.min(to, at + 40)));
  const name = match?.[1] ?? '';
  const textual = TEXTUAL.has(name);
  if (!match || (!textual && !PARENTHETICAL.has(name))) return null;
  let i = at + match[0].length;
  let end = -1;
  let group: [number, number] | null = null;
  const keys: string[] = [];
  for (;;) {
    let next = skipSpace(text, i, to);
    for (let options = 0; options < 2 && text[next] === '['; options++) {
      const close = groupEnd(text, next, to);
      if (close < 0) break;
      next = skipSpace(text, close, to);
    }
    if (text[next] !== '{' || next >= to) break;
    const close = groupEnd(text, next, to);
    if (close < 0) break;
    group = [next + 1, close - 1];
    end = i = close;
    const plain = withoutComments(text.slice(...group));
    keys.push(
      ...plain
        .split(',')
        .map((key) => key.trim())
        .filter(Boolean),
    );
    if (!MULTIPLE.test(name)) break;
  }
  if (!group || end < 0) return null;
  if (MULTIPLE.test(name)) {
    return { cite: { textual, keys, insertAt: end, append: (key) => `{${key}}` }, end };
  }
  const plain = withoutComments(text.slice(...group));
  const last = plain.search(/[\s,]*$/);
  const separator = /,(\s*)[^\s,]+[\s,]*$/.exec(plain)?.[1];
  return {
    cite: {
      textual,
      keys,
      insertAt: group[0] + last,
      append: (key) => (keys.length > 0 ? `,${separator ?? habitualSpace(text)}${key}` : key),
    },
    end,
  };
}

/** Space behind the comma in the draft's lists of keys. */
function habitualSpace(text: string): string {
  const lists =
    text.match(/\\[a-zA-Z]*cite[a-zA-Z]*\*?(?:\[[^\]]*\]){0,2}\{[^{},%]+,[^{}%]*\}/g) ?? [];
  return lists.filter((list) => /,[ ]/.test(list)).length * 2 > lists.length ? ' ' : '';
}

/** How often each citation command stands in some sources, comments aside. */
function countCites(sources: Iterable<string>): Map<string, number> {
  const counts = new Map<string, number>();
  for (const source of sources) {
    const commands = withoutComments(source).matchAll(/\\([a-zA-Z]*cite[a-zA-Z]*)\*?\s*[[{]/gi);
    for (const [, name = ''] of commands) counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  return counts;
}

/**
 * The command a draft cites with in parentheses: its own most frequent, else that of the files it
 * belongs to, else `first`, that of the package it loads. A draft with textual citations only gets
 * their counterpart.
 */
export function preferredCite(
  draft: string,
  others: () => Iterable<string>,
  first: () => string,
): string {
  return preferredIn(countCites([draft])) ?? preferredIn(countCites(others())) ?? first();
}

function preferredIn(counts: Map<string, number>): string | null {
  const single = new Map<string, number>();
  for (const [name, count] of counts) {
    if (!PARENTHETICAL.has(name) || /^citealp$/i.test(name)) continue;
    const base = name.replace(/s$/, '').replace(/^[A-Z]/, (letter) => letter.toLowerCase());
    single.set(base, (single.get(base) ?? 0) + count);
  }
  const best = [...single].sort((a, b) => b[1] - a[1])[0];
  if (best) return best[0];
  if (['citet', 'Citet', 'citealt', 'citealp'].some((name) => counts.has(name))) return 'citep';
  return counts.has('textcite') || counts.has('Textcite') ? 'parencite' : null;
}

/** A new citation as it stands behind a word; one set as a note or superscript takes no space. */
export function newLatexCite(command: string, key: string): string {
  return `${/^(?:foot|super|up)/.test(command) ? '' : '~'}\\${command}{${key}}`;
}
