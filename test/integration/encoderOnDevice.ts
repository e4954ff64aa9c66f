/** Encodes the texts of its last argument on a device and prints the vectors: a test's child. */
import { join } from 'node:path';
import { isDevice } from '../../server/engine/devices';
import { Encoder } from '../../server/engine/encoder/encoder';
import { packageRoot } from '../../server/paths';

async function main(): Promise<void> {
  const [device, texts] = process.argv.slice(-2);
  if (!device || !isDevice(device) || !texts) throw new Error('expected a device and texts');
  const encoder = await Encoder.create({
    modelDir: join(packageRoot(), 'models', 'encoder'),
    device,
  });
  const before = encoder.device;
  const vectors = await encoder.encode(JSON.parse(texts) as string[]);
  const output = { before, after: encoder.device, vectors: vectors.map((v) => Array.from(v)) };
  process.stdout.write(`${JSON.stringify(output)}\n`, () => process.exit(0));
}

main().catch((error: unknown) => {
  console.error(error);
  process.exit(1);
});
