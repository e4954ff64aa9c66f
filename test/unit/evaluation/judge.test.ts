import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { RatioError } from '../../../server/engine/engine';
import { csvRow, parseCsv } from '../../../server/evaluation/judge/csv';
import { makeSheets, makeThirdSheet, scoreJudged } from '../../../server/evaluation/judge/judging';
import { published } from '../../../server/evaluation/judge/published';
import { agreement } from '../../../server/evaluation/judge/kappa';
import { commandLine, readKey } from '../../../server/evaluation/judge/key';
import type { JudgePool } from '../../../server/evaluation/judge/pool';
import { readQueries, type JudgedQuery } from '../../../server/evaluation/judge/queries';
import { judgeText } from '../../../server/evaluation/judge/report';
import type { NamedRun, Sheet } from '../../../server/evaluation/judge/sheet';

const QUERIES: JudgedQuery[] = [
  { id: 'a01', move: 'address', text: 'Strong tides delay ferries.' },
  { id: 'a02', move: 'address', text: 'Storms take lobster pots.' },
  { id: 's01', move: 'specify', text: 'Kelp reacts to its water.' },
];

const texts = new Map(
  ['d1', 'd2', 'd3', 'd4', 'd5', 'd6'].map((id) => [
    id,
    {
      title: `Paper of ${id}`,
      before: `Before ${id}.`,
      text: `=Sentence, "n${id.slice(1)}".`,
      after: '',
    },
  ]),
);

const pool: JudgePool = {
  name: null,
  load: () => Promise.reject(new Error('not needed')),
  surroundings: async (ids) => new Map([...texts].filter(([id]) => ids.has(id))),
  close: () => undefined,
};

const named = (name: string, lists: Record<string, string[]>): NamedRun => ({
  name,
  run: {
    system: name,
    rankings: new Map(
      Object.entries(lists).map(([query, ids]) => [query, ids.map((id) => ({ id, score: 1 }))]),
    ),
  },
});

/** The third list of both is the same; the second one of `murky` is shorter. */
const RUNS = [
  named('brightness', { a01: ['d1', 'd2'], a02: ['d3', 'd4', 'd5'], s01: ['d6', 'd1'] }),
  named('murkiness', { a01: ['d2', 'd4'], a02: ['d5'], s01: ['d6', 'd1'] }),
];
const OPTIONS = { k: 2, seed: 5, command: 'ratio judge sheet …' };

/** Labels by query and document; what is not there is 0. */
type Truth = Record<string, Record<string, number>>;

describe('judging', () => {
  let folder: string;
  beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'ratio-judge-'))));
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  const path = (...parts: string[]): string => join(folder, ...parts);
  const readSheet = (judge: string): Sheet =>
    JSON.parse(readFileSync(path(judge, 'sheet.json'), 'utf8')) as Sheet;

  /** Fills a judge's JSON sheet: labels by document, preferred systems by query. */
  async function fill(judge: string, truth: Truth, preferred: Record<string, string>) {
    const key = await readKey(folder);
    const sheet = readSheet(judge).map((query) => {
      const { items = {}, letters = {} } = key.judges[judge]?.[query.query] ?? {};
      const letter = Object.entries(letters).find(([, systems]) =>
        systems.includes(preferred[query.query] ?? ''),
      )?.[0];
      return {
        ...query,
        items: query.items.map((item) =>
          item.label === undefined
            ? item
            : { ...item, label: truth[query.query]?.[items[item.item] ?? ''] ?? 0 },
        ),
        preferred:
          Object.keys(query.lists).length === 0 ? null : (letter ?? preferred[query.query] ?? null),
      };
    });
    writeFileSync(path(judge, 'sheet.json'), JSON.stringify(sheet));
  }

  it('shows two judges every sentence once, without a system or document id', async () => {
    await makeSheets(folder, QUERIES, RUNS, pool, OPTIONS);
    assert.deepEqual(readdirSync(folder).sort(), ['judge-1', 'judge-2', 'key']);
    for (const judge of ['judge-1', 'judge-2']) {
      const files = readdirSync(path(judge)).sort();
      assert.deepEqual(files, ['labels.csv', 'preferences.csv', 'sheet.json', 'sheet.md']);
      for (const file of files) {
        const text = readFileSync(path(judge, file), 'utf8');
        assert.doesNotMatch(text, /brightness|murkiness|"d\d"|rank|score/i, `${judge}/${file}`);
      }
      const sheet = readSheet(judge);
      assert.deepEqual(
        Object.fromEntries(sheet.map(({ query, items }) => [query, items.length])),
        // The fifth document is third in a list of two.
        { a01: 3, a02: 3, s01: 2 },
      );
      const address = sheet.find(({ query }) => query === 'a01');
      assert.deepEqual(Object.keys(address?.lists ?? {}), ['A', 'B']);
      // Equal lists leave nothing to prefer.
      assert.deepEqual(sheet.find(({ query }) => query === 's01')?.lists, {});
      const markdown = readFileSync(path(judge, 'sheet.md'), 'utf8');
      assert.match(markdown, /\*Paper of d2\*\n\n… Before d2\.\n\n\*\*=Sentence, "n2"\.\*\*/);
      assert.equal(markdown.match(/^label /gm)?.length, 8);
      assert.equal(markdown.match(/^preferred /gm)?.length, 2);
      assert.match(readFileSync(path(judge, 'labels.csv'), 'utf8'), /,"'=Sentence, ""n1""\."/);
    }
  });

  it('records its command without the folders of whoever ran it', () => {
    assert.equal(
      commandLine([
        ...['judge', 'sheet', '--queries', '/home/ada/judging/sentences.jsonl', '--pool', 'acl'],
        ...['--run', 'bm25=/home/ada/bm25.run', '--run', 'log=C:\\runs\\log.run'],
        ...['--out=../sheets/', '--k', '10'],
      ]),
      'ratio judge sheet --queries sentences.jsonl --pool acl --run bm25=bm25.run --run log=log.run --out=sheets --k 10',
    );
  });

  it('keeps the key apart, and makes the same sheets for the same seed', async () => {
    await makeSheets(folder, QUERIES, RUNS, pool, OPTIONS);
    const key = await readKey(folder);
    assert.deepEqual(key.systems, ['brightness', 'murkiness']);
    assert.equal(key.command, OPTIONS.command);
    for (const [judge, queries] of Object.entries(key.judges)) {
      const systems = new Set(Object.values(queries['a01']?.letters ?? {}).flat());
      assert.deepEqual(systems, new Set(key.systems), judge);
      assert.deepEqual(
        new Set(Object.values(queries['a01']?.items ?? {})),
        new Set(['d1', 'd2', 'd4']),
      );
    }
    const first = readFileSync(path('judge-1', 'sheet.md'), 'utf8');
    rmSync(folder, { recursive: true });
    await makeSheets(folder, QUERIES, RUNS, pool, OPTIONS);
    assert.equal(readFileSync(path('judge-1', 'sheet.md'), 'utf8'), first);
    rmSync(folder, { recursive: true });
    await makeSheets(folder, QUERIES, RUNS, pool, { ...OPTIONS, seed: 6 });
    assert.notEqual(readFileSync(path('judge-1', 'sheet.md'), 'utf8'), first);
  });

  it('never writes over a sheet, and refuses runs it cannot show', async () => {
    await makeSheets(folder, QUERIES, RUNS, pool, OPTIONS);
    await assert.rejects(makeSheets(folder, QUERIES, RUNS, pool, OPTIONS), /there already/);
    const other = path('other');
    await assert.rejects(
      makeSheets(other, QUERIES, [named('x', { zz: ['d1'] })], pool, OPTIONS),
      /"x" has none of the queries/,
    );
    await assert.rejects(
      makeSheets(other, QUERIES, [named('x', { a01: ['d9'] })], pool, OPTIONS),
      /no sentence d9, which a run found for a01/,
    );
    assert.ok(!readdirSync(folder).includes('other'));
  });

  const FIRST: Truth = { a01: { d1: 1, d2: 1 }, a02: { d3: 1 }, s01: { d6: 1 } };
  const SECOND: Truth = { a01: { d1: 1 }, a02: { d3: 1, d5: 1 }, s01: { d6: 1 } };

  it('scores by hand-computed values: open labels as the mean of the judges', async () => {
    await makeSheets(folder, QUERIES, RUNS, pool, OPTIONS);
    await fill('judge-1', FIRST, { a01: 'brightness', a02: 'brightness' });
    await fill('judge-2', SECOND, { a01: 'brightness', a02: 'tie' });
    const { report } = await scoreJudged(folder, { resamples: 200 });
    assert.deepEqual(report.disputed, { labels: 2, preferences: 1 });
    const address = report.moves.get('address');
    const bright = address?.systems.get('brightness');
    const murky = address?.systems.get('murkiness');
    // brightness: a01 (2 + 1) / 2 of 2, a02 1 of 2. murkiness: a01 (1 + 0) / 2, a02 (0 + 1) / 2 of 2.
    assert.equal(bright?.precision['2']?.value, (0.75 + 0.5) / 2);
    assert.equal(bright?.hitRate['2']?.value, 1);
    assert.equal(murky?.precision['2']?.value, 0.25);
    assert.equal(murky?.hitRate['2']?.value, 0.5);
    assert.deepEqual([bright?.preferred, murky?.preferred, address?.tied], [1.5, 0, 0.5]);
    const pair = report.moves.get('all')?.pairs[0];
    assert.deepEqual(pair?.wins, { a: 2, b: 0, ties: 1 });
    assert.ok(Math.abs((pair?.precision['2']?.difference.value ?? 0) - (1.75 - 1) / 3) < 1e-12);
    assert.equal(report.moves.get('specify')?.pairs[0]?.precision['2']?.ratio.value, 1);
    // Labels, both judges: 1 1, 1 0, 0 0 | 1 1, 0 0, 0 1 | 1 1, 0 0. Six of eight agree; both say
    // 1 four times in eight.
    assert.deepEqual(report.moves.get('all')?.labels, { items: 8, observed: 0.75, kappa: 0.5 });
    assert.match(judgeText(report), /2 labels and 1 preferences; 0 and 0 are settled/);
  });

  it('names the judge whose sheet is there', async () => {
    await makeSheets(folder, QUERIES, RUNS, pool, OPTIONS);
    await fill('judge-2', SECOND, { a01: 'brightness', a02: 'tie' });
    rmSync(path('judge-1'), { recursive: true });
    const { report, key, answers } = await scoreJudged(folder, { resamples: 200 });
    assert.deepEqual(report.judges, ['judge-2']);
    assert.match(judgeText(report), /^judge-2 · .*\nOne judge only/);
    const file = join(folder, 'published.json');
    writeFileSync(file, JSON.stringify(published(key, answers)));
    assert.deepEqual((await scoreJudged(file, { resamples: 200 })).report, report);
  });

  it('asks a third judge what the two differ on, and counts that', async () => {
    await makeSheets(folder, QUERIES, RUNS, pool, OPTIONS);
    await fill('judge-1', FIRST, { a01: 'brightness', a02: 'brightness' });
    await fill('judge-2', SECOND, { a01: 'brightness', a02: 'tie' });
    const third = await makeThirdSheet(folder);
    assert.deepEqual(
      Object.fromEntries(
        (third ?? []).map(({ query, items, lists }) => [
          query,
          [
            items.length,
            items.filter(({ label }) => label === null).length,
            Object.keys(lists).length,
          ],
        ]),
      ),
      // All three sentences of a02 are shown, since its lists are asked about.
      { a01: [1, 1, 0], a02: [3, 1, 2] },
    );
    await fill('judge-3', { a01: { d2: 0 }, a02: { d5: 1 } }, { a02: 'murkiness' });
    const { report, key, answers } = await scoreJudged(folder, { resamples: 200 });
    assert.deepEqual(report.settled, { labels: 2, preferences: 1 });
    const systems = report.moves.get('address')?.systems;
    assert.equal(systems?.get('brightness')?.precision['2']?.value, 0.5);
    assert.equal(systems?.get('murkiness')?.precision['2']?.value, 0.25);
    assert.equal(systems?.get('brightness')?.preferred, 1);
    assert.equal(systems?.get('murkiness')?.preferred, 1);
    const kept = JSON.stringify(published(key, answers));
    assert.match(kept, /"judge-3":\{"labels":\{"a0/);
    assert.doesNotMatch(kept, /Sentence|Paper of|Strong tides/);
    // What is published can be scored by anyone, with the same figures.
    const path = join(folder, 'published.json');
    writeFileSync(path, kept);
    assert.deepEqual((await scoreJudged(path, { resamples: 200 })).report, report);
    await assert.rejects(makeThirdSheet(path), /key/);
    for (const wrong of ['{', '{}', kept.replace('"labels":{"a0', '"labels":{"a0":7,"b0')]) {
      writeFileSync(path, wrong);
      await assert.rejects(
        scoreJudged(path),
        (error: unknown) => error instanceof RatioError && error.code === 'bad-input',
      );
    }
  });

  it('has nothing to settle where judges agree, whose kappa may be undefined', async () => {
    await makeSheets(folder, QUERIES, RUNS, pool, OPTIONS);
    for (const judge of ['judge-1', 'judge-2']) await fill(judge, {}, { a01: 'tie', a02: 'tie' });
    assert.equal(await makeThirdSheet(folder), null);
    const { report } = await scoreJudged(folder, { resamples: 200 });
    assert.equal(report.moves.get('all')?.labels.kappa, null);
    assert.match(judgeText(report), /undefined \(100 % of 8\)/);
  });

  it('reads Markdown and CSV as well, and text of papers is no answer', async () => {
    await makeSheets(folder, QUERIES, RUNS, pool, OPTIONS);
    const key = await readKey(folder);
    const documents = Object.assign({}, ...Object.values(key.judges['judge-1'] ?? {}).map(({ items }) => items)) as Record<string, string>; // prettier-ignore
    const markdown = readFileSync(path('judge-1', 'sheet.md'), 'utf8')
      .replace(
        /^label (\S+): $/gm,
        (_, item: string) => `label ${item}: ${documents[item] === 'd1' ? 1 : 0}`,
      )
      .replace(/^preferred (\S+): $/gm, 'preferred $1: **tie**')
      .replace('Before d2.', 'Before.\n\nLabel noise: a study\n');
    writeFileSync(path('judge-1', 'sheet.md'), markdown.replaceAll('\n', '\r\n'));
    const csv = parseCsv(readFileSync(path('judge-2', 'labels.csv'), 'utf8')).map(({ cells }, i) =>
      i === 0 ? cells : [...cells.slice(0, -1), cells[6]?.includes('"n1"') ? '1' : '0'],
    );
    writeFileSync(path('judge-2', 'labels.csv'), csv.map((row) => row.map((cell) => `"${cell.replaceAll('"', '""')}"`).join(';')).join('\n')); // prettier-ignore
    writeFileSync(path('judge-2', 'preferences.csv'), 'query,preferred\na01,a\na02,TIE\n');
    const { report } = await scoreJudged(folder, { resamples: 200 });
    assert.equal(report.disputed.labels, 0);
    assert.equal(report.disputed.preferences, 1);
    assert.equal(report.moves.get('all')?.labels.kappa, 1);
  });

  it('says what is missing, unknown or contradictory, and where', async () => {
    await makeSheets(folder, QUERIES, RUNS, pool, OPTIONS);
    const rejects = async (words: RegExp): Promise<void> => {
      await assert.rejects(scoreJudged(folder), (error: unknown) => {
        assert.ok(error instanceof RatioError);
        assert.match(error.message, words);
        return true;
      });
    };
    await rejects(/judge-1 has not answered everything: 10 answers are missing \(label a01-01/);
    const labels = readFileSync(path('judge-1', 'labels.csv'), 'utf8');
    writeFileSync(path('judge-1', 'labels.csv'), labels.replace(/,\r\n$/, ',2\r\n'));
    await rejects(/labels\.csv:9: the label of .* is 1 or 0, not "2"/);
    writeFileSync(path('judge-1', 'labels.csv'), 'item,label\nzz-01,1\n');
    await rejects(/labels\.csv:2: the sheet has no sentence "zz-01"/);
    writeFileSync(path('judge-1', 'labels.csv'), 'item,verdict\n');
    await rejects(/labels\.csv:1: .*lacks the column "label"/);
    writeFileSync(path('judge-1', 'labels.csv'), 'item,label\na01-01,1\n');
    const markdown = readFileSync(path('judge-1', 'sheet.md'), 'utf8');
    writeFileSync(
      path('judge-1', 'sheet.md'),
      markdown.replace('label a01-01: ', 'label a01-01: 0'),
    );
    await rejects(/label of a01-01 is "0" in .*sheet\.md:\d+ and "1" in .*labels\.csv:2/);
    writeFileSync(path('judge-1', 'sheet.md'), 'preferred a01: C\n');
    await rejects(/sheet\.md:1: the preference of a01 is A, B or tie, not "C"/);
    writeFileSync(path('judge-1', 'sheet.json'), '{');
    await rejects(/sheet\.json is not JSON/);
    writeFileSync(path('key', 'key.json'), '{"version": 2}');
    await rejects(/key\.json is not a key/);
    rmSync(path('key'), { recursive: true });
    await rejects(/key\.json.*"ratio judge sheet" makes it/);
  });

  it('reads the fixed sentences and refuses bad ones with their line', async () => {
    const file = path('q.jsonl');
    const row = JSON.stringify({ ...QUERIES[0], file: 'x.tex', line: 3 });
    writeFileSync(file, `${row}\n`);
    assert.equal((await readQueries(file))[0]?.line, 3);
    for (const [text, words] of [
      [`${row}\n${row}\n`, /q\.jsonl:2: the id a01 stands there twice/],
      ['{"id": "a 1", "move": "address", "text": "x"}', /q\.jsonl:1: "id"/],
      ['{"id": "a1", "move": "narrow", "text": "x"}', /q\.jsonl:1: "move"/],
      ['', /holds no sentence/],
    ] as const) {
      writeFileSync(file, text);
      await assert.rejects(readQueries(file), words);
    }
  });
});

describe("Cohen's kappa", () => {
  it('has the values of a table worked by hand', () => {
    // 20 both yes, 15 both no, 5 only the first, 10 only the second: 0.7 seen, 0.5 by chance.
    const table = (a: number, b: number, count: number) =>
      Array<[number, number]>(count).fill([a, b]);
    const pairs = [...table(1, 1, 20), ...table(0, 0, 15), ...table(1, 0, 5), ...table(0, 1, 10)];
    const { items, observed, kappa } = agreement(
      pairs.map(([a]) => a),
      pairs.map(([, b]) => b),
    );
    assert.deepEqual([items, observed], [50, 0.7]);
    assert.ok(Math.abs((kappa ?? 0) - 0.4) < 1e-12);
  });

  it('is −1 for opposite answers, undefined for one answer, and takes more than two', () => {
    assert.equal(agreement([1, 0], [0, 1]).kappa, -1);
    assert.equal(agreement(['tie'], ['tie']).kappa, null);
    // Agree on 2 of 3; by chance (1·1 + 1·1 + 1·0 + 0·1) / 9.
    const { kappa } = agreement(['A', 'B', 'C'], ['A', 'B', 'tie']);
    assert.ok(Math.abs((kappa ?? 0) - (2 / 3 - 2 / 9) / (1 - 2 / 9)) < 1e-12);
    assert.throws(() => agreement([1], []), RangeError);
  });
});

describe('comma-separated values', () => {
  it('come back as they were, line breaks and quotes included', () => {
    const rows = [
      ['item', 'text', 'label'],
      ['a', 'one, "two"\nthree', ''],
      ['b', "it's; so", '1'],
    ];
    const parsed = parseCsv(`\uFEFF${rows.map((row) => csvRow(row)).join('')}`);
    assert.deepEqual(
      parsed.map(({ cells }) => cells),
      rows,
    );
    assert.deepEqual(
      parsed.map(({ line }) => line),
      [1, 2, 4],
    );
  });

  it('are parted by what the first row has, and formulas are disarmed', () => {
    assert.deepEqual(parseCsv('a;b\n1;"x,y"\n\n')[1]?.cells, ['1', 'x,y']);
    assert.equal(csvRow(['=1+1', '-x', 'a']), `"'=1+1","'-x",a\r\n`);
  });
});
