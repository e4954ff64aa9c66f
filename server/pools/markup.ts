/** HTML, JATS and MathML in titles and abstracts: tags go, their text stays, entities decoded. */
import { decodeNamedCharacterReference } from 'decode-named-character-reference';

const BLOCKS =
  'p|div|br|hr|li|ul|ol|dl|dt|dd|h[1-6]|sec|section|title|abstract|list|list-item|def-list|def|disp-quote|blockquote|table|thead|tbody|tr|td|th|article|header|disp-formula';
const INLINE =
  'i|b|u|em|strong|sub|sup|sc|tt|code|kbd|span|a|font|small|big|italic|bold|underline|monospace|roman|sans-serif|overline|strike|styled-content|named-content|inline-formula|inline-graphic|xref|ext-link|uri|email|alternatives|tex-math|math|mrow|mi|mo|mn|ms|mtext|msub|msup|msubsup|mfrac|msqrt|mroot|mover|munder|munderover|mspace|mtable|mtr|mtd|mstyle|mfenced|mpadded|semantics|img|nobr|wbr|var|abbr|cite|q|html|body|script|style|noscript|iframe|object|svg|label|input|button|form|link|meta';
const ATTRIBUTES = String.raw`(?:\s+[\w:.-]+\s*=\s*(?:"[^"<>]*"|'[^'<>]*'|[^\s"'<>=]+)){0,20}`;
const NAMESPACE = '(?:jats|mml|m|xhtml|html|xlink|ce|sb|xocs):';

/** Only names that are tags somewhere: `<mask>`, `a<b, c>d` and `p < 0.05` are text. */
const BLOCK_TAG = new RegExp(`</?(?:${NAMESPACE})?(?:${BLOCKS})${ATTRIBUTES}\\s*/?>`, 'gi');
const INLINE_TAG = new RegExp(
  `</?(?:(?:${NAMESPACE})?(?:${INLINE})|${NAMESPACE}[\\w.-]+)${ATTRIBUTES}\\s*/?>`,
  'gi',
);
/** Openings of what is not read as text at all: scripts, formulas told a second time, comments. */
const UNREAD = /<(?:(script|style|noscript|(?:mml:)?annotation(?:-xml)?|tex-math)\b[^<>]*>|!--)/gi;
const CDATA = /<!\[CDATA\[|\]\]>/g;
const ENTITY = /&(?:#(\d{1,7})|#[xX]([0-9a-fA-F]{1,6})|([a-zA-Z][a-zA-Z0-9]{1,30}));/g;

function character(code: number): string {
  return code > 0x10ffff || (code >= 0xd800 && code <= 0xdfff) ? '' : String.fromCodePoint(code);
}

/** Decodes `&amp;`, `&#233;`, `&#xe9;`; what is no entity stays as written. */
export function decodeEntities(text: string): string {
  if (!text.includes('&')) return text;
  return text.replace(
    ENTITY,
    (whole: string, decimal?: string, hexadecimal?: string, name?: string) => {
      if (decimal !== undefined) return character(Number(decimal));
      if (hexadecimal !== undefined) return character(Number.parseInt(hexadecimal, 16));
      const decoded = decodeNamedCharacterReference(name ?? '');
      return decoded === false ? whole : decoded;
    },
  );
}

/** Takes out what is not read, in one pass. What is never closed stays. */
function dropUnread(text: string): string {
  const parts: string[] = [];
  const lower = text.toLowerCase();
  const absent = new Set<string>();
  const open = new RegExp(UNREAD);
  let done = 0;
  for (let match = open.exec(text); match; match = open.exec(text)) {
    const name = match[1]?.toLowerCase();
    const close = name === undefined ? '-->' : `</${name}`;
    const inside = match.index + match[0].length;
    const end = absent.has(close) ? -1 : lower.indexOf(close, inside);
    if (end < 0) {
      absent.add(close);
      continue;
    }
    const after = name === undefined ? end + 3 : lower.indexOf('>', end) + 1;
    if (after === 0) continue;
    open.lastIndex = after;
    // TeX alone is the formula; a whole TeX document stands beside MathML that says the same.
    const inner = text.slice(inside, end);
    const kept = name === 'tex-math' && !inner.includes('\\documentclass') ? inner : ' ';
    parts.push(text.slice(done, match.index), kept);
    done = after;
  }
  return parts.join('') + text.slice(done);
}

function stripTags(text: string): string {
  if (!text.includes('<')) return text;
  return dropUnread(text.replace(CDATA, '')).replace(BLOCK_TAG, '\n\n').replace(INLINE_TAG, '');
}

/** Text without markup. Block elements leave a blank line, so that sentences end there. */
export function stripMarkup(text: string): string {
  if (!text.includes('<') && !text.includes('&')) return text;
  const once = decodeEntities(stripTags(text));
  // Some exports escape their markup, so that it only shows now. More than that is meant.
  return text.includes('&') && /<\/(?:jats:)?(?:p|i|b|em|sup|sub|title|sec)>/i.test(once)
    ? decodeEntities(stripTags(once))
    : once;
}
