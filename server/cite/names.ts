/** Author names as BibTeX wants them: "von Last, Jr, First", organisations in braces. */
import { cleanText, escapeTex, type EscapeOptions } from './texEscape';

export interface Name {
  first: string;
  /** Lower-case particle of the family name: van der, de la. */
  von: string;
  last: string;
  suffix: string;
  /** Set for organisations, which are not taken apart. */
  literal: string;
}

const MOST_AUTHORS = 100;
const SUFFIX = /^(?:jr\.?|sr\.?|ii|iii|iv)$/i;
/** Capitalised particles that belong to the family name after them. */
const CAPITAL_PARTICLE =
  /^(?:Van|Von|Vanden|De|Del|Della|Di|Da|Dos|Du|El|Al|Bin|Ibn|Ter|Ten|St\.|San)$/;
const ORGANISATION =
  /\b(?:team|consortium|collaboration|group|institute|university|association|committee|project|foundation|labs?|laboratory|agency|centre|center|organi[sz]ation|corporation|company|inc\.?|ltd\.?|gmbh|society|council|commission|department|initiative|community|network|working party|task force|contributors|developers|openai|google|deepmind|microsoft|nvidia|anthropic|meta ai)\b/i;

const person = (first: string, von: string, last: string, suffix = ''): Name => ({
  first,
  von,
  last,
  suffix,
  literal: '',
});
const organisation = (literal: string): Name => ({
  first: '',
  von: '',
  last: '',
  suffix: '',
  literal,
});

const isParticle = (word: string) => /^(?:\p{Ll}|d'|[dl]’)/u.test(word);

/**
 * What ties the words of a part of a name that would be taken apart otherwise: a no-break space, so
 * that the name is shown as it is read. All words of an organisation's name are tied.
 */
const TIE = '\u00a0';
const tie = (text: string) => text.replace(/\s+/g, TIE);
const untie = (text: string) => text.replaceAll(TIE, ' ');

/** A name as text, without the ties that {@link authorName} puts into it. */
export const plainName = untie;

/**
 * The name of a source that states its parts, as "First von Last, Jr" without the comma. Where
 * {@link parseName} would part it otherwise its words are tied. Without a first name and with
 * several words it is an organisation's.
 */
export function authorName(parts: { first?: string; family: string; suffix?: string }): string {
  const { first = '', family, suffix = '' } = parts;
  const join = (...words: string[]) => words.filter((word) => word !== '').join(' ');
  const plain = join(first, family, suffix);
  if (first === '') return suffix === '' && parseName(plain).literal === '' ? tie(plain) : plain;
  const name = parseName(plain);
  const same =
    name.first === first && join(name.von, name.last) === family && name.suffix === suffix;
  return same ? plain : join(tie(first), tie(family), suffix);
}

/** Takes one name apart; it may read "First von Last, Jr", "von Last, First" or be no person's. */
export function parseName(raw: string): Name {
  // One group of braces around it all is how BibTeX keeps an organisation's name together.
  const whole = /^\s*\{([^{}]*)\}\s*$/.exec(raw)?.[1]?.trim();
  if (whole) return organisation(untie(whole));
  const text = raw.replace(/[{}]/g, '').trim();
  if (text.includes(TIE)) return parseTied(text);
  const parts = text.split(/\s*,\s*/).filter(Boolean);
  if (ORGANISATION.test(text) && !/^[^,]+,\s*\p{Lu}\.?$/u.test(text)) return organisation(text);
  if (parts.length > 3) return organisation(text);
  if (parts.length === 3) {
    const suffix = parts.findIndex((part) => SUFFIX.test(part));
    if (suffix < 1) return organisation(text);
    const [family = '', first = ''] = parts.filter((_, i) => i !== suffix);
    return { ...splitFamily(family), first, suffix: parts[suffix] ?? '' };
  }
  if (parts.length === 2) {
    const [left = '', right = ''] = parts;
    if (SUFFIX.test(right)) return { ...parseName(left), suffix: right };
    return { ...splitFamily(left), first: right };
  }
  const words = (parts[0] ?? text).split(/\s+/);
  if (words.length === 1) {
    // "OpenAI", "DeepSeek-AI" and "NLLB" are not surnames.
    return /\p{Ll}\p{Lu}\p{Lu}|\p{Ll}\p{Lu}.*-|^\p{Lu}{3,}$|-\p{Lu}{2,}$/u.test(text)
      ? organisation(text)
      : person('', '', text);
  }
  let suffix = '';
  if (words.length > 2 && SUFFIX.test(words.at(-1) ?? '')) suffix = words.pop() ?? '';
  let cut = words.length - 1;
  const lower = words.findIndex((word, i) => i > 0 && i < cut && isParticle(word));
  if (lower > 0) cut = lower;
  else while (cut > 1 && CAPITAL_PARTICLE.test(words[cut - 1] ?? '')) cut--;
  return {
    ...splitFamily(words.slice(cut).join(' ')),
    first: words.slice(0, cut).join(' '),
    suffix,
  };
}

/** A name with tied words: the last is the family name, one alone an organisation. */
function parseTied(text: string): Name {
  const words = text.split(/ +/);
  if (words.length === 1) return organisation(untie(text));
  const suffix = words.length > 2 && SUFFIX.test(words.at(-1) ?? '') ? (words.pop() ?? '') : '';
  const family = untie(words.pop() ?? '');
  return { ...splitFamily(family), first: untie(words.join(' ')), suffix };
}

/** "van der Berg": everything up to the last lower-case word is the particle, as in BibTeX. */
function splitFamily(family: string): Name {
  const words = family.split(/\s+/);
  const last = isParticle(words[0] ?? '') ? words.slice(0, -1).findLastIndex(isParticle) + 1 : 0;
  return person('', words.slice(0, last).join(' '), words.slice(last).join(' '));
}

/** Names of a record: joined ones are parted, repeated and empty ones left out. */
export function parseNames(authors: readonly string[]): Name[] {
  const names: Name[] = [];
  const seen = new Set<string>();
  for (const author of authors.slice(0, MOST_AUTHORS * 4)) {
    const tied = author.length <= 200 && author.includes(TIE);
    const clean = tied
      ? author
          .split(TIE)
          .map((word) => cleanText(word, 200))
          .filter((word) => word !== '')
          .join(TIE)
      : cleanText(author, 200);
    const parts = tied || ORGANISATION.test(clean) ? [clean] : clean.split(/\s+(?:and|&)\s+/i);
    for (const part of parts) {
      const text = part.trim();
      if (!/[\p{L}\p{N}]/u.test(text) || seen.has(text)) continue;
      seen.add(text);
      names.push(/^(?:others|et\.? al\.?)$/i.test(text) ? organisation('others') : parseName(text));
    }
  }
  return names;
}

/** One name in BibTeX's "von Last, Jr, First" order. */
export function formatName(name: Name, options: EscapeOptions): string {
  const tex = (text: string) => escapeTex(text, options);
  // A bare "and" inside a name would part it.
  const guard = (text: string) => tex(text).replace(/(^|\s)(and|others)(?=\s|$)/gi, '$1{$2}');
  if (name.literal === 'others') return 'others';
  if (name.literal) return `{${tex(name.literal)}}`;
  const family = [guard(name.von), guard(name.last)].filter(Boolean).join(' ');
  // Without a first name the parts would be told apart by spaces: one pair of braces keeps them.
  if (!name.first) return /[\s,]/.test(family) ? `{${family}}` : family;
  return [family, ...(name.suffix ? [guard(name.suffix)] : []), guard(name.first)].join(', ');
}

/** The author field: names joined by "and"; the very longest lists end with "and others". */
export function formatNames(names: readonly Name[], options: EscapeOptions): string {
  const shown = names.slice(0, MOST_AUTHORS).map((name) => formatName(name, options));
  if (names.length > MOST_AUTHORS) shown.push('others');
  return shown.join(' and ');
}
