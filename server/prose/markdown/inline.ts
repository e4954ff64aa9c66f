import type { PlainBuilder } from '../plainBuilder';
import { displayMark } from '../latex/math';
import { BREAK, CODE, DISPLAY_MATH, DROP, INLINE_MATH, NOTHING } from './marks';
import type { Inline } from './parser';

/** Text of a block with the source offset of every unit; code is marked in `pattern`. */
interface Flat {
  text: string;
  pattern: string;
  offsets: number[];
}

const enum Action {
  Keep,
  Delete,
  Drop,
  DropJoined,
}

/** Patterns of Markdown's dialects that the parser leaves in the text. */
const RULES: readonly { pattern: RegExp; action: Action; group?: true }[] = [
  // [@key; see @other, p. 3]
  { pattern: /\[(?:[^[\]]*?[\s;(])?-?@[^[\]]*\]/g, action: Action.DropJoined },
  // {cite}`key`, {ref}`label`
  {
    pattern: /\{(?:cite|ref|numref|eq|doc|footcite|citation|footnote)[\w:-]*\}\uE010+/g,
    action: Action.DropJoined,
  },
  // @key [p. 3]
  {
    pattern:
      /(?<![\w@./\\])-?@(?:\{[^{}]*\}|[A-Za-z0-9_](?:\w|[:.#$%&\-+?<>~/](?=\w))*)(?:\s*\[(?:p\.|pp\.|ch|sec|§|\d)[^[\]]*\])?/g,
    action: Action.DropJoined,
  },
  // [^note], ^[inline note]
  { pattern: /\[\^[^\]\s]+\]/g, action: Action.Drop },
  { pattern: /\^\[(?:[^[\]]|\[[^[\]]*\])*\]/g, action: Action.Drop },
  // {#sec-x .class key=value}, {python} before code
  {
    pattern: /\{[#.:%=-][^{}]*\}|\{\s*(?:[\w-]+=(?:"[^"]*"|'[^']*'|[^\s{}"']+)\s*)+\}/g,
    action: Action.Delete,
  },
  { pattern: /\{[a-z][\w:-]*\}(?=\uE010)/g, action: Action.Delete },
  // The mark of a definition.
  { pattern: /^:[ \t]+/g, action: Action.Delete },
];
const SPAN = /\[([^[\]]*)\](?=\{[#.][^{}]*\})/g;
const SUPERSCRIPT = /\^([^\s^[\]]{1,20})\^/g;
/** "@sec-noise", "[-@eq:loss]", "{ref}`sec-noise`": what prints the number of a place. */
const CROSS_REFERENCE =
  /^\[?-?@\{?(?:fig|tbl|tab|lst|sec|eq|thm|lem|cor|prp|cnj|def|exm|exr|sol|rem|alg)[-:]|^\{(?:ref|numref|eq)\}/i;
const KNITR = /^(?:r|\{(?:r|python|julia|ojs)\})\s/;

/** Adds the text of a block's inline nodes to the builder. */
export function addInline(
  builder: PlainBuilder,
  nodes: readonly Inline[],
  masked: string,
  source: string,
): void {
  const flat: Flat = { text: '', pattern: '', offsets: [] };
  for (const node of nodes) flatten(node, masked, flat);
  emit(builder, flat, source, actionsOf(flat.pattern));
}

function flatten(node: Inline, masked: string, flat: Flat): void {
  const start = node.position?.start.offset ?? 0;
  const end = node.position?.end.offset ?? start;
  switch (node.type) {
    case 'text':
      align(node.value, masked, start, end, flat);
      break;
    case 'inlineCode': {
      if (KNITR.test(node.value)) break;
      let from = start;
      while (masked[from] === '`') from++;
      const before = flat.pattern.length;
      align(node.value, masked, from, end, flat);
      flat.pattern = flat.pattern.slice(0, before) + CODE.repeat(flat.text.length - before);
      break;
    }
    case 'break':
      push(flat, ' ', start);
      break;
    case 'footnoteReference':
      push(flat, DROP, start);
      break;
    case 'image':
    case 'imageReference':
    case 'html':
      break;
    default:
      if ('children' in node) for (const child of node.children) flatten(child, masked, flat);
  }
}

function push(flat: Flat, text: string, offset: number): void {
  flat.text += text;
  flat.pattern += text;
  flat.offsets.push(...new Array<number>(text.length).fill(offset));
}

/**
 * Finds where each unit of a node's value stands: the source has escapes, entities, and marks of
 * quotes and lists at the beginning of its lines besides.
 */
function align(value: string, masked: string, start: number, end: number, flat: Flat): void {
  let at = start;
  for (let i = 0; i < value.length; i++) {
    const unit = value.charCodeAt(i);
    if (unit === 10 || unit === 13 || unit === 32 || unit === 9) {
      const space = /[\s>]/;
      flat.offsets.push(at);
      if (at < end && space.test(masked[at] ?? '')) at++;
      // On to what comes next: line marks of quotes and indentation are passed over.
      const next = value[i + 1];
      if (unit !== 32) while (at < end && masked[at] !== next && space.test(masked[at] ?? '')) at++;
      continue;
    }
    const here = masked.charCodeAt(at);
    if (here === 38 && !(unit === 38 && masked[at + 1] === value[i + 1])) {
      const entity = /&(?:#[xX][\da-fA-F]{1,6}|#\d{1,7}|[A-Za-z][A-Za-z\d]{1,31});/y;
      entity.lastIndex = at;
      if (entity.test(masked)) {
        flat.offsets.push(at);
        const pair = unit >= 0xd800 && unit < 0xdc00;
        if (pair && i + 1 < value.length) {
          flat.offsets.push(at);
          i++;
        }
        at = entity.lastIndex;
        continue;
      }
    }
    if (here === 92 && masked.charCodeAt(at + 1) === unit && unit !== 92) at++;
    else if (
      here === 92 &&
      unit === 92 &&
      masked.charCodeAt(at + 1) === 92 &&
      value[i + 1] !== '\\'
    )
      at++;
    // What the parser changed in some other way has the place that was reached.
    let found = at;
    while (found < end && masked.charCodeAt(found) !== unit) found++;
    if (found < end) at = found;
    flat.offsets.push(Math.min(at, Math.max(start, end - 1)));
    if (found < end) at++;
  }
  flat.text += value;
  flat.pattern += value;
}

function actionsOf(pattern: string): Uint8Array | null {
  if (!/[[\]@{^]|^:/.test(pattern)) return null;
  const actions = new Uint8Array(pattern.length);
  const mark = (from: number, to: number, action: Action): void => {
    if (actions[from] === Action.Keep) actions.fill(action, from, to);
  };
  for (const rule of RULES) {
    for (const hit of pattern.matchAll(rule.pattern)) {
      mark(hit.index, hit.index + hit[0].length, rule.action);
    }
  }
  for (const hit of pattern.matchAll(SPAN)) {
    mark(hit.index, hit.index + 1, Action.Delete);
    mark(hit.index + hit[0].length - 1, hit.index + hit[0].length, Action.Delete);
  }
  for (const hit of pattern.matchAll(SUPERSCRIPT)) {
    mark(hit.index, hit.index + 1, Action.Delete);
    mark(hit.index + hit[0].length - 1, hit.index + hit[0].length, Action.Delete);
  }
  return actions;
}

function emit(builder: PlainBuilder, flat: Flat, source: string, actions: Uint8Array | null): void {
  const { text, pattern, offsets } = flat;
  let at = 0;
  while (at < text.length) {
    const action = actions?.[at] ?? Action.Keep;
    if (action !== Action.Keep) {
      let to = at + 1;
      while (to < text.length && actions?.[to] === action) to++;
      if (action !== Action.Delete) {
        const joins = action === Action.DropJoined;
        builder.drop(joins, joins && CROSS_REFERENCE.test(text.slice(at, to)));
      }
      at = to;
      // "@key's": the ending goes with the cite.
      if (action === Action.DropJoined && /^['\u2019]s(?!\p{L})/u.test(text.slice(at, at + 3)))
        at += 2;
      continue;
    }
    const unit = text[at] ?? '';
    const offset = offsets[at] ?? 0;
    if (pattern[at] === CODE) {
      let to = at + 1;
      while (pattern[to] === CODE) to++;
      const from = at;
      builder.inCode(() => addRun(builder, text, offsets, from, to));
      at = to;
      continue;
    }
    if (unit >= '\uE001' && unit <= '\uE005') {
      let to = at + 1;
      while (text[to] === unit && offsets[to] === (offsets[to - 1] ?? 0) + 1) to++;
      hidden(builder, unit, source, offset, (offsets[to - 1] ?? offset) + 1);
      at = to;
      continue;
    }
    at = addCharacter(builder, flat, at, actions);
  }
}

function addCharacter(
  builder: PlainBuilder,
  { text, pattern, offsets }: Flat,
  at: number,
  actions: Uint8Array | null,
): number {
  const unit = text[at] ?? '';
  const offset = offsets[at] ?? 0;
  if (/\s/.test(unit)) {
    builder.whitespace(offset);
    return at + 1;
  }
  if (unit === '-' && text[at + 1] === '-' && text[at + 3] !== '-') {
    const length = text[at + 2] === '-' ? 3 : 2;
    builder.symbol(length === 3 ? '\u2014' : '\u2013', offset, offset + length);
    return at + length;
  }
  if (unit === ')' || unit === ']') {
    builder.close(unit, offset);
    return at + 1;
  }
  if ('.,;:!?'.includes(unit)) {
    builder.punctuation(unit, offset, offset + 1);
    return at + 1;
  }
  let to = at + 1;
  while (
    to < text.length &&
    !/[\s\])\-.,;:!?\uE001-\uE010]/.test(text[to] ?? '') &&
    pattern[to] !== CODE &&
    (actions?.[to] ?? 0) === 0
  ) {
    to++;
  }
  addRun(builder, text, offsets, at, to);
  return to;
}

/** Adds units, in pieces that stand in the source one after the other. */
function addRun(
  builder: PlainBuilder,
  text: string,
  offsets: readonly number[],
  from: number,
  to: number,
): void {
  let start = from;
  for (let i = from + 1; i <= to; i++) {
    if (i < to && offsets[i] === (offsets[i - 1] ?? 0) + 1) continue;
    const first = offsets[start] ?? 0;
    const piece = text.slice(start, i);
    if (/^\s+$/.test(piece)) builder.whitespace(first);
    else builder.run(piece, first);
    start = i;
  }
}

function hidden(
  builder: PlainBuilder,
  mark: string,
  source: string,
  from: number,
  to: number,
): void {
  if (mark === NOTHING) return;
  if (mark === BREAK) builder.endParagraph();
  else if (mark === DROP) builder.drop(true);
  else if (mark === DISPLAY_MATH) {
    const dollars = source.startsWith('$$', from) ? 2 : 0;
    const [sign, at] = displayMark(source, from + dollars, to - dollars);
    builder.display(sign, at);
  } else if (mark === INLINE_MATH) {
    const formula = source.slice(from + 1, to - 1);
    builder.inMath(() => {
      for (const word of formula.matchAll(/\S+/g)) {
        if (word.index > 0 && /\s/.test(formula[word.index - 1] ?? '')) {
          builder.whitespace(from + word.index);
        }
        builder.run(word[0], from + 1 + word.index);
      }
    });
  }
}
