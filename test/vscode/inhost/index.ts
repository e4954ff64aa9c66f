/**
 * Entry that VS Code loads in the extension host to run the suites beside it. Results go, as JSON
 * lines, to the file that `RATIO_TEST_RESULTS` names; the terminal's side reads it.
 */
import { appendFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import Mocha from 'mocha';
import { collect } from '../host/results';

/** Resolves when all tests passed, rejects otherwise: VS Code turns that into its exit code. */
export async function run(): Promise<void> {
  const file = process.env['RATIO_TEST_RESULTS'];
  if (!file) throw new Error('RATIO_TEST_RESULTS names no file');
  const write = (record: object) => appendFileSync(file, JSON.stringify(record) + '\n');

  const grep = process.env['RATIO_TEST_GREP'];
  const mocha = new Mocha({
    ui: 'bdd',
    timeout: 30_000,
    // It prints nothing: results are written below.
    reporter: Mocha.reporters.Base,
    ...(grep ? { grep } : {}),
  });
  for (const name of readdirSync(__dirname)) {
    if (name.endsWith('.test.js')) mocha.addFile(join(__dirname, name));
  }
  const failures = await new Promise<number>((resolve) => {
    collect(mocha.run(resolve), 'inhost', write);
  });
  write({ end: true });
  if (failures > 0) throw new Error(`${failures} failed`);
}
