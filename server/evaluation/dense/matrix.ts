/** A matrix of vectors that gives its dot products with queries, exactly, a few queries at a time. */
import { loadKernel, TILE, type Dots } from './kernel';

/** Queries whose rows of scores are made at once. */
const QUERIES = 48;
/** Rows that are taken at once: their vectors stay in the processor's second cache. */
const ROWS = 255;

const padded = (value: number, to: number): number => Math.ceil(value / to) * to;

/**
 * `rows` × `dimensions` single-precision numbers, zero until set, in memory of its own: beside the
 * vectors it holds the scores of a block of queries, {@link QUERIES} numbers a row.
 */
export class Matrix {
  private readonly width: number;
  private readonly vectors: Float32Array;
  private readonly queries: Float32Array;
  private readonly out: Float32Array;
  private readonly dots: Dots | null;
  private readonly stride: number;

  /** `simd: false` computes in plain JavaScript, as happens where there is no SIMD. */
  constructor(
    readonly rows: number,
    readonly dimensions: number,
    { simd = true }: { simd?: boolean } = {},
  ) {
    this.width = padded(dimensions, 4);
    this.stride = padded(rows, TILE);
    const sizes = [this.stride * this.width, QUERIES * this.width, QUERIES * this.stride];
    const [first = 0, second = 0, third = 0] = sizes;
    const kernel = simd ? loadKernel(4 * (first + second + third)) : null;
    this.dots = kernel?.dots ?? null;
    const place = (offset: number, length: number): Float32Array =>
      kernel ? new Float32Array(kernel.memory, 4 * offset, length) : new Float32Array(length);
    this.vectors = place(0, first);
    this.queries = place(first, second);
    this.out = place(first + second, third);
  }

  /** Sets one row. Throws a RangeError where the vector has other dimensions. */
  set(row: number, vector: ArrayLike<number>): void {
    if (vector.length !== this.dimensions) {
      throw new RangeError(`a vector of ${vector.length} numbers instead of ${this.dimensions}`);
    }
    this.vectors.set(vector, row * this.width);
  }

  /**
   * Calls `use` with the dot products of every row with each query in turn. The scores are valid
   * during the call only. A row's score does not depend on what else is in the matrix.
   */
  eachRow(
    queries: readonly ArrayLike<number>[],
    use: (query: number, scores: Float32Array) => void,
  ): void {
    for (let from = 0; from < queries.length; from += QUERIES) {
      const count = Math.min(QUERIES, queries.length - from);
      this.queries.fill(0);
      for (let i = 0; i < count; i++) this.queries.set(queries[from + i] ?? [], i * this.width);
      if (this.rows > 0) {
        if (this.dots) this.fast(this.dots, count);
        else this.plain(count);
      }
      for (let i = 0; i < count; i++) {
        use(from + i, this.out.subarray(i * this.stride, i * this.stride + this.rows));
      }
    }
  }

  private fast(dots: Dots, count: number): void {
    const bytes = 4 * this.width;
    const queries = this.queries.byteOffset;
    const queriesEnd = queries + padded(count, TILE) * bytes;
    for (let row = 0; row < this.stride; row += ROWS) {
      const end = Math.min(row + ROWS, this.stride);
      dots(
        queries,
        queriesEnd,
        this.vectors.byteOffset + row * bytes,
        this.vectors.byteOffset + end * bytes,
        bytes,
        this.out.byteOffset + 4 * row,
        4 * this.stride,
      );
    }
  }

  private plain(count: number): void {
    const { vectors, queries, width } = this;
    for (let row = 0; row < this.rows; row++) {
      for (let i = 0; i < count; i++) {
        let sum = 0;
        for (let k = 0; k < width; k++) {
          sum += (queries[i * width + k] ?? 0) * (vectors[row * width + k] ?? 0);
        }
        this.out[i * this.stride + row] = sum;
      }
    }
  }
}
