/**
 * Plain text as TeX that only prints. A paper's record is foreign text: whatever it holds, the
 * result has balanced braces, no command but those written here, and no line end or control
 * character. `\{` will not do for a brace: BibTeX counts it as one all the same.
 */

const SPECIAL: Record<string, string> = {
  '&': '\\&',
  '%': '\\%',
  $: '\\$',
  '#': '\\#',
  _: '\\_',
  '{': '{\\textbraceleft}',
  '}': '{\\textbraceright}',
  '~': '{\\textasciitilde}',
  '^': '{\\textasciicircum}',
  '\\': '{\\textbackslash}',
  '<': '{\\textless}',
  '>': '{\\textgreater}',
  '|': '{\\textbar}',
};

const PUNCTUATION: Record<string, string> = {
  '\u2018': '`',
  '\u2019': "'",
  '\u201c': '``',
  '\u201d': "''",
  '\u2010': '-',
  '\u2011': '-',
  '\u2012': '--',
  '\u2013': '--',
  '\u2014': '---',
  '\u2015': '---',
  '\u2026': '{\\ldots}',
  '\u00a0': ' ',
  '\u00a1': '{\\textexclamdown}',
  '\u00bf': '{\\textquestiondown}',
  '\u00ab': '{\\guillemotleft}',
  '\u00bb': '{\\guillemotright}',
  '\u00a9': '{\\textcopyright}',
  '\u00ae': '{\\textregistered}',
  '\u2122': '{\\texttrademark}',
  '\u00b0': '{\\textdegree}',
  '\u00a7': '{\\S}',
  '\u20ac': '{\\texteuro}',
  '\u00a3': '{\\pounds}',
  '\u2022': '{\\textbullet}',
  '\u2032': "'",
  ﬁ: 'fi',
  ﬂ: 'fl',
  ﬀ: 'ff',
};

const LETTERS: Record<string, string> = {
  ß: '{\\ss}',
  ø: '{\\o}',
  Ø: '{\\O}',
  ł: '{\\l}',
  Ł: '{\\L}',
  æ: '{\\ae}',
  Æ: '{\\AE}',
  œ: '{\\oe}',
  Œ: '{\\OE}',
  å: '{\\aa}',
  Å: '{\\AA}',
  ı: '{\\i}',
  đ: '{\\dj}',
  Đ: '{\\DJ}',
  ð: '{\\dh}',
  Ð: '{\\DH}',
  þ: '{\\th}',
  Þ: '{\\TH}',
  ŋ: '{\\ng}',
};

const MATH: Record<string, string> = {
  '×': 'times',
  '÷': 'div',
  '±': 'pm',
  '·': 'cdot',
  '−': '-',
  '≤': 'leq',
  '≥': 'geq',
  '≠': 'neq',
  '≈': 'approx',
  '∼': 'sim',
  '∞': 'infty',
  '→': 'rightarrow',
  '←': 'leftarrow',
  '↔': 'leftrightarrow',
  '⇒': 'Rightarrow',
  '∈': 'in',
  '∀': 'forall',
  '∃': 'exists',
  '∑': 'sum',
  '∏': 'prod',
  '√': 'surd',
  '∂': 'partial',
  '∇': 'nabla',
  '⊕': 'oplus',
  '⊗': 'otimes',
  ℓ: 'ell',
  µ: 'mu',
};
const GREEK =
  'alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu nu xi - pi rho varsigma sigma tau upsilon phi chi psi omega'.split(
    ' ',
  );
for (const [i, name] of GREEK.entries())
  if (name !== '-') MATH[String.fromCharCode(0x3b1 + i)] = name;
for (const name of 'Gamma Delta Theta Lambda Xi Pi Sigma Upsilon Phi Psi Omega'.split(' ')) {
  const small = GREEK.indexOf(name.toLowerCase());
  MATH[String.fromCharCode(0x391 + small)] = name;
}

/** Combining marks and the accent commands that set them. */
const ACCENTS: Record<string, string> = {
  '\u0300': '`',
  '\u0301': "'",
  '\u0302': '^',
  '\u0303': '~',
  '\u0304': '=',
  '\u0306': 'u',
  '\u0307': '.',
  '\u0308': '"',
  '\u030a': 'r',
  '\u030b': 'H',
  '\u030c': 'v',
  '\u0323': 'd',
  '\u0327': 'c',
  '\u0328': 'k',
  '\u0331': 'b',
};

/** Commands that a formula in a title may use; any other keeps it from being set as one. */
const MATH_COMMANDS = new Set(
  `alpha beta gamma delta epsilon varepsilon zeta eta theta iota kappa lambda mu nu xi pi rho sigma
   tau upsilon phi varphi chi psi omega Gamma Delta Theta Lambda Xi Pi Sigma Upsilon Phi Psi Omega
   ell infty times cdot pm leq geq le ge neq approx sim to rightarrow leftarrow in partial nabla sum
   prod sqrt frac log exp min max mathcal mathbb mathbf mathrm mathit text textit textbf hat tilde bar
   oplus otimes star ast circ prime dagger perp`.split(/\s+/),
);
const FORMULA = /\$(?![\s$])([\x20-\x23\x25-\x7e]{1,80}?)(?<!\s)\$(?!\d)/g;

function isSafeFormula(body: string): boolean {
  if (/[#%&~"@$]|\^\^|\\[^a-zA-Z,;!]|\\$/.test(body)) return false;
  for (const [, name = ''] of body.matchAll(/\\([a-zA-Z]+)/g))
    if (!MATH_COMMANDS.has(name)) return false;
  let depth = 0;
  for (const char of body) {
    if (char === '{') depth++;
    if (char === '}' && --depth < 0) return false;
  }
  if (depth !== 0) return false;
  // "$5 and $6" is money: a formula has a command or a script, or is a few letters.
  return /[\\^_]/.test(body) || /^[A-Za-z][A-Za-z0-9()+\-*/=,]{0,7}$/.test(body);
}

/**
 * Text on one line without control, direction and invisible characters and halves of surrogate
 * pairs, cut at a word where it is longer than `limit` characters.
 */
export function cleanText(text: string, limit: number): string {
  let clean = text
    .slice(0, limit * 4)
    // eslint-disable-next-line no-control-regex -- control characters are what is looked for
    .replace(/[\u0000-\u001f\u007f-\u009f\u2028\u2029]+/g, ' ')
    .replace(/[\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff\ufff0-\uffff]/g, '')
    .replace(/[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g, '')
    .normalize('NFC')
    .replace(/\s+/g, ' ')
    .trim();
  if (clean.length > limit) {
    const cut = clean.lastIndexOf(' ', limit);
    clean = clean.slice(0, cut > limit / 2 ? cut : limit).replace(/[\ud800-\udbff]$/, '') + ' …';
  }
  return clean;
}

export interface EscapeOptions {
  /** Write accents and symbols as commands; what has none stays, unless `strict` drops it. */
  ascii: boolean;
  /** Nothing but ASCII may remain: what cannot be written is left as its plain letter or "?". */
  strict?: boolean;
  /** Keep safe `$…$` formulas as they are. */
  math?: boolean;
  /** Words to put in braces. */
  protect?: (word: string) => boolean;
}

function accented(cluster: string): string | null {
  const [base = '', ...marks] = cluster.normalize('NFD');
  if (!/^[A-Za-z]$/.test(base) || marks.length === 0 || marks.length > 2) return null;
  let tex = base;
  for (const mark of marks) {
    const accent = ACCENTS[mark];
    if (!accent) return null;
    if (tex.length === 1) {
      const dotless = (tex === 'i' || tex === 'j') && !'cdkb'.includes(accent) ? `\\${tex}` : tex;
      const letterCommand = /[a-zA-Z]/.test(accent);
      tex = letterCommand
        ? `\\${accent}${dotless === tex ? ` ${tex}` : dotless}`
        : `\\${accent}${dotless}`;
    } else tex = `\\${accent}{${tex}}`;
  }
  return `{${tex}}`;
}

function escapeCharacter(char: string, options: EscapeOptions): string {
  const special = SPECIAL[char];
  if (special) return special;
  if (/^[\x20-\x7e]$/.test(char)) return char;
  if (!options.ascii && !options.strict) return char;
  const known = PUNCTUATION[char] ?? LETTERS[char];
  if (known !== undefined) return known;
  const math = MATH[char];
  if (math) return math === '-' ? '$-$' : `$\\${math}$`;
  const accent = accented(char);
  if (accent) return accent;
  if (!options.strict) return char;
  const plain = char.normalize('NFKD').replace(/[^\x20-\x7e]/g, '');
  return plain ? [...plain].map((each) => SPECIAL[each] ?? each).join('') : '?';
}

const PAIRED_QUOTES = /(^|[\s([])"([^"]+)"(?=$|[\s.,;:!?)\]])/g;

function escapeClusters(text: string, options: EscapeOptions): string {
  let tex = '';
  for (const cluster of text.match(/\P{M}\p{M}*|\p{M}+/gu) ?? []) {
    const whole = cluster.length > 1 && options.ascii ? accented(cluster) : null;
    if (whole) tex += whole;
    else for (const char of cluster) tex += escapeCharacter(char, options);
  }
  return tex;
}

function escapePlain(text: string, options: EscapeOptions): string {
  const pieces = text.replace(PAIRED_QUOTES, "$1``$2''").split(/([\p{L}\p{N}][\p{L}\p{N}\p{M}]*)/u);
  return pieces
    .map((piece, i) => {
      const tex = escapeClusters(piece, options);
      return i % 2 === 1 && options.protect?.(piece) ? `{${tex}}` : tex;
    })
    .join('');
}

/** Text of one line (see {@link cleanText}) as TeX. */
export function escapeTex(text: string, options: EscapeOptions): string {
  if (!options.math) return escapePlain(text, options);
  let tex = '';
  let done = 0;
  for (const match of text.matchAll(FORMULA)) {
    if (!isSafeFormula(match[1] ?? '')) continue;
    tex += escapePlain(text.slice(done, match.index), options) + match[0];
    done = match.index + match[0].length;
  }
  return tex + escapePlain(text.slice(done), options);
}

/** A web address that can stand in a field, or null: only http(s), nothing that TeX would act on. */
export function safeUrl(raw: string | null): string | null {
  if (!raw || raw.length > 2000) return null;
  let url: URL;
  try {
    url = new URL(raw.trim());
  } catch {
    return null;
  }
  if (url.protocol !== 'http:' && url.protocol !== 'https:') return null;
  const text = url.href.replace(
    /[{}\\^"<>`|$\s]/g,
    (char) => `%${char.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`,
  );
  // The parser adds a slash to a bare host; leave the address as it was given.
  return url.pathname === '/' && !raw.trim().endsWith('/') && text.endsWith('/')
    ? text.slice(0, -1)
    : text;
}

/** A DOI that can stand in a field as it is, in its own case, or null. */
export function safeDoi(raw: string | null): string | null {
  if (!raw) return null;
  const doi = raw.trim().replace(/^(?:doi:\s*|(?:https?:\/\/)?(?:dx\.|www\.)?doi\.org\/)+/i, '');
  return doi.length <= 300 && /^10\.\d{4,9}\/[\x21-\x7e]+$/.test(doi) && !/[{}\\^"`|%$]/.test(doi)
    ? doi
    : null;
}
