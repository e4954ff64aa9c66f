import assert from 'node:assert/strict';
import { Command } from 'commander';
import { spawn } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createEngine } from '../../server/engine/local';
import { registerEval } from '../../server/cli/eval';
import { UsageError } from '../../server/cli/exit';
import { readKey } from '../../server/evaluation/judge/key';
import { importers } from '../../server/pools';
import { packageRoot } from '../../server/paths';
import { jsonl, PAPERS, POOL, writeSea } from '../unit/evaluation/sea';

/** `ratio` with the commands under test alone. */
const PROGRAM = `
  const { Command } = require('commander');
  const { fail } = require('./server/cli/exit');
  const ratio = new Command('ratio').exitOverride((error) => process.exit(error.exitCode ? 2 : 0));
  require('./server/cli/eval').registerEval(ratio);
  require('./server/cli/judge').registerJudge(ratio);
  ratio.parseAsync(process.argv.slice(1), { from: 'user' }).catch(fail);
`;

describe('evaluation in a terminal', function () {
  this.timeout(120_000);
  let folder: string;
  let bench: string;
  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'ratio-evaluation-'));
    bench = writeSea();
  });
  after(() => {
    rmSync(folder, { recursive: true, force: true });
    rmSync(bench, { recursive: true, force: true });
  });

  const path = (name: string): string => join(folder, name);

  function ratio(
    ...parameters: string[]
  ): Promise<{ code: number | null; stdout: string; stderr: string }> {
    return new Promise((resolve, reject) => {
      const child = spawn(
        process.execPath,
        ['--require', 'tsx/cjs', '--eval', PROGRAM, '--', ...parameters],
        {
          cwd: packageRoot(),
          env: { ...process.env, RATIO_HOME: path('home') },
        },
      );
      let stdout = '';
      let stderr = '';
      child.stdout.on('data', (chunk) => (stdout += String(chunk)));
      child.stderr.on('data', (chunk) => (stderr += String(chunk)));
      child.on('error', reject);
      child.on('close', (code) => resolve({ code, stdout, stderr }));
    });
  }

  const evaluate = (...parameters: string[]) =>
    ratio('eval', '--bench', bench, '--split', 'test', '--cache', path('cache'), ...parameters);

  it('measures BM25, writes run and qrels, and finds its own figures again in them', async () => {
    const files = ['--run', path('bm25.run'), '--qrels', path('test.qrels')];
    const made = await evaluate('--retriever', 'bm25', ...files, '--json');
    assert.equal(made.code, 0, made.stderr);
    assert.equal(made.stderr, '');
    const report = JSON.parse(made.stdout) as {
      moves: Record<string, { 'MRR@10': { value: number } }>;
      pool: number;
    };
    assert.equal(report.pool, POOL.length);
    assert.equal(report.moves['specify']?.['MRR@10'].value, 1);
    const scored = await ratio(
      ...['eval', '--compare', path('bm25.run'), '--qrels', path('test.qrels'), '--json'],
    );
    const { sets } = JSON.parse(scored.stdout) as { sets: typeof report.moves };
    for (const [move, own] of Object.entries(report.moves)) {
      assert.deepEqual(sets[move]?.['MRR@10'], own['MRR@10']);
    }
  });

  it('counts a pair once in the figures of all sets, though it stands turned round as well', async () => {
    const sets = ['address', 'specify', 'broaden-reversed'];
    writeFileSync(path('s.qrels'), sets.map((set, n) => `q${n} ${set} d${n} 1\n`).join(''));
    writeFileSync(path('s.run'), 'q0 Q0 d0 1 1 s\nq1 Q0 x 1 1 s\nq2 Q0 d2 1 1 s\n');
    const made = await ratio(
      ...['eval', '--compare', path('s.run'), '--qrels', path('s.qrels'), '--json'],
    );
    const figures = (
      JSON.parse(made.stdout) as {
        sets: Record<string, { queries: number; 'MRR@10': { value: number } }>;
      }
    ).sets;
    assert.deepEqual([figures['all']?.queries, figures['all']?.['MRR@10'].value], [2, 0.5]);
    assert.equal(figures['broaden-reversed']?.queries, 1);
  });

  it('tells how many queries a run lacks', async () => {
    const lines = (...rows: string[]): string => `${rows.join('\n')}\n`;
    writeFileSync(path('q.qrels'), lines('q1 address p1#2 1', 'q2 address p2#1 1'));
    writeFileSync(path('whole.run'), lines('q1 Q0 p1#2 1 2 s', 'q2 Q0 p2#1 1 2 s'));
    writeFileSync(path('cut.run'), lines('q1 Q0 p1#2 1 2 s'));
    const compare = (...runs: string[]) =>
      ratio('eval', '--compare', ...runs.map(path), '--qrels', path('q.qrels'), '--json');
    const told = /^ratio: \S*cut(\.run)? lacks 1 of 2 queries, .* make it again\.\n$/;
    const one = await compare('cut.run');
    assert.match(one.stderr, told);
    assert.equal((JSON.parse(one.stdout) as { missing: number }).missing, 1);
    const two = await compare('whole.run', 'cut.run');
    assert.match(two.stderr, told);
    const { missing } = JSON.parse(two.stdout) as { missing: unknown };
    assert.deepEqual(missing, { a: 0, b: 1 });
    const rows = [1, 2].map((n) => ({
      id: `q${n}`,
      move: 'address',
      text: `Boats are ${n} late.`,
    }));
    writeFileSync(path('q.jsonl'), jsonl(rows));
    const sheet = await ratio(
      ...['judge', 'sheet', '--queries', path('q.jsonl'), '--pool', join(bench, 'test')],
      ...['--run', `whole=${path('whole.run')}`, '--run', `cut=${path('cut.run')}`],
      ...['--out', path('lacking'), '--json'],
    );
    assert.equal(sheet.code, 0, sheet.stderr);
    assert.match(sheet.stderr, told);
    const made = JSON.parse(sheet.stdout) as { missing: unknown };
    assert.deepEqual(made.missing, { whole: 0, cut: 1 });
    const { command } = await readKey(path('lacking'));
    assert.match(
      command,
      / --queries q\.jsonl --pool test --run whole=whole\.run .* --out lacking --json$/,
    );
  });

  it('measures the encoder that ships, bare and with context, with all analyses', async () => {
    const bare = await evaluate('--retriever', 'dense', '--run', path('dense.run'));
    assert.equal(bare.code, 0, bare.stderr);
    assert.match(bare.stdout, /^dense · .* · bare sentences · test of .* pool of 9/);
    assert.ok(readdirSync(path('cache')).length > 0);
    for (const mode of ['concat', 'combine']) {
      const made = await evaluate('--retriever', 'hybrid', '--context', mode, '--analyses', 'all');
      assert.equal(made.code, 0, made.stderr);
      for (const words of ['with context', 'Oracle', 'transfer', 'Lexical overlap', 'By marker']) {
        assert.ok(made.stdout.includes(words), `${mode}: ${words}`);
      }
    }
    const compared = await ratio(
      ...['eval', '--compare', path('dense.run'), path('bm25.run'), '--qrels', path('test.qrels')],
    );
    assert.equal(compared.code, 0, compared.stderr);
    assert.match(compared.stdout, /\| all +\| MRR@100 +\| +2 \|/);
  });

  it('ends with 2 and a message for wrong usage and bad files, 1 for what is missing', async () => {
    const cases: [string[], number, RegExp][] = [
      [['eval'], 2, /Give --bench DIR and --retriever NAME/],
      [['eval', '--bench', bench, '--retriever', 'bm25', '--moves', 'deepen'], 2, /"deepen"/],
      [['eval', '--bench', bench, '--retriever', 'bm25', '--encoder', 'x'], 2, /bm25 has none/],
      [['eval', '--bench', bench, '--split', 'val', '--retriever', 'bm25'], 1, /no folder .*val/],
      [
        ['eval', '--bench', bench, '--split', 'test', '--retriever', 'dense', '--encoder', folder],
        1,
        /config\.json.*--encoder names a model folder/,
      ],
      [['eval', '--compare', path('bm25.run'), '--moves', 'address'], 2, /--moves is of a benchm/],
      [
        ['eval', '--bench', bench, '--retriever', 'bm25', '--context-before', '2'],
        2,
        /go with --context/,
      ],
      [['judge', 'score', folder], 1, /key\.json/],
      [
        [
          ...['judge', 'run', '--queries', 'q', '--pool', 'p', '--out', 'o'],
          ...['--system', 'bm25', '--no-rerank'],
        ],
        2,
        /bm25 reranks nothing/,
      ],
      [
        [
          ...['judge', 'run', '--queries', 'q', '--pool', 'p', '--out', 'o'],
          ...['--system', 'bm25', '--context-before', '2'],
        ],
        2,
        /--context-before and --context-weight go with --context/,
      ],
    ];
    for (const [parameters, code, words] of cases) {
      const made = await ratio(...parameters);
      assert.equal(made.code, code, `${parameters.join(' ')}: ${made.stderr}`);
      assert.match(made.stderr, words);
      assert.equal(made.stdout, '');
    }
  });

  it('refuses every option that does nothing beside --compare', async () => {
    const others = [
      ['--bench', bench],
      ['--split', 'test'],
      ['--retriever', 'dense'],
      ['--encoder', 'x'],
      ['--device', 'cpu'],
      ['--moves', 'address'],
      ['--limit', '5'],
      ['--context'],
      ['--context-before', '2'],
      ['--context-weight', '0.3'],
      ['--analyses', 'none'],
      ['--rerank', 'log'],
      ['--reranker', 'x'],
      ['--depth', '5'],
      ['--papers', 'x'],
      ['--run', 'x'],
      ['--cache', 'x'],
      ['--no-cache'],
    ];
    const program = new Command('ratio').exitOverride();
    registerEval(program);
    for (const [name = '', ...value] of others) {
      await assert.rejects(
        program.parseAsync(['eval', '--compare', 'a.run', '--qrels', 'q', name, ...value], {
          from: 'user',
        }),
        (error: unknown) =>
          error instanceof UsageError &&
          error.message === `${name} is of a benchmark: --compare measures the runs as they are.`,
        name,
      );
    }
  });

  it('judges the product and baselines over one pool, from runs to scores', async () => {
    const rows = PAPERS.map(({ id, title, sentences }) => ({
      id,
      title,
      authors: ['A. Sailor'],
      date: '2024-05-01',
      abstract: sentences.map(({ text }) => text).join(' '),
    }));
    writeFileSync(path('papers.jsonl'), jsonl(rows));
    const engine = await createEngine({
      home: path('home'),
      modelDir: join(packageRoot(), 'models', 'encoder'),
      device: 'cpu',
      importers,
    });
    await engine.addToPool({ pool: 'sea', sources: [path('papers.jsonl')] });
    await engine.close();
    writeFileSync(
      path('queries.jsonl'),
      jsonl([
        { id: 'a01', move: 'address', text: 'Tides make our ferries late in winter.' },
        { id: 's01', move: 'specify', text: 'Fishing gear is lost in bad weather.' },
      ]),
    );
    const common = ['--queries', path('queries.jsonl'), '--pool', 'sea'];
    const systems: [string, string[]][] = [
      ['engine', []],
      ['bm25', []],
      ['dense', ['--context', 'combine', '--no-cache']],
    ];
    for (const [system, more] of systems) {
      const out = path(`${system}.run`);
      const made = await ratio(
        'judge',
        'run',
        ...common,
        '--system',
        system,
        '--out',
        out,
        ...more,
      );
      assert.equal(made.code, 0, made.stderr);
      const papers = readFileSync(out, 'utf8').match(/^a01 Q0 p\d(?=#\d )/gm) ?? [];
      assert.ok(papers.length > 0 && papers.length <= 6, `${system}: ${papers.length}`);
      for (const paper of papers) assert.ok(papers.filter((own) => own === paper).length <= 2);
    }
    const runs = systems.flatMap(([system]) => ['--run', `${system}=${path(`${system}.run`)}`]);
    const sheet = await ratio(
      'judge',
      'sheet',
      ...common,
      ...runs,
      '--out',
      path('out'),
      '-k',
      '3',
    );
    assert.equal(sheet.code, 0, sheet.stderr);
    const markdown = readFileSync(join(path('out'), 'judge-1', 'sheet.md'), 'utf8');
    assert.match(markdown, /\*Keeping ferries on time\*/);
    assert.doesNotMatch(markdown, /bm25|engine|dense/);
    for (const judge of ['judge-1', 'judge-2']) {
      const file = join(path('out'), judge, 'sheet.md');
      const filled = readFileSync(file, 'utf8')
        .replace(/^(label \S+:) $/gm, '$1 1')
        .replace(/^(preferred \S+:) $/gm, '$1 tie');
      writeFileSync(file, filled);
    }
    const scored = await ratio('judge', 'score', path('out'), '--settle', '--json');
    assert.equal(scored.code, 0, scored.stderr);
    assert.match(scored.stderr, /agree on everything/);
    const { moves } = JSON.parse(scored.stdout) as {
      moves: Record<
        string,
        { systems: Record<string, { hitRate: Record<string, { value: number }> }> }
      >;
    };
    assert.deepEqual(Object.keys(moves), ['address', 'specify', 'all']);
    assert.equal(moves['all']?.systems['bm25']?.hitRate['3']?.value, 1);
  });
});
