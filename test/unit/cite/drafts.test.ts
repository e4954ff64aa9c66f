import assert from 'node:assert/strict';
import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { applyEdits } from '../../../server/cite/apply';
import { BibIndex } from '../../../server/cite/bibIndex';
import { findBibliographies } from '../../../server/cite/bibliographies';
import { computeCitation } from '../../../server/cite/cite';
import { DiskFiles } from '../../../server/cite/disk';
import { fieldOf } from '../../../server/cite/bibScan';
import { plainTex } from '../../../server/cite/identity';
import type { Draft } from '../../../server/cite/types';
import { skipBecause } from '../../skip';
import { edits, loadParser, paper } from './helpers';

/** A sentence-like stretch of a draft: from a capital to a full stop, no blank line in it. */
const SENTENCE = /(?<=[.}\n] ?)[A-Z][a-z]+ (?:[^.\n\\{}$%[\]]|\n(?!\s*\n))+\./g;

describe('citing in real drafts', function () {
  this.timeout(120_000);
  const data = process.env['RATIO_DATA'];
  const folder = data ? join(data, 'drafts') : '';
  const drafts: Draft[] = [];

  before(function () {
    if (!folder || !existsSync(folder)) {
      skipBecause(this, 'RATIO_DATA is unset or has no folder "drafts"');
    }
    const files = new DiskFiles();
    for (const name of readdirSync(folder, { recursive: true }).map(String).sort()) {
      const path = join(folder, name);
      if (!/\.(?:tex|md)$/.test(name) || !statSync(path).isFile()) continue;
      const text = files.read(path);
      if (text) drafts.push({ path, text, format: name.endsWith('.md') ? 'markdown' : 'latex' });
    }
    assert.ok(drafts.length > 5);
  });

  it('finds the bibliography of each, chapters and appendices included', () => {
    const files = new DiskFiles();
    const without = drafts.filter(
      (draft) =>
        findBibliographies(draft, files).filter((path) => files.read(path) !== null).length === 0,
    );
    // One draft comes without its .bib.
    assert.deepEqual(
      [...new Set(without.map((draft) => draft.path.slice(folder.length + 1).split(/[\\/]/)[0]))],
      ['reward-cap'],
    );
  });

  it('cites a made-up paper in each, the rest unchanged', async () => {
    const parse = await loadParser();
    const judged = new Set<string>();
    let count = 0;
    for (const draft of drafts) {
      const files = new DiskFiles();
      if (findBibliographies(draft, files).every((path) => files.read(path) === null)) continue;
      const sentences = [...draft.text.matchAll(SENTENCE)];
      for (const match of sentences.filter((_, i) => i % 5 === 0)) {
        const sentence = { start: match.index, end: match.index + match[0].length };
        const result = edits(computeCitation({ draft, sentence, paper: paper(), files }));
        assert.equal(result.reused, false);
        const [bib, own] = result.edits;
        assert.ok(bib && own?.edits[0]);
        const { start, end, newText } = own.edits[0];
        assert.equal(start, end);
        assert.ok(start > sentence.start && start <= sentence.end + 200);
        assert.match(
          newText,
          draft.format === 'latex'
            ? /^~\\cite[a-z]*\{[a-zA-Z0-9_]+\}$|^, ?[a-zA-Z0-9_]+$/
            : /^ \[@\w+\]$|^; @\w+$/,
        );
        count++;
        const before = files.read(bib.path) ?? '';
        const after = applyEdits(before, bib.edits);
        const edit = bib.edits[0];
        assert.ok(edit && after.replace(edit.newText, () => '') === before);
        if (judged.has(bib.path) || before.length > 40_000) continue;
        judged.add(bib.path);
        const keys = parse(before).entries.map((entry) => entry.key);
        assert.deepEqual(
          parse(after).entries.map((entry) => entry.key),
          [...keys, result.key],
        );
      }
    }
    assert.ok(count > 100, `${count} sentences`);
  });

  it('finds every entry of each bibliography again', () => {
    let found = 0;
    for (const draft of drafts) {
      const files = new DiskFiles();
      for (const path of findBibliographies(draft, files)) {
        const text = files.read(path);
        if (text === null) continue;
        const index = BibIndex.of(text);
        for (const entry of index.scan.entries) {
          const title = fieldOf(entry, 'title');
          if (!title || !entry.key) continue;
          const record = paper({
            title: plainTex(title).replace(/\s+/g, ' '),
            authors: [],
            date: fieldOf(entry, 'year'),
            doi: fieldOf(entry, 'doi')?.toUpperCase() ?? null,
          });
          const key = index.find(record);
          assert.ok(key !== null, entry.key);
          const sentence = { start: 0, end: Math.min(draft.text.length, 60) };
          const result = edits(computeCitation({ draft, sentence, paper: record, files }));
          assert.equal(result.reused, true);
          assert.ok(result.edits.every((edit) => edit.path === draft.path));
          if (++found % 50 === 0) break;
        }
      }
    }
    assert.ok(found > 100, `${found} entries`);
  });

  it('indexes the largest bibliography without blocking', () => {
    const files = new DiskFiles();
    const texts = drafts.flatMap((draft) =>
      findBibliographies(draft, files).flatMap((path) => files.read(path) ?? []),
    );
    const largest = texts.sort((a, b) => b.length - a.length)[0] ?? '';
    const times: number[] = [];
    for (let round = 0; round < 7; round++) {
      const started = performance.now();
      const index = BibIndex.of(largest + '\n'.repeat(round));
      for (let i = 0; i < 200; i++)
        index.find(paper({ title: `No such paper ${i}`, doi: `10.1000/${i}` }));
      times.push(performance.now() - started);
    }
    const median = times.sort((a, b) => a - b)[3] ?? Infinity;
    console.log(
      `      ${largest.length} characters and 200 papers: median ${median.toFixed(1)} ms`,
    );
    assert.ok(median < 200, `${median} ms`);
  });
});
