/**
 * The main job on the example draft: opens VS Code with the extension where `code` is on the PATH,
 * and in any case prints the three moves' inspirations for one sentence in the terminal.
 */
import { spawn, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const draft = join(root, 'examples', 'draft.tex');
const BEGINNING = 'Annotators disagree about which questions';
const line = readFileSync(draft, 'utf8')
  .split('\n')
  .findIndex((text) => text.startsWith(BEGINNING));

const windows = process.platform === 'win32';
const code = spawnSync('code', ['--version'], { shell: windows, stdio: 'ignore' });
if (code.status === 0 && !process.env.CI) {
  console.log('Opening VS Code with Ratio and examples/draft.tex…\n');
  const parameters = [
    `--extensionDevelopmentPath=${root}`,
    join(root, 'examples'),
    '--goto',
    `${draft}:${line + 1}`,
  ];
  spawn('code', parameters, { shell: windows, stdio: 'ignore', detached: true }).unref();
} else {
  const why = code.status === 0 ? 'CI is set' : '`code` is not on the PATH';
  console.log(`VS Code is not opened (${why}): here is the same job in the terminal.\n`);
}

for (const move of ['address', 'broaden', 'specify']) {
  const parameters = ['query', '--move', move, '--at', `${draft}:${line + 1}`, '--top', '3'];
  const { status } = spawnSync(process.execPath, [join(root, 'dist', 'cli.js'), ...parameters], {
    stdio: 'inherit',
  });
  if (status !== 0) process.exit(status ?? 1);
  console.log();
}
