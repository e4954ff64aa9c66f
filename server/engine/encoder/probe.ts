/**
 * Decides for `auto` whether a GPU is worth it. ONNX Runtime tells Node nothing about an adapter, so
 * a software one is told by its slowness: it never comes near the CPU's int8.
 */
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { arch, platform, release } from 'node:os';
import { dirname, join } from 'node:path';
import './quietRuntime';
import { env } from 'onnxruntime-node';
import * as z from 'zod';
import { packageRoot } from '../../paths';
import { PROVIDERS, type Provider } from '../devices';
import type { EncoderConfig } from './modelFiles';
import type { Timing } from './probeChild';
import { mark, readMark, unmark } from './probeMarker';
import { supportedProviders } from './session';

/** A device has to be this many times as fast as the CPU: moving there costs memory and start. */
const WORTH = 1.5;
/** Least cosine between a device's vectors and the CPU's (int8 against fp32 activations: 0.99). */
const AGREEMENT = 0.985;
const TIMEOUT_MS = 90_000;
const DAYS_KEPT = 30;

const verdictSchema = z.object({
  key: z.string(),
  at: z.number(),
  provider: z.enum(PROVIDERS),
  reason: z.string(),
});
type Kept = z.infer<typeof verdictSchema>;

export interface ProbeOptions {
  modelDir: string;
  threads: number;
  config: EncoderConfig;
  /** Where the verdict is kept (under the data home); a marker file stands beside it meanwhile. */
  cacheFile: string;
  /** Environment of the timing process; default: this process's. */
  environment?: NodeJS.ProcessEnv;
  /** Providers to try, best first; default: the platform's. */
  candidates?: Provider[];
  timeoutMs?: number;
  /** Ends the timing; no verdict is kept. */
  signal?: AbortSignal | undefined;
}

/** The timing program was told to go with everything else: that says nothing about the device. */
class Interrupted extends Error {}

/** How a process ends at Ctrl+C, when told to go, or when its terminal is closed. */
const TOLD_TO_GO = ['SIGINT', 'SIGTERM', 'SIGHUP'];
/** Exit code of a process that Ctrl+C ended on Windows, which has no signals. */
const CONTROL_C = 0xc000013a;

export interface Verdict {
  provider: Provider;
  reason: string;
  /** Marks the device as being started here; what it returns takes the mark away. */
  guard: () => Promise<() => Promise<void>>;
}

/** GPU providers of this platform, the likely fastest first. */
export function candidates(): Provider[] {
  const order: Provider[] =
    platform() === 'win32'
      ? ['cuda', 'dml', 'webgpu']
      : platform() === 'darwin'
        ? ['webgpu', 'coreml']
        : ['cuda', 'webgpu'];
  const supported = supportedProviders();
  return order.filter((provider) => supported.includes(provider));
}

function readIf(path: string): string {
  try {
    return readFileSync(path, 'utf8').trim();
  } catch {
    return '';
  }
}

/** What stands for adapter and driver: on Linux the cards and NVIDIA's driver, else the system. */
function adapters(): string[] {
  const found = [platform(), arch(), release()];
  if (platform() !== 'linux') return found;
  const drm = '/sys/class/drm';
  const cards = existsSync(drm) ? readdirSync(drm).filter((name) => /^card\d+$/.test(name)) : [];
  for (const card of cards) {
    found.push(readIf(`${drm}/${card}/device/vendor`), readIf(`${drm}/${card}/device/device`));
  }
  found.push(readIf('/proc/driver/nvidia/version'));
  return found;
}

function keyOf({ config, environment = process.env, threads }: ProbeOptions): string {
  const parts = [
    env.versions.node ?? env.versions.common ?? '',
    config.files['model.onnx'].sha256,
    String(threads),
    environment['VK_DRIVER_FILES'] ?? '',
    environment['VK_ICD_FILENAMES'] ?? '',
    ...adapters(),
  ];
  return createHash('sha256').update(parts.join('\n')).digest('hex').slice(0, 24);
}

async function keep(cacheFile: string, verdict: Kept): Promise<void> {
  const temporary = `${cacheFile}.${process.pid}`;
  await mkdir(dirname(cacheFile), { recursive: true });
  await writeFile(temporary, JSON.stringify(verdict));
  await rename(temporary, cacheFile);
}

async function kept(cacheFile: string, key: string): Promise<Kept | null> {
  try {
    const verdict = verdictSchema.parse(JSON.parse(await readFile(cacheFile, 'utf8')));
    const age = Date.now() - verdict.at;
    // One from the future was kept under a wrong clock.
    const fresh = age >= 0 && age < DAYS_KEPT * 86_400_000;
    return fresh && verdict.key === key ? verdict : null;
  } catch {
    return null; // not there, from another version, or damaged: time again
  }
}

/** How to start the timing program: bundled beside this module, or from source. */
function program(): string[] {
  const bundled = join(__dirname, 'probeChild.js');
  if (existsSync(bundled)) return [bundled];
  const root = packageRoot();
  const source = join(root, 'server', 'engine', 'encoder', 'probeChild.ts');
  if (existsSync(source)) return ['--require', 'tsx/cjs', source];
  const built = join(root, 'dist', 'probeChild.js');
  return [built];
}

/** Runs the timing program. Rejects with why there is no timing; {@link Interrupted} is no verdict. */
function measure(options: ProbeOptions, provider: Provider): Promise<Timing> {
  const { modelDir, threads, environment = process.env, timeoutMs = TIMEOUT_MS, signal } = options;
  return new Promise((resolve, reject) => {
    const request = JSON.stringify({ modelDir, provider, threads });
    const child = spawn(process.execPath, [...program(), request], {
      cwd: packageRoot(),
      env: { ...environment, ELECTRON_RUN_AS_NODE: '1' },
      stdio: ['ignore', 'pipe', 'pipe'],
      timeout: timeoutMs,
      killSignal: 'SIGKILL',
      windowsHide: true,
      ...(signal && { signal }),
    });
    const kill = (): void => void child.kill('SIGKILL');
    process.once('exit', kill);
    let output = '';
    let errors = '';
    child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
    child.stderr.on('data', (chunk: Buffer) => (errors = (errors + chunk.toString()).slice(-2000)));
    child.on('error', (error) => {
      reject(signal?.aborted ? new Interrupted('it was stopped') : error);
    });
    child.on('close', (code, endedBy) => {
      process.off('exit', kill);
      if (code === 0) {
        try {
          resolve(JSON.parse(output.trim().split('\n').at(-1) ?? '') as Timing);
        } catch {
          reject(new Error('its timing could not be read'));
        }
        return;
      }
      if (TOLD_TO_GO.includes(endedBy ?? '') || code === CONTROL_C) {
        return reject(new Interrupted(`ended by ${endedBy ?? 'Ctrl+C'}`));
      }
      const last = errors.trim().split('\n').at(-1) ?? '';
      const how = endedBy ? `ended by ${endedBy} (crash or time limit)` : last || `exit ${code}`;
      reject(new Error(how.slice(0, 200)));
    });
  });
}

async function decide(options: ProbeOptions): Promise<Omit<Kept, 'key' | 'at'>> {
  const reasons: string[] = [];
  for (const provider of options.candidates ?? candidates()) {
    try {
      const { cpuMs, deviceMs, agreement } = await measure(options, provider);
      const times = `${deviceMs.toFixed(0)} ms a batch against ${cpuMs.toFixed(0)} ms on the CPU`;
      if (!(agreement >= AGREEMENT)) {
        reasons.push(`${provider} gives other vectors (cosine ${agreement.toFixed(3)})`);
      } else if (deviceMs * WORTH <= cpuMs) {
        return { provider, reason: `${provider} is faster: ${times}` };
      } else {
        reasons.push(`${provider} is no faster: ${times}`);
      }
    } catch (error) {
      if (error instanceof Interrupted) throw error;
      const message = error instanceof Error ? error.message : String(error);
      reasons.push(`${provider} could not be used: ${message}`);
    }
  }
  return { provider: 'cpu', reason: reasons.join('; ') || 'no GPU provider on this platform' };
}

/** The verdict for this machine, from the cache or by timing. Does not reject. */
export async function probe(options: ProbeOptions): Promise<Verdict> {
  const { cacheFile } = options;
  const key = keyOf(options);
  const marker = `${cacheFile}.probing`;
  const guard = (): Promise<() => Promise<void>> => mark(marker, { key });
  const cpu = (reason: string): Verdict => ({ provider: 'cpu', reason, guard });
  try {
    const { state, timings } = await readMark(marker, key);
    if (state === 'busy') return cpu('another process is timing the devices');
    if (state === 'died') {
      const reason = 'a GPU was tried before and the process ended: not tried again';
      await keep(cacheFile, { key, at: Date.now(), provider: 'cpu', reason });
      await unmark(marker);
      return cpu(reason);
    }
    const known = await kept(cacheFile, key);
    if (known) return { provider: known.provider, reason: known.reason, guard };
    const done = await mark(marker, { key, timings: timings + 1 });
    try {
      const verdict = await decide(options);
      await keep(cacheFile, { ...verdict, key, at: Date.now() });
      return { ...verdict, guard };
    } finally {
      await done();
    }
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    return cpu(`the devices could not be timed: ${message}`);
  }
}
