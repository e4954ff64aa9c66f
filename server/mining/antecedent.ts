/** What the sentence before a marker must look like, for markers that need it to. */
import { problemScore, statesProblem } from '../language/problems';
import type { Condition } from './lexicon/types';

/** Below the hover's operating point: the marker itself speaks for a problem already. */
const PROBLEM = 0.35;
/** For a sentence that proposes something itself. */
const CLEAR = 0.9;
const NEED =
  /\b(?:needs?|need(?:ed|ing)|requires?|required|necessary|essential|crucial|desirable|important|imperative|demands?|calls? for|critical|ought|should|must|lacks?|without|only|expensive|costly)\b/i;
const GOAL =
  /\b(?:our|the|main|key|primary|ultimate) (?:goal|aim|objective|question)\b|\b(?:goals? (?:is|are|of)|aims? to|seeks? to|desired?|desirable|next step|step towards?|interested in|whether|how to|how (?:can|do|does|well)|open question|investigat(?:e|es)|understand(?:ing)?)\b/i;
const PROPOSES =
  /\b(?:we|this (?:paper|work|study|article)|our (?:method|approach|framework|model|work))\b[^.]{0,40}\b(?:proposes?|presents?|introduces?|develops?|designs?|describes?|builds?|devises?|demonstrates?|shows?|evaluates?|achieves?|extends?|formulates?|provides?|releases?|constructs?)\b/i;
/** What a sentence that responds begins with. */
const RESPONDS =
  /^(?:in this (?:paper|work|study|article),? )?(?:we|i|this (?:paper|work|study|article)|our work) (?:\w+ly )?(?:also |first |then )?(?:propos|present|introduc|develop|design|devis|build|built|construct|formulat|suggest|employ|adopt|leverag|creat|extend|us(?:e|es|ed)\b|appl(?:y|ies|ied)|investigat|explor|stud(?:y|ies|ied)|conduct|collect|establish|advocat|focus|aim|address|tackl|implement|provid|combin|augment|replac|train|turn to|contribut)/i;
const PARTS =
  '(?:parts?|stages?|steps?|phases?|components?|modules?|contributions?|challenges?|problems?|issues?|limitations?|reasons?|factors?|aspects?|ways?|directions?|approaches|methods|models|tasks|settings|questions|types?|kinds?|categories|classes|techniques|strategies|mechanisms|innovations?|ideas|insights|observations|findings|results|properties|features|designs?|cases|levels?|variants|drawbacks|shortcomings|difficulties|advantages|benefits|objectives|goals|respects|ingredients|points|perspectives|dimensions|scenarios|experiments|modes|applications|examples|elements|principles|layers|improvements|changes|obstacles|bottlenecks|threads|fronts|folds?)';
const ENUMERATES = new RegExp(
  `\\b(?:two|three|four|five|six|several|multiple|following|2|3|4|both|many|various|a (?:number|series|set|pair) of|twofold|threefold|manifold|as follows)\\b(?:[- ][\\w-]+){0,4}[- ]${PARTS}\\b|\\b(?:two|three|four|multi)-?(?:fold|stage|step|phase|part)\\b|\\bas follows\\b|\\bthe following\\b`,
  'i',
);

/** Whether a sentence announces parts: "in three steps", "two key challenges", "as follows". */
export function announcesParts(sentence: string): boolean {
  return ENUMERATES.test(sentence);
}

/** Whether a sentence leaves something to be responded to: a problem, a gap, a need, a goal. */
export function leavesProblem(sentence: string): boolean {
  if (PROPOSES.test(sentence)) return problemScore(sentence) >= CLEAR;
  return problemScore(sentence) >= PROBLEM || NEED.test(sentence) || GOAL.test(sentence);
}

/** Whether the pair meets a marker's condition: the sentence before, and what follows the marker. */
export function meets(condition: Condition | null, antecedent: string, text: string): boolean {
  if (condition === null) return true;
  if (condition === 'response') {
    return RESPONDS.test(text) && !PROPOSES.test(antecedent) && statesProblem(antecedent);
  }
  if (condition === 'enumeration') return announcesParts(antecedent);
  return leavesProblem(antecedent) === (condition === 'problem');
}
