import { NEEDS_NUMBER, NEVER_FINAL, NUMBERED, OPENERS, SOMETIMES_FINAL } from './abbreviations';

/** Half-open range of UTF-16 units. */
export interface TextRange {
  start: number;
  end: number;
}

// A stop with what closes after it and the white space that follows, or a CJK stop with nothing.
const STOP =
  /(?:[.!?\u2026\u203C\u203D\u2047-\u2049]+["'\u201D\u2019\u00BB)\]}]*(?=\s|$))|(?:[\u3002\uFF01\uFF1F\uFF61]+["'\u201D\u2019\u300D\u300F\u3011\uFF09)\]]*)|\n[ \t\r]*\n/g;
const WORD_BEFORE = /[\p{L}\p{N}.\-\u2010\u2011]/u;
const OPENING = /["'\u201C\u2018\u201E\u00AB([{\u300C\u300E*_#>\u00BF\u00A1]/;
const NEXT_WORD = /[\p{L}\p{M}]+/uy;
/** A Roman number or a single capital, with the numbers under it. */
const NUMERAL = /(?:[IVXLC]{1,6}|\p{Lu})(?:\.\d+)*(?![\p{L}\p{N}'\u2019-])/uy;
const LOWER = /^\p{Ll}/u;
const UPPER_OR_OTHER = /^[\p{Lu}\p{Lt}\p{Lo}]/u;

/** What is known of a text beside itself, by indices of it. */
export interface SplitHints {
  /**
   * Whether a sentence may begin at an index though its word is in lower case (used where a cite
   * that opened the sentence was dropped).
   */
  mayOpen?: (index: number) => boolean;
  /** Whether the number of a section, table or the like was dropped at an index. */
  numbered?: (index: number) => boolean;
  /** Whether the stop before an index ends a sentence, whatever it looks like. */
  final?: (index: number) => boolean;
}

/**
 * Splits plain text into sentences: trimmed ranges in order, without overlap, that leave out only
 * white space. A blank line always splits. Abbreviations, initials, decimals, version numbers and
 * addresses do not split, nor does a stop before a word in lower case.
 */
export function splitSentences(text: string, hints: SplitHints = {}): TextRange[] {
  const ranges: TextRange[] = [];
  let start = skipSpace(text, 0);
  STOP.lastIndex = start;
  for (let match = STOP.exec(text); match; match = STOP.exec(text)) {
    const stop = match.index;
    const after = stop + match[0].length;
    if (text.charCodeAt(stop) === 10) {
      push(ranges, text, start, stop);
      start = skipSpace(text, after);
      STOP.lastIndex = start;
      continue;
    }
    const next = skipSpace(text, after);
    if (next >= text.length) break;
    if (endsSentence(text, start, stop, match[0], next, hints)) {
      push(ranges, text, start, after);
      start = next;
    }
  }
  push(ranges, text, start, text.length);
  return ranges;
}

function push(ranges: TextRange[], text: string, start: number, end: number): void {
  let to = end;
  while (to > start && isSpace(text.charCodeAt(to - 1))) to--;
  if (to > start) ranges.push({ start, end: to });
}

function endsSentence(
  text: string,
  start: number,
  stop: number,
  mark: string,
  next: number,
  hints: SplitHints,
): boolean {
  const first = mark.charCodeAt(0);
  if (first >= 0x3000) return true;
  // "(e.g., see Smith et al.)" inside a bracket that is still open after the mark goes on.
  let at = next;
  while (at < text.length && OPENING.test(text[at] ?? '')) at++;
  const head = text.slice(at, at + 2);
  const lower = LOWER.test(head);
  if (lower && !hints.mayOpen?.(next)) {
    // "iPhone" and "mRNA" open sentences too: a capital inside the word tells them.
    const word = wordAt(text, at);
    return /^\p{Ll}{1,2}\p{Lu}/u.test(word) && !mark.includes(')') && first === 46
      ? !isAbbreviation(text, start, stop, mark, at, hints)
      : false;
  }
  if (/^[,;:]/.test(head)) return false;
  if (hints.final?.(stop + 1)) return true;
  if (first !== 46) {
    // An ellipsis ends a sentence only before a capital; ! and ? before anything but lower case.
    return first === 0x2026 ? UPPER_OR_OTHER.test(head) : true;
  }
  if (mark.startsWith('..')) return UPPER_OR_OTHER.test(head);
  if (lower && SOMETIMES_FINAL.has(lastWord(text, start, stop).toLowerCase())) return false;
  return !isAbbreviation(text, start, stop, mark, at, hints);
}

function lastWord(text: string, start: number, stop: number): string {
  let from = stop;
  while (from > start && stop - from < 24 && WORD_BEFORE.test(text[from - 1] ?? '')) from--;
  return text.slice(from, stop);
}

/** Whether the stop at `stop` belongs to an abbreviation that goes on with the word at `at`. */
function isAbbreviation(
  text: string,
  start: number,
  stop: number,
  mark: string,
  at: number,
  hints: SplitHints,
): boolean {
  const word = lastWord(text, start, stop);
  const from = stop - word.length;
  if (word === '') return false;
  const closed = /[)\]"'\u201D\u2019]/.test(mark);
  const key = word.toLowerCase();
  const digit =
    isDigit(text.charCodeAt(at)) ||
    (NUMBERED.has(key) && (hints.numbered?.(stop + 1) || isNumeral(text, at, word)));
  // "(Fig. 3)" goes on, "(see the app.)" does not.
  if (closed) return NEVER_FINAL.has(key) && digit;
  if (/^\p{Lu}$/u.test(word))
    return initial(text, start, from, at) || (digit && NEVER_FINAL.has(key));
  if (NEVER_FINAL.has(key)) return NEEDS_NUMBER.has(key) ? digit || titleName(key, text, at) : true;
  const last = key.slice(key.lastIndexOf('-') + 1);
  if (last !== key && NEVER_FINAL.has(last) && !NEEDS_NUMBER.has(last)) return true;
  if (SOMETIMES_FINAL.has(key)) return !OPENERS.has(wordAt(text, at).toLowerCase());
  if (/^(?:\p{L}\.)+\p{L}$/u.test(word)) return !OPENERS.has(wordAt(text, at).toLowerCase());
  if (/^\p{Lu}(?:\.?-\p{Lu})$/u.test(word)) return true;
  // "1." that opens a list item, "IV." likewise.
  if (from === start && /^(?:\d{1,3}|[ivxIVX]{1,4}|\p{L})$/u.test(word)) return true;
  return false;
}

/**
 * "Sec. III", "App. B", "Prop. A.1". A lone capital is a number only behind a title in capitals ("We
 * built the app. V is a set").
 */
function isNumeral(text: string, at: number, title: string): boolean {
  NUMERAL.lastIndex = at;
  const numeral = NUMERAL.exec(text)?.[0];
  if (numeral === undefined) return false;
  return numeral.length > 1 || !LOWER.test(title);
}

/** "St. Andrews", "Ms. Smith", "Gen. Lee": titles that are words too, before a name. */
function titleName(key: string, text: string, at: number): boolean {
  if (!['st', 'ms', 'mt', 'gen', 'col', 'sen', 'rep', 'rev'].includes(key)) return false;
  const word = wordAt(text, at);
  return UPPER_OR_OTHER.test(word) && !OPENERS.has(word.toLowerCase());
}

/** "J. Smith" and "J. R. Smith" go on; "vitamin C. We" and "plan B. The" do not. */
function initial(text: string, start: number, from: number, at: number): boolean {
  const word = wordAt(text, at);
  if (word === '') return false;
  if (OPENERS.has(word.toLowerCase()) && word.length > 1) return false;
  if (word === 'I' || word === 'A') {
    return text.charCodeAt(at + 1) === 46;
  }
  if (from <= start) return true;
  // After a word in lower case ("class C. Dogs") a lone capital is a name's initial only when
  // another initial or a capitalised word follows; both look alike, so the name wins.
  return UPPER_OR_OTHER.test(word);
}

function wordAt(text: string, at: number): string {
  NEXT_WORD.lastIndex = at;
  return NEXT_WORD.exec(text)?.[0] ?? '';
}

function skipSpace(text: string, from: number): number {
  let at = from;
  while (at < text.length && isSpace(text.charCodeAt(at))) at++;
  return at;
}

function isSpace(code: number): boolean {
  return (
    code === 32 ||
    (code >= 9 && code <= 13) ||
    code === 0xa0 ||
    (code >= 0x2000 && code <= 0x200a) ||
    code === 0x202f ||
    code === 0x3000 ||
    code === 0xfeff ||
    code === 0x2028 ||
    code === 0x2029
  );
}

function isDigit(code: number): boolean {
  return code >= 48 && code <= 57;
}
