/** The encoder of an engine: loaded when it is first asked for, moved to a GPU once one has proved faster. */
import type { SentenceEncoder } from '../encoderKind';
import { errorText } from '../errors';
import { prepareTextForm } from './textForm';

/** Time given to the first answers before GPUs are timed. */
const PROBE_DELAY_MS = 3000;

export type LazyEncoderOptions = {
  load: () => Promise<SentenceEncoder>;
  /** Where the verdict on this machine's GPUs is kept. */
  verdictFile: string;
  /** Looks for a GPU at once, for what is long anyway. */
  probeAtOnce: boolean;
  log: (line: string) => void;
  /** Ends the timing of GPUs. */
  signal: AbortSignal;
};

/** Loads one encoder for all who ask; what failed is tried again at the next call. */
export class LazyEncoder {
  private made: Promise<SentenceEncoder> | null = null;

  constructor(private readonly options: LazyEncoderOptions) {}

  /** Rejects with what `load` does: `model-missing`, `model-broken` or `bad-input`. */
  readonly get = (): Promise<SentenceEncoder> => {
    if (!this.made) {
      const made = this.options.load();
      // While its files are read.
      prepareTextForm();
      this.made = made;
      made.then(
        (encoder) => {
          if (encoder.heads?.reason) this.options.log(encoder.heads.reason);
          this.probeSoon(encoder);
        },
        // A failure is not kept: the model may be there at the next call.
        () => (this.made = null),
      );
    }
    return this.made;
  };

  private probeSoon(encoder: SentenceEncoder): void {
    if (!encoder.probeDevice) return;
    const { verdictFile, probeAtOnce, signal, log } = this.options;
    const probe = (): void => {
      if (signal.aborted) return;
      encoder
        .probeDevice?.({ cacheFile: verdictFile, signal })
        .catch((error: unknown) => log(`No device was timed: ${errorText(error)}`));
    };
    if (probeAtOnce) probe();
    else setTimeout(probe, PROBE_DELAY_MS).unref();
  }

  /** Closes what was loaded or still loads; never rejects for a load that failed. */
  async close(): Promise<void> {
    const encoder = await this.made?.catch(() => null);
    await encoder?.close();
  }
}
