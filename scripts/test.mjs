/**
 * Runs every test: unit, integration, the panel in a browser, and the extension in a real VS Code.
 * Ends with one line, `N passed, N failed, N skipped`; passes at a second try are told in a line
 * before it. With CI set, a skip is a failure.
 */
import { spawn } from 'node:child_process';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const tsx = join(root, 'node_modules', 'tsx', 'dist', 'cli.mjs');
const mocha = join(root, 'node_modules', 'mocha', 'bin', 'mocha.js');

const suites = [
  {
    name: 'unit and panel',
    parameters: [
      mocha,
      '--require',
      'tsx/cjs',
      'test/unit/**/*.test.ts',
      'test/panel/**/*.test.ts',
    ],
  },
  {
    name: 'integration',
    parameters: [
      mocha,
      '--require',
      'tsx/cjs',
      '--timeout',
      '120000',
      'test/integration/**/*.test.ts',
    ],
  },
  { name: 'real VS Code', parameters: [tsx, 'test/vscode/run.ts'] },
];

/** Runs one suite, passing its output on; resolves with its counts. */
function run({ name, parameters }) {
  return new Promise((resolve) => {
    console.log(`\n== ${name}`);
    const child = spawn(process.execPath, parameters, {
      cwd: root,
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    let output = '';
    child.stdout.on('data', (chunk) => {
      process.stdout.write(chunk);
      output += chunk;
    });
    child.on('close', (code) => {
      const count = (pattern) =>
        [...output.matchAll(pattern)].reduce((sum, match) => sum + Number(match[1]), 0);
      const summary =
        /^vscode: (\d+) passed(?: \((\d+) at the second try\))?, (\d+) failed, (\d+) skipped/m.exec(
          output,
        );
      const [passed, again, failed, skipped] = summary
        ? summary.slice(1).map((number) => Number(number ?? 0))
        : [
            count(/^\s*(\d+) passing/gm),
            0,
            count(/^\s*(\d+) failing/gm),
            count(/^\s*(\d+) pending/gm),
          ];
      const counts = { passed, again, failed, skipped };
      // A suite that ended badly without counting a failure failed as a whole.
      if (code !== 0 && counts.failed === 0) counts.failed = 1;
      resolve(counts);
    });
  });
}

const total = { passed: 0, again: 0, failed: 0, skipped: 0 };
for (const suite of suites) {
  const counts = await run(suite);
  for (const key of Object.keys(total)) total[key] += counts[key];
}
if (process.env.CI && total.skipped > 0) {
  console.log(`\n${total.skipped} tests were skipped; in CI every test must run.`);
  total.failed += total.skipped;
  total.skipped = 0;
}
if (total.again > 0) console.log(`\n${total.again} of them passed at the second try only`);
console.log(`\n${total.passed} passed, ${total.failed} failed, ${total.skipped} skipped`);
process.exit(total.failed > 0 ? 1 : 0);
