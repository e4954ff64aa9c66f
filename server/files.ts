/** Texts of files as the user sees them: an open editor's text wins over the disk. */
import { normalize, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import type { TextDocument } from 'vscode-languageserver-textdocument';
import { DiskFiles, type FileSource } from './cite';

/** Path of a `file:` URI, or null for other schemes (an untitled draft has no path). */
export function pathOf(uri: string): string | null {
  if (!uri.startsWith('file:')) return null;
  try {
    return normalize(fileURLToPath(uri));
  } catch {
    return null;
  }
}

/** Comparable form of a path: Windows' and macOS' file systems ignore case. */
function pathKey(path: string): string {
  const full = resolve(path);
  return process.platform === 'win32' || process.platform === 'darwin' ? full.toLowerCase() : full;
}

/** A {@link FileSource} that overlays the open documents on the disk. */
export class OpenFiles implements FileSource {
  constructor(private readonly open: () => TextDocument[]) {}

  /** The open document of this path, or null. */
  document(path: string): TextDocument | null {
    const key = pathKey(path);
    for (const document of this.open()) {
      const at = pathOf(document.uri);
      if (at !== null && pathKey(at) === key) return document;
    }
    return null;
  }

  /** URI by which the editor knows the path. */
  uri(path: string): string {
    return this.document(path)?.uri ?? pathToFileURL(path).href;
  }

  read(path: string): string | null {
    return this.document(path)?.getText() ?? this.disk().read(path);
  }

  list(folder: string): string[] {
    return this.disk().list(folder);
  }

  asciiOnly(path: string): boolean {
    // An open document is text already; the editor encodes it as the file is.
    return this.disk().asciiOnly(path);
  }

  /** {@link DiskFiles} keeps what it read; here every look is a fresh one. */
  private disk(): DiskFiles {
    return new DiskFiles();
  }
}
