/** What stands in a draft: a sentence, or a title. */
interface Piece {
  text: string;
  start: number;
  end: number;
}

const WORD = /[\p{L}\p{M}\p{N}_]/u;

/** A part of a sentence says where it was only if it is as long as this, in words, and stands once. */
const TELLING = 6;

/**
 * Where a text that was taken from a draft stands, though the draft may have changed since: the shortest run of pieces
 * whose joined text includes it. Of several, the one that starts nearest to `offset`; null where there is none. A part
 * of a sentence, which others may hold by chance, counts only in the sentence at `offset`, or where it is long and
 * stands once. White space of any kind and length is the same.
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
  const found: { start: number; end: number; whole: boolean }[] = [];
  let first = 0;
  for (let at = joined.indexOf(sought); at >= 0; at = joined.indexOf(sought, at + 1)) {
    const end = at + sought.length;
    // What was taken is whole words.
    if (cutsWord(joined, at) || cutsWord(joined, end)) continue;
    while ((ends[first] ?? Infinity) <= at) first += 1;
    let last = first;
    while ((ends[last] ?? Infinity) < end) last += 1;
    const run = pieces.slice(first, last + 1);
    found.push({
      start: run[0]?.start ?? 0,
      end: Math.max(...run.map((piece) => piece.end)),
      whole: oneSpace(run.map((piece) => piece.text).join(' ')) === sought,
    });
  }
  const telling = found.length === 1 && sought.split(' ').length >= TELLING;
  const [best] = found
    .filter(({ start, end, whole }) => whole || telling || (start <= offset && offset <= end))
    .sort((a, b) => Math.abs(a.start - offset) - Math.abs(b.start - offset));
  return best ? { start: best.start, end: best.end } : null;
}

function oneSpace(text: string): string {
  return text.replace(/\s+/g, ' ').trim();
}

/** Whether there is a word on both sides of a place. */
function cutsWord(text: string, at: number): boolean {
  return WORD.test(text[at - 1] ?? '') && WORD.test(text[at] ?? '');
}
