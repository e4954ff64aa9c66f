/** The sentence encoder: texts to unit vectors, on the CPU or on a GPU that is worth it. */
import type { Device, Provider } from '../devices';
import { RatioError } from '../engine';
import { Heads, type LoadedHeads } from '../heads';
import { batches } from './batches';
import { encoderFiles, readConfig, readTokenizer, type EncoderConfig } from './modelFiles';
import { probe, type ProbeOptions } from './probe';
import type { Prompts } from './prompts';
import { defaultThreads, EncoderSession, supportedProviders } from './session';
import { Tokens } from './tokens';

/** What was asked for, what runs, and why they differ (null when they do not). */
export interface DeviceState {
  requested: Device;
  active: Provider;
  reason: string | null;
}

export interface EncoderOptions {
  /** Folder with config.json, model.onnx and the tokeniser. */
  modelDir: string;
  /** Default `auto`. */
  device?: Device;
  /** Threads of one run; default: {@link defaultThreads}. */
  threads?: number;
}

/** What ONNX Runtime's message says, without its source file and condition. */
function brief(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  const line = message.trim().split('\n', 1)[0] ?? '';
  return line.replace(/^\/?\S*\.(?:cc|cpp|h):\d+ (?:.* was false\. ?)?/, '').slice(0, 200);
}

/**
 * A loaded encoder. Vectors are L2-normalised and the same, within the precision of the device, alone and in
 * any batch. Where a device fails in the middle, the CPU goes on and {@link Encoder.device} says why. Rejects with
 * `cancelled` when a signal aborts, with `engine-down` after it was closed.
 */
export class Encoder {
  #device: DeviceState;
  #closed = false;
  #probing: Promise<DeviceState> | null = null;
  readonly #closing = new AbortController();

  private constructor(
    private readonly options: { modelDir: string; threads: number },
    private readonly config: EncoderConfig,
    private readonly tokens: Tokens,
    private session: EncoderSession,
    device: DeviceState,
    /** Heads trained on this encoder's vectors, or why there are none. */
    readonly heads: LoadedHeads,
  ) {
    this.#device = device;
  }

  /**
   * Loads the encoder. `auto` starts on the CPU at once ({@link probeDevice} may move it later); a
   * named device that cannot be had falls back to the CPU with the reason in {@link device}.
   * Rejects with `model-missing` or `model-broken`.
   */
  static async create({ modelDir, device = 'auto', threads }: EncoderOptions): Promise<Encoder> {
    const count = threads ?? defaultThreads();
    const config = await readConfig(modelDir);
    let tokens: Tokens;
    const files = await readTokenizer(modelDir);
    try {
      tokens = new Tokens(...files, config.maxTokens);
    } catch (error) {
      throw encoderFiles.error(`${modelDir}: tokenizer.json`, error);
    }
    let session: EncoderSession | null = null;
    let reason: string | null = null;
    if (device === 'auto') {
      reason = 'no device has been timed yet';
    } else if (device !== 'cpu') {
      try {
        if (!supportedProviders().includes(device)) {
          throw new Error(`this build of ONNX Runtime has no ${device} provider`);
        }
        session = await EncoderSession.load(modelDir, config, device, count);
        // Adapters are asked for at the first run at the latest.
        await session.run([tokens.encode('')]);
      } catch (error) {
        await session?.close().catch(() => undefined);
        session = null;
        reason = `${device} could not be used: ${brief(error)}`;
      }
    }
    session ??= await EncoderSession.load(modelDir, config, 'cpu', count);
    const state = { requested: device, active: session.provider, reason };
    const heads = await Heads.load(modelDir, config);
    return new Encoder({ modelDir, threads: count }, config, tokens, session, state, heads);
  }

  /** Weights' revision and prompts; with the form of the texts (`textForm.ts`) it names vectors. */
  get id(): string {
    return this.config.id;
  }

  get dimensions(): number {
    return this.config.dimensions;
  }

  /** How queries and documents are put to the model; the caller does it. */
  get prompts(): Prompts {
    return this.config;
  }

  get device(): Readonly<DeviceState> {
    return this.#device;
  }

  /**
   * Unit vectors of `texts`, in their order. Texts beyond the model's window are cut, an empty text
   * gets the vector of no words. Between runs of at most `batchSize` texts the event loop turns, so
   * that {@link encodeOne} is served meanwhile. Rejects with `cancelled` when `signal` aborts.
   */
  async encode(
    texts: readonly string[],
    { signal, batchSize = 32 }: { signal?: AbortSignal; batchSize?: number } = {},
  ): Promise<Float32Array[]> {
    const rows: number[][] = [];
    for (const text of texts) {
      rows.push(this.tokens.encode(text));
      if (rows.length % 256 === 0) await this.#turn(signal);
    }
    const vectors = new Array<Float32Array>(texts.length);
    const lengths = rows.map((row) => row.length);
    for (const group of batches(lengths, Math.max(1, batchSize))) {
      await this.#turn(signal);
      const made = await this.#run(group.map((index) => rows[index] ?? []));
      group.forEach((index, place) => {
        const vector = made[place];
        if (vector) vectors[index] = vector;
      });
    }
    return vectors;
  }

  /** Vector of one text, without waiting for a running {@link encode} beyond its current run. */
  async encodeOne(text: string): Promise<Float32Array> {
    const [vector] = await this.#run([this.tokens.encode(text)]);
    if (!vector) throw new Error('the model returned no vector');
    return vector;
  }

  /**
   * For `auto`: finds out, in a process of its own, whether a GPU is faster than the CPU here, and
   * moves to it if so. Does nothing for other devices. Never rejects for want of a device. The
   * verdict is kept in `cacheFile`, so that later starts move without timing anything.
   */
  async probeDevice(
    options: Omit<ProbeOptions, 'modelDir' | 'threads' | 'config'>,
  ): Promise<DeviceState> {
    if (this.#device.requested !== 'auto' || this.#closed) return this.#device;
    this.#probing ??= this.#probe(options).finally(() => (this.#probing = null));
    return this.#probing;
  }

  async #probe(
    options: Omit<ProbeOptions, 'modelDir' | 'threads' | 'config'>,
  ): Promise<DeviceState> {
    const { modelDir, threads } = this.options;
    const signals = [this.#closing.signal, ...(options.signal ? [options.signal] : [])];
    const signal = AbortSignal.any(signals);
    const verdict = await probe({ ...options, modelDir, threads, config: this.config, signal });
    if (verdict.provider === 'cpu' || this.#closed) {
      return (this.#device = { ...this.#device, reason: verdict.reason });
    }
    const done = await verdict.guard();
    let session: EncoderSession | null = null;
    try {
      session = await EncoderSession.load(modelDir, this.config, verdict.provider, threads);
      await session.run([this.tokens.encode('')]);
      await this.#replace(session, verdict.reason);
    } catch (error) {
      // Its memory on the device is wanted elsewhere.
      await session?.close().catch(() => undefined);
      const reason = `${verdict.provider} could not be used: ${brief(error)}`;
      this.#device = { ...this.#device, reason };
    } finally {
      await done();
    }
    return this.#device;
  }

  async #replace(session: EncoderSession, reason: string | null): Promise<void> {
    const old = this.session;
    if (this.#closed) return session.close();
    this.session = session;
    this.#device = { ...this.#device, active: session.provider, reason };
    // A run that began on the old session ends within this turn: runs are synchronous.
    setImmediate(() => void old.close().catch(() => undefined));
  }

  async #run(rows: number[][]): Promise<Float32Array[]> {
    if (this.#closed) throw new RatioError('engine-down', 'The encoder has been closed.');
    const session = this.session;
    try {
      return await session.run(rows);
    } catch (error) {
      if (this.#closed) throw new RatioError('engine-down', 'The encoder has been closed.');
      if (session.provider === 'cpu') throw error;
      if (this.session === session) {
        const { modelDir, threads } = this.options;
        const cpu = await EncoderSession.load(modelDir, this.config, 'cpu', threads);
        await this.#replace(cpu, `${session.provider} failed while it was in use: ${brief(error)}`);
      }
      return this.#run(rows);
    }
  }

  /** Lets other work of this process have its turn. */
  async #turn(signal: AbortSignal | undefined): Promise<void> {
    await new Promise((resolve) => setImmediate(resolve));
    if (signal?.aborted) throw new RatioError('cancelled', 'Encoding was cancelled.');
  }

  /** Ends a timing of devices as well, without a verdict: the process is not to wait for one. */
  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    this.#closing.abort();
    await this.#probing?.catch(() => undefined);
    await this.session.close();
  }
}
