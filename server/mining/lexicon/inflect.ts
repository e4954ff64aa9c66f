/** Regular English inflection with the exceptions that the slot lists need. */

const VOWEL = /[aeiou]/;
/** Verbs that double their last letter, and irregular forms: base to -ing and third person. */
const DOUBLED = new Set(['get', 'rid', 'cut', 'plug', 'curb', 'offset', 'dispel', 'put', 'set']);
const NOT_DOUBLED = new Set(['curb']);
const GERUND: Readonly<Record<string, string>> = { do: 'doing', go: 'going', lie: 'lying' };
const THIRD: Readonly<Record<string, string>> = { do: 'does', go: 'goes', have: 'has' };
const PLURAL: Readonly<Record<string, string>> = {
  analysis: 'analyses',
  hypothesis: 'hypotheses',
  phenomenon: 'phenomena',
  crisis: 'crises',
  basis: 'bases',
  dilemma: 'dilemmas',
};
const UNCOUNTED = new Set([
  'lack',
  'scarcity',
  'shortage',
  'noise',
  'overfitting',
  'forgetting',
  'instability',
  'heterogeneity',
  'sparsity',
  'overhead',
  'latency',
  'confusion',
  'reliance',
  'insufficiency',
  'work',
  'evidence',
]);

/** Applies a change to the first word of a verb phrase ("cope with" to "coping with"). */
function onVerb(phrase: string, change: (verb: string) => string): string {
  const [verb = '', ...rest] = phrase.split(' ');
  return [change(verb), ...rest].join(' ');
}

/** "tackle" to "tackling", "cope with" to "coping with". */
export function gerund(phrase: string): string {
  return onVerb(phrase, (verb) => {
    const known = GERUND[verb];
    if (known !== undefined) return known;
    if (DOUBLED.has(verb) && !NOT_DOUBLED.has(verb)) return `${verb}${verb.slice(-1)}ing`;
    if (verb.endsWith('ie')) return `${verb.slice(0, -2)}ying`;
    if (verb.endsWith('e') && !/(?:ee|ye|oe)$/.test(verb)) return `${verb.slice(0, -1)}ing`;
    return `${verb}ing`;
  });
}

/** "tackle" to "tackles", "fix" to "fixes", "remedy" to "remedies". */
export function thirdPerson(phrase: string): string {
  return onVerb(phrase, (verb) => THIRD[verb] ?? withS(verb));
}

/** Plural of a noun phrase, or null where the noun has none. */
export function plural(phrase: string): string | null {
  const words = phrase.split(' ');
  const noun = words.pop() ?? '';
  if (UNCOUNTED.has(noun)) return null;
  return [...words, PLURAL[noun] ?? withS(noun)].join(' ');
}

function withS(word: string): string {
  if (/(?:s|x|z|ch|sh)$/.test(word)) return `${word}es`;
  if (word.endsWith('y') && !VOWEL.test(word.charAt(word.length - 2))) {
    return `${word.slice(0, -1)}ies`;
  }
  return `${word}s`;
}
