/**
 * The package as it ships, in a folder of its own: benches measure one build, whatever is built
 * beside them meanwhile.
 */
import { execFileSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { packageRoot } from '../../server/paths';

/** Ignored folder for everything that benches keep. */
export function benchFolder(): string {
  return join(packageRoot(), 'out', 'bench');
}

/**
 * Builds the package for production in out/bench/package and returns that folder; one that is
 * there already is taken as it is where `build` is false. The project's own dist/ is left alone.
 */
export function stagePackage(build: boolean): string {
  const root = packageRoot();
  const stage = join(benchFolder(), 'package');
  if (!build && existsSync(join(stage, 'dist', 'engine.js'))) return stage;
  rmSync(stage, { recursive: true, force: true });
  mkdirSync(stage, { recursive: true });
  copyFileSync(join(root, 'package.json'), join(stage, 'package.json'));
  for (const folder of ['client', 'server', 'models', 'media', 'node_modules']) {
    // A junction, on Windows, needs no rights of an administrator.
    symlinkSync(join(root, folder), join(stage, folder), 'junction');
  }
  execFileSync(process.execPath, [join(root, 'esbuild.mjs'), '--production'], {
    cwd: stage,
    stdio: 'inherit',
  });
  return stage;
}
