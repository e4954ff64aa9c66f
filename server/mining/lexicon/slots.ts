/** Slot lists of the patterns and of the anaphora test. */

const words = (text: string): string[] =>
  text
    .trim()
    .split(/\s*,\s*|\s*\n\s*/)
    .filter(Boolean);

/** Verbs of responding to a problem of any kind. */
export const SOLVE = words(`
  address, tackle, overcome, solve, resolve, mitigate, alleviate, remedy, combat, circumvent, counter,
  counteract, handle, deal with, cope with, fix, rectify, ameliorate, surmount, sidestep, bypass,
  eliminate, avoid, reduce, relieve, confront, face, account for, compensate for, get around,
  respond to, lift, attack, minimize, lessen, correct, contend with, work around, move beyond, correct for`);

/** Verbs of closing a gap. */
export const CLOSE = words(
  'bridge, fill, close, narrow, address, reduce, overcome, fill in, shrink',
);

/** Verbs of meeting a need. */
export const MEET = words(
  'meet, satisfy, fulfill, fulfil, serve, address, accommodate, respond to, fill, support',
);

/** Verbs of answering a question. */
export const ANSWER = words('answer, address, resolve, settle, respond to, tackle');

/** Verbs that ease a tension or trade-off. */
export const EASE = words(
  'reconcile, balance, resolve, break, ease, relax, relieve, escape, dispel, untangle, overcome, address',
);

/** Every verb that begins an extendable "to …" connective. */
export const RESPONSES: readonly string[] = [
  ...new Set([
    ...SOLVE,
    ...CLOSE,
    ...MEET.filter((verb) => verb !== 'support'),
    ...ANSWER,
    ...EASE,
    ...words(`prevent, curb, suppress, neutralize, offset, defend against, guard against, protect against,
      improve upon, improve on, break through, go beyond, rule out, do away with, get rid of,
      make up for, adjust for, cut down on, patch, repair, cure, treat, plug, tame, escape, loosen,
      diminish, weaken, counterbalance, dispense with, obviate, preclude, avert, evade, defuse`),
  ]),
];

/** Nouns that name a problem. */
export const PROBLEMS = words(`
  problem, issue, challenge, limitation, shortcoming, drawback, difficulty, bottleneck, concern,
  deficiency, weakness, obstacle, constraint, inefficiency, barrier, discrepancy, mismatch, ambiguity,
  risk, inconsistency, hurdle, flaw, pitfall, threat, vulnerability, inadequacy, failure, burden,
  disadvantage, restriction, complication, impediment, misalignment, bias, oversight, complexity`);

/** Nouns that name a problem, but too rare to be worth a pattern of their own. */
const MORE_PROBLEMS = words(`
  lack, scarcity, shortage, uncertainty, disparity, imbalance, conflict, tension, insufficiency, error,
  cost, overhead, noise, downside, caveat, hindrance, void, divide, disconnect, blind spot, pain point,
  failure mode, sparsity, latency, delay, confusion, contradiction, paradox, conundrum, predicament,
  puzzle, deficit, crisis, setback, stumbling block, roadblock, shortfall, nuisance, hazard, danger, harm,
  overfitting, forgetting, interference, degradation, instability, heterogeneity, redundancy, dependency,
  reliance, phenomenon, loss, effect, artifact, trade-off, tradeoff, dilemma, gap, need, demand,
  requirement, question, criticism, problematic, attack, misconception, unknown, disagreement, variability`);

export const GAPS = words(
  'gap, research gap, knowledge gap, void, divide, disconnect, deficit, domain gap, performance gap, discrepancy',
);
export const NEEDS = words('need, demand, requirement, call');
export const QUESTIONS = words('question, research question, open question, query, puzzle');
export const TENSIONS = words(
  'trade-off, tradeoff, dilemma, tension, conflict, paradox, conundrum',
);

/** Every noun, singular, that the anaphora test takes for a problem. */
export const ALL_PROBLEMS: readonly string[] = [
  ...new Set([...PROBLEMS, ...MORE_PROBLEMS, ...GAPS, ...NEEDS, ...QUESTIONS, ...TENSIONS]),
];

/** Nouns that name a response. */
export const SOLUTIONS = words(
  'solution, remedy, response, answer, fix, workaround, cure, countermeasure',
);

/** What may qualify a response. */
export const QUALITIES = words(
  'possible, potential, simple, natural, practical, first, promising, partial',
);

/** Subjects before which a `loose` marker needs no comma. */
export const SUBJECTS: ReadonlySet<string> = new Set([
  'we',
  'i',
  'this paper',
  'this work',
  'this study',
  'this article',
  'in this paper',
  'in this work',
  'in this study',
  'the authors',
  'the paper',
  'here we',
]);
