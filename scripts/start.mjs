/**
 * The main job on the example draft: opens VS Code with the extension where `code` is on the PATH,
 * and in any case prints in the terminal what each move finds for a sentence that asks for it.
 */
import { spawn, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const draft = join(root, 'examples', 'draft.tex');
/** How a sentence begins that each move is shown on: a problem, a narrow statement, a vague one. */
const SHOWN = {
  address: 'Assistants built on language models',
  broaden: 'Annotators disagree about which questions',
  specify: 'A model should know',
};
const lines = readFileSync(draft, 'utf8').split('\n');
const placeOf = (move) => `${draft}:${lines.findIndex((text) => text.startsWith(SHOWN[move])) + 1}`;

const windows = process.platform === 'win32';
const code = spawnSync('code', ['--version'], { shell: windows, stdio: 'ignore' });
if (code.status === 0 && !process.env.CI) {
  console.log('Opening VS Code with Ratio and examples/draft.tex…\n');
  const parameters = [
    `--extensionDevelopmentPath=${root}`,
    join(root, 'examples'),
    '--goto',
    placeOf('address'),
  ];
  spawn('code', parameters, { shell: windows, stdio: 'ignore', detached: true }).unref();
} else {
  const why = code.status === 0 ? 'CI is set' : '`code` is not on the PATH';
  console.log(`VS Code is not opened (${why}): here is the same job in the terminal.\n`);
}

for (const move of Object.keys(SHOWN)) {
  const parameters = ['query', '--move', move, '--at', placeOf(move), '--top', '3'];
  const { status } = spawnSync(process.execPath, [join(root, 'dist', 'cli.js'), ...parameters], {
    stdio: 'inherit',
  });
  if (status !== 0) process.exit(status ?? 1);
  console.log();
}
