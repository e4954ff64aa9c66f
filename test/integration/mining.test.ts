/** The miner and the benchmark on files: what they write, that it is the same every time, and how fast. */
import assert from 'node:assert/strict';
import {
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { Command } from 'commander';
import { after, before, describe, it } from 'mocha';
import { registerBench } from '../../server/cli/bench';
import { UsageError } from '../../server/cli/exit';
import { registerMine } from '../../server/cli/mine';
import { RatioError } from '../../server/engine/engine';
import { loadSplit } from '../../server/evaluation/split';
import { buildBench, type PairRow, type PoolRow } from '../../server/mining/bench';
import { essence } from '../../server/mining/hashes';
import { mine } from '../../server/mining/mine';
import type { MineReport } from '../../server/mining/report';
import { stripMarker } from '../../server/mining/strip';
import { growth, LINEAR } from '../growth';
import { skipBecause } from '../skip';

const NOUNS = 'graph harbour parser planner sensor kernel prover corpus lexer robot'.split(' ');

/** An abstract of our own, different for every number. */
function abstractOf(n: number): string {
  const noun = NOUNS[n % NOUNS.length] ?? 'graph';
  return [
    `Every ${noun} of type ${n} needs many labels before it can be trusted at night.`,
    `However, labels for the ${noun} number ${n} are scarce and remain expensive to collect.`,
    `To address this issue, we let the crew of ship ${n} label its own ${noun} while it sleeps.`,
    `Specifically, the ${noun} asks ship ${n} for one label whenever its doubt grows.`,
    `More generally, a machine that asks ship ${n} in doubt needs fewer labels than one that guesses.`,
    `Moreover, the crew of ship ${n} likes the ${noun} better than the old one.`,
    `The crew of ship ${n} has written down how the ${noun} behaved on every night.`,
  ].join(' ');
}

const row = (n: number): string =>
  JSON.stringify({
    id: `lab:${n}`,
    title: `Asking in doubt ${n}`,
    date: '2024-05-01',
    abstract: abstractOf(n),
  });

function lines<Row>(path: string): Row[] {
  return readFileSync(path, 'utf8')
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as Row);
}

const bytesOf = (folder: string): Record<string, string> =>
  Object.fromEntries(
    readdirSync(folder).map((name) => [name, readFileSync(join(folder, name), 'utf8')]),
  );

describe('ratio mine', () => {
  let folder: string;
  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'ratio-mine-'));
  });
  after(() => rmSync(folder, { recursive: true, force: true }));
  const write = (name: string, rows: readonly string[]): string => {
    const path = join(folder, name);
    const text = `${rows.join('\n')}\n`;
    writeFileSync(path, name.endsWith('.gz') ? gzipSync(text) : text);
    return path;
  };
  const out = (name: string): string => join(folder, name);

  it('writes pairs, pool, papers and report of one paper', async () => {
    const report = await mine([write('one.jsonl', [row(1)])], out('one'));
    assert.deepEqual(report.pairs, { address: 1, broaden: 1, specify: 1, 'broaden-reversed': 1 });
    const pairs = lines<PairRow>(join(out('one'), 'pairs.jsonl'));
    assert.deepEqual(pairs[0], {
      id: 'address:lab:1#2',
      move: 'address',
      marker: 'to address this issue',
      query: 'Labels for the harbour number 1 are scarce and remain expensive to collect.',
      gold: 'We let the crew of ship 1 label its own harbour while it sleeps.',
      goldId: 'lab:1#2',
      queryId: 'lab:1#1',
      paper: 'lab:1',
      date: '2024-05-01',
    });
    const pool = lines<PoolRow>(join(out('one'), 'pool.jsonl'));
    assert.deepEqual(
      pool.map(({ index, kind }) => [index, kind]),
      [
        [0, 'other'],
        [1, 'distractor'],
        [2, 'gold'],
        [3, 'gold'],
        [4, 'gold'],
        [5, 'distractor'],
        [6, 'other'],
      ],
    );
    const papers = lines<{ id: string; sentences: { id: string; text: string }[] }>(
      join(out('one'), 'papers.jsonl'),
    );
    // What is shown keeps its marker; what is embedded is the stripped text of it.
    for (const [i, { id, text }] of (papers[0]?.sentences ?? []).entries()) {
      assert.equal(pool[i]?.id, id);
      assert.equal(pool[i]?.text, stripMarker(text).text);
    }
    assert.equal(papers[0]?.sentences[2]?.text.startsWith('To address this issue, '), true);
  });

  it('gives the same bytes for the same input, gzipped or not', async () => {
    const rows = Array.from({ length: 300 }, (_, n) => row(n));
    await mine([write('many.jsonl', rows)], out('many-1'));
    await mine([write('many.jsonl', rows)], out('many-2'));
    assert.deepEqual(bytesOf(out('many-1')), bytesOf(out('many-2')));
    await mine([write('many.jsonl.gz', rows)], out('many-3'));
    assert.equal(bytesOf(out('many-3'))['pairs.jsonl'], bytesOf(out('many-1'))['pairs.jsonl']);
    assert.deepEqual(readdirSync(out('many-1')).sort(), [
      'pairs.jsonl',
      'papers.jsonl',
      'pool.jsonl',
      'report.json',
    ]);
  });

  it('takes a paper once, and tells papers of one id apart', async () => {
    const other = JSON.stringify({ ...JSON.parse(row(2)), id: 'lab 1', title: 'Another paper' });
    const first = JSON.stringify({ ...JSON.parse(row(1)), id: 'lab 1' });
    const again = JSON.stringify({ ...JSON.parse(row(1)), id: 'elsewhere:9' });
    const report = await mine(
      [write('a.jsonl', [first, other]), write('b.jsonl', [again, first])],
      out('twice'),
    );
    assert.equal(report.papers.papers, 2);
    assert.equal(report.papers.duplicates, 2);
    const ids = lines<{ id: string }>(join(out('twice'), 'papers.jsonl')).map(({ id }) => id);
    assert.equal(ids[0], 'lab_1');
    assert.match(ids[1] ?? '', /^lab_1~[0-9a-f]{8}$/);
    const pool = lines<PoolRow>(join(out('twice'), 'pool.jsonl')).map(({ id }) => id);
    assert.equal(new Set(pool).size, pool.length);
    assert.ok(pool.every((id) => !/\s/.test(id)));
  });

  it('keeps a pair and a gold once across papers', async () => {
    const { abstract } = JSON.parse(row(1)) as { abstract: string };
    const copy = JSON.stringify({
      id: 'copy',
      title: 'Copy',
      abstract: `New lines open this one. ${abstract}`,
    });
    const report = await mine([write('copy.jsonl', [row(1), copy])], out('copy'));
    assert.equal(report.pairs.address, 1);
    assert.equal(report.dropped['duplicate-pair'], 4);
  });

  it('leaves out what it cannot read and says where', async () => {
    const issues: string[] = [];
    const report = await mine(
      [write('bad.jsonl', [row(1), '{"id": "x", "abst', '[]', '{"abstract": "no title"}', row(2)])],
      out('bad'),
      { onIssue: ({ line, message }) => issues.push(`${line}: ${message}`) },
    );
    assert.equal(report.papers.papers, 2);
    assert.equal(report.papers.malformed, 3);
    assert.deepEqual(
      issues.map((issue) => issue.slice(0, 2)),
      ['2:', '3:', '4:'],
    );
    assert.match(issues[0] ?? '', /JSON/);
  });

  it('reads full text by sections, and counts papers with nothing but a title', async () => {
    const full = JSON.stringify({
      id: 'acl:1',
      title: 'Full text',
      sections: [
        { title: 'Introduction', sentences: ['Crews see ships at night from the hill.'] },
        {
          title: 'Method',
          sentences: [
            'For example, the crew of one ship saw three whales (Doe, 2020).',
            'Whales are counted by the crew on every second night.',
            'In particular, the crew counts whales that are longer than ships.',
          ],
        },
      ],
    });
    const report = await mine(
      [write('full.jsonl', [full, JSON.stringify({ id: 't', title: 'Only a title' })])],
      out('full'),
    );
    assert.equal(report.pairs.specify, 1);
    assert.equal(report.dropped['no-antecedent'], 1);
    assert.equal(report.papers.titleOnly, 1);
    const pool = lines<PoolRow>(join(out('full'), 'pool.jsonl'));
    assert.deepEqual(
      pool.map(({ section }) => section),
      ['Introduction', 'Method', 'Method', 'Method'],
    );
  });

  it('refuses files that are not there or hold no papers, and leaves nothing behind', async () => {
    await assert.rejects(mine([join(folder, 'absent.jsonl')], out('none')), (error: unknown) => {
      return error instanceof RatioError && error.code === 'not-found';
    });
    const words = write('words.jsonl', ['no', 'papers', 'here']);
    await assert.rejects(mine([words], out('none')), (error: unknown) => {
      return error instanceof RatioError && /holds no papers/.test(error.message);
    });
    assert.deepEqual(readdirSync(out('none')), []);
  });

  it('says so where it cannot write', async () => {
    const file = write('a-file', ['x']);
    await assert.rejects(mine([write('w.jsonl', [row(1)])], join(file, 'sub')), RatioError);
  });

  it('leaves an earlier run as it was where the disk is full before the last file is whole', async function () {
    if (!existsSync('/dev/full')) skipBecause(this, 'no /dev/full here');
    await mine([write('old.jsonl', [row(1)])], out('full-disk'));
    const before = bytesOf(out('full-disk'));
    for (const name of ['papers', 'pairs']) {
      symlinkSync('/dev/full', join(out('full-disk'), `${name}.jsonl.part`));
      await assert.rejects(
        mine([write('new.jsonl', [row(2), row(3)])], out('full-disk')),
        RatioError,
      );
      assert.deepEqual(bytesOf(out('full-disk')), before, name);
    }
  });

  it('stops when told to, without output', async () => {
    const abort = new AbortController();
    abort.abort();
    await assert.rejects(
      mine([write('s.jsonl', [row(1)])], out('stopped'), { signal: abort.signal }),
      (error: unknown) => error instanceof RatioError && error.code === 'cancelled',
    );
    assert.deepEqual(readdirSync(out('stopped')), []);
  });

  it('keeps its rate and flat memory as its source grows', async function () {
    this.timeout(120_000);
    const n = 3000;
    const sources = new Map(
      [n, 4 * n].map((count) => [
        count,
        write(
          `${count}.jsonl`,
          Array.from({ length: count }, (_, i) => row(i)),
        ),
      ]),
    );
    let grown = 0;
    const times = await growth(
      async (count) => {
        const before = process.memoryUsage().heapUsed;
        const report = await mine([sources.get(count) ?? ''], out(`rate-${count}`));
        assert.equal(report.sentences, count * 7);
        grown = (process.memoryUsage().heapUsed - before) / 1e6;
      },
      n,
      2,
    );
    assert.ok(times < LINEAR, `four times the papers take ${times.toFixed(1)} times as long`);
    assert.ok(grown < 150, `the heap grew by ${grown.toFixed(0)} MB`);
  });
});

describe('ratio bench build', () => {
  let folder: string;
  let source: string;
  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'ratio-bench-'));
    source = join(folder, 'papers.jsonl');
    writeFileSync(source, Array.from({ length: 200 }, (_, n) => row(n)).join('\n'));
  });
  after(() => rmSync(folder, { recursive: true, force: true }));
  const defaults = { poolSize: 900, queries: 50, seed: 13 };

  it('builds the splits it is given, each with one shared pool', async () => {
    const out = join(folder, 'bench');
    const reports = await buildBench({ val: [source] }, out, defaults);
    assert.deepEqual(readdirSync(out), ['val']);
    const pool = lines<PoolRow>(join(out, 'val', 'pool.jsonl'));
    const pairs = lines<PairRow>(join(out, 'val', 'pairs.jsonl'));
    const ids = new Set(pool.map(({ id }) => id));
    assert.equal(pool.length, 900);
    assert.equal(ids.size, pool.length);
    assert.equal(new Set(pool.map(({ text }) => essence(text))).size, pool.length);
    // Golds and distractors come first: 600 golds, then 300 of the 400 distractors, no others.
    assert.deepEqual(reports[0]?.pool, { gold: 600, distractor: 300, other: 0 });
    assert.deepEqual(reports[0]?.queries, {
      address: 50,
      broaden: 50,
      specify: 50,
      'broaden-reversed': 50,
    });
    for (const { goldId, queryId, gold } of pairs) {
      assert.ok(ids.has(goldId), goldId);
      assert.notEqual(goldId, queryId);
      assert.equal(pool.find(({ id }) => id === goldId)?.text, gold);
    }
    assert.ok(existsSync(join(out, 'val', 'papers.jsonl')));
    assert.ok(!existsSync(join(out, 'val', '.work')));
  });

  it('samples the same by seed, and otherwise by another', async () => {
    await buildBench({ test: [source] }, join(folder, 'one'), defaults);
    await buildBench({ test: [source] }, join(folder, 'two'), defaults);
    await buildBench({ test: [source] }, join(folder, 'three'), { ...defaults, seed: 14 });
    const [one, two, three] = ['one', 'two', 'three'].map((name) =>
      bytesOf(join(folder, name, 'test')),
    );
    assert.deepEqual(one, two);
    assert.notEqual(one?.['pool.jsonl'], three?.['pool.jsonl']);
    assert.notEqual(one?.['pairs.jsonl'], three?.['pairs.jsonl']);
  });

  it('keeps every sentence and query where asked for all', async () => {
    const out = join(folder, 'all');
    const all = { poolSize: Infinity, queries: Infinity, seed: 13 };
    const [report] = await buildBench({ train: [source] }, out, all);
    assert.deepEqual(report?.pool, { gold: 600, distractor: 400, other: 400 });
    assert.equal(report?.queries.address, 200);
  });

  it('adds the Broaden pairs of held-out full text, half to val and half to test', async () => {
    const held = join(folder, 'held.jsonl');
    const papers = Array.from({ length: 40 }, (_, n) =>
      JSON.stringify({ ...JSON.parse(row(1000 + n)), id: `held:${n}`, title: `Held ${n}` }),
    );
    writeFileSync(held, papers.join('\n'));
    const out = join(folder, 'held-out');
    const reports = await buildBench({ train: [source], val: [source], test: [source] }, out, {
      ...defaults,
      queries: Infinity,
      heldOut: [held],
    });
    const [train, val, test] = reports.map((report) => report.heldOut);
    assert.equal(train, 0);
    assert.equal((val ?? 0) + (test ?? 0), 40);
    assert.ok((val ?? 0) > 8 && (test ?? 0) > 8);
    for (const split of ['val', 'test']) {
      const rows = lines<PairRow>(join(out, split, 'pairs.jsonl'));
      const added = rows.filter(({ paper }) => paper.startsWith('held:'));
      assert.ok(added.length > 8 && added.every(({ move }) => move === 'broaden'));
      const ids = new Set(lines<PoolRow>(join(out, split, 'pool.jsonl')).map(({ id }) => id));
      assert.ok(added.every(({ goldId }) => ids.has(goldId)));
      const known = new Set(
        lines<{ id: string }>(join(out, split, 'papers.jsonl')).map(({ id }) => id),
      );
      assert.ok(added.every(({ paper }) => known.has(paper)));
    }
  });

  it('leaves out held-out papers whose id the split has, and counts them', async () => {
    const held = join(folder, 'known.jsonl');
    const papers = Array.from({ length: 40 }, (_, n) =>
      JSON.stringify({ ...JSON.parse(row(2000 + n)), id: `lab:${n < 30 ? n : 1000 + n}` }),
    );
    writeFileSync(held, papers.join('\n'));
    const out = join(folder, 'known');
    const reports = await buildBench({ val: [source], test: [source] }, out, {
      ...{ poolSize: Infinity, queries: Infinity, seed: 13, heldOut: [held] },
    });
    const sum = (key: 'heldOut' | 'heldOutKnown'): number =>
      reports.reduce((total, report) => total + report[key], 0);
    assert.deepEqual([sum('heldOut'), sum('heldOutKnown')], [10, 30]);
    for (const split of ['val', 'test'])
      for (const name of ['pairs', 'pool', 'papers']) {
        const ids = lines<{ id: string }>(join(out, split, `${name}.jsonl`)).map(({ id }) => id);
        assert.equal(new Set(ids).size, ids.length, `${split}/${name}`);
      }
    assert.ok((await loadSplit(out, 'val')).pairs.length > 0);
  });

  it('has one entry for one text, and maps golds and queries to it', async () => {
    const shared = 'The crew of every ship keeps its lamps lit until the morning comes.';
    const rows = [
      {
        id: 'a',
        title: 'A',
        abstract: `${shared} Ships of the north have many lamps on every deck.`,
      },
      {
        id: 'b',
        title: 'B',
        abstract: `Lamps of ships are scarce and hard to repair. To solve this problem, the crew of every ship keeps its lamps lit until the morning comes. For example, a red lamp was lit on the ship of the captain.`,
      },
    ];
    const path = join(folder, 'shared.jsonl');
    writeFileSync(path, rows.map((item) => JSON.stringify(item)).join('\n'));
    const out = join(folder, 'shared');
    await buildBench({ val: [path] }, out, { ...defaults, poolSize: Infinity });
    const pool = lines<PoolRow>(join(out, 'val', 'pool.jsonl'));
    assert.deepEqual(
      pool.filter(({ text }) => text === shared).map(({ id }) => id),
      ['b#1'],
    );
    const specify = lines<PairRow>(join(out, 'val', 'pairs.jsonl')).find(
      ({ move }) => move === 'specify',
    );
    assert.equal(specify?.queryId, 'b#1');
  });
});

describe('the commands', () => {
  it('mine and build from the command line, and refuse wrong usage', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'ratio-cli-'));
    const print = process.stdout.write.bind(process.stdout);
    const complain = process.stderr.write.bind(process.stderr);
    let printed = '';
    let told = '';
    const run = async (...words: string[]): Promise<void> => {
      const program = new Command('ratio')
        .exitOverride()
        .configureOutput({ writeErr: () => undefined });
      registerMine(program);
      registerBench(program);
      for (const command of program.commands) {
        for (const each of [command, ...command.commands]) each.exitOverride();
      }
      printed = '';
      process.stdout.write = (text) => ((printed += String(text)), true);
      told = '';
      process.stderr.write = (text) => ((told += String(text)), true);
      try {
        await program.parseAsync(words, { from: 'user' });
      } finally {
        process.stdout.write = print;
        process.stderr.write = complain;
      }
    };
    try {
      const path = join(folder, 'p.jsonl');
      writeFileSync(path, `${row(1)}\n${row(2)}\n`);
      await run('mine', path, '--out', join(folder, 'mined'));
      assert.match(printed, /2 papers, 14 sentences/);
      await run('mine', path, '--out', join(folder, 'mined'), '--json');
      assert.equal((JSON.parse(printed) as MineReport).pairs.address, 2);
      await run('bench', 'build', '--val', path, '-o', join(folder, 'bench'), '--pool-size', 'all');
      assert.match(printed, /val: pool of 14 /);
      await assert.rejects(run('mine', join(folder, 'absent'), '-o', folder), UsageError);
      const terminal = process.stderr.isTTY;
      process.stderr.isTTY = true;
      try {
        await assert.rejects(run('mine', folder, '-o', join(folder, 'none')), RatioError);
        assert.ok(told.endsWith('\r\x1b[K'), JSON.stringify(told));
      } finally {
        process.stderr.isTTY = terminal;
      }
      await assert.rejects(run('bench', 'build', '-o', folder), UsageError);
      await assert.rejects(
        run('bench', 'build', '--train', path, '--held-out', path, '-o', join(folder, 'trained')),
        /--held-out adds to val and test/,
      );
      assert.equal(existsSync(join(folder, 'trained')), false);
      for (const bad of ['0', '-3', 'many', '1.5']) {
        await assert.rejects(
          run('bench', 'build', '--val', path, '-o', folder, '--pool-size', bad),
          /whole number/,
        );
      }
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });
});

describe('mining of the corpus', () => {
  it('mines clean pairs from the validation papers', async function () {
    const data = process.env.RATIO_DATA;
    if (!data || !existsSync(join(data, 'papers-val.jsonl.gz'))) {
      skipBecause(this, 'RATIO_DATA is unset or has no papers-val.jsonl.gz');
    }
    this.timeout(180_000);
    const folder = mkdtempSync(join(tmpdir(), 'ratio-val-'));
    try {
      const report: MineReport = await mine([join(data, 'papers-val.jsonl.gz')], folder);
      assert.ok(report.pairs.address >= 3000, `${report.pairs.address} Address pairs`);
      assert.ok(report.pairs.specify >= 1300, `${report.pairs.specify} Specify pairs`);
      assert.ok(report.pairs.broaden >= 10, `${report.pairs.broaden} Broaden pairs`);
      for (const { query, gold, marker } of lines<PairRow>(join(folder, 'pairs.jsonl'))) {
        assert.ok(query.length >= 35 && gold.length >= 35);
        assert.match(gold, /^[^\p{Ll}]|^\p{Ll}+\p{Lu}|^\p{Ll}\b/u);
        assert.ok(!gold.toLowerCase().startsWith(`${marker},`), gold);
      }
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });
});
