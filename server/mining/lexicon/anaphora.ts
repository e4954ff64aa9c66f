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
  /^(?:this|these|our|the present) (?:paper|papers|work|study|studies|article|survey|report|thesis|manuscript|research(?! (?:gap|question))|review|tutorial|section|chapter|letter|note|demo|year|area|field|era|day|days|end|way)\b/;
/** Relational adverbs have no sense without what they make more specific, or more general. */
const RELATIONAL =
  /^(?:(?:even |much |still |yet |a bit |a little |slightly )?(?:more|most) )?(?:specifically|concretely|precisely|particularly|namely|specially|explicitly|formally|technically|especially|notably|fundamentally|universally|generally|broadly|abstractly|widely)(?: (?:speaking|still|stated|put|viewed))?$/;
/** Nouns of relations: a response, an example, an idea is one *of* something. */
const OF_SOMETHING =
  /\b(?:response|remedy|solution|answer|fix|workaround|countermeasure|cure|approach|way|means|step|examples?|instances?|instantiation|illustrations?|illustrative|cases?|case study|application|use case|demonstration|testbed|ideas?|insights?|intuition|principles?|specific|particular|specifics|details?|precise|concrete|exact|depth|core|heart|essence|terms|burden|generalization|generalisation|rule|principle|implication|lesson|consequence|conclusion|point|e\.g|viz|zooming|drilling|narrowing|looking|stepping|taking)\b/;
/** Comparatives: "at a broader level" than the sentence before. */
const COMPARED =
  /\b(?:more|broader|wider|larger|bigger|higher|lower|finer|deeper|greater|broadest|highest|simplest|general)\b/;
const NOT_COMPARED = /^(?:in general|generally|in the general|in general terms)$/;
/** Definite phrases take up what was named: "the key idea is to", "they include", "both". */
const DEFINITE = /\b(?:the|its|their|they|both|other|another|one|our|we|which)\b/;
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
  if (RELATIONAL.test(marker) && marker !== 'generally') return true;
  if (NOT_COMPARED.test(marker)) return false;
  if (POINTING.test(marker) || OF_SOMETHING.test(marker) || COMPARED.test(marker)) return true;
  const words = marker.split(' ');
  const pointsBack = words.some((word, at) => {
    if (!/^(?:this|these|those|that|such|so|it|them)$/.test(word)) return false;
    return !DEICTIC.test(words.slice(at).join(' ')) || /^(?:end|way)$/.test(words[at + 1] ?? '');
  });
  if (pointsBack) return true;
  if (/^(?:in|within|throughout) (?:the|our) /.test(marker)) return false;
  return DEFINITE.test(marker);
}
