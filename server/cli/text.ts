/** Text for a terminal: wrapping, and styles only where stdout is one. */
import { stripVTControlCharacters, styleText } from 'node:util';

const styled = (): boolean => process.stdout.isTTY === true && !process.env['NO_COLOR'];

/** Control characters of foreign text never reach the terminal. */
// eslint-disable-next-line no-control-regex
const CONTROL = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g;

/** Text of papers without escape sequences or control characters. */
export function plain(text: string): string {
  return stripVTControlCharacters(text).replace(CONTROL, '');
}

/** Bold on a terminal. */
export function strong(text: string): string {
  return styled() ? styleText('bold', text) : text;
}

/** Dimmed on a terminal. */
export function dim(text: string): string {
  return styled() ? styleText('dim', text) : text;
}

/** Wraps at the terminal's width (80 in a pipe); lines after the first are indented by `indent`. */
export function wrap(text: string, indent: number): string {
  const width = Math.max(40, Math.min(process.stdout.columns ?? 80, 100)) - indent;
  const lines: string[] = [];
  let line = '';
  for (const word of plain(text).split(/\s+/)) {
    if (line && line.length + 1 + word.length > width) {
      lines.push(line);
      line = word;
    } else {
      line = line ? `${line} ${word}` : word;
    }
  }
  if (line) lines.push(line);
  return lines.join(`\n${' '.repeat(indent)}`);
}
