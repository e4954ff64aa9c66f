/** `FILE:LINE[:COLUMN]` of a draft → its text, prose and the sentence there. */
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { formatOf, parseProse, sentenceAtLine, type Prose, type ProseSentence } from '../prose';
import { DiskFiles, rootPreamble } from '../cite';
import { decode } from '../cite/disk';
import { UsageError } from './exit';

export interface Place {
  path: string;
  text: string;
  prose: Prose;
  sentence: ProseSentence;
}

/** The draft as citing reads it, so that places in it are the same. */
function textOf(path: string, file: string): string {
  let bytes: Buffer;
  try {
    bytes = readFileSync(path);
  } catch (error) {
    throw new UsageError(`${file} cannot be read: ${(error as Error).message}.`);
  }
  const { text, encoding } = decode(bytes);
  if (encoding === 'latin1' && text.includes('\0')) {
    throw new UsageError(`${file} holds no text but binary data.`);
  }
  return text;
}

/**
 * Reads the draft and finds the sentence at the place; lines and columns count from 1.
 * @throws UsageError when the place cannot be read or holds no sentence
 */
export function placeOf(at: string): Place {
  // Greedy file name, so that Windows' drive letters and colons in names work.
  const match = /^(.+?):(\d+)(?::(\d+))?$/.exec(at);
  const [, file, line, column] = match ?? [];
  if (!file || !line) {
    throw new UsageError(`--at takes FILE:LINE or FILE:LINE:COLUMN, not "${at}".`);
  }
  const path = resolve(file);
  const format = formatOf(path);
  if (!format) {
    throw new UsageError(`${file} is not a LaTeX or Markdown draft (.tex, .md, .qmd, .Rmd, …).`);
  }
  const text = textOf(path, file);
  const lines = text.split(/\r\n|\n|\r/).length;
  const lineNumber = Number(line);
  if (lineNumber < 1 || lineNumber > lines) {
    throw new UsageError(`${file} has ${lines} lines; there is no line ${line}.`);
  }
  // A chapter is read with the macros of its root file, as in the editor.
  const definitions = rootPreamble({ path, text, format }, new DiskFiles());
  const prose = parseProse(text, format, definitions === null ? {} : { definitions });
  const sentence = sentenceAtLine(
    prose,
    text,
    lineNumber,
    column === undefined ? undefined : Number(column),
  );
  if (!sentence) {
    throw new UsageError(
      `No sentence stands at ${file}:${line}${column ? `:${column}` : ''}. Figures, tables, math and comments are left out.`,
    );
  }
  return { path, text, prose, sentence };
}
