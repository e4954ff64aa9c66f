/** One of the reranker's two models in ONNX Runtime, its inputs and outputs checked. */
import { InferenceSession, Tensor } from 'onnxruntime-node';
import { sessionOptions } from '../encoder/session';
import { errorText } from '../errors';
import { rerankerFiles } from './modelFiles';

/** An input's numbers with its shape. */
export type Values = { data: Float32Array | BigInt64Array; shape: readonly number[] };

/** One run of a model, as {@link ModelSession.run} does it. */
export type RunModel = <Name extends string>(
  inputs: Record<string, Values>,
  expected: Record<Name, readonly number[]>,
) => Promise<Record<Name, Float32Array>>;

/** A loaded model on the CPU. */
export class ModelSession {
  private constructor(
    private readonly path: string,
    private readonly session: InferenceSession,
  ) {}

  /** Rejects with `model-broken` where the bytes are no model of these inputs and outputs. */
  static async load(
    path: string,
    bytes: Buffer,
    threads: number,
    names: { inputs: readonly string[]; outputs: readonly string[] },
  ): Promise<ModelSession> {
    let session: InferenceSession;
    try {
      session = await InferenceSession.create(bytes, sessionOptions('cpu', threads));
    } catch (error) {
      throw rerankerFiles.error(path, error);
    }
    const { inputNames, outputNames } = session;
    const missing = names.outputs.filter((name) => !outputNames.includes(name));
    if ([...inputNames].sort().join() !== [...names.inputs].sort().join() || missing.length > 0) {
      await session.release();
      throw rerankerFiles.broken(
        path,
        `takes ${inputNames.join(', ')} and gives ${outputNames.join(', ')} instead of ` +
          `${names.inputs.join(', ')} and ${names.outputs.join(', ')}`,
      );
    }
    return new ModelSession(path, session);
  }

  /**
   * Runs the model once. `expected` names the outputs and their shapes. Rejects with `model-broken`
   * where they differ or hold what is no number.
   */
  async run<Name extends string>(
    inputs: Record<string, Values>,
    expected: Record<Name, readonly number[]>,
  ): Promise<Record<Name, Float32Array>> {
    const feeds: Record<string, Tensor> = {};
    for (const [name, { data, shape }] of Object.entries(inputs)) {
      feeds[name] =
        data instanceof Float32Array
          ? new Tensor('float32', data, shape)
          : new Tensor('int64', data, shape);
    }
    let results: InferenceSession.OnnxValueMapType;
    try {
      results = await this.session.run(feeds);
    } catch (error) {
      throw rerankerFiles.broken(this.path, `failed (${errorText(error).split('\n', 1)[0] ?? ''})`);
    }
    const outputs = {} as Record<Name, Float32Array>;
    for (const name of Object.keys(expected) as Name[]) {
      const result = results[name];
      const shape = expected[name];
      if (result?.dims.join() !== shape.join() || !(result.data instanceof Float32Array)) {
        throw rerankerFiles.broken(
          this.path,
          `gives ${name} as ${result?.dims.join(' × ') ?? 'nothing'}, not as ${shape.join(' × ')}`,
        );
      }
      if (!result.data.every(Number.isFinite)) {
        throw rerankerFiles.broken(this.path, `gives ${name} that are no numbers`);
      }
      outputs[name] = result.data;
    }
    return outputs;
  }

  async close(): Promise<void> {
    await this.session.release();
  }
}
