/**
 * Starts an engine that times devices at once and, when the timing runs, ends the process or closes
 * the engine: a test's child. Arguments: data folder, file that the timing program makes, how.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { createEngine } from '../../../server/engine/local';
import { packageRoot } from '../../../server/paths';

async function main(): Promise<void> {
  const [home = '', started = '', how] = process.argv.slice(-3);
  const engine = await createEngine({
    home,
    modelDir: join(packageRoot(), 'models', 'encoder'),
    device: 'auto',
    importers: [],
    upkeep: 'none',
    lazy: true,
  });
  await engine.status();
  while (!existsSync(started)) await new Promise((resolve) => setTimeout(resolve, 20));
  if (how === 'exit') process.exit(0);
  await engine.close();
}

main().catch((error: unknown) => {
  console.error(error);
  process.exit(1);
});
