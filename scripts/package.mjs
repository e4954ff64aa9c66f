/** `npm run package`: a VSIX for this platform, with its native binaries and nothing else of node_modules. */
import { createVSIX } from '@vscode/vsce';
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const LIMIT = 90e6;

/** What a VS Code platform needs: folder of ONNX Runtime's binaries, package of libSQL's. */
const TARGETS = {
  'linux-x64': { onnx: 'linux/x64', libsql: 'linux-x64-gnu' },
  'linux-arm64': { onnx: 'linux/arm64', libsql: 'linux-arm64-gnu' },
  'darwin-arm64': { onnx: 'darwin/arm64', libsql: 'darwin-arm64' },
  'win32-x64': { onnx: 'win32/x64', libsql: 'win32-x64-msvc' },
};

const target = `${process.platform}-${process.arch}`;
const native = TARGETS[target];
if (!native) {
  console.error(
    `There is no VSIX for ${target}: ONNX Runtime has no build for it. Supported: ${Object.keys(TARGETS).join(', ')}.`,
  );
  process.exit(1);
}
const binaries = [
  `node_modules/onnxruntime-node/bin/napi-v6/${native.onnx}`,
  `node_modules/@libsql/${native.libsql}`,
];
for (const folder of binaries) {
  if (!existsSync(join(root, folder))) {
    console.error(`${folder} is missing: run npm ci on this machine first.`);
    process.exit(1);
  }
}
const hnsw = 'node_modules/hnswlib-node/build/Release/addon.node';
if (!existsSync(join(root, hnsw))) {
  console.warn('hnswlib-node is not built here: the VSIX will search exactly, which is slower.');
}

execFileSync(process.execPath, ['esbuild.mjs', '--production'], { cwd: root, stdio: 'inherit' });
mkdirSync(join(root, 'out'), { recursive: true });
const ignoreFile = join(root, 'out', 'vscodeignore');
const allowed = [...binaries.map((folder) => `${folder}/**`), hnsw];
writeFileSync(
  ignoreFile,
  `${readFileSync(join(root, '.vscodeignore'), 'utf8')}${allowed.map((path) => `!${path}`).join('\n')}\n`,
);
const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
const packagePath = join(root, 'out', `ratio-${version}-${target}.vsix`);
await createVSIX({
  cwd: root,
  target,
  packagePath,
  ignoreFile,
  allowMissingRepository: true,
  rewriteRelativeLinks: false,
  skipLicense: true,
});
// The development build comes back: tests and the terminal command use dist/.
execFileSync(process.execPath, ['esbuild.mjs'], { cwd: root, stdio: 'inherit' });
const { size } = statSync(packagePath);
console.log(`${packagePath}: ${(size / 1e6).toFixed(1)} MB`);
if (size > LIMIT) {
  console.error(`That is more than ${LIMIT / 1e6} MB.`);
  process.exit(1);
}
