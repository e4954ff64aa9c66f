import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import {
  closeSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { compareRuns, scoreRun } from '../../../server/evaluation/compare';
import { RatioError } from '../../../server/engine/engine';
import {
  readQrels,
  readRun,
  trecId,
  writeQrels,
  writeRun,
  type Run,
} from '../../../server/evaluation/trec';
import { skipBecause } from '../../skip';

const run = (rankings: Record<string, [string, number][]>, system = 'x'): Run => ({
  system,
  rankings: new Map(
    Object.entries(rankings).map(([query, ranked]) => [
      query,
      ranked.map(([id, score]) => ({ id, score })),
    ]),
  ),
});

describe('TREC files', () => {
  let folder: string;
  beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'ratio-trec-'))));
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  const rejects = async (
    read: (path: string) => Promise<unknown>,
    text: string,
    line: number,
    words: RegExp,
  ): Promise<void> => {
    const path = join(folder, 'bad');
    writeFileSync(path, text);
    await assert.rejects(read(path), (error: unknown) => {
      assert.ok(error instanceof RatioError && error.code === 'bad-input');
      assert.ok(error.message.startsWith(`${path}:${line}: `), error.message);
      assert.match(error.message, words);
      return true;
    });
  };

  it('hold a run that reads back in its order, ties and all', async () => {
    const path = join(folder, 'deep', 'a.run');
    const made = run(
      {
        q1: [
          ['zebra', 2],
          ['apple', 2],
          ['mole', 2],
          ['bee', 0],
          ['cow', 0],
          ['ant', -3],
        ],
        q2: [['p#3', -0.25]],
        q3: [],
      },
      'my system',
    );
    await writeRun(path, made);
    const text = readFileSync(path, 'utf8');
    assert.match(text, /^q1 Q0 zebra 1 2 my%20system$/m);
    // Scores fall strictly in single precision, so that tools which order equal scores by name keep
    // the ranking.
    const scores = [...text.matchAll(/^q1 Q0 \S+ \d+ (\S+)/gm)].map((match) =>
      Math.fround(Number(match[1])),
    );
    assert.equal(scores.length, 6);
    assert.ok(scores.every((score, i) => i === 0 || score < (scores[i - 1] ?? 0)));
    const back = await readRun(path);
    const ids = (query: string): string[] | undefined =>
      back.rankings.get(query)?.map(({ id }) => id);
    assert.deepEqual(ids('q1'), ['zebra', 'apple', 'mole', 'bee', 'cow', 'ant']);
    assert.deepEqual(ids('q2'), ['p#3']);
    assert.equal(ids('q3'), undefined);
  });

  it('are whole or not there, and an older one stays', async () => {
    const path = join(folder, 'a.run');
    await writeRun(path, run({ q1: [['a', 1]] }));
    const old = readFileSync(path, 'utf8');
    // Fails once a part is written, as a full disk does.
    const failing = {
      *[Symbol.iterator]() {
        for (let i = 0; i < 5000; i++) yield [`q${i}`, [{ id: 'b', score: 1 }]];
        throw new Error('no space left');
      },
    };
    const broken = { system: 'x', rankings: failing as unknown as Run['rankings'] };
    await assert.rejects(writeRun(path, broken), /no space left/);
    await assert.rejects(writeRun(join(folder, 'new.run'), broken), /no space left/);
    assert.equal(readFileSync(path, 'utf8'), old);
    assert.deepEqual(readdirSync(folder), ['a.run']);
  });

  it('are written through a link and into what is no file', async function () {
    if (process.platform === 'win32')
      skipBecause(this, 'Windows grants links to few and has no /dev/fd');
    symlinkSync(join(folder, 'real.run'), join(folder, 'link.run'));
    writeFileSync(join(folder, 'real.run'), '');
    await writeRun(join(folder, 'link.run'), run({ q1: [['a', 1]] }));
    assert.match(readFileSync(join(folder, 'real.run'), 'utf8'), /^q1 Q0 a/);
    execFileSync('mkfifo', [join(folder, 'pipe')]);
    const read = readFile(join(folder, 'pipe'), 'utf8');
    await writeRun(join(folder, 'pipe'), run({ q1: [['a', 1]] }));
    assert.match(await read, /^q1 Q0 a/);
    // As `> file` and `--run /dev/stdout` do: what the shell opened stays the file it is.
    const opened = openSync(join(folder, 'shell'), 'w');
    await writeRun(`/dev/fd/${opened}`, run({ q1: [['b', 1]] }));
    writeSync(opened, 'more');
    closeSync(opened);
    assert.match(readFileSync(join(folder, 'shell'), 'utf8'), /more/);
    await writeRun('/dev/null', run({ q1: [['b', 1]] }));
  });

  it('hold qrels whose second column is the set', async () => {
    const path = join(folder, 'q');
    const qrels = {
      relevant: new Map([
        ['q1', new Set(['a', 'b'])],
        ['q2', new Set(['c'])],
      ]),
      sets: new Map([
        ['q1', 'address'],
        ['q2', 'specify'],
      ]),
    };
    await writeQrels(path, qrels);
    assert.equal(readFileSync(path, 'utf8'), 'q1 address a 1\nq1 address b 1\nq2 specify c 1\n');
    assert.deepEqual(await readQrels(path), qrels);
  });

  it('order equal scores by the rank column, and are read gzipped and with CRLF', async () => {
    const path = join(folder, 'a.run.gz');
    writeFileSync(path, gzipSync('q Q0 low 3 1 s\r\nq Q0 second 2 7 s\r\nq Q0 first 1 7 s\r\n'));
    const { rankings, system } = await readRun(path);
    assert.equal(system, 's');
    assert.deepEqual(
      rankings.get('q')?.map(({ id }) => id),
      ['first', 'second', 'low'],
    );
  });

  it('name file and line of what is wrong', async () => {
    await rejects(readRun, 'q Q0 d 1 2 s\nq Q0 d2 2\n', 2, /six columns/);
    await rejects(readRun, 'q Q0 d 1 high s\n', 1, /numbers/);
    await rejects(readRun, 'q Q0 d 1 2 s\n\nq Q0 d 2 1 s\n', 3, /q has d twice/);
    await rejects(readQrels, 'q 0 d 1\nq 0 d\n', 2, /relevance/);
    await rejects(readQrels, 'q 0 d yes\n', 1, /whole number/);
    await assert.rejects(readRun(join(folder, 'none')), /There is no file/);
    writeFileSync(join(folder, 'empty'), '\n');
    await assert.rejects(readRun(join(folder, 'empty')), /is empty/);
    writeFileSync(join(folder, 'cut.gz'), gzipSync('q Q0 d 1 2 s\n').subarray(0, 15));
    await assert.rejects(readRun(join(folder, 'cut.gz')), /cannot be read/);
  });

  it('make ids without white space', () => {
    assert.equal(trecId('my paper\t100%'), 'my%20paper%09100%25');
    assert.equal(trecId('2501.00001'), '2501.00001');
  });
});

describe('comparing runs', () => {
  const qrels = {
    relevant: new Map([
      ['q1', new Set(['a'])],
      ['q2', new Set(['b'])],
      ['q3', new Set(['c'])],
    ]),
    sets: new Map([
      ['q1', 'address'],
      ['q2', 'address'],
      ['q3', 'specify'],
    ]),
  };
  const a = run({ q1: [['a', 1]], q2: [['x', 2], ['b', 1]], q3: [['c', 1]] }); // prettier-ignore
  const b = run({ q1: [['x', 2], ['a', 1]], q3: [['c', 1]] }); // prettier-ignore

  it('reports sets and all, a missing query counting as unanswered and being told', () => {
    const { sets: scores, missing } = scoreRun(b, qrels, 'b');
    assert.equal(missing, 1);
    assert.deepEqual([...scores.keys()], ['address', 'specify', 'all']);
    assert.equal(scores.get('address')?.['MRR@10'].value, 0.25);
    assert.equal(scores.get('all')?.['MRR@10'].value, 0.5);
  });

  it('pairs two runs', () => {
    const { sets: compared, missing } = compareRuns([a, 'a'], [b, 'b'], qrels);
    assert.deepEqual(missing, { a: 0, b: 1 });
    const address = compared.get('address')?.['MRR@10'];
    assert.deepEqual([address?.queries, address?.a, address?.b], [2, 0.75, 0.25]);
    assert.equal(address?.difference.value, 0.5);
    assert.equal(address?.ratio.value, 3);
    assert.equal(compared.get('specify')?.['R@1'].difference.value, 0);
  });

  it('refuses a run of other queries', () => {
    assert.throws(() => scoreRun(run({ z: [['a', 1]] }), qrels, 'z.run'), /z\.run has none/);
  });
});
