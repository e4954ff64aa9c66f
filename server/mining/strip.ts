/** Finds the markers that open a sentence and takes them off. */
import { cleanSentence, recapitalise } from './clean';
import { firstWords, matchClause, matchExtension } from './lexicon/connectives';
import { isRejected, lexicon } from './lexicon/lexicon';
import { SUBJECTS } from './lexicon/slots';
import type { Marker } from './lexicon/types';

/** Words of a marker at most; what is further on is not looked at. */
const WINDOW = 14;
/** Markers that are taken off one sentence at most: "therefore, in this paper, to this end, …". */
const LAYERS = 3;
/** A text that would be left shorter than this keeps its marker. UTF-16 units. */
const SHORTEST_REST = 12;

interface Node {
  next: Map<string, Node> | null;
  marker: Marker | null;
}

let root: Node | undefined;

function tree(): Node {
  if (root) return root;
  const top: Node = { next: null, marker: null };
  for (const marker of lexicon()) {
    let at = top;
    for (const word of marker.text.split(' ')) {
      at.next ??= new Map();
      let next = at.next.get(word);
      if (!next) at.next.set(word, (next = { next: null, marker: null }));
      at = next;
    }
    at.marker = marker;
  }
  return (root = top);
}

let firsts: ReadonlySet<string> | undefined;

/** Whether some marker begins with the text's first word: most sentences stop here. */
function mayOpen(text: string): boolean {
  firsts ??= new Set([...(tree().next?.keys() ?? []), ...firstWords()]);
  const end = /[\s,:]/.exec(text)?.index ?? text.length;
  return firsts.has(text.slice(0, end).toLowerCase());
}

/** The words that open a text, in lower case, with where they end in it. */
interface Opening {
  words: string[];
  /** Offset after each word, its comma left out. */
  ends: number[];
  /** Index of the first word with a comma (or colon) after it; -1 where there is none. */
  comma: number;
}

function openingOf(text: string): Opening {
  const words: string[] = [];
  const ends: number[] = [];
  let comma = -1;
  let at = 0;
  while (at < text.length && words.length < WINDOW) {
    let end = text.indexOf(' ', at);
    if (end < 0) end = text.length;
    let stop = end;
    const last = text.charCodeAt(end - 1);
    const marked = last === 44 || last === 58;
    if (marked) stop--;
    if (stop > at) {
      words.push(text.slice(at, stop).toLowerCase().replace('\u2019', "'"));
      ends.push(stop);
      if (marked && comma < 0) comma = words.length - 1;
    }
    at = end + 1;
  }
  return { words, ends, comma };
}

/** A marker at the beginning of a text. */
export interface Found {
  /** As written, in lower case, without its comma. */
  text: string;
  /** The entry, or what stands for one where a connective was extended. */
  marker: Marker;
  /** What a verdict on it is filed under: its text, or the family of its connective. */
  family: string;
  /** Offset of the rest of the sentence. */
  end: number;
}

const SUBJECT_STARTS = new Set([...SUBJECTS].map((subject) => subject.split(' ')[0] ?? ''));

/** Whether a subject that needs no comma before it begins at word `at`. */
function subjectAt(words: readonly string[], at: number): boolean {
  if (!SUBJECT_STARTS.has(words[at] ?? '')) return false;
  for (let length = 1; length <= 3; length++) {
    if (SUBJECTS.has(words.slice(at, at + length).join(' '))) return true;
  }
  return false;
}

function find(text: string): Found | null {
  if (!mayOpen(text)) return null;
  const opening = openingOf(text);
  const { words, ends, comma } = opening;
  let node: Node | undefined = tree();
  let best = -1;
  let entry: Marker | null = null;
  for (let i = 0; i < words.length; i++) {
    node = node.next?.get(words[i] ?? '');
    if (!node) break;
    const { marker } = node;
    if (marker && fits(marker, words, i, comma)) {
      best = i;
      entry = marker;
    }
    if (i === comma) break;
  }
  const extended = extension(words, comma);
  if (extended && extended.words - 1 > best) {
    return found(text, words, ends, extended.words - 1, extended.marker, extended.family);
  }
  return entry ? found(text, words, ends, best, entry, entry.text) : null;
}

function fits(marker: Marker, words: readonly string[], at: number, comma: number): boolean {
  if (marker.ending === 'open') return at !== comma;
  if (at === comma) return true;
  return marker.ending === 'loose' && subjectAt(words, at + 1);
}

function extension(
  words: readonly string[],
  comma: number,
): { words: number; marker: Marker; family: string } | null {
  // "To address these issues we use …": the subject ends the phrase where no comma does.
  let end = comma;
  const limit = comma < 0 ? words.length : comma;
  for (let i = 2; i < limit; i++) {
    if (subjectAt(words, i)) {
      end = i - 1;
      break;
    }
  }
  const match = matchExtension(words, end) ?? matchClause(words, comma);
  if (!match) return null;
  const text = words.slice(0, match.words).join(' ');
  return {
    words: match.words,
    family: match.family,
    marker: {
      text,
      signal: isRejected(match.family) || isRejected(text) ? 'common-irrelevant' : 'address',
      provenance: 'connective',
      ending: 'loose',
      when: null,
      reversible: false,
    },
  };
}

function found(
  text: string,
  words: readonly string[],
  ends: readonly number[],
  last: number,
  marker: Marker,
  family: string,
): Found {
  const stop = ends[last] ?? text.length;
  const end = stop + (/^[,:\s]*/.exec(text.slice(stop))?.[0].length ?? 0);
  return { text: words.slice(0, last + 1).join(' '), marker, family, end };
}

/** A sentence without its opening. */
export interface Stripped {
  /** Cleaned, without its markers, with a capital. */
  text: string;
  /** Its markers, in lower case, joined by commas; null where it has none. */
  marker: string | null;
}

/** Rests that a marker does not leave: "and …", "which …", a verb. */
const NO_SENTENCE =
  /^(?:and|or|but|nor|which|who|as well as|is|are|was|were|has|have|by|(?:also )?(?:provided|given|discussed|presented|shown|described|reported|included|used|studied|considered|analy[sz]ed|demonstrated))\b/i;

/** A marker that stays in its sentence, and what is the matter with the rest. */
export interface Refused {
  found: Found;
  reason: 'no-sentence' | 'short-rest';
}

/** A sentence with all that was found at its beginning, and the marker that could not be taken off. */
export function readOpening(
  sentence: string,
): Stripped & { found: Found[]; refused: Refused | null } {
  let text = cleanSentence(sentence);
  const all: Found[] = [];
  let refused: Refused | null = null;
  for (let layer = 0; layer < LAYERS; layer++) {
    const next = find(text);
    if (!next) break;
    const rest = text.slice(next.end);
    if (rest.length < SHORTEST_REST) refused = { found: next, reason: 'short-rest' };
    else if (NO_SENTENCE.test(rest)) refused = { found: next, reason: 'no-sentence' };
    if (refused) break;
    all.push(next);
    text = rest;
  }
  return {
    text: recapitalise(text),
    marker: all.length === 0 ? null : all.map(({ text: marker }) => marker).join(', '),
    found: all,
    refused,
  };
}

/**
 * The text of a sentence as it is embedded, in training and in the product: cleaned, its opening
 * markers stripped, re-capitalised. What is shown is the sentence itself.
 */
export function stripMarker(sentence: string): Stripped {
  const { text, marker } = readOpening(sentence);
  return { text, marker };
}
