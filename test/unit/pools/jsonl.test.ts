import assert from 'node:assert/strict';
import { join } from 'node:path';
import { RatioError } from '../../../server/engine/engine';
import { collect, FIXTURES, importerOf, nth, Scratch, texts, type Collected } from './collect';

const PAPERS = join(FIXTURES, 'papers.jsonl');
const titles = ({ papers }: Collected) => papers.map(({ paper }) => paper.title);

describe('JSONL importer', function () {
  this.timeout(30_000);
  let scratch: Scratch;
  beforeEach(() => (scratch = new Scratch()));
  afterEach(() => scratch.remove());

  it('reads records and splits abstracts into sentences', async () => {
    const read = await collect(PAPERS);
    assert.deepEqual(nth(read).paper, {
      id: 'demo:1',
      title: 'Counting Bees with Microphones',
      authors: ['Ada Bloom', 'Kim Roe'],
      date: '2021-05-03',
      venue: 'Hive Studies',
      url: 'https://example.org/bees',
      doi: null,
    });
    assert.deepEqual(texts(nth(read)), [
      'Beekeepers cannot watch every hive all day.',
      'We place two cheap microphones in each hive and count departures by ear, e.g. with a small classifier.',
      'The count stays within 4.5% of a camera.',
    ]);
  });

  it('keeps apart papers that one file gives the same id', async () => {
    const row = (id: string, title: string) =>
      JSON.stringify({ id, title, abstract: 'Bees dance to tell others where flowers are.' });
    const path = scratch.write(
      'same.jsonl',
      [
        row('conf2016:3', 'One Paper'),
        row('conf2016:3', 'Another Paper'),
        row('conf2016:3', 'One paper.'),
        row('2105.01234', 'First Title'),
        row('2105.01234v2', 'Second Title'),
      ].join('\n'),
    );
    const ids = (await collect(path)).papers.map(({ paper }) => paper.id);
    assert.equal(ids[0], 'conf2016:3');
    assert.match(ids[1] ?? '', /^conf2016:3~[0-9a-f]{8}$/);
    assert.deepEqual(ids.slice(2), ['conf2016:3', 'arxiv:2105.01234', 'arxiv:2105.01234']);
  });

  it('takes no row number for an id: two lists count alike', async () => {
    const list = async (name: string, title: string) => {
      const row = { id: 7, title, abstract: 'Bees dance to tell others where flowers are.' };
      return nth(await collect(scratch.write(name, JSON.stringify(row)))).paper.id;
    };
    const first = await list('one.jsonl', 'One Paper on Bees');
    assert.notEqual(first, '7');
    assert.notEqual(first, await list('two.jsonl', 'Another Paper on Bees'));
    assert.equal(first, await list('again.jsonl', 'One Paper on Bees'));
  });

  it('cleans what it reads: lead, math, notice, unsafe address, id', async () => {
    const robots = nth(await collect(PAPERS), 1);
    assert.equal(robots.paper.id, 'arxiv:2105.01234');
    assert.equal(robots.paper.url, null);
    assert.deepEqual(robots.paper.authors, ['Lu Fen', 'Olaf Berg']);
    assert.deepEqual(texts(robots), [
      'Small robots forget where they were.',
      'We let them keep O(\\log n) landmarks.',
    ]);
  });

  it('reports bad lines with their numbers and hides nothing behind them', async () => {
    const { papers, issues } = await collect(PAPERS);
    assert.deepEqual(
      issues.map(({ line, source }) => [line, source]),
      [
        [3, PAPERS],
        [4, PAPERS],
      ],
    );
    assert.match(issues[0]?.message ?? '', /not valid JSON/);
    assert.match(issues[1]?.message ?? '', /no "title"/);
    assert.equal(papers.length, 5);
  });

  it('indexes the title where there is no abstract', async () => {
    const alone = nth(await collect(PAPERS), 2);
    assert.equal(alone.titleOnly, true);
    assert.equal(alone.paper.id, 'demo_four');
    assert.equal(alone.paper.date, '2019');
    assert.deepEqual(texts(alone), ['A Title Alone']);
  });

  it('takes given sentences with their roles, and only the roles there are', async () => {
    const starters = nth(await collect(PAPERS), 3);
    assert.deepEqual(
      starters.sentences.map(({ role }) => role),
      ['background', 'method', null],
    );
    assert.equal(starters.paper.doi, '10.1000/ABC.5');
  });

  it('keeps sections, and drops fragments', async () => {
    const whole = nth(await collect(PAPERS), 4);
    assert.deepEqual(
      whole.sentences.map(({ text, section, role }) => [section, role, text.split(' ')[0]]),
      [
        ['Abstract', null, 'The'],
        ['Introduction', null, 'Glaciers'],
        ['Introduction', 'background', 'The'],
        ['Methods', null, 'Three'],
      ],
    );
  });

  it('filters by category, keeping rows that state none', async () => {
    const exact = await collect(PAPERS, { categories: ['CS.RO'] });
    assert.ok(titles(exact).includes('Cheap Maps for Slow Robots'));
    assert.ok(!titles(exact).includes('Counting Bees with Microphones'));
    assert.ok(titles(exact).includes('Starters'));
    const archive = await collect(PAPERS, { categories: ['bio.*'] });
    assert.ok(titles(archive).includes('Counting Bees with Microphones'));
    assert.ok(!titles(archive).includes('Cheap Maps for Slow Robots'));
  });

  it('filters by date, both ends included, as far as dates are known', async () => {
    assert.deepEqual(titles(await collect(PAPERS, { since: '2021-05-03' })), [
      'Counting Bees with Microphones',
      'Cheap Maps for Slow Robots',
    ]);
    assert.deepEqual(titles(await collect(PAPERS, { since: '2021-06' })), [
      'Cheap Maps for Slow Robots',
    ]);
    assert.deepEqual(titles(await collect(PAPERS, { since: '2019', until: '2020-02' })), [
      'A Title Alone',
      'Starters',
    ]);
  });

  it('stops when the signal aborts', async () => {
    const row = JSON.stringify({ title: 'Row of many', abstract: 'One sentence that is enough.' });
    const path = scratch.write('many.jsonl', `${row}\n`.repeat(5000));
    const abort = new AbortController();
    let papers = 0;
    const options = { categories: [], since: null, until: null };
    const read = importerOf(path)?.read(
      path,
      options,
      ({ message }) => assert.fail(message),
      abort.signal,
    );
    assert.ok(read);
    for await (const paper of read) {
      assert.equal(paper.paper.title, 'Row of many');
      if (++papers === 10) abort.abort();
    }
    assert.equal(papers, 10);
  });

  it('says that a file holds no papers, and why', async () => {
    const path = scratch.write('log.jsonl', '{"level":"info"}\n{"level":"warn"}\n');
    await assert.rejects(
      collect(path),
      (error) =>
        error instanceof RatioError &&
        error.code === 'bad-input' &&
        /log\.jsonl holds no papers.*Line 1.*"title"/.test(error.message),
    );
  });

  it('gives up early on a long file without a paper', async () => {
    const path = scratch.write('log.jsonl', 'no JSON here\n'.repeat(200_000));
    let read = 0;
    const onBytes = (bytes: number) => (read = bytes);
    await assert.rejects(collect(path, { onBytes }), /Its first 1000 lines are none/);
    assert.ok(read < 1_000_000, `${read} bytes read of 2,600,000`);
  });

  it('takes .json with rows on lines, but no other JSON', () => {
    const rows = scratch.write('rows.json', '{"id": "a", "title": "T", "abstract": "x"}\n');
    const config = scratch.write('package.json', '{\n  "name": "x",\n  "title": "y"\n}\n');
    assert.equal(importerOf(rows)?.name, 'JSONL');
    assert.equal(importerOf(config), undefined);
  });
});
