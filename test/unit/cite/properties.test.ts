import assert from 'node:assert/strict';
import type { Paper } from '../../../server/engine/engine';
import { BibIndex } from '../../../server/cite/bibIndex';
import { normaliseTitle } from '../../../server/cite/identity';
import { scanBib } from '../../../server/cite/bibScan';
import { cite, edits, loadParser, paper, randomFrom } from './helpers';

const HOSTILE = [
  'Unbalanced } brace',
  'Unbalanced { brace',
  '}\n\n@article{injected,\n  title = {Injected}\n}',
  '\\input{/etc/passwd}',
  '\\write18{touch /tmp/x} \\immediate\\openout',
  '^^5cinput{x}',
  '$\\input{x}$ and $a^^5cdef$',
  '100% of #1 & more_or_less ~ ^ \\',
  'Quote " mark " here',
  'a " lonely quote',
  'Line\r\nend\n\nand\ttab\u0000\u0007\u001b[31m',
  '@comment{',
  '@string{x = "',
  'Right \u202eto left\u2028 and half \ud83d a pair',
  '\\',
  '\\\\',
  '{{{{{{',
  '}}}}}}',
  '{}',
  '$',
  '$$ x $$',
  '\\verb|}|',
  '\\end{document}',
  '%',
  ',',
  '=',
  'and and others',
  'x'.repeat(20_000),
  'word } '.repeat(5_000),
  '\u0301\u0301\u0301 marks',
  'e\u0301\u0302\u0303\u0304\u0306\u0307\u0308 stacked',
  'émigré Ω ≤ ∞ 港 𝑆 💡',
  "d'été ``x'' --- …",
];

const BIBS = [
  '',
  '\ufeff',
  '@misc{one,\n  title = {One},\n  year = {2001}\n}',
  '@misc{one,\n  title = {One},\n  year = {2001}\n}\n\n@article{two,\n  title = "Two {T}wo",\n  year = 2002,\n}\n',
  '@string{j = "Journal"}\r\n@ARTICLE{ONE,\r\n\tTITLE\t= "One",\r\n\tJOURNAL = j,\r\n}\r\n@comment{jabref-meta: x;}\r\n',
  '% a remark without a line end',
  '@article(paren, title = {In Parentheses})\n\n\n\n',
  'stray text @ home\n@misc{one, title = {Ö}}\nmore stray text',
  '@preamble{"\\newcommand{\\x}{y}"}\n',
];

const TEX_DANGER = /\\(?:input|write|immediate|openout|def|verb|end|csname|catcode)|\^\^/;

function fieldsText(text: string, key: string): string {
  const entry = scanBib(text).entries.find((each) => each.key === key);
  assert.ok(entry, `no entry ${key}`);
  return text.slice(entry.start, entry.end);
}

describe('whatever the record holds', () => {
  let parse: Awaited<ReturnType<typeof loadParser>>;
  before(async () => {
    parse = await loadParser();
  });

  function check(bib: string, record: Paper, format: 'latex' | 'markdown' = 'latex'): void {
    const path = '/draft/refs.bib';
    const before = parse(bib);
    const cited = cite('Before. «Ships need light.» After.', {
      files: { [path]: bib },
      paper: record,
      format,
    });
    const { key, reused } = edits(cited.result);
    assert.equal(reused, false);
    const after = cited.files[path] ?? '';
    const change = edits(cited.result).edits[0];
    assert.ok(change && change.path === path && change.edits.length === 1);
    const [edit] = change.edits;
    assert.ok(edit && edit.start === edit.end);
    // The rest stays as it was, character for character.
    assert.equal(after.slice(0, edit.start), bib.slice(0, edit.start));
    assert.equal(after.slice(edit.start + edit.newText.length), bib.slice(edit.start));
    if (/\r\n/.test(bib)) assert.doesNotMatch(edit.newText, /(?<!\r)\n/);
    else assert.doesNotMatch(edit.newText, /\r/);
    // Two parsers find the old entries and the new one.
    const parsed = parse(after);
    assert.deepEqual(
      parsed.entries.map((entry) => entry.key),
      [...before.entries.map((entry) => entry.key), key],
    );
    assert.deepEqual(
      parsed.entries.slice(0, -1).map((entry) => entry.fields),
      before.entries.map((entry) => entry.fields),
    );
    assert.equal(
      parsed.errors.length,
      before.errors.length,
      JSON.stringify([parsed.errors, record]),
    );
    const scan = scanBib(after);
    assert.equal(scan.entries.length, scanBib(bib).entries.length + 1);
    assert.ok(scan.entries.every((entry) => entry.closed));
    // Nothing that TeX would run, nothing that cannot be seen.
    const entry = fieldsText(after, key);
    assert.doesNotMatch(entry, TEX_DANGER);
    assert.doesNotMatch(entry.replace(/[\t\n\r]/g, ''), /[\p{Cc}\u202a-\u202e]/u);
    assert.match(key, /^[A-Za-z0-9][A-Za-z0-9_:.\-/]*$/);
    assert.ok(entry.length < 12_000, `${entry.length} characters`);
    // The draft's edit is the citation alone, and the paper is found from now on.
    const added = format === 'latex' ? `~\\cite{${key}}` : ` [@${key}]`;
    assert.equal(cited.draft, `Before. Ships need light${added}. After.`);
    // Found by its title from now on, unless that is cut short, bare of letters or made of TeX (or
    // the names, which must not contradict it, are).
    const comparable = normaliseTitle(record.title) !== '' && record.title.length < 900;
    if (comparable && ![record.title, ...record.authors].join().includes('\\')) {
      assert.equal(BibIndex.of(after).find(record), key, `${record.title}\n${entry}`);
      const again = cite('«Ships.»', { files: { [path]: after }, paper: record });
      assert.equal(edits(again.result).reused, true);
    }
  }

  for (const [i, text] of HOSTILE.entries()) {
    it(`title ${JSON.stringify(text.slice(0, 40))}`, () => {
      for (const bib of BIBS.slice(i % 2, BIBS.length - (i % 3)))
        check(bib, paper({ title: text }));
    });
    it(`everything else ${JSON.stringify(text.slice(0, 40))}`, () => {
      const record = paper({
        authors: [text, 'Ann Berg', `Bo ${text}`],
        venue: text,
        url: text,
        doi: text,
        id: text,
        date: text,
      });
      for (const bib of [BIBS[3] ?? '', BIBS[4] ?? '']) check(bib, record, 'markdown');
    });
  }

  it('made of random pieces', function () {
    this.timeout(60_000);
    const random = randomFrom(238);
    const pick = <T>(from: readonly T[]): T => from[Math.floor(random() * from.length)] as T;
    const alphabet = [...' {}\\$%&#_~^"@,=|<>`\'abcXYZ019éßΩ港\n\t', '\\cite', '--', '$x$'];
    const make = () =>
      Array.from({ length: Math.floor(random() * 30) }, () => pick(alphabet)).join('');
    for (let round = 0; round < 150; round++) {
      const record = paper({
        title: `Lanterns for sparse harbours T${make()}`,
        authors: Array.from({ length: Math.floor(random() * 4) }, make),
        venue: random() < 0.5 ? null : make(),
        date: pick([null, '2020', '2020-13', '1999-12-31', make()]),
        doi: pick([null, make(), `10.1000/${make()}`]),
        url: pick([null, make(), `https://a.b/${make()}`]),
      });
      check(pick(BIBS), record);
    }
  });
});
