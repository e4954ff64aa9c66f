/** Loads the encoder that ships, or says why it cannot be. */
import { DEVICES, isDevice } from './devices';
import { RatioError } from './engine';
import type { SentenceEncoder } from './encoderKind';
import { errorText } from './errors';

/** Rejects with `model-missing`, `model-broken`, or `bad-input` for an unknown device. */
export async function loadEncoder({
  modelDir,
  device,
}: {
  modelDir: string;
  device: string;
}): Promise<SentenceEncoder> {
  let module: typeof import('./encoder/encoder');
  try {
    // Loaded when needed: its native library is large, and there is none for some platforms.
    // eslint-disable-next-line @typescript-eslint/no-require-imports
    module = require('./encoder/encoder') as typeof import('./encoder/encoder');
  } catch (error) {
    throw new RatioError(
      'model-broken',
      `ONNX Runtime could not be loaded on ${process.platform}-${process.arch} (${errorText(error).split('\n')[0] ?? ''}). ` +
        'It has no build for Intel Macs and for Linux with musl (Alpine): there, open the draft in a ' +
        'remote window (SSH, WSL, a container) on a supported machine. Elsewhere, install Ratio again.',
    );
  }
  const { Encoder } = module;
  if (!isDevice(device)) {
    throw new RatioError(
      'bad-input',
      `“${device}” is not a device: use ${DEVICES.slice(0, -1).join(', ')} or ${DEVICES.at(-1)}.`,
    );
  }
  return Encoder.create({ modelDir, device });
}
