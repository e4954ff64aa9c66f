/** Builds what runs into dist/: extension, language server, engine process, terminal command, panel. */
import { build, context } from 'esbuild';
import { chmodSync, rmSync } from 'node:fs';

const watch = process.argv.includes('--watch');
const production = process.argv.includes('--production');

/** Native modules cannot be bundled; vscode exists in the editor only. */
const external = ['vscode', 'onnxruntime-node', 'hnswlib-node', 'libsql'];

const common = {
  bundle: true,
  outdir: 'dist',
  sourcemap: production ? false : 'linked',
  minify: production,
  keepNames: production,
  legalComments: 'none',
  logLevel: 'warning',
};

const node = {
  ...common,
  platform: 'node',
  target: 'node20',
  format: 'cjs',
  external,
  // ES modules first: some packages' CommonJS builds load their parts by computed paths.
  mainFields: ['module', 'main'],
  entryPoints: {
    extension: 'client/extension.ts',
    ratio: 'client/ratio.ts',
    server: 'server/main.ts',
    engine: 'server/engineMain.ts',
    probeChild: 'server/engine/encoder/probeChild.ts',
    cli: 'server/cli/main.ts',
  },
};

const panel = {
  ...common,
  platform: 'browser',
  target: 'es2022',
  format: 'iife',
  entryPoints: { panel: 'client/panel/view/main.ts' },
  loader: { '.ttf': 'copy' },
  assetNames: '[name]',
  tsconfig: 'client/panel/view/tsconfig.json',
};

rmSync('dist', { recursive: true, force: true });
if (watch) {
  for (const options of [node, panel]) await (await context(options)).watch();
  console.log('Watching; Ctrl+C ends.');
} else {
  await Promise.all([build(node), build(panel)]);
  chmodSync('dist/cli.js', 0o755);
}
