/**
 * Encode throughput of Ratio against @huggingface/transformers: same model, sentences and machine,
 * taking turns in rounds, so that whatever else the machine does hits all alike.
 *
 *   RATIO_DATA=… npx tsx test/bench/encode.ts [--sentences 512] [--rounds 5] [--json]
 *
 * The other library and its models are heavy and no part of the project: they are put into the
 * ignored folder out/bench on demand (`npm install`, then models/training/export_comparison.py with
 * the Python that RATIO_PYTHON names, default python3). What is missing is reported, not guessed.
 */
import { execFileSync, fork, type ChildProcess } from 'node:child_process';
import { createReadStream, existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { createGunzip } from 'node:zlib';
import { packageRoot } from '../../server/paths';
import { splitSentences } from '../../server/prose';
import type { Answer, Ask, Contender } from './encodeContender';
import { quantile } from './statistics';

const BATCH = 32;
const MODEL = 'all-MiniLM-L6-v2';
const LIBRARY = '@huggingface/transformers@^4.3.2';

export interface EncodeReport {
  sentences: number;
  batch: number;
  rounds: number;
  /** Sentences a second, median over rounds. */
  throughput: Record<string, number>;
  /** Processor time a sentence, milliseconds over all threads, median over rounds. */
  cpuMsPerSentence: Record<string, number>;
  /** Ratio's throughput over the other's, median over the rounds' paired ratios. */
  speedup: Record<string, number>;
  /** Mean cosine between Ratio's vectors and the other's. */
  cosine: Record<string, number>;
  /** One sentence of about 25 words at a time, milliseconds. */
  latency: { p50: number; p95: number };
  loadMs: number;
  rssMb: number;
  /** Why contenders are missing. */
  missing: string[];
}

const median = (values: readonly number[]): number => quantile(values, 0.5);

/** Sentences of abstracts spread evenly over the validation split. */
async function sentences(data: string, count: number): Promise<string[]> {
  const lines = createInterface({
    input: createReadStream(join(data, 'papers-val.jsonl.gz')).pipe(createGunzip()),
  });
  const found: string[] = [];
  let row = 0;
  for await (const line of lines) {
    if (row++ % 37 !== 0) continue;
    const { abstract } = JSON.parse(line) as { abstract: string | null };
    if (!abstract) continue;
    const text = abstract.replace(/\s+/g, ' ');
    found.push(...splitSentences(text).map(({ start, end }) => text.slice(start, end)));
    if (found.length >= count) break;
  }
  lines.close();
  return found.slice(0, count);
}

/** Folder from which the other library can be required, and its models; installs what is missing. */
function prepare(): { library: string; models: string } {
  const folder = join(packageRoot(), 'out', 'bench');
  const models = join(folder, 'models', MODEL);
  mkdirSync(folder, { recursive: true });
  const manifest = join(folder, 'package.json');
  if (!existsSync(manifest)) writeFileSync(manifest, '{ "private": true }\n');
  if (!existsSync(join(folder, 'node_modules', '@huggingface', 'transformers'))) {
    const npm = process.platform === 'win32' ? 'npm.cmd' : 'npm';
    execFileSync(npm, ['install', '--no-audit', '--no-fund', LIBRARY], {
      cwd: folder,
      env: { ...process.env, ONNXRUNTIME_NODE_INSTALL: 'skip' },
      stdio: ['ignore', 'ignore', 'inherit'],
      shell: process.platform === 'win32',
    });
  }
  if (!existsSync(join(models, 'onnx', 'model_quantized.onnx'))) {
    const script = join(packageRoot(), 'models', 'training', 'export_comparison.py');
    execFileSync(process.env['RATIO_PYTHON'] ?? 'python3', [script, '--out', models], {
      stdio: ['ignore', 'ignore', 'inherit'],
    });
  }
  return { library: manifest, models };
}

class Runner {
  private constructor(private readonly child: ChildProcess) {}

  static start(kind: Contender, folder: string, library: string): Promise<Runner> {
    const program = join(packageRoot(), 'test', 'bench', 'encodeContender.ts');
    const child = fork(program, [kind, folder, library], {
      cwd: packageRoot(),
      execArgv: ['--require', 'tsx/cjs'],
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    });
    return new Promise((resolve, reject) => {
      child.once('message', () => resolve(new Runner(child)));
      child.once('exit', (code) => reject(new Error(`${kind} ended with ${code}`)));
    });
  }

  ask(ask: Ask): Promise<Answer> {
    return new Promise((resolve, reject) => {
      const gone = (): void => reject(new Error('a contender ended'));
      this.child.once('exit', gone);
      this.child.once('message', (answer: Answer) => {
        this.child.off('exit', gone);
        resolve(answer);
      });
      this.child.send(ask);
    });
  }

  stop(): void {
    this.child.disconnect();
  }
}

function cosine(a: number[], b: number[]): number {
  return a.reduce((sum, x, i) => sum + x * (b[i] ?? 0), 0);
}

/** Runs the bench. Rejects where RATIO_DATA is unset; missing contenders are reported. */
export async function benchEncode({ count = 512, rounds = 5 } = {}): Promise<EncodeReport> {
  const data = process.env['RATIO_DATA'];
  if (!data) throw new Error('Set RATIO_DATA to the folder with papers-val.jsonl.gz.');
  const texts = await sentences(data, count);
  const runners = new Map<Contender, Runner>();
  const missing: string[] = [];
  const ours = join(packageRoot(), 'models', 'encoder');
  runners.set('ratio', await Runner.start('ratio', ours, '-'));
  try {
    const { library, models } = prepare();
    for (const kind of ['fp32', 'q8'] as const) {
      runners.set(kind, await Runner.start(kind, models, library));
    }
  } catch (error) {
    missing.push(`@huggingface/transformers: ${error instanceof Error ? error.message : error}`);
  }
  try {
    return await measure(runners, texts, rounds, missing);
  } finally {
    for (const runner of runners.values()) runner.stop();
  }
}

async function measure(
  runners: Map<Contender, Runner>,
  texts: string[],
  rounds: number,
  missing: string[],
): Promise<EncodeReport> {
  const wall = new Map<string, number[]>();
  const cpu = new Map<string, number[]>();
  const cosines = new Map<string, number[]>();
  let loadMs = NaN;
  let rssMb = NaN;
  for (const runner of runners.values())
    await runner.ask({ texts: texts.slice(0, BATCH), alone: false });
  for (let round = 0; round < rounds; round++) {
    const total = new Map<string, { ms: number; cpuMs: number }>();
    const add = (name: string, { ms, cpuMs }: Answer): void => {
      const sum = total.get(name) ?? { ms: 0, cpuMs: 0 };
      total.set(name, { ms: sum.ms + (ms[0] ?? NaN), cpuMs: sum.cpuMs + cpuMs });
    };
    // A contender's turn is the whole list: taking turns batch by batch would time how fast each
    // gets its weights back into the processor's cache.
    const references: number[][] = [];
    for (const [kind, runner] of runners) {
      for (let at = 0; at < texts.length; at += BATCH) {
        const answer = await runner.ask({ texts: texts.slice(at, at + BATCH), alone: false });
        add(kind, answer);
        if (round > 0) continue;
        if (kind === 'ratio') references.push(...answer.vectors);
        else {
          const near = answer.vectors.map((vector, i) => cosine(vector, references[at + i] ?? []));
          cosines.set(kind, [...(cosines.get(kind) ?? []), ...near]);
        }
      }
    }
    const whole = await runners.get('ratio')?.ask({ texts, alone: false });
    if (whole) {
      add('ratio, one call', whole);
      ({ loadMs } = whole);
      rssMb = whole.rssBytes / 2 ** 20;
    }
    for (const [name, { ms, cpuMs }] of total) {
      wall.set(name, [...(wall.get(name) ?? []), ms]);
      cpu.set(name, [...(cpu.get(name) ?? []), cpuMs]);
    }
  }
  const twentyFive = texts
    .filter((text) => Math.abs(text.split(/\s+/).length - 25) <= 2)
    .slice(0, 40);
  const alone = await runners.get('ratio')?.ask({ texts: twentyFive, alone: true });
  const per = (all: Map<string, number[]>, value: (values: number[]) => number) =>
    Object.fromEntries([...all].map(([name, values]) => [name, value(values)]));
  const own = wall.get('ratio') ?? [];
  return {
    sentences: texts.length,
    batch: BATCH,
    rounds,
    throughput: per(wall, (ms) => texts.length / (median(ms) / 1000)),
    cpuMsPerSentence: per(cpu, (ms) => median(ms) / texts.length),
    speedup: Object.fromEntries(
      [...wall]
        .filter(([name]) => !name.startsWith('ratio'))
        .map(([name, ms]) => [name, median(ms.map((value, i) => value / (own[i] ?? NaN)))]),
    ),
    cosine: per(cosines, (values) => values.reduce((a, b) => a + b, 0) / values.length),
    latency: { p50: median(alone?.ms ?? []), p95: quantile(alone?.ms ?? [], 0.95) },
    loadMs,
    rssMb,
    missing,
  };
}

function option(name: string, fallback: number): number {
  const at = process.argv.indexOf(name);
  return at < 0 ? fallback : Number(process.argv[at + 1]);
}

if (require.main === module) {
  benchEncode({ count: option('--sentences', 512), rounds: option('--rounds', 5) }).then(
    (report) => {
      if (process.argv.includes('--json')) return console.log(JSON.stringify(report, null, 2));
      console.table(
        Object.keys(report.throughput).map((name) => ({
          contender: name,
          'sentences/s': Math.round(report.throughput[name] ?? NaN),
          'CPU ms/sentence': Number(report.cpuMsPerSentence[name]?.toFixed(2)),
          'ratio is × faster': report.speedup[name]?.toFixed(2) ?? '',
          'cosine to ratio': report.cosine[name]?.toFixed(4) ?? '',
        })),
      );
      const { latency, loadMs, rssMb, missing } = report;
      console.log(
        `one sentence: p50 ${latency.p50.toFixed(1)} ms, p95 ${latency.p95.toFixed(1)} ms`,
      );
      console.log(`load ${loadMs.toFixed(0)} ms, memory ${rssMb.toFixed(0)} MB`);
      for (const what of missing) console.log(`missing: ${what}`);
    },
    (error: unknown) => {
      console.error(error instanceof Error ? error.message : error);
      process.exitCode = 1;
    },
  );
}
