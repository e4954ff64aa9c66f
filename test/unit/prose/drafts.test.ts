import assert from 'node:assert/strict';
import { dirname, join } from 'node:path';
import { formatOf, parseProse, ProseCache, sentenceAt, type Prose } from '../../../server/prose';
import { skipBecause } from '../../skip';
import { assertRanges } from './checks';
import { drafts, hasPandoc, overlap, pandocText, words, type Draft } from './drafts';

const LEAST_COVERED = 0.95;
const LEAST_PRECISE = 0.95;

/** Definitions of the root file that puts a chapter in: its preamble. */
function preambleOf(draft: Draft, all: readonly Draft[]): string {
  if (draft.source.includes('\\begin{document}')) return '';
  for (const root of all) {
    const { inputs } = parseProse(root.source, formatOf(root.path) ?? 'latex');
    const takesIt = inputs.some(({ target }) => {
      const path = join(dirname(root.path), target);
      return path === draft.path || `${path}.tex` === draft.path;
    });
    if (takesIt) return root.source.slice(0, root.source.indexOf('\\begin{document}'));
  }
  return '';
}

/** Words of the sentences and titles of a draft. */
function ourWords(prose: Prose): string[] {
  return [...prose.headings, ...prose.sentences].flatMap(({ text }) => words(text));
}

describe('the drafts of RATIO_DATA', function () {
  this.timeout(120_000);
  const all = drafts();
  before(function () {
    if (!all) skipBecause(this, 'RATIO_DATA is unset or has no folder "drafts"');
  });

  it('are parsed without a problem, every range maps back', () => {
    assert.ok(all && all.length > 0);
    for (const { name, path, source } of all) {
      const prose = parseProse(source, formatOf(path) ?? 'latex');
      assert.ok(prose.sentences.length > 0, name);
      assert.deepEqual(prose.problems, [], name);
      assertRanges(prose, source);
      for (const sentence of prose.sentences) {
        const found = sentenceAt(prose, sentence.offsets[0] ?? 0);
        assert.ok(found && found.start <= sentence.start, name);
      }
    }
  });

  it('are covered as pandoc covers them', function () {
    if (!hasPandoc()) skipBecause(this, 'pandoc is not installed');
    const poor: string[] = [];
    console.log(`      ${'draft'.padEnd(36)}  words  covered  precise`);
    for (const draft of all ?? []) {
      const format = formatOf(draft.path) ?? 'latex';
      const preamble = format === 'latex' ? preambleOf(draft, all ?? []) : '';
      // Pandoc puts macros in within math too, where ours keeps the source: those stay out.
      const macros = (preamble.match(/^\\(?:new|renew)command.*$/gm) ?? [])
        .filter((line) => !/\\(?:math|bm|pi|text\{|kern|Set)/.test(line))
        .join('\n');
      const theirs = words(pandocText(`${macros}\n${draft.source}`.trimStart(), format));
      const ours = ourWords(parseProse(draft.source, format, { definitions: preamble }));
      const covered = overlap(theirs, ours);
      const precise = overlap(ours, theirs);
      const share = (value: number): string => `${(100 * value).toFixed(1)} %`.padStart(8);
      const row = `${draft.name.padEnd(36)}  ${String(theirs.length).padStart(5)} ${share(covered.share)} ${share(precise.share)}`;
      console.log(`      ${row}`);
      if (covered.share < LEAST_COVERED || precise.share < LEAST_PRECISE) {
        poor.push(
          `${row}\n  missing: ${covered.missing.slice(0, 30).join(' ')}\n  extra: ${precise.missing.slice(0, 30).join(' ')}`,
        );
      }
    }
    assert.deepEqual(poor, []);
  });

  it('answer after a keystroke as a full parse does', () => {
    for (const { name, path, source } of all ?? []) {
      const format = formatOf(path) ?? 'latex';
      const cache = new ProseCache();
      cache.get(path, 0, source, format);
      for (const part of [0.1, 0.5, 0.9]) {
        const at = Math.floor(source.length * part);
        const edited = `${source.slice(0, at)}x ${source.slice(at)}`;
        assert.deepEqual(cache.get(path, at, edited, format), parseProse(edited, format), name);
      }
    }
  });
});
