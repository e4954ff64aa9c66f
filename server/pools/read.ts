/** Reading a source file: whole or by lines, plain or gzipped, with errors a user can act on. */
import { createReadStream } from 'node:fs';
import { open, readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { promisify } from 'node:util';
import { constants, createGunzip, gunzip, gunzipSync } from 'node:zlib';
import { RatioError } from '../engine/engine';
import type { Report } from '../engine/import/source';
import { breather } from './breathe';
import { decodeFile, decodeUtf8, ToUtf8, type Encoding } from './decode';

const CHUNK = 256 * 1024;
/** Packed bytes that are unpacked at once: a thousand times as many may come out. */
const PACKED = 16 * 1024;
/** A line longer than this is no record of one paper. Bytes. */
const LONGEST_LINE = 64 * 1024 * 1024;
/** In so many bytes binary data shows by a zero byte, which no text in one-byte letters has. */
const SAMPLE = 8192;
/** Files read whole are at most this long, unpacked. Bytes. */
const LARGEST_WHOLE = 256 * 1024 * 1024;

const gunzipAsync = promisify(gunzip);

function isGzip(bytes: Buffer): boolean {
  return bytes[0] === 0x1f && bytes[1] === 0x8b;
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string'
    ? error.code
    : '';
}

/** The error to throw for a file that cannot be read. */
export function unreadable(path: string, error: unknown): RatioError {
  if (error instanceof RatioError) return error;
  const code = codeOf(error);
  const text = error instanceof Error ? error.message : String(error);
  if (code === 'ENOENT')
    return new RatioError('not-found', `There is no file ${path}. Check the path.`);
  if (code === 'EACCES' || code === 'EPERM')
    return new RatioError('bad-input', `No right to read ${path}. Change the file's rights.`);
  if (code === 'EISDIR')
    return new RatioError('bad-input', `${path} is a folder where a file was expected.`);
  if (code.startsWith('Z_') || code === 'ERR_BUFFER_TOO_LARGE')
    return new RatioError(
      'bad-input',
      `${path} cannot be unpacked (${text}). Download or compress it again.`,
    );
  return new RatioError('bad-input', `${path} cannot be read (${text}). Check the disk.`);
}

/** The error for a file without a byte of content. */
export function emptyFile(path: string): RatioError {
  return new RatioError(
    'bad-input',
    `${path} is empty: nothing to index. Export or download it again, or leave it out.`,
  );
}

/** Tells that a file was not UTF-8 and how it was read. */
export function reportEncoding(
  path: string,
  line: number | null,
  encoding: Encoding,
  report: Report,
): void {
  if (encoding !== 'windows-1252') return;
  const message = `${basename(path)} is not UTF-8; it was read as Windows-1252 (Latin-1). Save it as UTF-8 if letters look wrong.`;
  report({ source: path, line, message }, true);
}

/** The beginning of a file as text, from its first bytes, unpacked where they are gzipped. */
export function headText(head: Buffer): string {
  let bytes = head;
  if (isGzip(head)) {
    try {
      bytes = gunzipSync(head, { finishFlush: constants.Z_SYNC_FLUSH });
    } catch {
      return '';
    }
  }
  // Cut through a letter at the end, UTF-8 must not be taken for Windows-1252.
  const mark = bytes[0] === 0xff || bytes[0] === 0xfe;
  return (mark ? decodeFile(bytes).text : bytes.toString('utf8')).replace(/^\ufeff/, '');
}

/** File name in lower case without a last `.gz`. */
export function plainName(path: string): string {
  return basename(path).toLowerCase().replace(/\.gz$/, '');
}

/**
 * Text of a whole file. Throws a {@link RatioError} for a file that is not there, may not be
 * read, cannot be unpacked, is empty or is too large to be read whole.
 */
export async function readWhole(
  path: string,
  report: Report,
  signal: AbortSignal,
): Promise<{ text: string; bytes: number }> {
  try {
    const handle = await open(path);
    try {
      const { size } = await handle.stat();
      if (size > LARGEST_WHOLE) throw tooLarge(path);
    } finally {
      await handle.close();
    }
    const raw = await readFile(path, { signal });
    if (raw.length === 0) throw emptyFile(path);
    const bytes = isGzip(raw) ? await gunzipAsync(raw, { maxOutputLength: LARGEST_WHOLE }) : raw;
    const { text, encoding } = decodeFile(bytes);
    if (text.trim() === '') throw emptyFile(path);
    if (encoding === 'windows-1252' && bytes.subarray(0, SAMPLE).includes(0)) throw noText(path);
    reportEncoding(path, null, encoding, report);
    return { text, bytes: raw.length };
  } catch (error) {
    if (signal.aborted) throw new RatioError('cancelled', 'Cancelled.');
    throw codeOf(error) === 'ERR_BUFFER_TOO_LARGE' ? tooLarge(path) : unreadable(path, error);
  }
}

function noText(path: string): RatioError {
  return new RatioError(
    'bad-input',
    `${path} holds no text but binary data. Leave it out, or export it as text.`,
  );
}

function tooLarge(path: string): RatioError {
  return new RatioError(
    'bad-input',
    `${path} is larger than ${LARGEST_WHOLE / 1024 / 1024} MB, too large for this format. Split it, or export it as JSONL, which has no limit.`,
  );
}

/** One line of a file, without its end. Numbers count from 1. */
export type Line = { number: number; text: string };

/**
 * Lines of a file, some at a time, empty ones left out; constant memory. A gzipped file that ends
 * early gives the lines before the break and then a report. Ends quietly when the signal aborts.
 * Throws a {@link RatioError} where nothing can be read.
 */
export async function* readLines(
  path: string,
  onBytes: ((bytes: number) => void) | undefined,
  report: Report,
  signal: AbortSignal,
): AsyncGenerator<Line[]> {
  let raw: ReturnType<typeof createReadStream> | null = null;
  let number = 1;
  let told = false;
  const breathe = breather();
  const decode = (bytes: Buffer, line: number): string => {
    const { text, encoding } = decodeUtf8(bytes);
    if (encoding === 'windows-1252' && !told) {
      told = true;
      reportEncoding(path, line, encoding, report);
    }
    return text;
  };
  try {
    const start = Buffer.alloc(2);
    const handle = await open(path);
    const { bytesRead } = await handle.read(start, 0, 2, 0).finally(() => handle.close());
    if (bytesRead === 0) throw emptyFile(path);
    raw = createReadStream(path, { highWaterMark: CHUNK });
    const stream: AsyncIterable<unknown> = isGzip(start) ? unpack(raw) : raw;
    const toUtf8 = new ToUtf8();
    let rest: Buffer[] = [];
    let restLength = 0;
    try {
      for await (const data of stream) {
        // Here too, and not only between papers: some files hold none, for gigabytes.
        const pause = breathe();
        if (pause) await pause;
        if (signal.aborted) return;
        const chunk = toUtf8.next(Buffer.isBuffer(data) ? data : Buffer.from(String(data)));
        const last = chunk.lastIndexOf(10);
        if (last < 0) {
          rest.push(chunk);
          restLength += chunk.length;
          if (restLength > LONGEST_LINE) throw longLine(path, number);
          continue;
        }
        const block = Buffer.concat([...rest, chunk.subarray(0, last)]);
        rest = [chunk.subarray(last + 1)];
        restLength = chunk.length - last - 1;
        const { lines, next } = split(block, number, decode);
        number = next;
        onBytes?.(raw.bytesRead);
        yield lines;
      }
    } catch (error) {
      if (number === 1 || !codeOf(error).startsWith('Z_')) throw error;
      report({
        source: path,
        line: number,
        message: `${basename(path)} breaks off here (${error instanceof Error ? error.message : 'damaged'}): what stands before is indexed. Download or compress it again.`,
      });
      return;
    }
    const block = Buffer.concat([...rest, toUtf8.end()]);
    onBytes?.(raw.bytesRead);
    if (!signal.aborted) yield split(block, number, decode).lines;
  } catch (error) {
    if (!signal.aborted) throw unreadable(path, error);
  } finally {
    raw?.destroy();
  }
}

function longLine(path: string, line: number): RatioError {
  return new RatioError(
    'bad-input',
    `${path}: line ${line} is longer than ${LONGEST_LINE / 1024 / 1024} MB, so it is not one paper a line. Write each paper as one JSON object on a line of its own (JSONL).`,
  );
}

/**
 * Unpacks chunk by chunk. Not by a pipe: a stream that fails throws away what it had unpacked and
 * nobody had read, the last papers before the break.
 */
async function* unpack(raw: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  const unpacked = createGunzip({ chunkSize: CHUNK });
  const out: Buffer[] = [];
  let failure: Error | null = null;
  unpacked.on('data', (chunk: Buffer) => out.push(chunk));
  const failed = new Promise<void>((done) =>
    unpacked.once('error', (error) => {
      failure = error;
      done();
    }),
  );
  const ended = new Promise<void>((done) => unpacked.once('end', done));
  try {
    for await (const chunk of raw) {
      for (let at = 0; at < chunk.length; at += PACKED) {
        const part = chunk.subarray(at, at + PACKED);
        const written = new Promise<void>((done) => unpacked.write(part, () => done()));
        await Promise.race([written, failed]);
        yield* out.splice(0);
        if (failure !== null) throw failure;
      }
    }
    unpacked.end();
    await Promise.race([ended, failed]);
    yield* out.splice(0);
    if (failure !== null) throw failure;
  } finally {
    unpacked.destroy();
  }
}

function split(
  block: Buffer,
  first: number,
  decode: (bytes: Buffer, line: number) => string,
): { lines: Line[]; next: number } {
  const lines: Line[] = [];
  let number = first;
  const { encoding, text } = decodeUtf8(block);
  if (encoding === 'utf-8') {
    for (let at = 0; at <= text.length; number++) {
      let end = text.indexOf('\n', at);
      if (end < 0) end = text.length;
      push(lines, number, text.slice(at, end));
      at = end + 1;
    }
    return { lines, next: number };
  }
  // Only the lines that are not UTF-8 are read as something else.
  for (let at = 0; at <= block.length; number++) {
    let end = block.indexOf(10, at);
    if (end < 0) end = block.length;
    push(lines, number, decode(block.subarray(at, end), number));
    at = end + 1;
  }
  return { lines, next: number };
}

function push(lines: Line[], number: number, text: string): void {
  const trimmed = text.trim();
  if (trimmed !== '') lines.push({ number, text: trimmed });
}
