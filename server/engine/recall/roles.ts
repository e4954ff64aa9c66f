/**
 * Estimates what a sentence does in its paper from cues and its place: multinomial logistic
 * regression over the cues below, fitted on the training abstracts of CSAbstruct (Cohan et al.,
 * 2019; objective counts as method, other left out) and chosen on its development set. Right for
 * 73 % of the sentences of the development set, 82 % of the test set.
 */
import type { Role } from '../engine';

/** In the order of scores. */
export const ROLES = ['background', 'method', 'result'] as const satisfies readonly Role[];

/** What a feature adds to the scores of background, method and result. */
type Weights = readonly [number, number, number];

const BIAS: Weights = [0.03, 0.16, -0.63];

/** By eighths of the abstract. */
const PLACE: readonly Weights[] = [
  [0.65, -0.27, -2.02],
  [0.66, -0.14, -2.29],
  [0.36, 0.14, -1.84],
  [-0.08, 0.21, -1.02],
  [-0.33, 0.51, -0.81],
  [-0.79, 0.38, -0.17],
  [-1.43, -0.02, 0.4],
  [-1.79, -0.33, 0.79],
];

const FIRST: Weights = [0.81, -0.66, -1.09];
const SECOND: Weights = [0.41, -0.34, -0.46];
const LAST_BUT_ONE: Weights = [0.09, -0.04, -0.3];
const LAST: Weights = [0.3, -0.58, 0.15];

/** Cues in the sentence; `previous` weighs the same cue in the sentence before. */
const CUES: readonly { name: string; cue: RegExp; own: Weights; previous?: Weights }[] = [
  {
    name: 'we-make',
    cue: /\b(?:we|this (?:paper|work|article|study)|our (?:paper|work))\b.{0,30}\b(?:propos|introduc|present|develop|design|devis|formulat)\w*/i,
    own: [-0.45, 0.23, -0.4],
    previous: [-0.18, 0, -0.29],
  },
  {
    name: 'we-do',
    cue: /\bwe\b.{0,20}\b(?:use|apply|train|employ|adopt|build|construct|combine|model|extend|leverage|exploit|consider|study|investigate|analy[sz]e|explore|examine|describe|address|focus|collect|implement|compare|conduct|perform|define|learn|derive|incorporate|augment)\b/i,
    own: [-0.22, -0.06, -0.06],
    previous: [-0.15, -0.09, -0.15],
  },
  {
    name: 'we-find',
    cue: /\bwe\b.{0,20}\b(?:find|found|show|demonstrate|observe|achieve|obtain|report|prove|outperform|conclude|discover|confirm|reveal|evaluate|verify|validate|improve)\w*/i,
    own: [-0.29, -0.63, 0.41],
    previous: [-0.26, -0.28, 0.14],
  },
  {
    name: 'this-paper',
    cue: /\b(?:in )?(?:this|the present|our) (?:paper|work|study|article|research|letter|thesis)\b/i,
    own: [-0.88, 0.45, -0.11],
    previous: [-0.2, 0.09, -0.27],
  },
  {
    name: 'aim',
    cue: /\b(?:aims?|goal|objective|purpose|intend\w*|in order to)\b/i,
    own: [-0.67, 0.52, -0.28],
  },
  {
    name: 'results-show',
    cue: /\b(?:results?|experiments?|evaluations?|findings?|analys[ie]s|simulations?|study|studies)\b.{0,40}\b(?:show|demonstrat|indicat|reveal|suggest|confirm|prove|illustrat|support|validat|verif)\w*/i,
    own: [-0.44, -0.45, 0.48],
    previous: [0.57, -0.82, 0.16],
  },
  {
    name: 'result-word',
    cue: /\b(?:results?|findings?|experimental(?:ly)?|empirical(?:ly)?)\b/i,
    own: [-0.65, -0.66, 0.8],
  },
  {
    name: 'better',
    cue: /\b(?:outperform\w*|state[- ]of[- ]the[- ]art|superior\w*|better than|surpass\w*|achiev\w+|improv(?:es|ed|ement|ements)|competitive|effectiveness|significantly|gains?|increase[sd]?|reduc(?:es|ed|tion)|higher|lower|compared (?:to|with)|accuracy of)\b/i,
    own: [-0.2, -0.2, -0.07],
  },
  {
    name: 'number',
    cue: /\d+(?:\.\d+)?\s?%|\b\d+\.\d+\b|\bp ?[<=]/i,
    own: [-0.35, -0.22, 0],
  },
  {
    name: 'conclude',
    cue: /\b(?:conclu\w+|overall|finally|in summary|to summarize|implications?|insights?|suggest(?:s|ing)?|promising|potential|future)\b/i,
    own: [-0.57, -0.09, 0.19],
  },
  {
    name: 'past-measure',
    cue: /\b(?:was|were)\b/i,
    own: [-0.65, -0.21, 0.48],
  },
  {
    name: 'however',
    cue: /^(?:however|yet|but|unfortunately|nevertheless|despite|although|while|though)\b/i,
    own: [0.1, -0.45, 0.1],
  },
  {
    name: 'however-in',
    cue: /\b(?:however|unfortunately)\b/i,
    own: [0.22, -0.28, -0.53],
  },
  {
    name: 'problem',
    cue: /\b(?:challeng\w+|difficult\w*|limit(?:ed|ation|ations)|lack(?:s|ing)?|problems?|suffer\w*|fails?|remain\w*|little|few|costly|expensive|unclear|gap|issues?|neglect\w*|ignor\w+|often|typically|usually|tend to)\b/i,
    own: [0.03, -0.23, -0.25],
  },
  {
    name: 'existing',
    cue: /\b(?:existing|previous|prior|traditional|conventional|current|recent(?:ly)?|standard|most|many|several|various)\b/i,
    own: [0.09, -0.08, -0.46],
  },
  {
    name: 'have-been',
    cue: /\b(?:has|have) (?:been|become|shown|gained|received|attracted|emerged|proven|led)\b/i,
    own: [0.5, -0.5, -0.35],
  },
  {
    name: 'important',
    cue: /\b(?:important|crucial|essential|key|critical|fundamental|widely|popular|increasing\w*|growing|ubiquitous|major|significant (?:role|attention|progress))\b/i,
    own: [-0.14, -0.21, -0.01],
  },
  {
    name: 'is-a',
    cue: /^\w+(?: \w+){0,4} (?:is|are) (?:a|an|the|one|increasingly|widely)\b/i,
    own: [0.2, -0.25, -0.23],
  },
  {
    name: 'can',
    cue: /\b(?:can|may|could|would|should|will|must)\b/i,
    own: [0.03, -0.23, -0.32],
  },
  {
    name: 'our',
    cue: /\bour\b/i,
    own: [-0.38, -0.03, -0.1],
  },
  {
    name: 'we',
    cue: /\bwe\b/i,
    own: [-0.48, 0.14, -0.24],
    previous: [-0.3, -0.07, -0.18],
  },
  {
    name: 'specifically',
    cue: /^(?:specifically|in particular|to this end|to (?:address|tackle|overcome|solve|achieve|do so)|first|second|then|next|moreover|furthermore|additionally|in addition|based on|using|by)\b/i,
    own: [0.05, 0.03, -0.08],
  },
  {
    name: 'to-address',
    cue: /\bto (?:address|tackle|overcome|solve|mitigate|alleviate|bridge) (?:this|these|the|such)\b/i,
    own: [-0.31, -0.04, -0.49],
  },
  {
    name: 'proposed',
    cue: /\bproposed\b/i,
    own: [-0.77, 0.17, 0.2],
  },
  {
    name: 'method-noun',
    cue: /\b(?:framework|algorithm|method|approach|model|network|architecture|system|technique|mechanism|module|procedure|scheme|pipeline|protocol|questionnaire|interviews?|participants|sample)\b/i,
    own: [-0.25, 0.14, -0.31],
  },
  {
    name: 'based-on',
    cue: /\b(?:based on|consists? of|which (?:is|are|can)|by (?:\w+ly )?\w+ing|using|via|through)\b/i,
    own: [-0.36, 0.13, -0.29],
  },
  {
    name: 'data',
    cue: /\b(?:datasets?|benchmarks?|corpus|corpora|data ?sets?|tasks?|experiments?)\b/i,
    own: [-0.02, -0.3, -0.01],
  },
  {
    name: 'evaluate',
    cue: /\b(?:evaluat\w+|experiments? (?:on|with|are|were)|tested|validated|compared|performance)\b/i,
    own: [-0.49, -0.11, 0.19],
  },
  {
    name: 'question',
    cue: /\?$/,
    own: [0.35, -0.89, -0.37],
  },
  {
    name: 'code',
    cue: /\b(?:code|available|github|https?)\b/i,
    own: [-0.23, -0.13, 0.22],
  },
  {
    name: 'novel',
    cue: /\b(?:novel|new)\b/i,
    own: [-0.49, -0.15, 0.17],
  },
  {
    name: 'demonstrate',
    cue: /\b(?:demonstrat|show|reveal|indicat|confirm|exhibit)\w*\b/i,
    own: [-0.46, -0.11, 0.14],
  },
  {
    name: 'contribution',
    cue: /\bcontribut\w+/i,
    own: [-0.5, -0.03, 0.04],
  },
  {
    name: 'short',
    cue: /^.{0,80}$/,
    own: [-0.16, -0.26, 0.08],
  },
  {
    name: 'long',
    cue: /^.{220,}$/,
    own: [-0.07, -0.15, -0.17],
  },
];

/** A sentence before it says what the paper does, or that results show something. */
const OWN_WORK_BEFORE: Weights = [-0.83, 0.22, 0.17];
const RESULTS_BEFORE: Weights = [-0.65, -0.19, 0.26];
/** A sentence after it says what the paper does. */
const OWN_WORK_AFTER: Weights = [0.24, -0.31, -0.19];

/** Full texts: what sections of these titles are likely to hold. */
const SECTIONS: readonly { title: RegExp; role: Role }[] = [
  {
    title: /\b(?:introduction|background|related|motivation|preliminar\w+|literature)\b/i,
    role: 'background',
  },
  {
    title: /\b(?:results?|experiments?|evaluation|discussion|conclusions?|analysis|findings)\b/i,
    role: 'result',
  },
  {
    title:
      /\b(?:methods?|methodology|approach|model|architecture|algorithm|implementation|design|materials)\b/i,
    role: 'method',
  },
];
/** What a section's title adds to its role's score. */
const SECTION_WEIGHT = 1.5;

function has(name: string, text: string): boolean {
  return CUES.some((entry) => entry.name === name && entry.cue.test(text));
}

/** Whether it says what the paper itself does. */
function ownWork(text: string): boolean {
  return has('we-make', text) || has('this-paper', text);
}

/** Unnormalised log-probabilities of background, method and result. */
export type RoleScores = [number, number, number];

/**
 * Scores of the roles of a paper's sentences, in order. `sections` are their section titles where
 * known: inside a section other than an abstract its title counts, not the place.
 */
export function roleScores(
  sentences: readonly string[],
  sections: readonly (string | null)[],
): RoleScores[] {
  const own = sentences.map(ownWork);
  const firstOwn = sentences.findIndex((text, i) => own[i] === true || has('we-do', text));
  const firstShown = sentences.findIndex((text) => has('results-show', text));
  const lastOwn = own.lastIndexOf(true);
  const n = sentences.length;
  return sentences.map((text, i) => {
    const scores: RoleScores = [...BIAS];
    const add = (weights: Weights | undefined): void => {
      if (weights) for (const c of [0, 1, 2] as const) scores[c] += weights[c];
    };
    const section = sections[i] ?? null;
    if (section === null || /abstract|summary/i.test(section)) {
      const place = n === 1 ? 0.5 : i / (n - 1);
      add(PLACE[Math.min(PLACE.length - 1, Math.floor(place * PLACE.length))]);
      if (i === 0) add(FIRST);
      if (i === 1) add(SECOND);
      if (i === n - 2) add(LAST_BUT_ONE);
      if (i === n - 1) add(LAST);
      if (firstOwn !== -1 && firstOwn < i) add(OWN_WORK_BEFORE);
      if (firstShown !== -1 && firstShown < i) add(RESULTS_BEFORE);
      if (lastOwn > i) add(OWN_WORK_AFTER);
    } else {
      const known = SECTIONS.find(({ title }) => title.test(section));
      if (known) scores[ROLES.indexOf(known.role) as 0 | 1 | 2] += SECTION_WEIGHT;
    }
    const before = sentences[i - 1];
    for (const { cue, own: weights, previous } of CUES) {
      if (cue.test(text)) add(weights);
      if (previous && before !== undefined && cue.test(before)) add(previous);
    }
    return scores;
  });
}

/** The role with the highest score. */
export function likeliestRole(scores: readonly number[]): Role {
  return ROLES[scores.indexOf(Math.max(...scores))] ?? 'background';
}

/** Likeliest roles of a paper's sentences; see {@link roleScores}. */
export function estimateRoles(
  sentences: readonly string[],
  sections: readonly (string | null)[],
): Role[] {
  return roleScores(sentences, sections).map(likeliestRole);
}
