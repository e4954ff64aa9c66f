/** Drafts and bibliographies on disk: read with their encoding, written all or not at all. */
import {
  chmodSync,
  closeSync,
  fsyncSync,
  lstatSync,
  mkdirSync,
  openSync,
  readFileSync,
  readdirSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { RatioError } from '../engine/engine';
import { applyEdits } from './apply';
import type { FileEdit, FileSource } from './types';

type Encoding = 'utf8' | 'utf16le' | 'utf16be' | 'latin1';

interface Read {
  bytes: Buffer;
  text: string;
  encoding: Encoding;
}

const LARGEST = 64 * 1024 * 1024;

/**
 * Decodes a file so that encoding it again gives the same bytes: UTF-8 (a byte order mark stays in
 * the text), UTF-16 with a mark, else Latin-1.
 */
export function decode(bytes: Buffer): { text: string; encoding: Encoding } {
  if (bytes[0] === 0xff && bytes[1] === 0xfe)
    return { text: bytes.toString('utf16le'), encoding: 'utf16le' };
  if (bytes[0] === 0xfe && bytes[1] === 0xff) {
    const pairs = Buffer.from(bytes.subarray(0, bytes.length & ~1)).swap16();
    return { text: pairs.toString('utf16le'), encoding: 'utf16be' };
  }
  try {
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
    return { text, encoding: 'utf8' };
  } catch {
    return { text: bytes.toString('latin1'), encoding: 'latin1' };
  }
}

/** A text's bytes in the encoding that {@link decode} found. */
export function encode(text: string, encoding: Encoding): Buffer {
  return encoding === 'utf16be'
    ? Buffer.from(text, 'utf16le').swap16()
    : Buffer.from(text, encoding);
}

/** Files on disk, each read once: what {@link writeEdits} changes is what was read. */
export class DiskFiles implements FileSource {
  private readonly seen = new Map<string, Read | null>();

  read(path: string): string | null {
    return this.load(path)?.text ?? null;
  }

  list(folder: string): string[] {
    try {
      return readdirSync(resolve(folder), { withFileTypes: true })
        .filter((entry) => !entry.isDirectory())
        .map((entry) => entry.name);
    } catch {
      return [];
    }
  }

  asciiOnly(path: string): boolean {
    return this.load(path)?.encoding === 'latin1';
  }

  /** A file as it was when it was first read; null where there was none. */
  load(path: string): Read | null {
    const full = resolve(path);
    const known = this.seen.get(full);
    if (known !== undefined) return known;
    const bytes = bytesOf(full);
    const read = bytes ? { bytes, ...decode(bytes) } : null;
    this.seen.set(full, read);
    return read;
  }
}

function bytesOf(path: string): Buffer | null {
  try {
    const stats = statSync(path);
    return stats.isFile() && stats.size <= LARGEST ? readFileSync(path) : null;
  } catch {
    return null;
  }
}

/**
 * To be called before a file is made that could not be read.
 * @throws RatioError (`disk`) where there is one nevertheless, which the new one would replace
 */
export function refuseUnread(path: string): void {
  if (!isThere(path)) return;
  throw new RatioError(
    'disk',
    `${path} is too large (over 64 MB) or cannot be read; nothing was written. Check the file and its rights, or name another .bib, then cite again.`,
  );
}

/** Whether anything has this path: a file, a folder, a link that leads nowhere. */
function isThere(path: string): boolean {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
  } catch {
    // A folder on the way is none or is closed: making the file fails and says so.
    return false;
  }
}

interface Prepared {
  target: string;
  temporary: string;
}

/**
 * Writes the edits of some files. Every new text is on disk under a temporary name before the first
 * file is replaced, and each is replaced in one step, with its mode, its encoding and (through a
 * symbolic link) its place kept. The bibliography goes first, so that a crash between the two
 * leaves at worst an entry that nothing cites yet. Throws {@link RatioError} (`disk`), having
 * changed nothing, where another program changed a file since it was read or a new text cannot be
 * written.
 */
export function writeEdits(edits: readonly FileEdit[], files: DiskFiles): void {
  const prepared: Prepared[] = [];
  try {
    for (const edit of edits) if (edit.edits.length > 0) prepared.push(prepare(edit, files));
    for (const { target, temporary } of prepared) renameSync(temporary, target);
  } catch (error) {
    for (const { temporary } of prepared) rmSync(temporary, { force: true });
    if (error instanceof RatioError) throw error;
    throw new RatioError(
      'disk',
      `Cannot write the citation: ${error instanceof Error ? error.message : String(error)}. Check the folder's rights and free space, then cite again.`,
    );
  }
}

function prepare(edit: FileEdit, files: DiskFiles): Prepared {
  const path = resolve(edit.path);
  const before = files.load(path);
  const now = bytesOf(path);
  if ((before === null) !== (now === null) || (before && now && !before.bytes.equals(now))) {
    throw new RatioError(
      'disk',
      `${path} was changed while the citation was made. Nothing was written: cite again.`,
    );
  }
  if (!before) refuseUnread(path);
  if (before && !encode(before.text, before.encoding).equals(before.bytes)) {
    throw new RatioError(
      'disk',
      `${path} is damaged (cut off within a character): nothing was written. Save it as UTF-8, then cite again.`,
    );
  }
  if (!before) mkdirSync(dirname(path), { recursive: true });
  const target = before ? realpathSync(path) : path;
  const encoding = before?.encoding ?? 'utf8';
  const bytes = encode(applyEdits(before?.text ?? '', edit.edits), encoding);
  const temporary = join(
    dirname(target),
    `.${basename(target)}.${process.pid}.${Date.now().toString(36)}.tmp`,
  );
  const mode = before ? statSync(target).mode & 0o7777 : 0o666;
  const handle = openSync(temporary, 'wx', mode);
  try {
    for (let done = 0; done < bytes.length;) done += writeSync(handle, bytes, done);
    fsyncSync(handle);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw error;
  } finally {
    closeSync(handle);
  }
  // The mode at opening is cut by the umask; that of an existing file is to stay as it was.
  if (before) chmodSync(temporary, mode);
  return { target, temporary };
}
