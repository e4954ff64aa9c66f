import { PlainBuilder } from '../plainBuilder';
import type { ProseHeading, ProseSentence } from '../prose';
import { addInline } from './inline';
import { PARSER, type Block } from './parser';

/** What a chunk of Markdown holds, offsets counted from the chunk's start. */
export interface BlockProse {
  sentences: ProseSentence[];
  headings: ProseHeading[];
}

/** Deeper nesting of quotes and lists is not followed. */
const DEEPEST = 60;
/** So many quote marks in one line cost the parser seconds; no prose has them. */
const NESTED = /^(?:[ \t]*(?:>|[-*+]|\d{1,9}[.)])[ \t]*){40,}/gm;
/** A run of marks that pairs with nothing costs quadratic time. */
const MARK_RUN = /([*_~[\]!`])\1{60,}/g;

/**
 * Reads a chunk of masked Markdown.
 *
 * @param masked the chunk with what is no Markdown hidden, as long as `source`
 * @param source the chunk as it stands in the draft
 * @param definitions link definitions from elsewhere that it refers to
 */
export function readBlocks(masked: string, source: string, definitions: string): BlockProse {
  const builder = new PlainBuilder();
  const tame = masked
    .replaceAll('\0', '\uFFFD')
    .replace(NESTED, (hit) => ' '.repeat(hit.length))
    .replace(MARK_RUN, (hit) => ' '.repeat(hit.length));
  const text = definitions === '' ? tame : `${tame}\n\n${definitions}`;
  const root = PARSER.parse(text);
  for (const node of root.children) block(builder, node, tame, source, 0);
  builder.endParagraph();
  return { sentences: builder.sentences, headings: builder.headings };
}

function block(
  builder: PlainBuilder,
  node: Block,
  masked: string,
  source: string,
  depth: number,
): void {
  if ((node.position?.start.offset ?? 0) >= masked.length || depth > DEEPEST) return;
  switch (node.type) {
    case 'heading':
      builder.endParagraph();
      addInline(builder, node.children, masked, source);
      builder.endHeading(node.depth);
      break;
    case 'paragraph':
      builder.endParagraph();
      addInline(builder, node.children, masked, source);
      builder.endParagraph();
      break;
    case 'blockquote':
    case 'list':
    case 'listItem':
      for (const child of node.children) block(builder, child, masked, source, depth + 1);
      break;
    default:
    // Code, tables, HTML, definitions and notes are no prose.
  }
}
