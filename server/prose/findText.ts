/** What stands in a draft: a sentence, or a title. */
interface Piece {
  text: string;
  start: number;
  end: number;
}

const WORD = /[\p{L}\p{M}\p{N}_]/u;

/**
 * Where a text that was taken from a draft stands, though the draft may have changed since: the shortest run of pieces
 * whose joined text includes it. Of several, the one that starts nearest to `offset`; null where there is none. White
 * space of any kind and length is the same.
 */
export function findText(
  pieces: readonly Piece[],
  text: string,
  offset: number,
): { start: number; end: number } | null {
  const sought = oneSpace(text);
  if (sought === '') return null;
  let joined = '';
  const ends = pieces.map((piece) => (joined += `${oneSpace(piece.text)} `).length);
  let best: { start: number; end: number } | null = null;
  let first = 0;
  for (let at = joined.indexOf(sought); at >= 0; at = joined.indexOf(sought, at + 1)) {
    const end = at + sought.length;
    // What was taken is whole words.
    if (cutsWord(joined, at) || cutsWord(joined, end)) continue;
    while ((ends[first] ?? Infinity) <= at) first += 1;
    let last = first;
    while ((ends[last] ?? Infinity) < end) last += 1;
    const run = pieces.slice(first, last + 1);
    const start = run[0]?.start ?? 0;
    if (best !== null && Math.abs(best.start - offset) <= Math.abs(start - offset)) continue;
    best = { start, end: Math.max(...run.map((piece) => piece.end)) };
  }
  return best;
}

function oneSpace(text: string): string {
  return text.replace(/\s+/g, ' ').trim();
}

/** Whether there is a word on both sides of a place. */
function cutsWord(text: string, at: number): boolean {
  return WORD.test(text[at - 1] ?? '') && WORD.test(text[at] ?? '');
}
