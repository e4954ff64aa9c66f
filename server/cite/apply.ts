/** Applying edits to texts, and showing them. */
import type { FileEdit, FileSource, TextEdit } from './types';

/** The text with the edits made; offsets are those of the text before any of them. */
export function applyEdits(text: string, edits: readonly TextEdit[]): string {
  let result = '';
  let done = 0;
  for (const { start, end, newText } of [...edits].sort((a, b) => a.start - b.start)) {
    if (start < done || end < start || end > text.length) {
      throw new RangeError(
        `Edit ${start}–${end} overlaps another or leaves the text of ${text.length}`,
      );
    }
    result += text.slice(done, start) + newText;
    done = end;
  }
  return result + text.slice(done);
}

const CONTEXT = 3;

/** Lines without their line ends; a last line without one is marked, as `diff -u` does. */
function linesOf(text: string): string[] {
  if (text === '') return [];
  const lines = text.split('\n');
  if (lines.at(-1) === '') lines.pop();
  else lines.push(`${lines.pop() ?? ''}\n\\ No newline at end of file`);
  return lines.map((line) => line.replace(/\r$|\r(?=\n\\)/, '').replace(/^\ufeff/, ''));
}

interface Change {
  /** Lines of the old text [from, to) and of the new text that replace them. */
  from: number;
  to: number;
  newFrom: number;
  newTo: number;
}

/** The edits of some files as a unified diff, for people (and `patch`) to read. */
export function describeEdits(edits: readonly FileEdit[], files: FileSource): string {
  return edits.map((edit) => describeFile(edit, files.read(edit.path))).join('');
}

function describeFile(edit: FileEdit, before: string | null): string {
  const text = before ?? '';
  const after = applyEdits(text, edit.edits);
  const oldLines = linesOf(text);
  const newLines = linesOf(after);
  const name = edit.path.replace(/[\t\r\n]/g, ' ');
  let diff = `--- ${before === null ? '/dev/null' : name}\n+++ ${name}\n`;
  for (const hunk of hunksOf(changesOf(text, after, edit.edits, oldLines, newLines))) {
    const first = hunk[0];
    const last = hunk.at(-1);
    if (!first || !last) continue;
    const from = Math.max(0, first.from - CONTEXT);
    const to = Math.min(oldLines.length, last.to + CONTEXT);
    const newFrom = first.newFrom - (first.from - from);
    const newTo = last.newTo + (to - last.to);
    const range = (start: number, end: number) =>
      `${end > start ? start + 1 : start},${end - start}`;
    diff += `@@ -${range(from, to)} +${range(newFrom, newTo)} @@\n`;
    let at = from;
    for (const change of hunk) {
      for (; at < change.from; at++) diff += ` ${oldLines[at] ?? ''}\n`;
      for (; at < change.to; at++) diff += `-${oldLines[at] ?? ''}\n`;
      for (let i = change.newFrom; i < change.newTo; i++) diff += `+${newLines[i] ?? ''}\n`;
    }
    for (; at < to; at++) diff += ` ${oldLines[at] ?? ''}\n`;
  }
  return diff;
}

/** Changed lines of each edit, lines that stay the same at its ends left out. */
function changesOf(
  text: string,
  after: string,
  edits: readonly TextEdit[],
  oldLines: string[],
  newLines: string[],
): Change[] {
  const lineAt = (source: string, offset: number) => source.slice(0, offset).split('\n').length - 1;
  const changes: Change[] = [];
  let shift = 0;
  for (const { start, end, newText } of [...edits].sort((a, b) => a.start - b.start)) {
    const newEnd = start + shift + newText.length;
    const change = {
      from: Math.min(lineAt(text, start), oldLines.length),
      to: Math.min(lineAt(text, end) + 1, oldLines.length),
      newFrom: Math.min(lineAt(after, start + shift), newLines.length),
      newTo: Math.min(lineAt(after, newEnd) + 1, newLines.length),
    };
    shift += newText.length - (end - start);
    const previous = changes.at(-1);
    if (previous && change.from < previous.to) {
      previous.to = Math.max(previous.to, change.to);
      previous.newTo = Math.max(previous.newTo, change.newTo);
    } else changes.push(change);
  }
  for (const change of changes) {
    while (
      change.from < change.to &&
      change.newFrom < change.newTo &&
      oldLines[change.from] === newLines[change.newFrom]
    ) {
      change.from++;
      change.newFrom++;
    }
    while (
      change.from < change.to &&
      change.newFrom < change.newTo &&
      oldLines[change.to - 1] === newLines[change.newTo - 1]
    ) {
      change.to--;
      change.newTo--;
    }
  }
  return changes.filter((change) => change.from < change.to || change.newFrom < change.newTo);
}

function hunksOf(changes: Change[]): Change[][] {
  const hunks: Change[][] = [];
  for (const change of changes) {
    const hunk = hunks.at(-1);
    const last = hunk?.at(-1);
    if (hunk && last && change.from - last.to <= 2 * CONTEXT) hunk.push(change);
    else hunks.push([change]);
  }
  return hunks;
}
