/** What `ratio rerank` prints. */
import { PASSAGE_METRICS } from '../metrics';
import { pairedTable } from '../report';
import { count, number, percent, table } from '../table';
import { addedText } from './added';
import type { RerankReport } from './file';

/** A report as Markdown tables; values are per cent with 95 % bootstrap intervals. */
export function rerankText(report: RerankReport): string {
  const models = [report.model, report.encoder, report.reranker].filter((name) => name !== null);
  const windows = report.windows === null ? '' : ` · ${number(report.windows)} windows a query`;
  const parts = [
    `${models.join(' · ')} · ${count(report.queries)} queries, ${count(report.passages)} passages of ${report.input}` +
      `${windows} · ${number(report.milliseconds)} ms a query · per cent, 95 % intervals\n`,
    table(
      ['dataset', 'queries', ...PASSAGE_METRICS],
      [...report.sets].map(([set, scores]) => [
        set,
        String(scores.queries),
        ...PASSAGE_METRICS.map((metric) => percent(scores[metric])),
      ]),
    ),
  ];
  const added = addedText(report.added ?? {});
  if (added !== '') parts.push(added);
  for (const { run, system, sets } of report.against) {
    parts.push(`A = ${report.model} · B = ${system} (${run}) · paired bootstrap intervals\n`);
    parts.push(pairedTable('dataset', PASSAGE_METRICS, sets));
  }
  return parts.join('\n');
}
