/**
 * Compact notation for families of phrases: `(a|b|)` is a choice, empty alternatives included, and
 * choices may be nested: `in (a|the) (much |)broader sense`.
 */

/** Every phrase that a pattern stands for, in order, each once. Throws on unbalanced brackets. */
export function expand(pattern: string): string[] {
  const { phrases, end } = alternatives(pattern, 0, false);
  if (end !== pattern.length) throw new Error(`Unbalanced bracket in "${pattern}"`);
  return [...new Set(phrases.map((phrase) => phrase.replace(/\s+/g, ' ').trim()))];
}

function alternatives(
  pattern: string,
  from: number,
  inside: boolean,
): { phrases: string[]; end: number } {
  const done: string[] = [];
  let open: string[] = [''];
  let at = from;
  while (at < pattern.length) {
    const character = pattern.charAt(at);
    if (character === '(') {
      const inner = alternatives(pattern, at + 1, true);
      open = open.flatMap((start) => inner.phrases.map((end) => start + end));
      at = inner.end;
    } else if (character === ')' && inside) {
      return { phrases: [...done, ...open], end: at + 1 };
    } else if (character === ')') {
      return { phrases: [...done, ...open], end: at };
    } else if (character === '|') {
      done.push(...open);
      open = [''];
      at++;
    } else {
      open = open.map((start) => start + character);
      at++;
    }
  }
  if (inside) throw new Error(`Unbalanced bracket in "${pattern}"`);
  return { phrases: [...done, ...open], end: at };
}
