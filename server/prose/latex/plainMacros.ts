/** Macros of a style file that say what they print. */
import { collectDefinitions, emptyDefinitions } from './definitions';
import { scanLatex } from './document';
import { ACRONYM, CITE, HEADINGS, NOTES, REFERENCE, SHORTHANDS, SIGNATURES } from './macros';
import { ACCENTS, SYMBOLS } from './symbols';

const NAMED = /\\(?:[a-zA-Z]+)\*?\s*\{?\s*\\([a-zA-Z]+)/y;
/** Style code: what it prints is not told by its text. */
const CODE =
  /@|\\(?:if[a-zA-Z]*|else|fi|csname|expandafter|futurelet|begingroup|endgroup|catcode|the|advance|setcounter|noexpand|relax|newif|box|hbox|vbox|vspace|vskip|hskip|penalty|everypar)(?![a-zA-Z])/;
const LONGEST = 600;

/**
 * The definitions of a style file that a draft's own could look like. A conference's style defines
 * macros as code, and what is known anyway (\citet, \title, \eg) otherwise than it is read.
 */
export function plainMacros(source: string): string {
  const doc = scanLatex(source);
  const kept: string[] = [];
  for (const { start, end } of collectDefinitions(doc, emptyDefinitions())) {
    const text = source.slice(start, end);
    NAMED.lastIndex = 0;
    const name = NAMED.exec(text)?.[1];
    if (text.length > LONGEST || CODE.test(text)) continue;
    if (/^\\let(?![a-zA-Z])|environment/i.test(text.slice(0, 30))) continue;
    if (name !== undefined && isKnown(name)) continue;
    kept.push(text);
  }
  return kept.join('\n');
}

function isKnown(name: string): boolean {
  return (
    [SIGNATURES, SYMBOLS, SHORTHANDS, NOTES, HEADINGS, ACCENTS].some((known) => known.has(name)) ||
    [CITE, REFERENCE, ACRONYM].some((pattern) => pattern.test(name))
  );
}
