/** Installs and builds what is missing or out of date. Runs on a bare Node, before anything is installed. */
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const SOURCES = ['client', 'server', 'package.json', 'esbuild.mjs', 'tsconfig.json'];
const windows = process.platform === 'win32';

const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
if (major < 20 || (major === 20 && minor < 19)) {
  console.error(`Ratio needs Node 20.19 or later; this is ${process.versions.node}.`);
  process.exit(1);
}

/** Time of the newest file in a file or folder, in milliseconds. */
function newest(path) {
  if (!existsSync(path)) return 0;
  const stat = statSync(path);
  if (!stat.isDirectory()) return stat.mtimeMs;
  return Math.max(0, ...readdirSync(path).map((name) => newest(join(path, name))));
}

function run(command, parameters) {
  execFileSync(command, parameters, { cwd: root, stdio: 'inherit', shell: windows });
}

const installed = join(root, 'node_modules', '.package-lock.json');
if (newest(installed) < newest(join(root, 'package-lock.json')) - 2000 || !existsSync(installed)) {
  console.log('Installing packages (npm ci)…');
  run('npm', ['ci', '--no-audit', '--no-fund']);
}
const built = Math.min(
  ...['extension.js', 'ratio.js', 'server.js', 'engine.js', 'cli.js', 'panel.js'].map((name) =>
    newest(join(root, 'dist', name)),
  ),
);
if (built < Math.max(...SOURCES.map((name) => newest(join(root, name))))) {
  console.log('Building…');
  run(process.execPath, ['esbuild.mjs']);
}
