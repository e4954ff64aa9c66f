/** Bytes of a text file as text: UTF-8, UTF-16 with a byte order mark, else Windows-1252. */
import { isUtf8 } from 'node:buffer';

export type Encoding = 'utf-8' | 'utf-16le' | 'utf-16be' | 'windows-1252';

/** Windows-1252 where it differs from Latin-1 (bytes 0x80 to 0x9f); the holes stay as they are. */
const WINDOWS_1252 =
  '\u20ac\u0081\u201a\u0192\u201e\u2026\u2020\u2021\u02c6\u2030\u0160\u2039\u0152\u008d\u017d\u008f' +
  '\u0090\u2018\u2019\u201c\u201d\u2022\u2013\u2014\u02dc\u2122\u0161\u203a\u0153\u009d\u017e\u0178';

/** The encoding that a byte order mark names and its length in bytes, or null. */
export function byteOrderMark(bytes: Buffer): { encoding: Encoding; length: number } | null {
  if (bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf)
    return { encoding: 'utf-8', length: 3 };
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return { encoding: 'utf-16le', length: 2 };
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return { encoding: 'utf-16be', length: 2 };
  return null;
}

/** Decodes bytes of Windows-1252, as browsers read what claims to be Latin-1. */
export function decodeWindows1252(bytes: Buffer): string {
  return bytes
    .toString('latin1')
    .replace(/[\x80-\x9f]/g, (char) => WINDOWS_1252[char.charCodeAt(0) - 0x80] ?? char);
}

/** Decodes UTF-8 bytes that may be something else; says which it was. */
export function decodeUtf8(bytes: Buffer): { text: string; encoding: Encoding } {
  return isUtf8(bytes)
    ? { text: bytes.toString('utf8'), encoding: 'utf-8' }
    : { text: decodeWindows1252(bytes), encoding: 'windows-1252' };
}

function decodeUtf16(bytes: Buffer, bigEndian: boolean): string {
  const even = bytes.subarray(0, bytes.length & ~1);
  return (bigEndian ? Buffer.from(even).swap16() : even).toString('utf16le');
}

/** Decodes a whole file. The byte order mark is dropped. */
export function decodeFile(bytes: Buffer): { text: string; encoding: Encoding } {
  const mark = byteOrderMark(bytes);
  if (!mark) return decodeUtf8(bytes);
  const body = bytes.subarray(mark.length);
  if (mark.encoding === 'utf-8') return decodeUtf8(body);
  return { text: decodeUtf16(body, mark.encoding === 'utf-16be'), encoding: mark.encoding };
}

/** Turns chunks of a file into chunks of UTF-8 where a byte order mark says UTF-16. */
export class ToUtf8 {
  private utf16: 'utf-16le' | 'utf-16be' | null = null;
  private started = false;
  private rest: Buffer = Buffer.alloc(0);

  /** The next chunk, without the byte order mark. */
  next(chunk: Buffer): Buffer {
    let bytes = chunk;
    if (!this.started) {
      bytes = this.rest.length > 0 ? Buffer.concat([this.rest, chunk]) : chunk;
      if (bytes.length < 3) {
        this.rest = bytes;
        return Buffer.alloc(0);
      }
      this.rest = Buffer.alloc(0);
      this.started = true;
      const mark = byteOrderMark(bytes);
      if (mark) bytes = bytes.subarray(mark.length);
      if (mark && mark.encoding !== 'utf-8' && mark.encoding !== 'windows-1252') {
        this.utf16 = mark.encoding;
      }
    }
    if (!this.utf16) return bytes;
    // A unit, or a surrogate pair, may be cut by the chunk's end.
    const all = this.rest.length > 0 ? Buffer.concat([this.rest, bytes]) : bytes;
    let end = all.length & ~1;
    const high = this.utf16 === 'utf-16be' ? all[end - 2] : all[end - 1];
    if (end > 0 && high !== undefined && high >= 0xd8 && high <= 0xdb) end -= 2;
    this.rest = Buffer.from(all.subarray(end));
    return Buffer.from(decodeUtf16(all.subarray(0, end), this.utf16 === 'utf-16be'), 'utf8');
  }

  /** What was held back at the end of the file. */
  end(): Buffer {
    const rest = this.rest;
    this.rest = Buffer.alloc(0);
    if (!this.utf16) return rest;
    return Buffer.from(decodeUtf16(rest, this.utf16 === 'utf-16be'), 'utf8');
  }
}
