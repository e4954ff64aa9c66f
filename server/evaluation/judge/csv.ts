/** Comma-separated values (RFC 4180), as spreadsheets write and read them. */

/** One row; a cell that a spreadsheet would take for a formula gets an apostrophe before it. */
export function csvRow(cells: readonly string[]): string {
  const quoted = cells.map((cell) => {
    const safe = /^[=+\-@\t\r]/.test(cell) ? `'${cell}` : cell;
    return /[",;\r\n']/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
  });
  return `${quoted.join(',')}\r\n`;
}

/**
 * Rows of a file with the line (from 1) that each begins on. The separator is `,`, `;` or a tab,
 * whichever the first line has first: spreadsheets choose by country.
 */
export function parseCsv(text: string): { line: number; cells: string[] }[] {
  const body = text.replace(/^\uFEFF/, '');
  const separator = /[,;\t]/.exec(body.split(/\r?\n/, 1)[0] ?? '')?.[0] ?? ',';
  const rows: { line: number; cells: string[] }[] = [];
  let cells: string[] = [];
  let cell = '';
  let quoted = false;
  let line = 1;
  let begun = 1;
  const endRow = (): void => {
    cells.push(cell);
    if (cells.some((value) => value !== '')) rows.push({ line: begun, cells });
    cells = [];
    cell = '';
    begun = line;
  };
  for (let i = 0; i < body.length; i++) {
    const char = body[i] ?? '';
    if (char === '\n') line++;
    if (quoted) {
      if (char !== '"') cell += char;
      else if (body[i + 1] === '"') {
        cell += '"';
        i++;
      } else quoted = false;
    } else if (char === '"' && cell === '') quoted = true;
    else if (char === separator) {
      cells.push(cell);
      cell = '';
    } else if (char === '\n') endRow();
    else if (char !== '\r') cell += char;
  }
  endRow();
  return rows;
}
