/** The fixed sentences that are judged: one JSON object a line, `{id, move, text, file?, line?}`. */
import * as z from 'zod';
import { moveSchema, RatioError } from '../../engine/engine';
import { lineError, readRows } from '../jsonl';

const querySchema = z.object({
  id: z.string().regex(/^\w[\w.-]*$/, 'an id is made of letters, digits, ".", "_" and "-"'),
  move: moveSchema,
  text: z.string().min(1),
  file: z.string().nullish(),
  line: z.number().nullish(),
});
export type JudgedQuery = z.infer<typeof querySchema>;

/** Reads the sentences; an id that stands there twice is an error with its line. */
export async function readQueries(path: string): Promise<JudgedQuery[]> {
  const queries: JudgedQuery[] = [];
  const seen = new Set<string>();
  for await (const { line, row } of readRows(path, querySchema)) {
    if (seen.has(row.id)) throw lineError(path, line, `the id ${row.id} stands there twice.`);
    seen.add(row.id);
    queries.push(row);
  }
  if (queries.length === 0) throw new RatioError('bad-input', `${path} holds no sentence.`);
  return queries;
}
