/** Whether the editor's text of a file still says what the file's bytes say. */

/**
 * True where a text holds characters that could not be decoded, so that saving it would destroy
 * them: it has U+FFFD though the bytes are no UTF-8 that could spell one. UTF-16 with its mark is
 * decoded rightly always.
 */
export function lostInDecoding(text: string, bytes: Uint8Array): boolean {
  if (!text.includes('\uFFFD')) return false;
  const [first, second] = bytes;
  if ((first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff)) return false;
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    return false;
  } catch {
    return true;
  }
}
