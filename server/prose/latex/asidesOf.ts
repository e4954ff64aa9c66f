/** The macros for remarks that a draft defines, for what reads its source by itself. */
import { collectDefinitions, emptyDefinitions } from './definitions';
import { scanLatex } from './document';

/** Names of the macros for remarks that a text defines. */
export function asidesOf(source: string): Set<string> {
  const names = new Set<string>();
  // Most drafts define none: these words stand in every definition of one.
  if (!/color|todo|fixme|fxnote|margin|pdf/.test(source)) return names;
  const definitions = emptyDefinitions();
  collectDefinitions(scanLatex(source), definitions);
  for (const [name, { aside }] of definitions.macros) if (aside) names.add(name);
  return names;
}
