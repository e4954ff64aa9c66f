/** Bundles a program of the terminal's for tests that run it as a process of its own. */
import { join } from 'node:path';
import { build } from 'esbuild';
import { packageRoot } from '../server/paths';

/** `program`: its source, or without one the `ratio` command. Gives the path of the bundle. */
export async function bundleTerminal(name: string, program?: string): Promise<string> {
  const outfile = join(packageRoot(), 'out', 'test', name);
  await build({
    ...(program === undefined
      ? { entryPoints: [join(packageRoot(), 'server', 'cli', 'main.ts')] }
      : { stdin: { contents: program, resolveDir: packageRoot() } }),
    outfile,
    bundle: true,
    platform: 'node',
    format: 'cjs',
    mainFields: ['module', 'main'],
    external: ['onnxruntime-node', 'hnswlib-node', 'libsql'],
    logLevel: 'error',
  });
  return outfile;
}
