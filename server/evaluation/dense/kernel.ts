/**
 * Dot products of many vectors with many others, in WebAssembly SIMD: plain loops of JavaScript take
 * most of a minute for 3,000 queries over 50,000 vectors of 384 numbers, these take seconds. The
 * module is put together here, instruction by instruction, so that there is no binary to trust.
 */

/** Queries and rows are taken three by three: nine sums stay in registers. */
export const TILE = 3;

const I32 = 0x7f;
const V128 = 0x7b;
const LOCAL_GET = 0x20;
const LOCAL_SET = 0x21;
const LOCAL_TEE = 0x22;
const I32_CONST = 0x41;
const I32_LT_U = 0x49;
const I32_ADD = 0x6a;
const F32_ADD = 0x92;
const F32_STORE = 0x38;
const LOOP = 0x03;
const BR_IF = 0x0d;
const END = 0x0b;
const NO_RESULT = 0x40;
const V128_LOAD = [0xfd, 0x00];
const V128_ZERO = [0xfd, 0x0c, ...new Array<number>(16).fill(0)];
const F32X4_LANE = [0xfd, 0x1f];
const F32X4_ADD = [0xfd, 0xe4, 0x01];
const F32X4_MUL = [0xfd, 0xe6, 0x01];

/** An unsigned number in LEB128. */
function leb(value: number): number[] {
  const bytes: number[] = [];
  for (let rest = value; ;) {
    const low = rest & 0x7f;
    rest >>>= 7;
    if (rest === 0) return [...bytes, low];
    bytes.push(low | 0x80);
  }
}

const section = (id: number, content: number[]): number[] => [
  id,
  ...leb(content.length),
  ...content,
];
const name = (text: string): number[] => [...leb(text.length), ...Buffer.from(text)];

/**
 * The module: exports `memory` (imported as `env.memory`) and
 * `dots(queries, queriesEnd, rows, rowsEnd, width, out, stride)`, all in bytes: `width` is one
 * vector's length, `stride` the distance between the results of two queries. The numbers of queries
 * and rows are multiples of {@link TILE}, vectors multiples of 16 bytes.
 */
function moduleBytes(): Uint8Array<ArrayBuffer> {
  const [queries, queriesEnd, rows, rowsEnd, width, out, stride] = [0, 1, 2, 3, 4, 5, 6];
  let locals = 7;
  const take = (count: number): number[] => Array.from({ length: count }, () => locals++);
  const [k = 0, to = 0, row = 0] = take(3);
  const q = take(TILE);
  const r = take(TILE);
  const [target = 0] = take(1);
  const integers = locals - 7;
  const sums = take(TILE * TILE);
  const [value = 0] = take(1);
  const loaded = take(TILE);
  const vectors = TILE * TILE + 1 + TILE;

  const get = (local: number): number[] => [LOCAL_GET, ...leb(local)];
  const set = (local: number): number[] => [LOCAL_SET, ...leb(local)];
  const sum = (a: number, b: number): number[] => [...get(a), ...get(b), I32_ADD];
  const load = (at: number): number[] => [...sum(at, k), ...V128_LOAD, 4, 0];
  const times = <T>(count: number, make: (i: number) => T[]): T[] =>
    Array.from({ length: count }, (_, i) => make(i)).flat();

  const products = [
    ...times(TILE, (i) => [...load(q[i] ?? 0), ...set(loaded[i] ?? 0)]),
    ...times(TILE, (j) => [
      ...load(r[j] ?? 0),
      ...set(value),
      ...times(TILE, (i) => {
        const cell = sums[i * TILE + j] ?? 0;
        return [
          ...get(cell),
          ...get(loaded[i] ?? 0),
          ...get(value),
          ...F32X4_MUL,
          ...F32X4_ADD,
          ...set(cell),
        ];
      }),
    ]),
  ];
  const lane = (cell: number, at: number): number[] => [...get(cell), ...F32X4_LANE, at];
  const stores = times(TILE, (i) => [
    ...(i === 0 ? get(to) : sum(target, stride)),
    ...set(target),
    ...times(TILE, (j) => {
      const cell = sums[i * TILE + j] ?? 0;
      return [
        ...get(target),
        ...lane(cell, 0),
        ...lane(cell, 1),
        F32_ADD,
        ...lane(cell, 2),
        ...lane(cell, 3),
        F32_ADD,
        F32_ADD,
        F32_STORE,
        2,
        4 * j,
      ];
    }),
  ]);
  const steps = (first: number, pointers: number[]): number[] =>
    times(TILE, (i) => [
      ...(i === 0 ? get(first) : sum(pointers[i - 1] ?? 0, width)),
      ...set(pointers[i] ?? 0),
    ]);
  const again = (next: number[], local: number, end: number): number[] => [
    ...next,
    LOCAL_TEE,
    ...leb(local),
    ...get(end),
    I32_LT_U,
    BR_IF,
    0,
  ];
  const body = [
    // For every three queries…
    LOOP,
    NO_RESULT,
    ...steps(queries, q),
    ...get(rows),
    ...set(row),
    ...get(out),
    ...set(to),
    // … and every three rows …
    LOOP,
    NO_RESULT,
    ...steps(row, r),
    ...times(TILE * TILE, (i) => [...V128_ZERO, ...set(sums[i] ?? 0)]),
    I32_CONST,
    0,
    ...set(k),
    // … all numbers of their vectors, four at a time.
    LOOP,
    NO_RESULT,
    ...products,
    ...again([...get(k), I32_CONST, 16, I32_ADD], k, width),
    END,
    ...stores,
    ...get(to),
    I32_CONST,
    4 * TILE,
    I32_ADD,
    ...set(to),
    ...again(sum(r[TILE - 1] ?? 0, width), row, rowsEnd),
    END,
    ...times(TILE, () => [...sum(out, stride), ...set(out)]),
    ...again(sum(q[TILE - 1] ?? 0, width), queries, queriesEnd),
    END,
    END,
  ];
  const code = [2, ...leb(integers), I32, ...leb(vectors), V128, ...body];
  return Uint8Array.from([
    ...[0x00, 0x61, 0x73, 0x6d, 0x01, 0x00, 0x00, 0x00],
    ...section(1, [1, 0x60, 7, ...new Array<number>(7).fill(I32), 0]),
    ...section(2, [1, ...name('env'), ...name('memory'), 0x02, 0x00, 0]),
    ...section(3, [1, 0]),
    ...section(7, [1, ...name('dots'), 0x00, 0]),
    ...section(10, [1, ...leb(code.length), ...code]),
  ]);
}

export type Dots = (
  queries: number,
  queriesEnd: number,
  rows: number,
  rowsEnd: number,
  width: number,
  out: number,
  stride: number,
) => void;

/** The part of the WebAssembly interface that is used; Node's types do not have it. */
type Wasm = {
  validate(bytes: Uint8Array<ArrayBuffer>): boolean;
  Module: new (bytes: Uint8Array<ArrayBuffer>) => object;
  Instance: new (module: object, imports: object) => { exports: { dots: Dots } };
  Memory: new (size: { initial: number; maximum: number }) => { buffer: ArrayBuffer };
};

const PAGE = 65_536;

/**
 * The kernel with `bytes` of memory of its own, or null where the processor lacks SIMD or the
 * memory cannot be had (4 GiB is the most).
 */
export function loadKernel(bytes: number): { dots: Dots; memory: ArrayBuffer } | null {
  const wasm = (globalThis as unknown as { WebAssembly?: Wasm }).WebAssembly;
  const pages = Math.ceil(bytes / PAGE);
  if (!wasm || pages > 65_536) return null;
  const code = moduleBytes();
  if (!wasm.validate(code)) return null;
  try {
    const memory = new wasm.Memory({ initial: pages, maximum: pages });
    const { exports } = new wasm.Instance(new wasm.Module(code), { env: { memory } });
    return { dots: exports.dots, memory: memory.buffer };
  } catch {
    return null;
  }
}
