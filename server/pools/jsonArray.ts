/** Objects of a JSON array one by one, so that a malformed one hides no other. */

export type Item =
  { start: number; value: unknown } | { start: number; problem: string; value?: undefined };

/** Index behind the object or array that opens at an index, or -1 where it is never closed. */
function after(text: string, open: number): number {
  let depth = 0;
  const mark = /["{}[\]]/g;
  mark.lastIndex = open;
  for (let match = mark.exec(text); match; match = mark.exec(text)) {
    switch (match[0]) {
      case '"': {
        const end = afterString(text, match.index);
        if (end < 0) return -1;
        mark.lastIndex = end;
        break;
      }
      case '{':
      case '[':
        depth++;
        break;
      default:
        if (--depth === 0) return match.index + 1;
    }
  }
  return -1;
}

function afterString(text: string, quote: number): number {
  for (let at = quote + 1; ; at++) {
    const end = text.indexOf('"', at);
    if (end < 0) return -1;
    let slashes = 0;
    while (text[end - 1 - slashes] === '\\') slashes++;
    if (slashes % 2 === 0) return end + 1;
    at = end;
  }
}

/** Where the next object of the same shape begins, after one that is broken; or -1. */
function nextLike(text: string, start: number): number {
  const lineStart = text.lastIndexOf('\n', start - 1) + 1;
  const indent = text.slice(lineStart, start);
  const first = /\{\s*"((?:[^"\\]|\\.){1,60})"\s*:/y;
  first.lastIndex = start;
  const key = first.exec(text)?.[1];
  if (/^[ \t]*$/.test(indent) && lineStart > 0) {
    const found = text.indexOf(`\n${indent}{`, start + 1);
    if (found >= 0) return found + 1 + indent.length;
  }
  if (key === undefined) return -1;
  const same = /[}\]"]\s*,?\s*(\{\s*"((?:[^"\\]|\\.){1,60})"\s*:)/g;
  same.lastIndex = start + 1;
  for (let match = same.exec(text); match; match = same.exec(text)) {
    if (match[2] === key) return match.index + match[0].length - (match[1]?.length ?? 0);
    same.lastIndex = match.index + match[0].length - 1;
  }
  return -1;
}

/**
 * The objects of the array that opens at `open`, or those that follow each other there. One that is no valid
 * JSON is given with what is wrong, and reading goes on at the next.
 */
export function* objectsOf(text: string, open: number): Generator<Item> {
  let at = text[open] === '[' ? open + 1 : open;
  for (;;) {
    const start = text.indexOf('{', at);
    if (start < 0) return;
    // Behind the array's end nothing belongs to it.
    if (text.slice(at, start).includes(']')) return;
    const end = after(text, start);
    try {
      if (end < 0) throw new SyntaxError('it is never closed');
      yield { start, value: JSON.parse(text.slice(start, end)) as unknown };
      at = end;
    } catch (error) {
      if (!(error instanceof SyntaxError)) throw error;
      yield { start, problem: error.message };
      const next = nextLike(text, start);
      if (next >= 0 && (end < 0 || next < end)) at = next;
      else if (end >= 0) at = end;
      else return;
    }
  }
}
