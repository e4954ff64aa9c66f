/** Queries with candidate passages of which some are gold: what `ratio rerank` reads. */
import * as z from 'zod';
import { RatioError } from '../../engine/engine';
import { lineError, readRows } from '../jsonl';

export const rerankQuerySchema = z.object({
  /** Stands in run files, whose columns are parted by white space. */
  id: z.string().regex(/^\S+$/, 'an id is text without white space'),
  dataset: z.string().min(1),
  query: z.string().regex(/\S/, 'a query needs words'),
  candidates: z
    .array(
      z.object({
        title: z
          .string()
          .nullish()
          .transform((title) => title ?? ''),
        text: z.string(),
        gold: z.boolean(),
      }),
    )
    .min(1, 'a query needs candidates'),
});
export type RerankQuery = z.output<typeof rerankQuerySchema>;
export type Candidate = RerankQuery['candidates'][number];

export type Selection = {
  /** Datasets to keep; all without. */
  datasets?: readonly string[] | undefined;
  /** So many queries a dataset at most, the first ones. */
  limit?: number | undefined;
};

/**
 * Reads and checks the whole file, also the queries that the selection leaves out. Rejects with
 * `not-found`, or with `bad-input`, file and line.
 */
export async function readRerank(
  path: string,
  { datasets, limit = Infinity }: Selection = {},
): Promise<RerankQuery[]> {
  const wanted = datasets && new Set(datasets);
  const seen = new Set<string>();
  const counts = new Map<string, number>();
  const kept: RerankQuery[] = [];
  for await (const { line, row } of readRows(path, rerankQuerySchema)) {
    if (seen.has(row.id)) throw lineError(path, line, `the id ${row.id} stands there twice.`);
    seen.add(row.id);
    const count = counts.get(row.dataset) ?? 0;
    counts.set(row.dataset, count + 1);
    if (count < limit && (wanted?.has(row.dataset) ?? true)) kept.push(row);
  }
  if (seen.size === 0) throw new RatioError('bad-input', `${path} holds no query.`);
  const missing = [...(wanted ?? [])].filter((name) => !counts.has(name));
  if (missing.length > 0) {
    throw new RatioError(
      'bad-input',
      `${path} has no dataset ${missing.join(', ')}, but ${[...counts.keys()].join(', ')}.`,
    );
  }
  return kept;
}

/** Numbers of the gold passages, counted from 0, as a run names them. */
export function golds({ candidates }: RerankQuery): Set<string> {
  return new Set(candidates.flatMap(({ gold }, number) => (gold ? [String(number)] : [])));
}
