/**
 * Extendable connectives: a fixed beginning, then at most five words up to a comma, which must refer
 * back ("to address | this potential bias,"). What they match is a marker, listed or not.
 */
import { endsInProblem, refersBack } from './anaphora';
import { gerund, thirdPerson } from './inflect';
import { RESPONSES } from './slots';

/** Words of the object of a connective, at most. */
export const LONGEST_OBJECT = 5;

const PURPOSES = [
  'to',
  'in order to',
  'so as to',
  'in an effort to',
  'in an attempt to',
  'in order to help',
  'to help',
  'aiming to',
  'seeking to',
  'as a way to',
  'as a means to',
];
const AIMS = [
  '',
  'with the aim of',
  'with the goal of',
  'aiming at',
  'toward',
  'towards',
  'as a step toward',
  'as a step towards',
  'as a first step toward',
  'as a first step towards',
  'with a view to',
];
/** Reasons: only their object tells that they answer a problem. */
const REASONS = [
  'motivated by',
  'driven by',
  'prompted by',
  'spurred by',
  'inspired by',
  'in response to',
  'in answer to',
  'in light of',
  'in view of',
  'in the light of',
  'in the face of',
  'faced with',
  'confronted with',
  'given',
  'considering',
  'recognizing',
  'recognising',
  'acknowledging',
  'as a response to',
  'as an answer to',
  'as a solution to',
  'as a remedy to',
  'as a remedy for',
];
const ADVERB =
  /^(?:[a-z]+ly|better|further|also|help|partly|even|thus|therefore|at least|best|finally)$/;

/** Who responds, before a verb in the plain form or in the third person. */
const SPEAKERS = ['we', 'here we', 'in this paper we', 'in this work we', 'in this study we'];
const PAPERS = ['paper', 'work', 'study', 'article', 'approach', 'method', 'framework', 'research'];
const RESPONDING = [
  'address',
  'tackle',
  'overcome',
  'solve',
  'resolve',
  'mitigate',
  'alleviate',
  'remedy',
  'bridge',
  'fill',
  'close',
  'circumvent',
  'meet',
  'answer',
  'avoid',
  'sidestep',
  'handle',
  'combat',
  'rectify',
];
const TRYING = ['aims', 'seeks', 'attempts', 'intends', 'proposes', 'strives'];
const MEANS = new Set(['by', 'with', 'through', 'via', 'using']);

/** What follows each beginning: a verb to be responded with, a problem noun, or nothing more. */
interface Node {
  next: Map<string, Node>;
  /** Family of the connective that ends here, and whether its object must name a problem. */
  ends: { family: string; problem: boolean } | null;
  /** Whether an adverb may be passed over here ("to | effectively | address"). */
  adverb: boolean;
}

const node = (): Node => ({ next: new Map(), ends: null, adverb: false });

function walk(root: Node, words: readonly string[]): Node {
  let at = root;
  for (const word of words) {
    const next = at.next.get(word) ?? node();
    at.next.set(word, next);
    at = next;
  }
  return at;
}

function build(): Node {
  const root = node();
  for (const purpose of PURPOSES) {
    walk(root, purpose.split(' ')).adverb = true;
    for (const verb of RESPONSES) {
      walk(root, `${purpose} ${verb}`.split(' ')).ends = { family: `to ${verb} …`, problem: false };
    }
  }
  for (const aim of AIMS) {
    for (const verb of RESPONSES) {
      const doing = gerund(verb);
      walk(root, `${aim} ${doing}`.trim().split(' ')).ends = {
        family: `${doing} …`,
        problem: false,
      };
    }
  }
  for (const reason of REASONS) {
    walk(root, reason.split(' ')).ends = { family: `${reason} …`, problem: true };
  }
  return root;
}

/** "we address | this gap by", "this paper aims to tackle | these issues with". */
function buildSubjects(): Node {
  const root = node();
  const end = (words: string, verb: string): void => {
    const at = walk(root, words.split(' '));
    at.ends = { family: `we ${verb} … by`, problem: false };
  };
  for (const verb of RESPONDING) {
    for (const speaker of SPEAKERS) {
      walk(root, speaker.split(' ')).adverb = true;
      end(`${speaker} ${verb}`, verb);
      end(`${speaker} aim to ${verb}`, verb);
    }
    for (const paper of PAPERS) {
      for (const whose of ['this', 'our', 'the present', 'the proposed']) {
        end(`${whose} ${paper} ${thirdPerson(verb)}`, verb);
        for (const tries of TRYING) end(`${whose} ${paper} ${tries} to ${verb}`, verb);
      }
    }
  }
  return root;
}

let tree: Node | undefined;

/** A connective that matched: its words in all, and the family its verdict is filed under. */
export interface Extension {
  words: number;
  family: string;
}

/**
 * The extension at the beginning of a sentence, or null.
 *
 * @param words first words of the sentence in lower case, without their commas
 * @param comma index of the first word that a comma follows; -1 where none does
 */
export function matchExtension(words: readonly string[], comma: number): Extension | null {
  if (comma < 0) return null;
  tree ??= build();
  return longest(tree, words, 0, comma);
}

let subjects: Node | undefined;

/** First words of everything that this file matches. */
export function firstWords(): string[] {
  tree ??= build();
  subjects ??= buildSubjects();
  return [...tree.next.keys(), ...subjects.next.keys()];
}

/**
 * A clause in which authors say that they respond ("we address this gap by"), up to the word that
 * introduces the means; or null.
 */
export function matchClause(words: readonly string[], comma: number): Extension | null {
  subjects ??= buildSubjects();
  const last = comma < 0 ? words.length - 1 : comma;
  return clause(subjects, words, 0, last);
}

function clause(from: Node, words: readonly string[], at: number, last: number): Extension | null {
  const word = words[at];
  if (word === undefined || at >= last) return null;
  const next = from.next.get(word);
  if (next) {
    const further = clause(next, words, at + 1, last);
    if (further) return further;
    if (next.ends) {
      for (let end = at + 2; end <= Math.min(last, at + 1 + LONGEST_OBJECT); end++) {
        const means = words[end];
        if (means === undefined || !MEANS.has(means)) continue;
        const object = words.slice(at + 1, end).join(' ');
        return refersBack(object) ? { words: end + 1, family: next.ends.family } : null;
      }
    }
  }
  if (from.adverb && ADVERB.test(word)) return clause(from, words, at + 1, last);
  return null;
}

function longest(
  from: Node,
  words: readonly string[],
  at: number,
  comma: number,
): Extension | null {
  const word = words[at];
  if (word === undefined || at > comma) return null;
  const next = from.next.get(word);
  if (next) {
    const further = longest(next, words, at + 1, comma);
    if (further) return further;
    const object = words.slice(at + 1, comma + 1);
    if (next.ends && object.length > 0 && object.length <= LONGEST_OBJECT) {
      const phrase = object.join(' ');
      if (refersBack(phrase) && (!next.ends.problem || endsInProblem(phrase))) {
        return { words: comma + 1, family: next.ends.family };
      }
    }
  }
  if (from.adverb && ADVERB.test(word)) return longest(from, words, at + 1, comma);
  return null;
}
