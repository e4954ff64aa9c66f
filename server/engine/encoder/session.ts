/** ONNX Runtime sessions of the encoder, one a device. */
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import './quietRuntime';
import { env, InferenceSession, Tensor, listSupportedBackends } from 'onnxruntime-node';
import { PROVIDERS, type Provider } from '../devices';
import { encoderFiles, readModel, type EncoderConfig } from './modelFiles';

// What goes wrong is thrown too; the runtime's own lines would stand among a terminal's messages.
env.logLevel = 'fatal';

/** Names of the execution providers that this build of ONNX Runtime carries. */
export function supportedProviders(): Provider[] {
  const names = listSupportedBackends().map((backend) => backend.name);
  return PROVIDERS.filter((provider) => names.includes(provider));
}

/** Threads of one run: half the processors, at least two where there are, at most four. */
export function defaultThreads(): number {
  const processors = availableParallelism();
  return Math.max(Math.min(2, processors), Math.min(4, Math.floor(processors / 2)));
}

/** How every model here runs. */
export function sessionOptions(
  provider: Provider,
  threads: number,
): InferenceSession.SessionOptions {
  return {
    executionProviders: provider === 'cpu' ? ['cpu'] : [provider, 'cpu'],
    intraOpNumThreads: threads,
    interOpNumThreads: 1,
    executionMode: 'sequential',
    // The graph is written in its final form. 'extended' would fuse addition and normalisation into
    // SkipLayerNormalization, whose CPU kernel takes eight times as long as the two.
    graphOptimizationLevel: 'basic',
    logSeverityLevel: 3,
    extra: {
      session: {
        // Threads wait for the next operator awake, a tenth faster; left alone they fall asleep at once
        // (measured: 3 ms of processor time in 4 idle seconds).
        intra_op: { allow_spinning: '1' },
        // Where 8-bit products could overflow (x86 without VNNI), use the exact ones.
        x64quantprecision: '1',
        // Weights stored as int8 become fp32 once, when the session starts (model.gpu.onnx).
        ...(provider === 'cpu' ? {} : { disable_quant_qdq: '1' }),
      },
    },
  };
}

/** A loaded model that turns token ids into vectors. */
export class EncoderSession {
  private constructor(
    readonly provider: Provider,
    readonly dimensions: number,
    private readonly session: InferenceSession,
  ) {}

  /**
   * Loads the model for one provider. Rejects with `model-missing` or `model-broken` for the CPU,
   * and with whatever ONNX Runtime says where a device is not to be had.
   */
  static async load(
    modelDir: string,
    config: EncoderConfig,
    provider: Provider,
    threads: number,
  ): Promise<EncoderSession> {
    const weights = await readModel(modelDir, config, 'model.onnx');
    if (provider === 'cpu') {
      try {
        const session = await InferenceSession.create(weights, sessionOptions(provider, threads));
        return new EncoderSession(provider, config.dimensions, session);
      } catch (error) {
        throw encoderFiles.error(join(modelDir, 'model.onnx'), error);
      }
    }
    await readModel(modelDir, config, 'model.gpu.onnx');
    // By path: this graph refers to the weights in model.onnx beside it.
    const path = join(modelDir, 'model.gpu.onnx');
    const session = await InferenceSession.create(path, sessionOptions(provider, threads));
    return new EncoderSession(provider, config.dimensions, session);
  }

  /** Unit vectors of the given texts' token ids, in their order. */
  async run(rows: readonly (readonly number[])[]): Promise<Float32Array[]> {
    const width = rows.reduce((most, row) => Math.max(most, row.length), 0);
    const ids = new BigInt64Array(rows.length * width);
    const mask = new BigInt64Array(rows.length * width);
    rows.forEach((row, r) => {
      row.forEach((id, c) => {
        ids[r * width + c] = BigInt(id);
        mask[r * width + c] = 1n;
      });
    });
    const shape = [rows.length, width];
    const output = await this.session.run({
      input_ids: new Tensor('int64', ids, shape),
      attention_mask: new Tensor('int64', mask, shape),
    });
    const data = output['embedding']?.data;
    if (!(data instanceof Float32Array) || data.length !== rows.length * this.dimensions) {
      throw new Error('the model returned no vectors of the expected shape');
    }
    const vectors = rows.map((_, r) => data.slice(r * this.dimensions, (r + 1) * this.dimensions));
    if (vectors.some((vector) => !Number.isFinite(vector[0]))) {
      throw new Error('the model returned vectors that are not numbers');
    }
    return vectors;
  }

  async close(): Promise<void> {
    await this.session.release();
  }
}
