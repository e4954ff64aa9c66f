/** The citation command of a draft that cites nothing yet: by the package that it loads. */
import { groupEnd } from './latexCites';
import { withoutComments } from './texSource';

/** `\usepackage[options]{names}` and its kin; a class is loaded the same way. */
const LOADED =
  /\\(usepackage|RequirePackage(?:WithOptions)?|documentclass|LoadClass(?:WithOptions)?)\s*(?:\[([^\]]{0,2000})\])?\s*\{([^{}]{1,2000})\}/g;
/** Options that a package is given before something else loads it. */
const PASSED = /\\PassOptionsToPackage\s*\{([^{}]*)\}\s*\{\s*biblatex\s*\}/g;
/** Styles and classes of conferences and publishers that load natbib and expect \citep. */
const LOADS_NATBIB =
  /^(?:natbib|neurips_\d+|nips_\d+|icml\d+|iclr\d+_conference|colm\d+_conference|jmlr2e|acl|acl20\d\d|acl_natbib|emnlp20\d\d|naacl20\d\d\w*|tmlr|mnras|aastex\d*)$/;

/**
 * \citep for natbib, \autocite for BibLaTeX (\parencite where its options make \autocite print no
 * brackets), else \cite.
 *
 * @param styles the text of a style or class file beside the draft, none or one
 */
export function citeOfPackages(
  sources: readonly string[],
  styles: (name: string) => readonly string[],
): string {
  for (const source of sources) {
    const found = commandOf(withoutComments(source), styles, 0);
    if (found !== null) return found;
  }
  return 'cite';
}

function commandOf(
  source: string,
  styles: (name: string) => readonly string[],
  depth: number,
): string | null {
  const local: string[] = [];
  for (const [, command = '', options = '', names = ''] of source.matchAll(LOADED)) {
    const extension = /class/i.test(command) ? 'cls' : 'sty';
    for (const name of names.split(',').map((each) => each.trim())) {
      if (name === 'biblatex' || name === 'biblatex-chicago') {
        const passed = [...source.matchAll(PASSED)].map((match) => match[1] ?? '');
        const plain = /\bautocite\s*=\s*\{?plain\b/.test([options, ...passed].join());
        return plain ? 'parencite' : 'autocite';
      }
      if (LOADS_NATBIB.test(name) && !/\bnonatbib\b/.test(options)) return 'citep';
      if (name !== '' && !/\bnonatbib\b/.test(options)) local.push(`${name}.${extension}`);
    }
  }
  if (depth > 1) return null;
  for (const name of local) {
    for (const text of styles(name)) {
      const found = commandOf(unconditional(withoutComments(text)), styles, depth + 1);
      if (found !== null) return found;
    }
  }
  return null;
}

/** A style without what it loads only if an option or a condition asks for it. */
function unconditional(style: string): string {
  const plain = style.replace(
    /\\if[a-zA-Z@]*[^\n]{0,2000}?\\fi\b|^[ \t]*\\if[\s\S]{0,4000}?\\fi\b/gm,
    '',
  );
  let out = '';
  let at = 0;
  for (const match of plain.matchAll(/\\DeclareOption\*?\s*(?:\{[^{}]*\}\s*)?\{/g)) {
    if (match.index < at) continue;
    out += plain.slice(at, match.index);
    const end = groupEnd(plain, match.index + match[0].length - 1, plain.length);
    at = end < 0 ? plain.length : end;
  }
  return out + plain.slice(at);
}
