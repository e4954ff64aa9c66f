/** Cleaning of single sentences before they are matched, embedded or paired. */

const LIGATURES: Readonly<Record<string, string>> = {
  '\ufb00': 'ff',
  '\ufb01': 'fi',
  '\ufb02': 'fl',
  '\ufb03': 'ffi',
  '\ufb04': 'ffl',
};
const LIGATURE = /[\ufb00-\ufb04]/g;
/** "(1)", "1)", "1.", "[3]", "(ii)", "a)", bullets and dashes that open a list's item. */
const LIST_MARKER =
  /^(?:(?:\(\s*(?:\d{1,2}|[ivx]{1,4}|[a-z])\s*\)|\[\s*\d{1,3}\s*\]|(?:\d{1,2}|[ivx]{1,4}|[a-h])\)|\d{1,2}\.(?=\s)|[•·▪◦‣*–—-]|#\d{1,2})[\s:.,]*)+/iu;
/** "[12]", "[3, 7]", "[1]–[4]", "[Smith, 2020]". */
const BRACKET_CITE =
  /\s*\[\s*(?:\d{1,3}(?:\s*[,;–-]\s*\d{1,3})*|[\p{Lu}][^[\]]{0,80}\b(?:19|20)\d\d[a-z]?)\s*\](?:\s*[,–-]\s*\[\s*\d{1,3}\s*\])*/gu;
/** "(Smith et al., 2020; Lee and Kim, 2019a)", "(see Kay 1996)". */
const NAMED_CITE =
  /\s*\(\s*(?:e\.g\.,?\s*|see(?: also)?,?\s*|cf\.\s*)?\p{Lu}[^()]{0,160}?\b(?:19|20)\d\d[a-z]?(?:\s*[,;][^()]{0,160})?\)/gu;
/** "Smith (2020)" keeps its name. */
const YEAR_CITE =
  /(?<=\p{L}\.?)\s*\(\s*(?:19|20)\d\d[a-z]?(?:\s*[,;]\s*(?:19|20)\d\d[a-z]?)*\s*\)/gu;
/** A hyphen that a line break left behind: "sentence- based", but not "two- and three-". */
const BROKEN = /(\p{Ll})- (?!and\b|or\b|to\b|nor\b|und\b)(?=\p{Ll})/gu;
const BEFORE_POINT = /\s+(?=[,.;:!?)\]])/g;
const WHITE = /\s+/g;
/** Whether any of the above can apply; most sentences of abstracts need nothing. */
const SUSPECT =
  /[[\]()•·▪◦‣#\ufb00-\ufb04\ufffd]|- |^[–—*-]| [,.;:!?)\]]|^\d|^[a-z]\)|\s\s|\t|\n/iu;

/**
 * A sentence without list markers, citations, ligatures, stray hyphens and spaces. What is left may
 * be empty.
 */
export function cleanSentence(raw: string): string {
  if (!SUSPECT.test(raw)) return raw.trim();
  let text = raw.replace(LIGATURE, (letter) => LIGATURES[letter] ?? letter).replace(/\ufffd/g, ' ');
  text = text.trim().replace(LIST_MARKER, '');
  if (text.includes('[')) text = text.replace(BRACKET_CITE, '');
  if (text.includes('(')) text = text.replace(NAMED_CITE, '').replace(YEAR_CITE, '');
  return text.replace(BROKEN, '$1-').replace(WHITE, ' ').replace(BEFORE_POINT, '').trim();
}

/** The text with its first letter as a capital, unless its first word has capitals of its own. */
export function recapitalise(text: string): string {
  const at = text.search(/[\p{L}\p{N}]/u);
  if (at < 0 || at > 2) return text;
  const word = /^[\p{L}\p{N}]+/u.exec(text.slice(at))?.[0] ?? '';
  if (/\p{Lu}/u.test(word)) return text;
  const first = String.fromCodePoint(text.codePointAt(at) ?? 0);
  return text.slice(0, at) + first.toUpperCase() + text.slice(at + first.length);
}
