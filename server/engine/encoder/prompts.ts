/** How text is put to an encoder: prefixes and templates of its `config.json`. */
import * as z from 'zod';
import { moveSchema, type Move } from '../engine';

/**
 * - `queryPrefix`: put before a query; one text for every move, in which `{move}` stands for the
 *   move's name, or one text a move (a move without one gets none).
 * - `documentPrefix`: put before a document's sentence.
 * - `contextTemplate`: a sentence with its surroundings as one text, with `{title}`, `{before}` and
 *   `{text}`, for an encoder that was trained on such texts. Pools are embedded sentence by
 *   sentence, without it.
 */
export const promptsSchema = z.object({
  queryPrefix: z.union([z.string(), z.partialRecord(moveSchema, z.string())]),
  documentPrefix: z.string(),
  contextTemplate: z.string().includes('{text}').nullish(),
});
export type Prompts = z.infer<typeof promptsSchema>;

/** What is encoded for a query that asks for a move. */
export function queryText(
  { queryPrefix }: Pick<Prompts, 'queryPrefix'>,
  move: Move,
  text: string,
): string {
  const prefix =
    typeof queryPrefix === 'string'
      ? queryPrefix.replaceAll('{move}', move)
      : (queryPrefix[move] ?? '');
  return prefix + text;
}

/** What is encoded for a query as a plain sentence, to which stored ones can be alike. */
export function plainText(prompts: Prompts, move: Move, text: string): string {
  return knowsMoves(prompts) ? prompts.documentPrefix + text : queryText(prompts, move, text);
}

/** Whether the encoder is told the move. */
export function knowsMoves({ queryPrefix }: Pick<Prompts, 'queryPrefix'>): boolean {
  return typeof queryPrefix === 'string'
    ? queryPrefix.includes('{move}')
    : new Set(Object.values(queryPrefix)).size > 1;
}
