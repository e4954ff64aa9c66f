/** What a LaTeX file says about other files: inputs, bibliographies, its root. */

/** Commands whose first argument is an address, in which `%` is a plain character. */
export const ADDRESSES: ReadonlySet<string> = new Set(['url', 'nolinkurl', 'path', 'href']);
/** Pattern of such a command up to its first brace. */
export const ADDRESS = `\\\\(?:${[...ADDRESSES].join('|')})\\*?[ \\t]*(?:\\[[^\\]\\r\\n]*\\][ \\t]*)?(?=\\{)`;

/** A comment, behind what may hold a per cent sign that begins none: an escaped character, an address. */
const COMMENT = new RegExp(`${ADDRESS}\\{[^{}\\r\\n]*\\}|\\\\[^]|(%[^\\r\\n]*)`, 'g');

/**
 * The source with comments, verbatim text and what is switched off by \iffalse blanked out, every
 * character keeping its place.
 */
export function withoutComments(source: string): string {
  const blank = (text: string) => text.replace(/[^\r\n]/g, ' ');
  return source
    .replace(COMMENT, (all, comment?: string) => (comment === undefined ? all : blank(comment)))
    .replace(
      /\\begin\s*\{(comment|verbatim\*?|lstlisting|minted|Verbatim|filecontents\*?)\}[\s\S]*?\\end\s*\{\1\}/g,
      blank,
    )
    .replace(/\\iffalse(?![a-zA-Z])[\s\S]*?\\fi(?![a-zA-Z])/g, blank);
}

export interface TexReferences {
  /** Targets of \input and its kin, as written; `from` is the folder that \import names. */
  inputs: { target: string; from: string }[];
  /** Bibliographies as written; `addbib` for BibLaTeX's, which name their file in full. */
  bibliographies: { target: string; addbib: boolean }[];
  /** The main file that this file names: a `% !TeX root` line or the subfiles class. */
  root: string | null;
  /** True for a file with its own \documentclass (subfiles aside). */
  isRoot: boolean;
}

const unquote = (text: string) =>
  text
    .trim()
    .replace(/^"(.*)"$/s, '$1')
    .trim();
export const INPUT =
  /\\(?:input|include|subfile|subfileinclude|InputIfFileExists|loadglsentries)\s*\{([^{}]+)\}|\\input\s+(?:"([^"\r\n]+)"|([^\s{}\\%]+))/g;
export const IMPORT =
  /\\(?:sub)?(?:import|includefrom|inputfrom)\*?\s*\{([^{}]*)\}\s*\{([^{}]+)\}/g;
const BIBLIOGRAPHY =
  /\\(?:no)?bibliography\s*\*?\s*\{([^{}]+)\}|\\defaultbibliography\s*\{([^{}]+)\}/g;
const ADDBIB = /\\add(?:bibresource|globalbib|sectionbib)\s*(?:\[([^\]]*)\])?\s*\{([^{}]+)\}/g;

const cache = new Map<string, TexReferences>();

/** Reads a file's references. Recently read texts are remembered. */
export function texReferences(source: string): TexReferences {
  const found = cache.get(source);
  if (found) return found;
  const references = readReferences(source);
  cache.set(source, references);
  for (const oldest of cache.keys()) {
    if (cache.size <= 64) break;
    cache.delete(oldest);
  }
  return references;
}

function readReferences(source: string): TexReferences {
  const text = withoutComments(source);
  const inputs: TexReferences['inputs'] = [];
  for (const [, braced, quoted, bare] of text.matchAll(INPUT)) {
    const target = unquote(braced ?? quoted ?? bare ?? '');
    if (target) inputs.push({ target, from: '' });
  }
  for (const [, from = '', target = ''] of text.matchAll(IMPORT)) {
    inputs.push({ target: unquote(target), from: unquote(from) });
  }

  const found: { at: number; target: string; addbib: boolean }[] = [];
  for (const match of text.matchAll(BIBLIOGRAPHY)) {
    for (const target of (match[1] ?? match[2] ?? '').split(',')) {
      found.push({ at: match.index, target: unquote(target), addbib: false });
    }
  }
  for (const match of text.matchAll(ADDBIB)) {
    // location=remote is an address, not a file; so are others that start with one.
    if (/location\s*=\s*remote/.test(match[1] ?? '')) continue;
    for (const target of (match[2] ?? '').split(',')) {
      found.push({ at: match.index, target: unquote(target), addbib: true });
    }
  }
  const bibliographies = found
    .filter(({ target }) => target && !/^[a-z]{2,}:\/\//i.test(target))
    .sort((a, b) => a.at - b.at)
    .map(({ target, addbib }) => ({ target, addbib }));

  const head = source.slice(0, 5000);
  const magic = /^[ \t]*%[ \t]*!\s*TEX\s+root\s*=\s*(.+?)[ \t]*\r?$/im.exec(head);
  const subfiles = /\\documentclass\s*\[([^\]]+)\]\s*\{subfiles\}/.exec(text);
  return {
    inputs,
    bibliographies,
    root: magic?.[1] ? unquote(magic[1]) : subfiles?.[1] ? unquote(subfiles[1]) : null,
    isRoot: !subfiles && /\\documentclass\b/.test(text),
  };
}
