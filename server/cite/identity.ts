/**
 * When two records are the same paper: DOI, arXiv id and title in forms that can be compared; and
 * whether a record is of anything published.
 */
import type { Paper } from '../engine/engine';

/** How the ids of papers begin that are a LaTeX or Markdown file on the user's disk. */
export const FILE_ID = 'note:';

/** Whether a record is of a file alone, without the DOI or address of something published. */
export function isUnpublished({ id, doi, url }: Pick<Paper, 'id' | 'doi' | 'url'>): boolean {
  return id.startsWith(FILE_ID) && !doi && !url;
}

const RESOLVER = /^(?:doi\s*[:=]\s*|(?:https?:\/\/)?(?:dx\.|www\.)?doi\.org\/)/i;
const DOI = /10\.\d{4,9}\/[^\s,;]+(?:[,;][^\s,;]+)*/;

/**
 * A DOI as registrars compare it: without resolver, TeX escapes and percent encoding, in lower
 * case. Null where the text holds no DOI at its start.
 */
export function normaliseDoi(raw: string | null | undefined): string | null {
  if (!raw) return null;
  let doi = raw
    .replace(/\\textunderscore\s*(?:\{\})?/g, '_')
    .replace(/\$([<>])\$/g, '$1')
    .replace(/\\([_%&#$~])/g, '$1')
    .replace(/[{}]/g, '')
    .trim();
  for (let before = ''; before !== doi;) {
    before = doi;
    doi = doi.replace(RESOLVER, '').trim();
  }
  if (/%[0-9a-f]{2}/i.test(doi)) {
    try {
      doi = decodeURIComponent(doi);
    } catch {
      // Not percent encoding after all: compare it as written.
    }
  }
  const match = DOI.exec(doi);
  if (!match || match.index !== 0) return null;
  return match[0].replace(/[.,;]+$/, '').toLowerCase();
}

/** The DOI behind a resolver's address or a `doi:` in running text, or null. */
export function doiInText(text: string): string | null {
  if (!/doi/i.test(text)) return null;
  const match = /(?:doi\.org\/|\bdoi\s*[:=]\s*)(10\.\S+)/i.exec(text);
  return match?.[1] ? normaliseDoi(match[1].replace(/[)\]>"']+$/, '')) : null;
}

const NEW_ID = String.raw`\d{4}\.\d{4,5}`;
const OLD_ID = String.raw`[a-z]+(?:-[a-z]+)?(?:\.[a-z]{2})?\/\d{7}`;
const BARE = new RegExp(
  `^(?:arxiv\\s*:\\s*)?(${NEW_ID}|${OLD_ID})(?:v\\d+)?(?:\\s*\\[[^\\]]*\\])?$`,
  'i',
);
const IN_TEXT = new RegExp(
  String.raw`(?:arxiv\.org\/(?:abs|pdf|html|format|e-print)\/|10\.48550\/arxiv\.|arxiv\s*[:.\s]\s*|\babs\/)` +
    `(${NEW_ID}|${OLD_ID})(?![\\d])`,
  'i',
);

/** The arXiv id that a whole string is (`2101.00001v2`, `arXiv:hep-th/9901001`), without version. */
export function bareArxivId(text: string | null | undefined): string | null {
  const match = text ? BARE.exec(text.trim()) : null;
  return match?.[1]?.toLowerCase() ?? null;
}

/** The arXiv id that a text names as such (an address, a DOI, "arXiv:…"), without version. */
export function arxivIdInText(text: string | null | undefined): string | null {
  const match = text && /arxiv|abs\//i.test(text) ? IN_TEXT.exec(text) : null;
  return match?.[1]?.toLowerCase() ?? null;
}

/** arXiv id of a paper's record, from its id, DOI or address; null where it has none. */
export function arxivIdOf(paper: {
  id: string;
  doi: string | null;
  url: string | null;
}): string | null {
  return bareArxivId(paper.id) ?? arxivIdInText(paper.doi) ?? arxivIdInText(paper.url);
}

const LETTERS: Record<string, string> = {
  ß: 'ss',
  ẞ: 'SS',
  ø: 'o',
  Ø: 'O',
  ł: 'l',
  Ł: 'L',
  đ: 'd',
  Đ: 'D',
  ð: 'd',
  Ð: 'D',
  þ: 'th',
  Þ: 'Th',
  æ: 'ae',
  Æ: 'Ae',
  œ: 'oe',
  Œ: 'Oe',
  ı: 'i',
  ŋ: 'n',
  ħ: 'h',
};

/** Letters without their marks: é → e, ø → o, ß → ss. Other scripts stay as they are. */
export function foldLetters(text: string): string {
  if (/^[\0-\x7f]*$/.test(text)) return text;
  return text
    .normalize('NFKD')
    .replace(/\p{M}+/gu, '')
    .replace(/[ßẞøØłŁđĐðÐþÞæÆœŒıŋħ]/g, (letter) => LETTERS[letter] ?? letter);
}

const TEX_LETTERS: Record<string, string> = {
  ss: 'ss',
  o: 'o',
  O: 'O',
  l: 'l',
  L: 'L',
  ae: 'ae',
  AE: 'Ae',
  oe: 'oe',
  OE: 'Oe',
  aa: 'a',
  AA: 'A',
  i: 'i',
  j: 'j',
  dh: 'd',
  DH: 'D',
  dj: 'd',
  DJ: 'D',
  th: 'th',
  TH: 'Th',
  ng: 'n',
  ell: 'l',
  texttrademark: 'TM',
};
const GREEK =
  'alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu nu xi omicron pi rho sigma sigma tau upsilon phi chi psi omega'.split(
    ' ',
  );
/** Commands that print their name. */
const NAMED = new Set([...GREEK, 'latex', 'tex', 'bibtex']);
const VARIANT = /^var(?=epsilon|theta|phi|rho|sigma|pi)/;

/** Plain, mark-free text of a TeX string, good for comparing (not for showing). */
export function plainTex(tex: string): string {
  if (!tex.includes('\\')) return foldLetters(tex.replace(/[{}$]/g, ''));
  const text = tex
    .replace(/\{?\\textbackslash\s*(?:\{\})?\}?/g, '\\')
    .replace(/\\["'`^~=.]\s*/g, '')
    .replace(/\\([a-zA-Z]+)\s*(?:\{\})?/g, (_, name: string) => {
      const letter = TEX_LETTERS[name];
      if (letter !== undefined) return letter;
      // What remains sets its text apart, or prints a sign that is not compared.
      const symbol = name.replace(VARIANT, '');
      return NAMED.has(symbol.toLowerCase()) ? symbol : '';
    })
    .replace(/\\(.)/g, '$1');
  return foldLetters(text.replace(/[{}$]/g, ''));
}

/**
 * A title as it is compared: letters and digits only, in lower case, without TeX, accents, case,
 * spaces and punctuation. Empty where the title holds no letter or digit.
 */
export function normaliseTitle(title: string): string {
  const plain = plainTex(title)
    .replace(/&(?:amp;)*/gi, ' and ')
    .toLowerCase();

  if (/^[\0-\x7f]*$/.test(plain)) return plain.replace(/[^a-z0-9]+/g, '');
  return plain
    .replace(/[\u03b1-\u03c9]/g, (letter) => GREEK[letter.charCodeAt(0) - 0x3b1] ?? letter)
    .replace(/[^\p{L}\p{N}]+/gu, '');
}
