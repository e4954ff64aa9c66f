/** Files with one JSON object a line, plain or gzipped, read as a stream and checked row by row. */
import { createReadStream } from 'node:fs';
import { pipeline, type Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import type { z } from 'zod';
import { RatioError } from '../engine/engine';
import { errorCode, errorText } from '../engine/errors';

/** What to tell of a file that cannot be opened or read. */
export function fileError(path: string, error: unknown): RatioError {
  if (error instanceof RatioError) return error;
  switch (errorCode(error)) {
    case 'ENOENT':
    case 'ENOTDIR':
      return new RatioError('not-found', `There is no file ${path}.`);
    case 'EISDIR':
      return new RatioError('bad-input', `${path} is a folder; a file is needed.`);
    default:
      return new RatioError('bad-input', `${path} cannot be read: ${errorText(error)}.`);
  }
}

/** A message that names the file and the line (from 1). */
export function lineError(path: string, line: number, what: string): RatioError {
  return new RatioError('bad-input', `${path}:${line}: ${what}`);
}

/** The text of a file in pieces; `.gz` is unpacked. */
function textOf(path: string): Readable {
  const file = createReadStream(path);
  if (!path.endsWith('.gz')) return file.setEncoding('utf8');
  // The pipeline hands an error of the file on to whoever reads the unpacked text.
  return pipeline(file, createGunzip(), () => undefined).setEncoding('utf8');
}

/** Lines of a text file (`.gz` is unpacked), numbered from 1, empty ones left out. */
export async function* readLines(path: string): AsyncGenerator<{ line: number; text: string }> {
  const input = textOf(path);
  let line = 0;
  let rest = '';
  const made = (text: string): { line: number; text: string } => ({
    line: ++line,
    text: line === 1 ? text.replace(/^\uFEFF/, '') : text,
  });
  try {
    for await (const chunk of input) {
      const lines = (rest + String(chunk)).split('\n');
      rest = lines.pop() ?? '';
      for (const text of lines) {
        const next = made(text);
        if (next.text.trim() !== '') yield next;
      }
    }
  } catch (error) {
    throw fileError(path, error);
  } finally {
    input.destroy();
  }
  const last = made(rest);
  if (last.text.trim() !== '') yield last;
}

/**
 * Rows of a JSONL file that fit `schema`, in order. Rejects with `not-found`, or with `bad-input`
 * and the file and line at the first row that is no JSON or does not fit.
 */
export async function* readRows<T>(
  path: string,
  schema: z.ZodType<T>,
): AsyncGenerator<{ line: number; row: T }> {
  for await (const { line, text } of readLines(path)) {
    let value: unknown;
    try {
      value = JSON.parse(text);
    } catch (error) {
      throw lineError(path, line, `this is not JSON (${errorText(error)}).`);
    }
    const parsed = schema.safeParse(value);
    if (!parsed.success) {
      const issue = parsed.error.issues[0];
      const where = issue && issue.path.length > 0 ? `"${issue.path.join('.')}"` : 'the row';
      throw lineError(path, line, `${where} is not right: ${issue?.message ?? 'invalid'}.`);
    }
    yield { line, row: parsed.data };
  }
}
