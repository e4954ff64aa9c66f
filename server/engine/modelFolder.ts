/** A folder with models: its files read, checked against its `config.json`, and faults put into words. */
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as z from 'zod';
import { RatioError } from './engine';
import { errorCode, errorText } from './errors';

/** What `config.json` says of one of its models. */
export const fileSchema = z.object({ bytes: z.number().int(), sha256: z.string().length(64) });

/** The files of one kind of model; `owner` (“encoder”) and `advice` go into what users are told. */
export class ModelFolder {
  constructor(
    private readonly owner: string,
    private readonly advice: string,
  ) {}

  /** That a file is not what it should be; `what` goes on after its path. */
  broken(path: string, what: string): RatioError {
    const { owner, advice } = this;
    return new RatioError('model-broken', `The ${owner}'s file ${path} ${what}. ${advice}`);
  }

  /** Turns whatever went wrong with `path` into an error that a user can act on. */
  error(path: string, error: unknown): RatioError {
    if (error instanceof RatioError) return error;
    if (['ENOENT', 'ENOTDIR'].includes(errorCode(error) ?? '')) {
      const { owner, advice } = this;
      return new RatioError('model-missing', `The ${owner}'s file ${path} is missing. ${advice}`);
    }
    return this.broken(path, `cannot be read (${errorText(error).split('\n', 1)[0] ?? ''})`);
  }

  private async bytes(path: string): Promise<Buffer> {
    try {
      return await readFile(path);
    } catch (error) {
      throw this.error(path, error);
    }
  }

  private async json(path: string): Promise<unknown> {
    try {
      return JSON.parse((await this.bytes(path)).toString('utf8')) as unknown;
    } catch (error) {
      if (error instanceof SyntaxError) throw this.broken(path, 'is not JSON');
      throw error;
    }
  }

  /** Reads and checks `config.json`. Rejects with `model-missing` or `model-broken`. */
  config<T>(modelDir: string, schema: z.ZodType<T>): Promise<T> {
    return this.described(join(modelDir, 'config.json'), schema);
  }

  /** The same for a file that may be missing: null then. */
  async optional<T>(modelDir: string, name: string, schema: z.ZodType<T>): Promise<T | null> {
    try {
      return await this.described(join(modelDir, name), schema);
    } catch (error) {
      if (error instanceof RatioError && error.code === 'model-missing') return null;
      throw error;
    }
  }

  private async described<T>(path: string, schema: z.ZodType<T>): Promise<T> {
    const parsed = schema.safeParse(await this.json(path));
    if (parsed.success) return parsed.data;
    const issue = parsed.error.issues[0];
    const where = issue?.path.join('.') || 'the whole';
    const what = `${where}: ${issue?.message ?? 'invalid'}`;
    throw this.broken(
      path,
      `does not describe ${/^[aeiou]/.test(this.owner) ? 'an' : 'a'} ${this.owner} (${what})`,
    );
  }

  /** The two JSON files of the tokeniser. */
  tokenizer(modelDir: string): Promise<[object, object]> {
    const read = async (name: string): Promise<object> => {
      const path = join(modelDir, name);
      const value = await this.json(path);
      if (typeof value !== 'object' || value === null) {
        throw this.broken(path, 'holds no tokeniser');
      }
      return value;
    };
    return Promise.all([read('tokenizer.json'), read('tokenizer_config.json')]);
  }

  /**
   * Content of one of the models, checked against the size and hash in the config: a cut or flipped
   * byte would otherwise crash native code or quietly give wrong numbers.
   */
  async model(
    modelDir: string,
    name: string,
    expected: z.infer<typeof fileSchema> | undefined,
  ): Promise<Buffer> {
    const path = join(modelDir, name);
    if (!expected) {
      throw new RatioError('model-missing', `The ${this.owner} has no ${path}. ${this.advice}`);
    }
    const bytes = await this.bytes(path);
    if (bytes.length !== expected.bytes) {
      throw this.broken(path, `has ${bytes.length} bytes instead of ${expected.bytes}`);
    }
    if (createHash('sha256').update(bytes).digest('hex') !== expected.sha256) {
      throw this.broken(path, 'is not the file that config.json describes (its hash differs)');
    }
    return bytes;
  }
}
