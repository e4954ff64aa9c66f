/**
 * Times one provider against the CPU in a process of its own: a driver that crashes takes only this
 * process along. Reads {modelDir, provider, threads} from its last argument, prints one line of JSON.
 */
import { readConfig } from './modelFiles';
import { PROVIDERS, type Provider } from '../devices';
import { EncoderSession } from './session';

/** What the child prints. Times are milliseconds for the same batch (for a hopeless
 * device: for one text of it), the best of a few runs. */
export interface Timing {
  cpuMs: number;
  deviceMs: number;
  /** Smallest cosine between the two providers' vectors. */
  agreement: number;
}

const ROWS = 16;
const TOKENS = 40;
const RUNS = 3;

function batch(): number[][] {
  // Any ordinary word pieces do; 101 and 102 open and close a text.
  return Array.from({ length: ROWS }, (_, row) => [
    101,
    ...Array.from({ length: TOKENS - 2 }, (_, i) => 2000 + ((row * 131 + i * 17) % 3000)),
    102,
  ]);
}

/** The best of a few runs after one that compiles and allocates. */
async function best(
  session: EncoderSession,
  rows: number[][],
  runs: number,
): Promise<[number, Float32Array[]]> {
  let vectors = await session.run(rows);
  let least = Infinity;
  for (let run = 0; run < runs; run++) {
    const start = performance.now();
    vectors = await session.run(rows);
    least = Math.min(least, performance.now() - start);
  }
  return [least, vectors];
}

/** Measures; rejects where the provider cannot be used. */
export async function time(modelDir: string, provider: Provider, threads: number): Promise<Timing> {
  const config = await readConfig(modelDir);
  const rows = batch();
  // The device first: where there is none, nothing else need be loaded.
  const device = await EncoderSession.load(modelDir, config, provider, threads);
  const cpu = await EncoderSession.load(modelDir, config, 'cpu', threads);
  const [cpuMs, here] = await best(cpu, rows, RUNS);
  // A software adapter takes longer for one text than the CPU for all: leave it at that.
  let [deviceMs, there] = await best(device, rows.slice(0, 1), 1);
  if (deviceMs < cpuMs) [deviceMs, there] = await best(device, rows, RUNS);
  const cosines = there.map((vector, row) =>
    vector.reduce((sum, x, i) => sum + x * (here[row]?.[i] ?? 0), 0),
  );
  return { cpuMs, deviceMs, agreement: Math.min(...cosines) };
}

async function main(): Promise<void> {
  const request = JSON.parse(process.argv.at(-1) ?? '{}') as Record<string, unknown>;
  const { modelDir, provider, threads } = request;
  const known = PROVIDERS.find((name) => name === provider);
  if (typeof modelDir !== 'string' || !known || typeof threads !== 'number') {
    throw new Error('expected {modelDir, provider, threads}');
  }
  process.stdout.write(`${JSON.stringify(await time(modelDir, known, threads))}\n`);
}

if (require.main === module) {
  main().then(
    () => process.exit(0),
    (error: unknown) => {
      process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
      process.exit(1);
    },
  );
}
