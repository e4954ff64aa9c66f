/**
 * Processor times of the prose parser: a full parse and the answer after a keystroke, for every draft under
 * RATIO_DATA/drafts, and sentences split a second. Prints a table and a JSON line.
 *
 * Run: RATIO_DATA=… npx tsx test/bench/prose.ts
 */
import { formatOf, parseProse, ProseCache, sentenceAt, splitSentences } from '../../server/prose';
import { drafts } from '../unit/prose/drafts';
import { quantile } from './statistics';

const ROUNDS = 60;

/**
 * Milliseconds of processor time of each round, after rounds that warm up: on a machine
 * that others use as well, the clock on the wall measures them.
 */
function time(work: (round: number) => void): number[] {
  const times: number[] = [];
  for (let round = -15; round < ROUNDS; round++) {
    const start = process.cpuUsage();
    work(round + 15);
    const { user, system } = process.cpuUsage(start);
    if (round >= 0) times.push((user + system) / 1000);
  }
  return times;
}

const all = drafts();
if (!all) {
  console.error('RATIO_DATA is unset or has no folder "drafts": nothing to measure.');
  process.exit(2);
}
const rows = all.map(({ name, path, source }) => {
  const format = formatOf(path) ?? 'latex';
  const start = performance.now();
  const sentences = parseProse(source, format).sentences.length;
  const first = performance.now() - start;
  const full = time(() => parseProse(source, format));
  const cache = new ProseCache();
  let text = source;
  const keystroke = time((round) => {
    // Somewhere else each time, as a person would type.
    const at = Math.floor((text.length * ((round * 37) % 100)) / 100);
    text = `${text.slice(0, at)}a${text.slice(at)}`;
    sentenceAt(cache.get(path, round, text, format), at);
  });
  return {
    name,
    characters: source.length,
    sentences,
    first,
    full: quantile(full, 0.5),
    p50: quantile(keystroke, 0.5),
    p95: quantile(keystroke, 0.95),
  };
});
console.log(`${'draft'.padEnd(36)}   chars  sentences  first ms  full ms  keystroke p50  p95`);
for (const row of rows) {
  console.log(
    `${row.name.padEnd(36)} ${String(row.characters).padStart(7)} ${String(row.sentences).padStart(10)} ` +
      `${row.first.toFixed(1).padStart(9)} ${row.full.toFixed(1).padStart(8)} ` +
      `${row.p50.toFixed(1).padStart(14)} ${row.p95.toFixed(1).padStart(4)}`,
  );
}

const paragraphs = all.map(({ path, source }) =>
  parseProse(source, formatOf(path) ?? 'latex')
    .sentences.map((s) => s.text)
    .join(' '),
);
const count = paragraphs.reduce((sum, text) => sum + splitSentences(text).length, 0);
const split = quantile(
  time(() => paragraphs.forEach((text) => splitSentences(text))),
  0.5,
);
const perSecond = Math.round((1000 * count) / split);
console.log(`\nsplitSentences: ${perSecond} sentences a second`);
console.log(JSON.stringify({ drafts: rows, splitSentencesPerSecond: perSecond }));
