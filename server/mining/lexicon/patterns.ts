/** Pattern expansion: templates over the slot lists, every slot in its grammatical forms. */
import { gerund, plural, thirdPerson } from './inflect';
import {
  ANSWER,
  CLOSE,
  EASE,
  GAPS,
  MEET,
  NEEDS,
  PROBLEMS,
  QUALITIES,
  QUESTIONS,
  SOLUTIONS,
  SOLVE,
  TENSIONS,
} from './slots';
import type { Phrases } from './types';

/** Verbs with the nouns they go with. */
const CLASSES: readonly (readonly [verbs: readonly string[], nouns: readonly string[]])[] = [
  [SOLVE, PROBLEMS],
  [CLOSE, GAPS],
  [MEET, NEEDS],
  [ANSWER, QUESTIONS],
  [EASE, TENSIONS],
];

/** Verbs common enough to be expanded as "in order to …" and as participles too. */
const COMMON = new Set([
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
  'meet',
  'answer',
]);
const COMMON_NOUNS = new Set([
  'problem',
  'issue',
  'challenge',
  'limitation',
  'gap',
  'shortcoming',
  'drawback',
  'difficulty',
  'bottleneck',
  'need',
  'question',
  'research gap',
  'concern',
  'deficiency',
  'dilemma',
]);

/** "this gap", "these gaps", "such gaps". */
function pointed(noun: string): string[] {
  const many = plural(noun);
  return [`this ${noun}`, ...(many === null ? [] : [`these ${many}`, `such ${many}`])];
}

/** "this gap", "these gaps". */
function near(noun: string): string[] {
  return pointed(noun).filter((object) => !object.startsWith('such'));
}

/** "To address this limitation," and "addressing these gaps,". */
function purposes(): string[] {
  return CLASSES.flatMap(([verbs, nouns]) =>
    verbs.flatMap((verb) =>
      nouns.flatMap((noun) =>
        pointed(noun).flatMap((object) => {
          const plain = `to ${verb} ${object}`;
          if (!COMMON.has(verb)) return [plain];
          return [plain, `in order to ${verb} ${object}`, `${gerund(verb)} ${object}`];
        }),
      ),
    ),
  );
}

/** "As a remedy to this problem,", "a possible solution to this issue is". */
function solutions(): string[] {
  const nouns = PROBLEMS.filter((noun) => COMMON_NOUNS.has(noun));
  return SOLUTIONS.flatMap((solution) =>
    nouns.flatMap((noun) =>
      near(noun).flatMap((object) =>
        ['to', 'for'].map((link) => `as a ${solution} ${link} ${object}`),
      ),
    ),
  );
}

function solutionClauses(): string[] {
  return SOLUTIONS.flatMap((solution) =>
    ['this', 'this problem', 'this issue', 'this challenge', 'these problems'].flatMap((object) =>
      QUALITIES.concat(['', 'common', 'straightforward']).flatMap((quality) =>
        ['to', 'for'].map((link) => `${withArticle(quality, solution)} ${link} ${object} is`),
      ),
    ),
  );
}

function withArticle(quality: string, noun: string): string {
  const phrase = quality === '' ? noun : `${quality} ${noun}`;
  return `${/^[aeiou]/.test(phrase) ? 'an' : 'a'} ${phrase}`;
}

/** Cases that "to generalize these …" takes. */
const CASES = [
  'analysis',
  'case',
  'example',
  'experiment',
  'finding',
  'insight',
  'observation',
  'phenomenon',
  'problem',
  'result',
];
const GENERALIZE = ['generalize', 'generalise', 'broaden'];

/** "Generalizing these findings,", "to generalize this result,". */
function generalizing(): string[] {
  return GENERALIZE.flatMap((verb) =>
    CASES.flatMap((noun) =>
      near(noun).flatMap((object) => [`to ${verb} ${object}`, `${gerund(verb)} ${object}`]),
    ).concat([`${gerund(verb)} this`, `to ${verb} this`]),
  );
}

const REPORTS = ['suggest', 'indicate', 'imply', 'show', 'reveal', 'demonstrate', 'illustrate'];
const REPORTED = ['this', 'this result', 'this finding', 'this observation', 'this example'];
const REPORTED_MANY = ['these results', 'these findings', 'these observations', 'these examples'];

/** "This suggests more generally that", "these findings indicate more broadly that". */
function reporting(): string[] {
  const manners = ['more generally', 'more broadly', 'in general'];
  const clauses = [
    ...REPORTED.flatMap((subject) => REPORTS.map((verb) => `${subject} ${thirdPerson(verb)}`)),
    ...REPORTED_MANY.flatMap((subject) => REPORTS.map((verb) => `${subject} ${verb}`)),
  ];
  return clauses.flatMap((clause) =>
    manners.flatMap((manner) => [`${clause} that ${manner}`, `${clause} ${manner} that`]),
  );
}

/** "A concrete example of this is", "as an instance of such a case,". */
function examples(): { comma: string[]; open: string[] } {
  const kinds = ['example', 'instance', 'illustration', 'case'];
  const qualities = ['', 'concrete', 'typical', 'simple', 'prominent', 'notable', 'specific'];
  const all = kinds.flatMap((kind) =>
    qualities
      .map((quality) => withArticle(quality, kind))
      .concat([`one ${kind}`, `one such ${kind}`]),
  );
  return {
    comma: all.flatMap((phrase) => [`as ${phrase}`, `as ${phrase} of this`]),
    open: all.flatMap((phrase) => [`${phrase} is`, `${phrase} of this is`]),
  };
}

/** "This is achieved by", "we do so by": the mechanism of what was just said. */
function mechanisms(): string[] {
  const passive = ['achieved', 'accomplished', 'done', 'realized', 'realised', 'implemented'];
  const active = ['achieve', 'accomplish', 'do', 'realize', 'implement', 'enable'];
  const links = ['by', 'through', 'via', 'using', 'with'];
  return [
    ...passive.flatMap((verb) =>
      links.flatMap((link) => [`this is ${verb} ${link}`, `which is ${verb} ${link}`]),
    ),
    ...active.flatMap((verb) =>
      links.flatMap((link) => [`we ${verb} this ${link}`, `it ${thirdPerson(verb)} this ${link}`]),
    ),
    ...links.flatMap((link) => [`we do so ${link}`, `it does so ${link}`]),
  ];
}

/** All phrases that the templates yield, by signal and ending. */
export function expandedPatterns(): Phrases[] {
  const shown = examples();
  return [
    pattern('address', 'loose', [...purposes(), ...solutions()]),
    pattern('address', 'open', solutionClauses()),
    pattern('broaden', 'loose', generalizing()),
    pattern('broaden', 'open', reporting()),
    { ...pattern('specify', 'comma', shown.comma), reversible: true },
    { ...pattern('specify', 'open', shown.open), reversible: true },
    pattern('specify', 'open', mechanisms()),
  ];
}

function pattern(
  signal: Phrases['signal'],
  ending: Phrases['ending'],
  phrases: readonly string[],
): Phrases {
  return { signal, provenance: 'pattern', ending, phrases: [...new Set(phrases)] };
}
