/** Which sentences are good enough to be a query or a gold, and why others are not. */

/** UTF-16 units: shorter ones say too little, longer ones are lists, or two sentences in one. */
export const SHORTEST = 35;
export const LONGEST = 600;
const FEWEST_WORDS = 6;
/** Share of letters among all units but white space. */
const LETTERS = 0.72;
/** Share of Latin letters among letters. */
const LATIN = 0.9;

const BOILERPLATE =
  /\b(?:code|data|dataset|datasets|models?|source code|implementation|project page|videos?|demo|supplementary|benchmark)\b[^.]{0,60}\b(?:available|released?|open-sourced?|found|accessed|public)\b|https?:|www\.|github|\ball rights reserved\b|©/i;
const ENDS = /[.!?](?:["'\u201d\u2019)\]]*)$/;
const TRAILS = /(?:\u2026|\.\.|\b(?:e\.g|i\.e|et al|vs|cf|Fig|Eq|Sec|Tab|resp)\.)["')\]]*$/;
const FUNCTION_WORDS =
  /\b(?:the|of|and|to|in|is|are|we|for|with|that|this|by|on|from|which|our|as|be|can|it|their|its|not|has|have|an|at|these|or|than|but|into|while|when|where|between|without|through|using)\b/gi;
const OTHER_LANGUAGES =
  /\b(?:le|la|les|des|une|est|dans|pour|qui|nous|avec|sur|der|die|das|und|ist|für|mit|von|den|el|los|las|una|que|para|por|con|como|uma|não|são|em|os|nel|della|che|het|een|voor)\b/giu;
/** Words that point at a place in the paper: without it, they say nothing. */
const PLACES =
  /\b(?:table|figure|fig\.|section|sec\.|appendix|equation|eq\.|algorithm|theorem|lemma)\s*(?:\(?\d|[ivx]+\b)/i;

export type Fault =
  | 'short'
  | 'long'
  | 'few-words'
  | 'symbols'
  | 'language'
  | 'truncated'
  | 'fragment'
  | 'boilerplate'
  | 'place';

/** What is wrong with a cleaned and stripped sentence, or null. */
export function faultOf(text: string): Fault | null {
  if (text.length < SHORTEST) return 'short';
  if (text.length > LONGEST) return 'long';
  if (!ENDS.test(text) || TRAILS.test(text)) return 'truncated';
  const words = count(text, /\S+/g);
  if (words < FEWEST_WORDS) return 'few-words';
  const letters = count(text, /\p{L}/gu);
  const solid = text.length - count(text, /\s/g);
  if (letters / solid < LETTERS) return 'symbols';
  if (count(text, /[a-z]/gi) / letters < LATIN) return 'language';
  const english = count(text, FUNCTION_WORDS);
  if (english === 0 || count(text, OTHER_LANGUAGES) > english) return 'language';
  if (/^[\p{Ll}]{2,}\s/u.test(text) || unbalanced(text)) return 'fragment';
  if (BOILERPLATE.test(text)) return 'boilerplate';
  return PLACES.test(text) ? 'place' : null;
}

function count(text: string, pattern: RegExp): number {
  let found = 0;
  pattern.lastIndex = 0;
  while (pattern.exec(text)) found++;
  return found;
}

/** A closing bracket without its opening, or an opening that is never closed. */
function unbalanced(text: string): boolean {
  let open = 0;
  let enumerated = 0;
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    if (unit === 40) open++;
    // "1) … 2) …" within a sentence closes nothing.
    else if (unit === 41 && open === 0) enumerated += /[\w]/.test(text.charAt(i - 1)) ? 0 : 1;
    else if (unit === 41) open--;
  }
  return open > 0 || enumerated > 0;
}
