/** Tables for a terminal and for Markdown alike. */
import type { Estimate } from './bootstrap';

/** Rows as a Markdown table whose columns are also aligned in plain text; numbers to the right. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const widths = head.map((title, column) =>
    Math.max(3, title.length, ...rows.map((row) => (row[column] ?? '').length)),
  );
  const right = head.map(
    (_, column) =>
      column > 0 && rows.every((row) => /^[-+−–\d.\s[\],…×%∞]*$/.test(row[column] ?? '')),
  );
  const line = (cells: readonly string[]): string =>
    `| ${widths
      .map((width, column) => {
        const cell = cells[column] ?? '';
        return right[column] ? cell.padStart(width) : cell.padEnd(width);
      })
      .join(' | ')} |\n`;
  const rule = `| ${widths
    .map((width, column) => (right[column] ? '-'.repeat(width - 1) + ':' : '-'.repeat(width)))
    .join(' | ')} |\n`;
  return line(head) + rule + rows.map(line).join('');
}

/** A whole number with its thousands apart. */
export const count = (value: number): string => value.toLocaleString('en-US');

/** A number with so many digits behind the point; `–` for NaN, `∞` for either infinity. */
export function number(value: number, digits = 1): string {
  if (Number.isNaN(value)) return '–';
  if (!Number.isFinite(value)) return '∞';
  return value.toFixed(digits);
}

/** A share in per cent with its interval: `23.4 [21.0, 25.9]`. */
export function percent({ value, low, high }: Estimate): string {
  return `${number(100 * value)} [${number(100 * low)}, ${number(100 * high)}]`;
}

/** A value with its interval, as it is: `1.23 [1.10, 1.38]`. */
export function interval({ value, low, high }: Estimate, digits = 2): string {
  return `${number(value, digits)} [${number(low, digits)}, ${number(high, digits)}]`;
}

/** JSON with NaN and the infinities as null, and maps as objects. */
export function toJson(value: unknown): string {
  const plain = (_: string, held: unknown): unknown => {
    if (typeof held === 'number' && !Number.isFinite(held)) return null;
    return held instanceof Map ? Object.fromEntries(held) : held;
  };
  return `${JSON.stringify(value, plain, 2)}\n`;
}
