import remarkGfm from 'remark-gfm';
import remarkParse from 'remark-parse';
import { unified } from 'unified';

/** CommonMark with tables, notes, strikethrough and task lists. */
export const PARSER = unified().use(remarkParse).use(remarkGfm).freeze();

/** A block of the tree it gives. */
export type Block = ReturnType<typeof PARSER.parse>['children'][number];
/** A part of a block's text. */
export type Inline = Extract<Block, { type: 'paragraph' }>['children'][number];
