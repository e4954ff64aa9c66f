import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import {
  copyFileSync,
  cpSync,
  createWriteStream,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { packageRoot } from '../../../server/paths';
import { jsonl, writeSea } from '../evaluation/sea';
import { bundleTerminal } from '../../bundle';
import { skipBecause } from '../../skip';

/** `ratio` with the commands under test alone. */
const PROGRAM = `
  const { Command } = require('commander');
  const { fail } = require('./server/cli/exit');
  const ratio = new Command('ratio').exitOverride((error) => process.exit(error.exitCode ? 2 : 0));
  require('./server/cli/eval').registerEval(ratio);
  require('./server/cli/rerank').registerRerank(ratio);
  ratio.parseAsync().catch(fail);
`;

type Ended = { code: number | null; stdout: string; stderr: string };

describe('reranking in a terminal', function () {
  this.timeout(180_000);
  let cli: string;
  let folder: string;
  let bench: string;
  let input: string;
  before(async () => {
    cli = await bundleTerminal('rerank.js', PROGRAM);
    folder = mkdtempSync(join(tmpdir(), 'ratio-rerank-'));
    bench = writeSea();
    input = path('in.jsonl');
    writeFileSync(
      input,
      jsonl([
        {
          id: 'q1',
          dataset: 'sea',
          query: 'Which tides delay ferries in winter?',
          candidates: [
            { title: 'Kelp', text: 'Kelp grows a hand a day. It likes cold water.', gold: false },
            {
              title: 'Ferries',
              text: 'We study harbours. Strong tides delay ferries on most winter days.',
              gold: true,
            },
          ],
        },
        {
          id: 'q2',
          dataset: 'sea',
          query: 'How fast does kelp grow?',
          candidates: [{ title: '', text: 'Kelp grows a hand a day.', gold: false }],
        },
      ]),
    );
    // The tiny reranker has the tokeniser of the encoder.
    const tiny = path('tiny');
    mkdirSync(tiny);
    const fixture = join(packageRoot(), 'test', 'fixtures', 'reranker');
    for (const name of ['config.json', 'local.onnx', 'global.onnx']) {
      copyFileSync(join(fixture, name), join(tiny, name));
    }
    for (const name of ['tokenizer.json', 'tokenizer_config.json']) {
      copyFileSync(join(packageRoot(), 'models', 'encoder', name), join(tiny, name));
    }
  });
  after(() => {
    rmSync(folder, { recursive: true, force: true });
    rmSync(bench, { recursive: true, force: true });
  });

  const path = (name: string): string => join(folder, name);

  function ratio(...parameters: string[]): Promise<Ended> {
    return new Promise((resolve, reject) => {
      const child = spawn(process.execPath, [cli, ...parameters], {
        env: { ...process.env, RATIO_HOME: path('home') },
      });
      let stdout = '';
      let stderr = '';
      child.stdout.on('data', (chunk) => (stdout += String(chunk)));
      child.stderr.on('data', (chunk) => (stderr += String(chunk)));
      child.on('error', reject);
      child.on('close', (code) => resolve({ code, stdout, stderr }));
    });
  }
  const rerank = (...more: string[]): Promise<Ended> =>
    ratio('rerank', input, '--cache', path('cache'), ...more);

  it('orders by the encoder that ships and compares with another run', async () => {
    const none = await rerank('--model', 'none', '--run', path('none.run'));
    assert.equal(none.code, 0, none.stderr);
    assert.match(none.stderr, /^ratio: 1 queries have no gold passage/);
    assert.equal(
      readFileSync(path('none.run'), 'utf8'),
      'q1 Q0 0 1 0 none\nq1 Q0 1 2 -1 none\nq2 Q0 0 1 0 none\n',
    );
    const dense = await rerank('--model', 'dense', '--against', path('none.run'), '--json');
    assert.equal(dense.code, 0, dense.stderr);
    const report = JSON.parse(dense.stdout) as {
      encoder: string;
      sets: Record<string, { queries: number; 'MAP@10': { value: number } }>;
      against: { sets: Record<string, { 'MAP@10': { difference: { value: number } } }> }[];
    };
    assert.match(report.encoder, /minilm/);
    assert.deepEqual([report.sets['sea']?.queries, report.sets['sea']?.['MAP@10'].value], [1, 1]);
    assert.equal(report.against[0]?.sets['sea']?.['MAP@10'].difference.value, 0.5);
  });

  it('orders by both scores of a reranker', async () => {
    const runs = [];
    for (const model of ['local', 'log']) {
      const file = path(`${model}.run`);
      const made = await rerank('--model', model, '--reranker', path('tiny'), '--run', file);
      assert.equal(made.code, 0, made.stderr);
      assert.match(
        made.stdout,
        new RegExp(`^${model} · .* · tiny · 2 queries, 3 passages .* windows`),
      );
      runs.push(readFileSync(file, 'utf8').replaceAll(model, ''));
    }
    assert.notEqual(runs[0], runs[1]);
    assert.equal(runs[0]?.trim().split('\n').length, 3);
  });

  it('says what is added to the score after the graph', async () => {
    const adding = path('adding');
    cpSync(path('tiny'), adding, { recursive: true });
    const file = join(adding, 'config.json');
    const config = JSON.parse(readFileSync(file, 'utf8')) as object;
    const [none, four] = [
      [0, 0, 0, 0],
      [0, 0, 0, 4],
    ];
    const blend = { address: none, broaden: none, specify: none, none: four };
    writeFileSync(file, JSON.stringify({ ...config, blend, passageCosine: 16 }));
    const asked = async (model: string, reranker: string, ...more: string[]): Promise<string> => {
      const made = await rerank('--model', model, '--reranker', reranker, ...more);
      assert.equal(made.code, 0, made.stderr);
      return made.stdout;
    };
    assert.match(
      await asked('log', adding),
      /\|\n\nAdded to the reranker's own score: 4 × BM25 of the passage over the best, 16 × cosine of question and whole passage\.\n$/,
    );
    const { added } = JSON.parse(await asked('log', adding, '--json')) as { added: unknown };
    assert.deepEqual(added, { passageCosine: 16, passageBm25: 4 });
    for (const [model, folder] of [
      ['local', adding],
      ['log', path('tiny')],
    ] as const) {
      assert.doesNotMatch(await asked(model, folder), /Added to/);
    }
  });

  it('says that the product would not use a reranker with another encoder', async () => {
    const foreign = path('foreign');
    cpSync(path('tiny'), foreign, { recursive: true });
    const config = JSON.parse(readFileSync(join(foreign, 'config.json'), 'utf8')) as object;
    writeFileSync(
      join(foreign, 'config.json'),
      JSON.stringify({ ...config, encoder: 'another-1' }),
    );
    const said =
      /^ratio: The reranker was trained with the encoder another-1, not with \S*minilm\S*: with this one the product/m;
    const file = await rerank('--model', 'log', '--reranker', foreign);
    assert.match(file.stderr, said);
    const moves = await ratio(
      ...['eval', '--bench', bench, '--split', 'test', '--retriever', 'dense'],
      ...['--cache', path('cache'), '--rerank', 'log', '--depth', '2', '--reranker', foreign],
    );
    assert.equal(moves.code, 0, moves.stderr);
    assert.match(moves.stderr, said);
  });

  it('re-orders the benchmark of moves', async () => {
    const more = ['--retriever', 'dense', '--cache', path('cache'), '--run', path('moves.run')];
    const made = await ratio(
      ...['eval', '--bench', bench, '--split', 'test', ...more],
      ...['--rerank', 'log', '--depth', '2', '--reranker', path('tiny')],
    );
    assert.equal(made.code, 0, made.stderr);
    assert.match(made.stdout, /^dense\+log · /);
    assert.match(made.stdout, /Reranked by tiny: 2\.0 passages a query \(2 at most\)/);
    assert.match(readFileSync(path('moves.run'), 'utf8'), /^p1:2 Q0 \S+ 1 \S+ dense\+log$/m);
  });

  it('ends with 2 for wrong usage and bad files, 1 for what is missing', async () => {
    const bad = path('bad.jsonl');
    writeFileSync(bad, '\n{"id": "x"}\n');
    const evaluate = ['eval', '--bench', bench, '--split', 'test', '--retriever'];
    const cases: [string[], number, RegExp][] = [
      [['rerank', input], 2, /--model/],
      [['rerank', input, '--model', 'magic'], 2, /'magic' is invalid.*none, bm25, dense/],
      [['rerank', bad, '--model', 'none'], 2, /bad\.jsonl:2: "dataset" is not right/],
      [['rerank', path('nowhere'), '--model', 'none'], 1, /There is no file/],
      [['rerank', input, '--model', 'bm25', '--encoder', 'x'], 2, /bm25 has none/],
      [['rerank', input, '--model', 'dense', '--reranker', 'x'], 2, /dense has none/],
      [['rerank', input, '--model', 'log', '--reranker', folder], 1, /config\.json is missing/],
      [[...evaluate, 'bm25', '--rerank', 'log'], 2, /takes the sentences of dense or hybrid/],
      [[...evaluate, 'dense', '--depth', '9'], 2, /--depth goes with --rerank/],
      [[...evaluate, 'dense', '--rerank', 'log', '--analyses', 'all'], 2, /oracle/],
      [
        [...evaluate, 'dense', '--rerank', 'log', '--reranker', path('tiny'), '--papers', folder],
        1,
        /papers\.jsonl.*--papers DIR/,
      ],
      [
        [...evaluate, 'dense', '--rerank', 'log', '--reranker', folder],
        1,
        /config\.json is missing/,
      ],
    ];
    for (const [parameters, code, words] of cases) {
      const made = await ratio(...parameters);
      assert.equal(made.code, code, `${parameters.join(' ')}: ${made.stderr}`);
      assert.match(made.stderr, words);
      assert.equal(made.stdout, '');
    }
  });

  it('ends with 130 at Ctrl+C and writes no half of a run', async function () {
    if (process.platform === 'win32') skipBecause(this, 'Windows has no named pipes in folders');
    // Its input is a pipe that ends only once it has heard the signal.
    const pipe = path('pipe');
    if (spawnSync('mkfifo', [pipe]).status !== 0) skipBecause(this, 'no mkfifo here');
    const words = ['rerank', pipe, '--model', 'bm25', '--run', path('half.run')];
    const child = spawn(process.execPath, [cli, ...words]);
    const ended = new Promise((resolve) => child.on('close', resolve));
    const writer = createWriteStream(pipe);
    writer.on('open', () => child.kill('SIGINT'));
    let stderr = '';
    child.stderr.on('data', (chunk) => {
      stderr += String(chunk);
      if (/stopping/.test(stderr)) writer.end(readFileSync(input));
    });
    const code = await ended;
    assert.equal(code, 130, stderr);
    assert.match(stderr, /Cancelled/);
    assert.throws(() => readFileSync(path('half.run')), /ENOENT/);
  });
});
