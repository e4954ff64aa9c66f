import { PlainBuilder } from '../plainBuilder';
import type { Prose } from '../prose';
import { groupEnd } from './arguments';
import { collectDefinitions, emptyDefinitions, type Definitions } from './definitions';
import { matchEnvironments, scanLatex, type LatexDocument } from './document';
import { LatexReader } from './reader';

const ARGUMENT = /\*?[ \t]*(?:\[[^\]\n]*\][ \t]*)?/y;
const TARGET = /[ \t]*(?:\{([^{}\n]+)\}|([^\s{}\\%]+))/y;

/**
 * Reads LaTeX. Own code rather than a library's tree: it is what a sentence with exact ranges needs
 * of TeX (macros replaced where they stand, ranges kept at the call), in one linear pass. The
 * parser of unified-latex took 0.7 s on a draft of 107 KB (this takes under 15 ms), overflowed the
 * stack on 1,000 open groups and gave up the tree on an unclosed one.
 *
 * @param definitions LaTeX whose macros count too: the root file's preamble for an `\input` file.
 */
export function parseLatex(source: string, definitions?: string): Prose {
  const known = definitionsOf(definitions ?? '');
  const doc = scanLatex(source);
  matchEnvironments(doc, collectDefinitions(doc, known));
  const builder = new PlainBuilder();
  const prose: Prose = {
    format: 'latex',
    sentences: builder.sentences,
    headings: builder.headings,
    inputs: inputsOf(doc),
    title: titleOf(doc, known),
    problems: [],
  };
  const reader = new LatexReader(builder, known, prose);
  for (const [from, to] of abstractsBefore(doc)) {
    reader.read(doc, from, to);
    builder.endParagraph();
  }
  reader.read(doc, doc.bodyStart, source.length);
  builder.endParagraph();
  return prose;
}

let lastRead: { text: string; definitions: Definitions } | undefined;

/** Definitions of a text, to be added to; a draft is read at every key, with the same text beside it. */
function definitionsOf(text: string): Definitions {
  if (text === '') return emptyDefinitions();
  if (lastRead?.text !== text) {
    const definitions = emptyDefinitions();
    collectDefinitions(scanLatex(text), definitions);
    lastRead = { text, definitions };
  }
  const { macros, aliases, environments, acronyms } = lastRead.definitions;
  return {
    macros: new Map(macros),
    aliases: new Map(aliases),
    environments: new Map(environments),
    acronyms: new Map(acronyms),
  };
}

function inputsOf(doc: LatexDocument): Prose['inputs'] {
  const inputs: Prose['inputs'] = [];
  for (const word of doc.words) {
    if (!/^(?:input|include|subfile|import|subimport)$/.test(word.name)) continue;
    TARGET.lastIndex = word.end;
    const first = TARGET.exec(doc.source);
    let target = (first?.[1] ?? first?.[2] ?? '').trim();
    let end = TARGET.lastIndex;
    if (word.name.endsWith('import')) {
      TARGET.lastIndex = end;
      const second = TARGET.exec(doc.source)?.[1];
      if (second === undefined) continue;
      target = `${target.replace(/\/$/, '')}/${second.trim()}`;
      end = TARGET.lastIndex;
    }
    if (target !== '' && !target.includes('#')) inputs.push({ target, start: word.start, end });
  }
  return inputs;
}

/** The group after a control word and its options. */
function argumentOf(doc: LatexDocument, end: number): [number, number] | null {
  ARGUMENT.lastIndex = end;
  const at = ARGUMENT.test(doc.source) ? ARGUMENT.lastIndex : end;
  const close = groupEnd(doc, at, doc.source.length, true);
  return close < 0 ? null : [at + 1, close];
}

function titleOf(doc: LatexDocument, definitions: Definitions): string | null {
  const word = doc.words.find((candidate) => candidate.name === 'title');
  const range = word && argumentOf(doc, word.end);
  if (!range) return null;
  const builder = new PlainBuilder();
  new LatexReader(builder, definitions, { problems: [] }).read(doc, range[0], range[1]);
  const title = builder.endHeading(1);
  return title === '' ? null : title;
}

/** Some classes take the abstract as a macro before `\begin{document}`. */
function abstractsBefore(doc: LatexDocument): [number, number][] {
  const ranges: [number, number][] = [];
  for (const word of doc.words) {
    if (word.name !== 'abstract' || word.start >= doc.bodyStart) continue;
    const range = argumentOf(doc, word.end);
    if (range) ranges.push(range);
  }
  return ranges;
}
