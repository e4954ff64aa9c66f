/** Scores sentences by the problem head, a few at a time, so that moves are not kept waiting. */
import type { ProblemScores } from './engine';
import type { SentenceEncoder } from './encoderKind';
import { embeddedText } from './encoder/textForm';
import { throwIfCancelled } from './errors';

/** Sentences encoded in one go: some 30 ms of one core. */
const CHUNK = 8;

/**
 * Probabilities that the texts state a problem; null where the encoder has no head. Waits for
 * `turn` before every chunk. Rejects with `cancelled` when the signal aborts.
 */
export async function scoreProblems(
  encoder: SentenceEncoder,
  texts: readonly string[],
  { signal, turn }: { signal: AbortSignal; turn: () => Promise<void> },
): Promise<ProblemScores | null> {
  const heads = encoder.heads?.heads ?? null;
  if (!heads) return null;
  const prefix = encoder.prompts?.documentPrefix ?? '';
  const probabilities: number[] = [];
  for (let start = 0; start < texts.length; start += CHUNK) {
    await turn();
    throwIfCancelled(signal);
    const chunk = texts.slice(start, start + CHUNK);
    const vectors = await encoder.encode(
      chunk.map((text) => prefix + embeddedText(text)),
      { signal, batchSize: CHUNK },
    );
    chunk.forEach((text, i) => {
      const vector = vectors[i];
      probabilities.push(vector ? heads.problem(text, vector) : 0);
    });
  }
  throwIfCancelled(signal);
  return { probabilities, threshold: heads.problemThreshold };
}
