/**
 * The moves' prior: what a sentence is (its role) and how it is put (surface cues) tell the moves apart.
 * The encoder that ships is told the move, so the prior weighs little beside its cosine (`fuse.ts`); with one
 * that knows no moves, whose neighbours restate the query, it is all that does. It only re-orders what is
 * near the query; it finds nothing by itself.
 */
import type { Move, Role } from '../engine';

const RESPONSE =
  /\b(?:we|this (?:paper|work|study|article)|our)\b[^.;]{0,40}\b(?:propos|introduc|present|develop|design|address|tackl|mitigat|overcom|alleviat|resolv|solv|reduc|improv|enabl|allow|provid|build|use[sd]?|adopt|train|combin|extend|formulat)\w*|\bto (?:address|tackle|mitigate|overcome|alleviate|resolve|solve|bridge|fill|close|remedy) (?:this|these|the|that|those)\b|\b(?:solution|remedy|framework|technique|mechanism|algorithm|pipeline) (?:that|which|for|to)\b|\bby (?:\w+ly )?(?:\w+ing)\b/i;
const OUTCOME =
  /\b(?:outperform\w*|improv(?:es?|ed|ing)|reduc(?:es?|ed|ing)|achiev(?:es?|ed|ing)|surpass\w*|state[- ]of[- ]the[- ]art|significantly|up to \d|mitigat\w+|eliminat\w+|without (?:requiring|the need))\b/i;
const PROBLEM =
  /\b(?:however|unfortunately|challeng\w+|limit(?:ed|s|ation|ations)|difficult\w*|lack(?:s|ing)?|suffer\w*|fail(?:s|ed|ure|ures)?|problem\w*|bottleneck\w*|remain\w*|scarc\w+|expensive|costly|hinder\w*|struggl\w+|under-?explored|poorly understood|unclear|gap|drawback\w*|issue|issues|prohibitive\w*)\b/i;
const GENERAL =
  /\b(?:general\w*|broad\w*|overall|in principle|fundamental\w*|widely|common(?:ly)?|many|various|diverse|across|typically|field|research|domains?|understanding|role of|important|crucial|essential|key|increasing(?:ly)?|recent years|paradigm\w*|universal\w*|perspective\w*)\b/i;
const CONCRETE =
  /\b(?:specifically|in particular|for (?:example|instance)|such as|e\.g\.|namely|concretely|consists? of|dataset|benchmark|corpus|experiments? on|evaluat\w+ on|trained on|applied to|case study|compris\w+|composed of|instantiat\w+|i\.e\.)\b/i;

const NUMBER = /(?<![\p{L}\p{N}])\d[\d.,]*\s?(?:%|×|x\b)?/gu;
/** Names of methods, data sets, systems: capitals or digits inside a word, or acronyms. */
const NAME = /\b(?:[A-Z]{2,}[A-Za-z0-9-]*|[A-Z][a-z]+[A-Z]\w*|[A-Za-z]+-?\d\w*)\b/g;

function count(text: string, pattern: RegExp): number {
  return text.match(pattern)?.length ?? 0;
}

/** How concrete a sentence is by its numbers, names and cues, 0…1. */
function concreteness(text: string): number {
  const numbers = Math.min(2, count(text, NUMBER));
  const names = Math.min(3, count(text, NAME));
  const length = text.length > 160 ? 1 : 0;
  return Math.min(1, 0.2 * numbers + 0.12 * names + (CONCRETE.test(text) ? 0.3 : 0) + 0.1 * length);
}

const ADDRESS_ROLE: Record<Role, number> = { method: 0.45, result: 0.25, background: -0.65 };
/** Slight: on pairs of the validation split more weight on background harmed. */
const BROADEN_ROLE: Record<Role, number> = { background: 0.1, method: 0, result: -0.1 };
const SPECIFY_ROLE: Record<Role, number> = { method: 0.2, result: 0.2, background: -0.3 };

function clamp(value: number): number {
  return Math.max(-1, Math.min(1, value));
}

/**
 * How far a sentence is of the kind that a move asks for, −1…1.
 * - Address: method and result sentences, responses; not those that only state a problem again.
 * - Broaden: general statements, few numbers and names.
 * - Specify: concrete ones: numbers, named methods and data, instances.
 */
export function movePrior(move: Move, text: string, role: Role | null): number {
  switch (move) {
    case 'address': {
      const response = RESPONSE.test(text) ? 0.4 : 0;
      const outcome = OUTCOME.test(text) ? 0.15 : 0;
      const restated = PROBLEM.test(text) && response === 0 ? -0.4 : 0;
      return clamp((role ? ADDRESS_ROLE[role] : 0) + response + outcome + restated);
    }
    case 'broaden': {
      const general = GENERAL.test(text) ? 0.3 : 0;
      const brief = text.length < 140 ? 0.1 : 0;
      return clamp((role ? BROADEN_ROLE[role] : 0) + general + brief - 0.7 * concreteness(text));
    }
    case 'specify':
      return clamp((role ? SPECIFY_ROLE[role] : 0) + 1.2 * concreteness(text) - 0.2);
  }
}
