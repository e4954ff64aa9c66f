import { isAside } from './asides';
import { isLetter, type LatexDocument } from './document';

/** A macro of the draft: its body stands in a document, from `from` to `to`. */
interface MacroDefinition {
  doc: LatexDocument;
  from: number;
  to: number;
  /** One letter an argument: `s` star, `o` optional, `m` mandatory. */
  signature: string;
  /** Where the default of the first optional argument stands. */
  fallback: { from: number; to: number } | null;
  /** When the body only opens or closes an environment: that environment's name. */
  opens: string | null;
  closes: string | null;
  /** Defined by a command that fails on a name that is taken: it replaces nothing known. */
  fresh: boolean;
  /** A remark of an author to the others (`{\color{red}[JD: #1]}`): no prose of the draft. */
  aside: boolean;
}

export interface Definitions {
  macros: Map<string, MacroDefinition>;
  /** `\let\a\b` */
  aliases: Map<string, string>;
  /** Environments of the draft that only wrap another: name → wrapped name. */
  environments: Map<string, string>;
  /** Key → short form. */
  acronyms: Map<string, string>;
}

const NAME = /\s*(?:\{\s*\\([a-zA-Z@]+)\s*\}|\\([a-zA-Z@]+))/y;
const COUNT = /\s*\[\s*(\d)\s*\]/y;
const OPENS = /^[\s%]*\\begin\s*\{([a-zA-Z]+\*?)\}\s*(?:\[[^\]]*\])?[\s%]*$/;
const CLOSES = /^[\s%]*\\end\s*\{([a-zA-Z]+\*?)\}[\s%]*$/;
const WRAPS = /\\begin\s*\{([a-zA-Z]+\*?)\}/;

/** Definitions of a draft that has none. */
export function emptyDefinitions(): Definitions {
  return { macros: new Map(), aliases: new Map(), environments: new Map(), acronyms: new Map() };
}

/**
 * Adds the macros, environments and acronyms that a document defines; of two definitions of one
 * name the later counts. Gives the ranges the definitions take up.
 */
export function collectDefinitions(
  doc: LatexDocument,
  into: Definitions,
): { start: number; end: number }[] {
  const ranges: { start: number; end: number }[] = [];
  let end = 0;
  for (const word of doc.words) {
    if (word.start < end) continue;
    const after = define(doc, word.name, word.end, into);
    if (after === null) continue;
    doc.definitions.set(word.start, after);
    ranges.push({ start: word.start, end: after });
    end = after;
  }
  return ranges;
}

/** Reads the definition whose control word ends at `at`; gives where it ends, null if it is none. */
function define(doc: LatexDocument, kind: string, at: number, into: Definitions): number | null {
  switch (kind) {
    case 'newcommand':
    case 'renewcommand':
    case 'providecommand':
    case 'DeclareRobustCommand':
      return defineCommand(doc, kind, at, into);
    case 'def':
    case 'edef':
    case 'gdef':
    case 'xdef':
      return defineByDef(doc, at, into);
    case 'let':
      return defineByLet(doc, at, into);
    case 'NewDocumentCommand':
    case 'RenewDocumentCommand':
    case 'ProvideDocumentCommand':
    case 'DeclareDocumentCommand':
      return defineByDocument(doc, at, into);
    case 'newenvironment':
    case 'renewenvironment':
    case 'NewDocumentEnvironment':
      return defineEnvironment(doc, at, into);
    case 'newacronym':
    case 'DeclareAcronym':
    case 'acro':
    case 'newglossaryentry':
      return defineAcronym(doc, kind, at, into);
    default:
      return null;
  }
}

function defineCommand(
  doc: LatexDocument,
  kind: string,
  at: number,
  into: Definitions,
): number | null {
  const { source } = doc;
  NAME.lastIndex = source[at] === '*' ? at + 1 : at;
  const match = NAME.exec(source);
  const name = match?.[1] ?? match?.[2];
  if (name === undefined) return null;
  let next = NAME.lastIndex;
  COUNT.lastIndex = next;
  const count = COUNT.exec(source);
  if (count) next = COUNT.lastIndex;
  let signature = 'm'.repeat(Number(count?.[1] ?? 0));
  let fallback: MacroDefinition['fallback'] = null;
  next = skip(source, next);
  if (source[next] === '[') {
    const close = closeBracket(doc, next);
    if (close < 0) return null;
    fallback = { from: next + 1, to: close };
    signature = 'o' + signature.slice(1);
    next = skip(source, close + 1);
  }
  const body = group(doc, next);
  if (!body) return null;
  if (kind !== 'providecommand' || !into.macros.has(name)) {
    into.macros.set(
      name,
      macro(doc, body.from, body.to, signature, fallback, kind === 'newcommand'),
    );
    into.aliases.delete(name);
  }
  return body.to + 1;
}

function defineByDef(doc: LatexDocument, at: number, into: Definitions): number | null {
  const { source } = doc;
  NAME.lastIndex = at;
  const match = NAME.exec(source);
  const name = match?.[2];
  if (name === undefined) return null;
  const open = source.indexOf('{', NAME.lastIndex);
  if (open < 0 || open - NAME.lastIndex > 80) return null;
  const parameters = source.slice(NAME.lastIndex, open).trim();
  const body = group(doc, open);
  if (!body) return null;
  // Delimited parameters are not read: such a macro is left unknown.
  if (/^(?:#\d)*$/.test(parameters)) {
    const signature = 'm'.repeat(parameters.length / 2);
    into.macros.set(name, macro(doc, body.from, body.to, signature, null));
    into.aliases.delete(name);
  }
  return body.to + 1;
}

function defineByLet(doc: LatexDocument, at: number, into: Definitions): number | null {
  NAME.lastIndex = at;
  const name = NAME.exec(doc.source)?.[2];
  if (name === undefined) return null;
  const equals = /\s*=?\s?/y;
  equals.lastIndex = NAME.lastIndex;
  equals.test(doc.source);
  NAME.lastIndex = equals.lastIndex;
  const target = NAME.exec(doc.source)?.[2];
  if (target === undefined) return null;
  const known = into.macros.get(target);
  if (known) into.macros.set(name, known);
  else into.aliases.set(name, target);
  return NAME.lastIndex;
}

function defineByDocument(doc: LatexDocument, at: number, into: Definitions): number | null {
  NAME.lastIndex = at;
  const match = NAME.exec(doc.source);
  const name = match?.[1] ?? match?.[2];
  if (name === undefined) return null;
  const spec = group(doc, skip(doc.source, NAME.lastIndex));
  const body = spec && group(doc, skip(doc.source, spec.to + 1));
  if (!spec || !body) return null;
  const letters = doc.source.slice(spec.from, spec.to).replace(/[\s+!]/g, '');
  const signature = letters.replace(/O\{[^{}]*\}/g, 'o');
  if (/^[som]*$/.test(signature)) {
    into.macros.set(name, macro(doc, body.from, body.to, signature, null));
    into.aliases.delete(name);
  }
  return body.to + 1;
}

function defineEnvironment(doc: LatexDocument, at: number, into: Definitions): number | null {
  const { source } = doc;
  const name = group(doc, skip(source, source[at] === '*' ? at + 1 : at));
  if (!name) return null;
  let next = skip(source, name.to + 1);
  while (source[next] === '[') {
    const close = closeBracket(doc, next);
    if (close < 0) return null;
    next = skip(source, close + 1);
  }
  let begin = group(doc, next);
  let end = begin && group(doc, skip(source, begin.to + 1));
  if (!begin || !end) return null;
  const third = group(doc, skip(source, end.to + 1));
  if (third && /^[\s+!somO{}]*$/.test(source.slice(begin.from, begin.to))) {
    begin = end;
    end = third;
  }
  const wrapped = WRAPS.exec(source.slice(begin.from, begin.to))?.[1];
  if (wrapped !== undefined) into.environments.set(source.slice(name.from, name.to), wrapped);
  return end.to + 1;
}

function defineAcronym(
  doc: LatexDocument,
  kind: string,
  at: number,
  into: Definitions,
): number | null {
  const { source } = doc;
  let next = at;
  if (source[next] === '[') next = closeBracket(doc, next) + 1 || next;
  const key = group(doc, next);
  if (!key) return null;
  const name = source.slice(key.from, key.to);
  next = key.to + 1;
  if (kind === 'acro') {
    const close = source[next] === '[' ? closeBracket(doc, next) : -1;
    into.acronyms.set(name, close < 0 ? name : source.slice(next + 1, close));
    // The long form that follows is left to the reader of the list.
    return null;
  }
  const short = group(doc, skip(source, next));
  if (!short) return null;
  const text = source.slice(short.from, short.to);
  if (kind === 'newacronym') {
    into.acronyms.set(name, text);
    return (group(doc, skip(source, short.to + 1))?.to ?? short.to) + 1;
  }
  const value = /(?:^|[,\s])(?:short|name|text)\s*=\s*(?:\{([^{}]*)\}|([^,{}]+))/.exec(text);
  into.acronyms.set(name, (value?.[1] ?? value?.[2] ?? name).trim());
  return short.to + 1;
}

function macro(
  doc: LatexDocument,
  from: number,
  to: number,
  signature: string,
  fallback: MacroDefinition['fallback'],
  fresh = false,
): MacroDefinition {
  const body = to - from < 120 ? doc.source.slice(from, to) : '';
  return {
    doc,
    from,
    to,
    signature,
    fallback,
    opens: OPENS.exec(body)?.[1] ?? null,
    closes: CLOSES.exec(body)?.[1] ?? null,
    fresh,
    aside:
      signature.length > 0 && to - from < 400 && isAside(signature, doc.source.slice(from, to)),
  };
}

function group(doc: LatexDocument, at: number): { from: number; to: number } | null {
  const close = doc.source[at] === '{' ? (doc.closing[at] ?? -1) : -1;
  return close < 0 ? null : { from: at + 1, to: close };
}

/** Skips white space and comments. */
function skip(source: string, from: number): number {
  let at = from;
  for (;;) {
    const code = source.charCodeAt(at);
    if (code === 32 || (code >= 9 && code <= 13)) at++;
    else if (code === 37) {
      const end = source.indexOf('\n', at);
      at = end < 0 ? source.length : end + 1;
    } else return at;
  }
}

/** Index of the bracket that closes the one at `at`, within 2,000 characters; -1 if none. */
export function closeBracket(doc: LatexDocument, at: number, to = doc.source.length): number {
  const { source } = doc;
  const limit = Math.min(to, at + 2000);
  let depth = 0;
  for (let i = at + 1; i < limit; i++) {
    const code = source.charCodeAt(i);
    if (code === 92) i++;
    else if (code === 123) {
      const close = doc.closing[i] ?? -1;
      if (close > i) i = close;
    } else if (code === 91) depth++;
    else if (code === 93 && depth-- === 0) return i;
    else if (code === 10 && /^[ \t]*\r?\n/.test(source.slice(i + 1, i + 80))) return -1;
  }
  return -1;
}

/** Name of the control word whose backslash is at `at`, '' if it is a control symbol. */
export function controlName(source: string, at: number, atLetter: boolean): string {
  let end = at + 1;
  for (;;) {
    const code = source.charCodeAt(end);
    if (isLetter(code) || (atLetter && code === 64)) end++;
    else return source.slice(at + 1, end);
  }
}
