/**
 * Times one provider against the CPU in a process of its own: a driver that crashes takes only this
 * process along. Reads {modelDir, provider, threads} from its last argument, prints one line of JSON.
 */
import { readConfig } from './model-files';
import { EncoderSession, PROVIDERS, type Provider } from './session';

/** What the child prints. Times are milliseconds for the same batch, the best of a few runs. */
export interface Timing {
  cpuMs: number;
  deviceMs: number;
  /** Smallest cosine between the two providers' vectors. */
  agreement: number;
}

const ROWS = 16;
const TOKENS = 40;
const RUNS = 3;
/** A device that takes this long for its first run, compilation included, is not worth waiting for. */
const HOPELESS_MS = 60_000;

function batch(): number[][] {
  // Any ordinary word pieces do; 101 and 102 open and close a text.
  return Array.from({ length: ROWS }, (_, row) => [
    101,
    ...Array.from({ length: TOKENS - 2 }, (_, i) => 2000 + ((row * 131 + i * 17) % 3000)),
    102,
  ]);
}

async function best(session: EncoderSession, rows: number[][]): Promise<[number, Float32Array[]]> {
  let vectors = await session.run(rows.slice(0, 1));
  let least = Infinity;
  for (let run = 0; run <= RUNS; run++) {
    const start = performance.now();
    vectors = await session.run(rows);
    const took = performance.now() - start;
    // The first run of a shape compiles and allocates.
    if (run > 0) least = Math.min(least, took);
    if (took > HOPELESS_MS / RUNS) return [Math.min(least, took), vectors];
  }
  return [least, vectors];
}

/** Measures; rejects where the provider cannot be used. */
export async function time(modelDir: string, provider: Provider, threads: number): Promise<Timing> {
  const config = await readConfig(modelDir);
  const rows = batch();
  const device = await EncoderSession.load(modelDir, config, provider, threads);
  const [deviceMs, there] = await best(device, rows);
  const cpu = await EncoderSession.load(modelDir, config, 'cpu', threads);
  const [cpuMs, here] = await best(cpu, rows);
  const cosines = here.map((vector, row) =>
    vector.reduce((sum, x, i) => sum + x * (there[row]?.[i] ?? 0), 0),
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
