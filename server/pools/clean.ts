/** Titles and abstracts, as sources have them, to plain titles and sentences. */
import type { SourceSentence } from '../engine/import/source';
import { OPENERS } from '../prose/abbreviations';
import { splitSentences } from '../prose/splitSentences';
import { latexToText } from './latexText';
import { decodeEntities, stripMarkup } from './markup';

/** Sentences with fewer words are fragments: headings, list labels, slips of a splitter. */
const FEWEST_WORDS = 3;
/** Longer ones are cut at a clause: no encoder reads further. UTF-16 units. */
const LONGEST = 1000;

/** Control characters, soft hyphens, zero-width and direction marks, noncharacters. */
const HIDDEN =
  // eslint-disable-next-line no-control-regex -- dropping them is the point
  /[\0-\x08\x0b\x0c\x0e-\x1f\x7f-\x84\x86-\x9f\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff\ufff0-\ufffb\ufffe\uffff]|\(cid:173\)\s?|\(cid:\d+\)/g;
const SPACE = /[\s\x85]+/g;
const SPACE_IN_LINE = /[^\S\n]+/g;
/** A blank line, once white space within lines is collapsed. */
const BLANK_LINE = / ?\n ?\n\s*/;
/** A lone half of a surrogate pair, which no encoding can hold. */
const LONE_SURROGATE = /[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g;

/** Whether a text needs no cleaning, which most do not. */
const CLEAN =
  // eslint-disable-next-line no-control-regex -- as above
  /^[^<&\\${}~`\0-\x1f\x7f-\xa0\xad\u2000-\u200f\u2028-\u202f\u205f-\u206f\u3000\ud800-\udfff\ufeff\ufff0-\uffff]*$/;
const TELLTALE = /\s\s|''|--|\(cid:/;

function plain(raw: string): string {
  const text = raw.replace(LONE_SURROGATE, '\ufffd').replace(HIDDEN, '');
  return latexToText(stripMarkup(text)).replace(HIDDEN, '').normalize('NFC');
}

/** One line of plain text: markup, LaTeX and control characters gone, white space collapsed. */
export function cleanLine(raw: string): string {
  if (CLEAN.test(raw) && !TELLTALE.test(raw)) return raw.trim();
  return plain(raw).replace(SPACE, ' ').trim();
}

/**
 * As {@link cleanLine}, for text whose LaTeX was already read into HTML. Entities are decoded
 * twice: databases write `&amp;` into their BibTeX, and the HTML escapes that again.
 */
export function cleanDecoded(raw: string): string {
  const text = raw.replace(LONE_SURROGATE, '\ufffd').replace(HIDDEN, '');
  return (
    decodeEntities(stripMarkup(text))
      .replace(HIDDEN, '')
      // TeX puts accents on letters that have lost their dots.
      .replace(/ı(?=\p{M})/gu, 'i')
      .replace(/ȷ(?=\p{M})/gu, 'j')
      .normalize('NFC')
      .replace(SPACE, ' ')
      .trim()
  );
}

/** A title as text: as a line, without the full stop some databases add. */
export function cleanTitle(raw: string): string {
  const line = cleanLine(raw);
  return /[^.]\.$/.test(line) && !/\b(?:\p{L}\.)+$/u.test(line)
    ? line.slice(0, -1).trimEnd()
    : line;
}

/** A name as text. */
export function cleanName(raw: string): string {
  return cleanLine(raw).replace(/^[\s,;]+|[\s,;]+$/g, '');
}

const LEAD = /^(?:abstract|summary)(?:\s*[:.\u2014\u2013]\s*|\s*-+\s+|\s+|(?=\n))/i;

/** Takes "Abstract:" off the start, but not off "Abstract meaning representation is …". */
function dropLead(text: string): string {
  const lead = LEAD.exec(text);
  if (!lead) return text;
  if (!/^\s+$/.test(lead[0].slice(/^\w+/.exec(lead[0])?.[0].length ?? 0))) {
    return text.slice(lead[0].length);
  }
  const rest = text.slice(lead[0].length);
  const opener = /^\p{Lu}\p{Ll}*/u.exec(rest)?.[0].toLowerCase();
  return opener !== undefined && OPENERS.has(opener) ? rest : text;
}

const COPYRIGHT =
  /^(?:copyright\b|\u00a9|\(c\)\s*(?:copyright\s+)?\d{4}|published by (?:elsevier|springer|wiley|ieee|acm|oxford|cambridge|mdpi|sage|taylor)|this is an open[- ]access article|this article is (?:protected by copyright|an open access|distributed under|licensed under)|(?:the )?authors? retains? (?:the )?copyright|licen[sc]ed under (?:a |the )?(?:creative commons|cc[ -]by))/i;
const RESERVED = /\ball rights (?:are )?reserved\b/i;

/** A notice at the end, which reads on from the last sentence: "… . (c) 2021 Publisher B.V." */
const NOTICE =
  /(?<=[.!?])\s+(?:\u00a9|\(c\)\s*\d{4}|copyright\s+(?:\u00a9|\(c\)|\d{4}))[^]{0,250}$/i;

function isCopyright(text: string): boolean {
  return text.length <= 300 && (COPYRIGHT.test(text) || RESERVED.test(text));
}

const CJK = /[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\u0e00-\u0e7f]/;

const WORD = /[\p{L}\p{N}][^ ]*/gu;

/** Whether a text is long enough for a sentence; scripts without spaces count by characters. */
function isSentence(text: string): boolean {
  WORD.lastIndex = 0;
  for (let words = 0; words < FEWEST_WORDS; words++) {
    if (!WORD.test(text)) return CJK.test(text) && text.length >= 6;
  }
  return true;
}

/** Cuts a text that is too long at the ends of clauses, else at spaces. */
function cutLong(text: string): string[] {
  if (text.length <= LONGEST) return [text];
  const parts: string[] = [];
  let rest = text;
  while (rest.length > LONGEST) {
    const window = rest.slice(0, LONGEST);
    let cut = -1;
    for (const mark of ['; ', ': ', ', ', ' ']) {
      cut = window.lastIndexOf(mark);
      if (cut >= LONGEST * 0.4) {
        cut += mark.length;
        break;
      }
      cut = -1;
    }
    if (cut < 0) cut = LONGEST;
    const unit = rest.charCodeAt(cut - 1);
    if (unit >= 0xd800 && unit <= 0xdbff) cut--;
    parts.push(rest.slice(0, cut).trim());
    rest = rest.slice(cut);
  }
  parts.push(rest.trim());
  return parts;
}

/** Sentences of running text, such as an abstract: plain, whole, in order. */
export function sentencesOf(raw: string): string[] {
  const dirty = !CLEAN.test(raw) || TELLTALE.test(raw);
  let text = dirty ? plain(raw).replace(SPACE_IN_LINE, ' ') : raw;
  text = dropLead(text.trimStart());
  if (/\u00a9|\(c\)|copyright/i.test(text)) text = text.replace(NOTICE, '');
  const blocks = dirty && BLANK_LINE.test(text) ? text.split(BLANK_LINE) : [text];
  const sentences: string[] = [];
  for (const block of blocks) {
    const line = dirty ? block.replace(SPACE, ' ').trim() : block;
    for (const { start, end } of splitSentences(line)) {
      const sentence = line.slice(start, end);
      if (!isSentence(sentence) || isCopyright(sentence)) continue;
      if (sentence.length <= LONGEST) sentences.push(sentence);
      else sentences.push(...cutLong(sentence).filter(isSentence));
    }
  }
  return sentences;
}

/** Sentences that the source has already told apart, each cleaned and none split but long ones. */
export function givenSentence(raw: string): string[] {
  const line = cleanLine(raw);
  return isSentence(line) && !isCopyright(line) ? cutLong(line).filter(isSentence) : [];
}

/** Sentences that server/prose has read: fragments go, long ones are cut. */
export function proseSentence(text: string): string[] {
  const line = text.replace(HIDDEN, '').replace(SPACE, ' ').trim();
  return isSentence(line) ? cutLong(line).filter(isSentence) : [];
}

/** Sentences without role, in one section or none. */
export function withSection(sentences: string[], section: string | null): SourceSentence[] {
  return sentences.map((text) => ({ text, role: null, section }));
}
