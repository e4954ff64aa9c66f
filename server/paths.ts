/** Where things are: the package's own files, and the one data folder of editor and terminal. */
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import envPaths from 'env-paths';

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

/** Data folder of this user: `RATIO_HOME`, else the platform's place for application data. */
export function dataHome(): string {
  const chosen = process.env['RATIO_HOME'];
  return chosen ? resolve(chosen) : envPaths('ratio', { suffix: '' }).data;
}
