/** A new entry's key, made the way the file's other keys are made. */
import { fieldOf, type BibEntry } from './bibScan';
import { foldLetters, plainTex } from './identity';
import { parseName, type Name } from './names';

export interface KeyParts {
  /** Family names, folded to ASCII letters, without particles. */
  families: string[];
  year: string;
  /** Words of the title, folded, in their own case. */
  words: string[];
  /** Words without articles, prepositions and the like. */
  significant: string[];
}

const STOP_WORDS = new Set(
  'a an the on of for in to and or from with by at as is are be via into its it how what why when do does can towards toward using over under between through un une le la les der die das ein eine'.split(
    ' ',
  ),
);
const ascii = (text: string) => foldLetters(text).replace(/[^A-Za-z0-9]+/g, '');
const title = (word: string) => word.charAt(0).toUpperCase() + word.slice(1);

/** What a new key can be made of; `year` is taken as it is, names without a family name, and “others”, are left out. */
export function keyParts(names: readonly Name[], year: string, paperTitle: string): KeyParts {
  const words = plainTex(paperTitle)
    .split(/[^\p{L}\p{N}]+/u)
    .map(ascii)
    .filter(Boolean);
  const significant = words.filter((word) => !STOP_WORDS.has(word.toLowerCase()));
  return {
    families: names
      .map((name) => ascii(name.last || name.literal))
      .filter((name) => name && name !== 'others'),
    year,
    words,
    significant: significant.length > 0 ? significant : words,
  };
}

type Part =
  'author' | 'Author' | 'authors' | 'year' | 'yy' | 'word' | 'Word' | 'etal' | 'initials' | 'first';

interface Pattern {
  parts: Part[];
  /** Between the parts: one for all, or one for each gap. */
  separators: string[];
}

function partText(part: Part, parts: KeyParts): string | null {
  const family = parts.families[0];
  switch (part) {
    case 'author':
      return family?.toLowerCase() ?? null;
    case 'Author':
      return family ? title(family) : null;
    case 'authors':
      return parts.families.length > 0 && parts.families.length <= 6
        ? parts.families.join('_').toLowerCase()
        : null;
    case 'initials':
      // DBLP: "ChristianoLBMLA17", a lone author whole.
      return family
        ? title(family) +
            parts.families
              .slice(1, 8)
              .map((name) => name.charAt(0).toUpperCase())
              .join('')
        : null;
    case 'etal':
      if (!family) return null;
      if (parts.families.length > 2) return `${family.toLowerCase()}-etal`;
      return parts.families.join('-').toLowerCase();
    case 'year':
      return parts.year || null;
    case 'yy':
      return parts.year.slice(-2) || null;
    case 'word':
      return parts.significant[0]?.toLowerCase() ?? null;
    case 'Word':
      return parts.significant[0] ? title(parts.significant[0]) : null;
    case 'first':
      return parts.words[0]?.toLowerCase() ?? null;
  }
}

const SHAPES: Part[][] = [
  ['author', 'year', 'word'],
  ['author', 'year', 'first'],
  ['Author', 'year', 'Word'],
  ['Author', 'year', 'word'],
  ['author', 'year'],
  ['Author', 'year'],
  ['author', 'yy'],
  ['Author', 'yy'],
  ['author', 'word', 'year'],
  ['Author', 'Word', 'year'],
  ['Author', 'word', 'year'],
  ['author', 'yy', 'word'],
  ['Author', 'yy', 'Word'],
  ['etal', 'year', 'word'],
  ['etal', 'year'],
  ['authors', 'year'],
  ['initials', 'yy'],
  ['word', 'year'],
  ['Word', 'year'],
  ['author', 'word'],
  ['Author', 'Word'],
  ['year', 'author'],
  ['word'],
  ['Word'],
];

const PATTERNS: Pattern[] = SHAPES.flatMap((parts) => {
  const uniform = parts.length === 1 ? [''] : ['', '_', '-', ':', '.'];
  const patterns = uniform.map((separator): Pattern => ({
    parts,
    separators: [separator, separator],
  }));
  // "Brown:2017word" and "brown:2017-word".
  if (parts.length === 3)
    patterns.push({ parts, separators: [':', ''] }, { parts, separators: [':', '-'] });
  return patterns;
});
const DEFAULT: Pattern = { parts: ['author', 'year', 'word'], separators: ['', ''] };

function fill(pattern: Pattern, parts: KeyParts, lenient: boolean): string | null {
  let key = '';
  for (const [i, part] of pattern.parts.entries()) {
    const text = partText(part, parts);
    if (text === null && !lenient) return null;
    if (text !== null) key += (key ? (pattern.separators[i - 1] ?? '') : '') + text;
  }
  return key || null;
}

/** Shapes of keys whose words do not come from the entry as such (a nickname, a short form). */
const LOOKS: [RegExp, Pattern][] = [
  [/^[a-z]+(?:19|20)\d\d[a-z]{2,}$/, DEFAULT],
  [
    /^[A-Z][A-Za-z]+(?:19|20)\d\d[A-Z][A-Za-z0-9]+$/,
    { parts: ['Author', 'year', 'Word'], separators: ['', ''] },
  ],
  [
    /^[A-Z][A-Za-z]+(?:19|20)\d\d[a-z]{2,}$/,
    { parts: ['Author', 'year', 'word'], separators: ['', ''] },
  ],
  [/^[a-z]+(?:19|20)\d\d[a-z]?$/, { parts: ['author', 'year'], separators: [''] }],
  [/^[A-Z][A-Za-z]+(?:19|20)\d\d[a-z]?$/, { parts: ['Author', 'year'], separators: [''] }],
  [/^[A-Z][A-Za-z]+:(?:19|20)\d\d[a-z]*$/, { parts: ['Author', 'year'], separators: [':'] }],
  [/^[a-z]+:(?:19|20)\d\d[a-z]?$/, { parts: ['author', 'year'], separators: [':'] }],
  [/^[A-Z][A-Za-z]+_(?:19|20)\d\d$/, { parts: ['Author', 'year'], separators: ['_'] }],
  [/^[a-z]+_(?:19|20)\d\d$/, { parts: ['author', 'year'], separators: ['_'] }],
  [
    /^[a-z]+_[a-z0-9-]+_(?:19|20)\d\d$/,
    { parts: ['author', 'word', 'year'], separators: ['_', '_'] },
  ],
  [
    /^[a-z]+-etal-(?:19|20)\d\d-[a-z]+$/,
    { parts: ['etal', 'year', 'word'], separators: ['-', '-'] },
  ],
  [/^[A-Z][a-z]+\d\d[a-z]?$/, { parts: ['Author', 'yy'], separators: [''] }],
  [/^[a-z]+\d\d[a-z]?$/, { parts: ['author', 'yy'], separators: [''] }],
  [/^[A-Z][a-z]+[A-Z]{1,8}\d\d[a-z]?$/, { parts: ['initials', 'yy'], separators: [''] }],
];

function entryParts(entry: BibEntry): KeyParts {
  const authors = (fieldOf(entry, 'author', 'editor') ?? '').replace(/\s+/g, ' ');
  const names = authors
    .split(' and ')
    .slice(0, 12)
    .map((name) => parseName(/^\{[^{}]*\}$/.test(name.trim()) ? name : plainTex(name)));
  const year = /(?:15|16|17|18|19|20)\d\d/.exec(fieldOf(entry, 'year', 'date') ?? '')?.[0] ?? '';
  return keyParts(names, year, fieldOf(entry, 'title') ?? '');
}

/** The pattern most keys of a file follow, and their common prefix ("DBLP:…"). */
function habit(entries: readonly BibEntry[]): { pattern: Pattern; dblp: boolean } {
  const keyed = entries.filter((entry) => entry.key).slice(-200);
  const dblp = keyed.filter((entry) => /^DBLP:/.test(entry.key)).length * 2 > keyed.length;
  const votes = new Map<Pattern, number>();
  const looks = new Map<Pattern, number>();
  for (const entry of keyed) {
    const parts = entryParts(entry);
    const plainKey = entry.key.replace(/(?<=\d)[a-d]$/, '');
    for (const pattern of PATTERNS) {
      const made = fill(pattern, parts, false);
      if (made !== null && (made === entry.key || made === plainKey))
        votes.set(pattern, (votes.get(pattern) ?? 0) + 1);
    }
    const look = LOOKS.find(([shape]) => shape.test(entry.key));
    if (look) looks.set(look[1], (looks.get(look[1]) ?? 0) + 1);
  }
  const best = (counts: Map<Pattern, number>) => [...counts].sort((a, b) => b[1] - a[1])[0];
  const exact = best(votes);
  const alike = best(looks);
  // Keys of one word are names of methods ("adam"): not a habit that can be followed.
  if (exact && exact[0].parts.length > 1 && exact[1] * 4 >= keyed.length)
    return { pattern: exact[0], dblp };
  if (alike && alike[1] * 10 >= keyed.length * 4) return { pattern: alike[0], dblp };
  return { pattern: DEFAULT, dblp };
}

export interface KeyRequest {
  parts: KeyParts;
  arxivId: string | null;
  venue: string | null;
  entries: readonly BibEntry[];
  /** True for a key that is taken, case aside. */
  taken: (key: string) => boolean;
}

/** A key in the file's habit (Google Scholar's, `brown2017adversarial`, where it has none). */
export function makeKey({ parts, arxivId, venue, entries, taken }: KeyRequest): string {
  const { pattern, dblp } = habit(entries);
  let base = fill(pattern, parts, true) ?? '';
  if (!/[A-Za-z]/.test(base))
    base = `${parts.significant[0]?.toLowerCase() ?? 'paper'}${parts.year}`;
  if (dblp) base = dblpKey(parts, arxivId, venue) ?? base;
  base = base.slice(0, 80);
  if (!taken(base)) return base;
  for (let n = 0; ; n++) {
    const key = base + suffix(n);
    if (!taken(key)) return key;
  }
}

function dblpKey(parts: KeyParts, arxivId: string | null, venue: string | null): string | null {
  if (arxivId) return `DBLP:journals/corr/abs-${arxivId.replace(/[./]/g, '-')}`;
  const series = ascii((venue ?? '').replace(/\b(?:19|20)\d\d\b/g, '')).toLowerCase();
  const name = partText('initials', parts);
  return name && series && series.length <= 12
    ? `DBLP:conf/${series}/${name}${parts.year.slice(-2)}`
    : null;
}

/** a, b, … z, aa, ab, … */
function suffix(n: number): string {
  return (n >= 26 ? suffix(Math.floor(n / 26) - 1) : '') + String.fromCharCode(97 + (n % 26));
}
