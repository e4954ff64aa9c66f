/**
 * The package as it ships, in a folder of its own: benches measure one build, whatever is built
 * beside them meanwhile.
 */
import { execFileSync } from 'node:child_process';
import { copyFileSync, cpSync, existsSync, mkdirSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { packageRoot } from '../../server/paths';

/** Ignored folder for everything that benches keep. */
export function benchFolder(): string {
  return join(packageRoot(), 'out', 'bench');
}

/**
 * Builds dist/ for production, unless `build` is false, and returns a folder with a copy of it and
 * links to what it needs.
 */
export function stagePackage(build: boolean): string {
  const root = packageRoot();
  if (build || !existsSync(join(root, 'dist', 'engine.js'))) {
    execFileSync(process.execPath, ['esbuild.mjs', '--production'], {
      cwd: root,
      stdio: 'inherit',
    });
  }
  const stage = join(benchFolder(), 'package');
  rmSync(stage, { recursive: true, force: true });
  mkdirSync(stage, { recursive: true });
  copyFileSync(join(root, 'package.json'), join(stage, 'package.json'));
  cpSync(join(root, 'dist'), join(stage, 'dist'), { recursive: true });
  for (const folder of ['models', 'media', 'node_modules']) {
    // A junction, on Windows, needs no rights of an administrator.
    symlinkSync(join(root, folder), join(stage, folder), 'junction');
  }
  return stage;
}
