/** What `ratio judge score` prints and exports. */
import { interval, number, table } from '../table';
import type { Agreement } from './kappa';
import type { JudgeReport } from './score';

const kappaText = ({ items, observed, kappa }: Agreement): string =>
  items === 0
    ? '–'
    : `${kappa === null ? 'undefined' : number(kappa, 2)} (${number(100 * observed, 0)} % of ${items})`;

/** Tables in Markdown: systems by move, then every two systems. */
export function judgeText(report: JudgeReport): string {
  const parts: string[] = [];
  const { disputed, settled, judges } = report;
  parts.push(
    `${judges.join(', ')} · lists of ${report.k} · 95 % bootstrap intervals over queries\n` +
      (judges.length > 1
        ? `The judges differ on ${disputed.labels} labels and ${disputed.preferences} preferences; ` +
          `${settled.labels} and ${settled.preferences} are settled.` +
          (settled.labels < disputed.labels || settled.preferences < disputed.preferences
            ? ' What is open counts as the mean of the two.'
            : '') +
          '\n'
        : 'One judge only: agreement is not known.\n'),
  );
  if (judges.length > 1) {
    parts.push(
      table(
        ['move', 'queries', 'kappa of labels', 'kappa of preferences'],
        [...report.moves].map(([move, own]) => [
          move,
          String(own.queries),
          kappaText(own.labels),
          kappaText(own.preferences),
        ]),
      ),
    );
  }
  const [anyMove] = report.moves.values();
  const ks = Object.keys(anyMove?.systems.values().next().value?.precision ?? {});
  parts.push(
    table(
      ['move', 'system', ...ks.map((k) => `P@${k}`), ...ks.map((k) => `HR@${k}`), 'preferred'],
      [...report.moves].flatMap(([move, own]) =>
        [...own.systems].map(([system, scores]) => [
          move,
          system,
          ...ks.map((k) => {
            const value = scores.precision[k];
            return value ? interval(value) : '–';
          }),
          ...ks.map((k) => {
            const value = scores.hitRate[k];
            return value ? interval(value) : '–';
          }),
          `${number(scores.preferred)} of ${own.queries}`,
        ]),
      ),
    ),
  );
  const pairs = [...report.moves].flatMap(([move, own]) =>
    own.pairs.flatMap(({ a, b, precision, wins }) =>
      ks.map((k) => {
        const value = precision[k];
        return [
          move,
          `${a} : ${b}`,
          `P@${k}`,
          value ? interval(value.difference) : '–',
          value ? interval(value.ratio) : '–',
          `${wins.a} : ${wins.b} (${wins.ties} equal)`,
        ];
      }),
    ),
  );
  if (pairs.length > 0) {
    parts.push(table(['move', 'A : B', 'metric', 'A − B', 'A ÷ B', 'more valid'], pairs));
  }
  return parts.join('\n');
}
