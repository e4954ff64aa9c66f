/** Where things are: the package's own files, and the one data folder of editor and terminal. */
import { existsSync, readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join, resolve } from 'node:path';

let root: string | undefined;

/** Folder that holds this package's package.json, media and models, in a clone and in a VSIX. */
export function packageRoot(): string {
  if (root) return root;
  for (let folder = __dirname; ; folder = dirname(folder)) {
    const manifest = join(folder, 'package.json');
    if (existsSync(manifest) && JSON.parse(readFileSync(manifest, 'utf8')).name === 'ratio') {
      return (root = folder);
    }
    if (dirname(folder) === folder) throw new Error(`No package.json of ratio above ${__dirname}`);
  }
}

/**
 * Data folder of this user: `RATIO_HOME`, else the platform's place for application data.
 * @param environment variables to read; the process's own by default
 */
export function dataHome(environment: NodeJS.ProcessEnv = process.env): string {
  if (environment['RATIO_HOME']) return resolve(environment['RATIO_HOME']);
  const home = homedir();
  if (process.platform === 'win32') {
    return join(environment['LOCALAPPDATA'] ?? join(home, 'AppData', 'Local'), 'ratio');
  }
  if (process.platform === 'darwin') return join(home, 'Library', 'Application Support', 'ratio');
  return join(environment['XDG_DATA_HOME'] ?? join(home, '.local', 'share'), 'ratio');
}
