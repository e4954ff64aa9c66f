/**
 * Whether a phrase refers to the sentence before it. A marker must, or what follows it need not
 * have to do with that sentence.
 */
import { plural } from './inflect';
import { ALL_PROBLEMS } from './slots';

const DEMONSTRATIVE = /^(?:this|these|those|such|that)$/;
const PRONOUN = /^(?:it|them|these|this|that|those|both)$/;
/** "the above issues", "the aforementioned gap", "the said problem". */
const POINTING =
  /\b(?:above|aforementioned|above-mentioned|abovementioned|afore-mentioned|foregoing|aforesaid|preceding|former|latter)\b/;
/** What a writer points at in the text at hand, not in the sentence before. */
const DEICTIC =
  /^(?:this|these|our|the present) (?:paper|papers|work|study|studies|article|survey|report|thesis|manuscript|research|review|tutorial|section|chapter|letter|note|demo|year|area|field|era|day|days|end|way)\b/;
/** Relational adverbs have no sense without what they make more specific, or more general. */
const RELATIONAL =
  /^(?:more |most |to be (?:more )?|much more |even more |a (?:bit|little) more )?(?:specifically|concretely|precisely|particularly|namely|specially|in particular|in specific|specific|precise|concrete|explicitly|in detail|in concrete terms|for (?:example|instance)|e\.g|as (?:an|one) (?:example|instance|illustration)|generally|broadly|abstractly)$/;
const NOUNS = new Set(
  ALL_PROBLEMS.flatMap((noun) => {
    const many = plural(noun);
    return many === null ? [noun] : [noun, many];
  }),
);

/** Whether the noun phrase ends in a word for a problem: "pressing challenges", "research gap". */
export function endsInProblem(phrase: string): boolean {
  const words = phrase.split(' ');
  return NOUNS.has(words.slice(-1).join(' ')) || NOUNS.has(words.slice(-2).join(' '));
}

/**
 * Whether the object of a connective ("this critical gap", "the above issues", "them") refers
 * back. "The problem" alone does; "the problem of sparse labels" and "the class imbalance" bring
 * their own subject along, so that they do not.
 */
export function refersBack(object: string): boolean {
  if (DEICTIC.test(object) || /[\u2012-\u2015()"\u201c;]/.test(object)) return false;
  const words = object.split(' ');
  const [first = '', second = ''] = words;
  if (words.length === 1) return PRONOUN.test(first);
  if (first === 'that' && /^(?:is|are|we|the|can|may|it)$/.test(second)) return false;
  if (/^(?:it|them)$/.test(first)) return /^(?:and|by|with|in|without)$/.test(second);
  if (DEMONSTRATIVE.test(first)) return true;
  const rest = words.slice(1).join(' ');
  if (/^(?:all|each|both|some|many|most|either|any|one|part)$/.test(first)) {
    return /^(?:of )?(?:these|this|those|such|the above)\b/.test(rest) || NOUNS.has(rest);
  }
  if (POINTING.test(object)) return true;
  if (first !== 'the' && first !== 'said') return false;
  return NOUNS.has(rest);
}

/** Whether a whole marker is anaphoric: it points back, or is relational by its meaning. */
export function isAnaphoric(marker: string): boolean {
  if (RELATIONAL.test(marker)) return true;
  if (POINTING.test(marker)) return true;
  const words = marker.split(' ');
  return words.some((word, at) => {
    if (!/^(?:this|these|those|that|such|so|it|them)$/.test(word)) return false;
    return !DEICTIC.test(words.slice(at).join(' ')) || /\b(?:end|way)\b/.test(words[at + 1] ?? '');
  });
}
