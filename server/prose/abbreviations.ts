/** Abbreviations that matter to where a sentence ends. All lower case, without the last stop. */

/** A stop after one of these does not end a sentence: something always follows. */
export const NEVER_FINAL: ReadonlySet<string> = new Set(
  (
    'e.g i.e eg ie cf viz vs resp approx ca c.f w.r.t s.t a.k.a aka i.i.d incl excl esp est ' +
    'fig figs eq eqs eqn eqns sec secs sect sects tab tabs tbl alg algs app appx ch chap chaps thm ' +
    'thms prop props def defs lem cor rem ex exs ref refs vol vols no nos nr p pp para par art ed eds ' +
    'trans suppl supp dr mr mrs ms prof profs st mt rev hon gen col capt lt sgt gov sen rep ' +
    'messrs mme mlle dept univ assoc proc conf symp int intl natl acad j phys lett ' +
    'jan feb mar apr jun jul aug sept oct nov dec'
  ).split(' '),
);

/** Those of NEVER_FINAL that are words too ("the model says no."): they need a number after. */
export const NEEDS_NUMBER: ReadonlySet<string> = new Set(
  (
    'no nos art app def ex rem col gen ch par prop cor lem ref refs sec tab p j st int mar jan ' +
    'jun jul aug sept oct nov dec apr feb ed est ms mt rep sen rev alg trans conf no'
  ).split(' '),
);

/** Those of NEEDS_NUMBER that a letter, a Roman number or a reference can number as well. */
export const NUMBERED: ReadonlySet<string> = new Set(
  'sec tab app alg prop def ex rem ch par cor lem ref refs'.split(' '),
);

/** A stop after one of these ends a sentence only where the next word often opens one. */
export const SOMETIMES_FINAL: ReadonlySet<string> = new Set(
  (
    'al etc u.s u.k u.n e.u u.s.a d.c a.m p.m ph.d m.d b.sc m.sc b.a m.a inc ltd co corp bros jr sr ' +
    'llc dist min max avg std var n.b q.e.d a.d b.c ibid op.cit et.al temp freq hr hrs sq'
  ).split(' '),
);

/** Words that often open a sentence, lower case. */
export const OPENERS: ReadonlySet<string> = new Set(
  (
    'the a an this that these those it its we our they their he she his her i you there here in on ' +
    'at by for from to with within without as if when while where whereas although though because ' +
    'since after before during despite however moreover furthermore additionally also thus therefore ' +
    'hence consequently accordingly nevertheless nonetheless instead overall finally first second ' +
    'third next then specifically notably importantly interestingly unfortunately fortunately ' +
    'recently recent previous prior such some many most all both each every several few other ' +
    'another one two three no not but and or yet so using based given more less what which who how ' +
    'why to unlike like similarly conversely'
  ).split(' '),
);

/**
 * Whether a formula that is set as its source ends in a full stop ("x = 1.") rather than in that of an
 * abbreviation ("e.g.", "et al.").
 */
export function endsInFullStop(formula: string): boolean {
  const text = /^(.*[^.\s])\.$/su.exec(formula.trimEnd())?.[1]?.toLowerCase();
  if (text === undefined) return false;
  const last = text.slice(text.search(/\S+$/));
  return !NEVER_FINAL.has(last) && !SOMETIMES_FINAL.has(last);
}
