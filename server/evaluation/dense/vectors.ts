/** Vectors of many texts, kept on disk so that no text is encoded twice by the same weights. */
import { createHash } from 'node:crypto';
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { SentenceEncoder } from '../../engine/encoderKind';
import { throwIfCancelled, userError } from '../../engine/errors';

/** Texts a file: what is lost at most when an evaluation is stopped. */
const BLOCK = 4096;

export type VectorCache = {
  /** Folder of the files; null keeps nothing. */
  folder: string | null;
  /** Names the weights and the device, see the encoder's `revision`. */
  revision: string;
};

export type EncodeOptions = {
  signal?: AbortSignal | undefined;
  onProgress?: ((done: number, total: number) => void) | undefined;
};

function blockName(revision: string, dimensions: number, texts: readonly string[]): string {
  const hash = createHash('sha256').update(`${revision}\0${dimensions}\0${texts.length}`);
  // Lengths part the texts: no two lists give the same bytes.
  for (const text of texts) hash.update(`\0${text.length}:`).update(text);
  return `${hash.digest('hex').slice(0, 40)}.f32`;
}

/** The vectors of a file, or null where there is none or it was cut. */
async function readBlock(path: string, count: number): Promise<Float32Array | null> {
  try {
    const bytes = await readFile(path);
    if (bytes.length !== 4 * count) return null;
    return new Float32Array(new Uint8Array(bytes).buffer);
  } catch {
    return null;
  }
}

async function writeBlock(path: string, values: Float32Array): Promise<void> {
  const half = `${path}.${process.pid}`;
  try {
    await writeFile(half, new Uint8Array(values.buffer, values.byteOffset, values.byteLength));
    await rename(half, path);
  } catch (error) {
    await rm(half, { force: true });
    throw userError(error, 'keeping vectors', path);
  }
}

/**
 * Hands the vector of every text to `use`, in order. Texts are encoded in blocks; a block that the
 * cache holds is read instead.
 */
export async function eachVector(
  encoder: SentenceEncoder,
  texts: readonly string[],
  { folder, revision }: VectorCache,
  use: (place: number, vector: Float32Array) => void,
  { signal, onProgress }: EncodeOptions = {},
): Promise<void> {
  const { dimensions } = encoder;
  if (folder !== null) {
    try {
      await mkdir(folder, { recursive: true });
    } catch (error) {
      throw userError(error, 'keeping vectors', folder);
    }
  }
  for (let from = 0; from < texts.length; from += BLOCK) {
    throwIfCancelled(signal);
    const block = texts.slice(from, from + BLOCK);
    const path = folder === null ? null : join(folder, blockName(revision, dimensions, block));
    const kept = path === null ? null : await readBlock(path, block.length * dimensions);
    if (kept) {
      block.forEach((_, i) => {
        use(from + i, kept.subarray(i * dimensions, (i + 1) * dimensions));
      });
    } else {
      const made = new Float32Array(block.length * dimensions);
      const vectors = await encoder.encode(block, signal ? { signal } : {});
      vectors.forEach((vector, i) => {
        made.set(vector, i * dimensions);
        use(from + i, vector);
      });
      if (path !== null) await writeBlock(path, made);
    }
    onProgress?.(Math.min(from + BLOCK, texts.length), texts.length);
  }
}

/** Vectors of a few texts, such as queries. */
export async function vectorsOf(
  encoder: SentenceEncoder,
  texts: readonly string[],
  cache: VectorCache,
  options: EncodeOptions = {},
): Promise<Float32Array[]> {
  const vectors = new Array<Float32Array>(texts.length);
  await eachVector(
    encoder,
    texts,
    cache,
    (place, vector) => (vectors[place] = vector.slice()),
    options,
  );
  return vectors;
}
