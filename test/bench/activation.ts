/** How long the editor waits for the extension: load and activate, in fresh processes. */
import { build } from 'esbuild';
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { packageRoot } from '../../server/paths';
import { benchFolder } from './stage';
import { quantile } from './statistics';

/** Medians over the runs, milliseconds. */
export type ActivationReport = {
  runs: number;
  load: number;
  activate: number;
  total: number;
  /** Processor time of all threads, which other work on the machine does not change. */
  processor: number;
};

type Run = { load: number; activate: number; processor: number; commands: number };

/** Runs in plain Node with a stand-in for the editor's API: its own cost is not counted. */
export async function benchActivation(stage: string, runs: number): Promise<ActivationReport> {
  const program = join(benchFolder(), 'activationChild.js');
  await build({
    entryPoints: [join(packageRoot(), 'test', 'bench', 'activationChild.ts')],
    outfile: program,
    bundle: true,
    platform: 'node',
    format: 'cjs',
    logLevel: 'error',
  });
  const measured = Array.from({ length: runs }, () => {
    const line = execFileSync(process.execPath, [program, stage], { encoding: 'utf8' });
    return JSON.parse(line) as Run;
  });
  if (measured.some(({ commands }) => commands === 0)) {
    throw new Error('The extension registered no command: it was not activated.');
  }
  const median = (value: (run: Run) => number): number => quantile(measured.map(value), 0.5);
  return {
    runs,
    load: median(({ load }) => load),
    activate: median(({ activate }) => activate),
    total: median(({ load, activate }) => load + activate),
    processor: median(({ processor }) => processor),
  };
}
