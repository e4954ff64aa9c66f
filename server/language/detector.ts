/**
 * Which sentences state a problem, by the engine's head joined with cues, or by cues alone where
 * there is no head or no engine. Probabilities are kept by sentence, so that a draft that is being
 * written costs what changed.
 */
import type { Engine } from '../engine/engine';
import { errorText, throwIfCancelled } from '../engine/errors';
import { THRESHOLD } from './problemCues';
import { problemScore, statesProblem } from './problems';

/** Sentences whose probability is kept. */
const KEPT = 10_000;
/** Sentences asked for in one call: what a cancelled request has is kept this often. */
const CHUNK = 64;

export type Detected = {
  /** Probability, 0 to 1, of each text. */
  probabilities: number[];
  /** Probability from which a sentence counts as a problem statement. */
  threshold: number;
  /** False where cues alone decided, … */
  learned: boolean;
  /** … and why, where that is not as it should be. */
  problem: string | null;
};

export type ProblemEngine = Pick<Engine, 'problems'> & {
  /** Whether it answers without being started first. */
  readonly ready: boolean;
};

/** Tells which sentences state a problem, and keeps the last {@link KEPT} probabilities. */
export class ProblemDetector {
  private readonly known = new Map<string, number>();
  private threshold = 1;
  private headless = false;
  /** Raised by {@link clear}: answers that were asked for before are not kept. */
  private generation = 0;

  constructor(private readonly engine: ProblemEngine) {}

  /** Forgets everything: another encoder may answer now. */
  clear(): void {
    this.generation++;
    this.known.clear();
    this.headless = false;
  }

  /**
   * Scores plain sentences; starts the engine where it is at rest. Rejects only when the signal
   * aborts, otherwise cues stand in for an engine that fails.
   */
  async detect(texts: readonly string[], signal?: AbortSignal): Promise<Detected> {
    try {
      const found = new Map<string, number>();
      for (const text of texts) {
        const probability = this.known.get(text);
        if (probability !== undefined) found.set(text, probability);
      }
      const missing = [...new Set(texts.filter((text) => !found.has(text)))];
      for (let at = 0; at < missing.length && !this.headless; at += CHUNK) {
        const chunk = missing.slice(at, at + CHUNK);
        const probabilities = await this.ask(chunk, signal);
        chunk.forEach((text, i) => found.set(text, probabilities?.[i] ?? 0));
      }
      if (!this.headless) {
        const probabilities = texts.map((text) => found.get(text) ?? 0);
        return { probabilities, threshold: this.threshold, learned: true, problem: null };
      }
    } catch (error) {
      if (signal?.aborted) throw error;
      return { ...byCues(texts), problem: errorText(error) };
    }
    return byCues(texts);
  }

  /** Whether one sentence states a problem. Never starts an engine for that. */
  async states(text: string, signal?: AbortSignal): Promise<boolean> {
    if (!this.known.has(text) && (this.headless || !this.engine.ready)) return statesProblem(text);
    const { probabilities, threshold } = await this.detect([text], signal);
    return (probabilities[0] ?? 0) >= threshold;
  }

  private async ask(texts: string[], signal?: AbortSignal): Promise<number[] | null> {
    const { generation } = this;
    const answer = await this.engine.problems(texts, signal ? { signal } : {});
    throwIfCancelled(signal);
    if (!answer) {
      if (generation === this.generation) this.headless = true;
      else throw new Error('The encoder was changed meanwhile.');
      return null;
    }
    if (generation === this.generation) {
      this.threshold = answer.threshold;
      texts.forEach((text, i) => this.keep(text, answer.probabilities[i] ?? 0));
    }
    return answer.probabilities;
  }

  private keep(text: string, probability: number): void {
    this.known.set(text, probability);
    const oldest = this.known.keys().next().value;
    if (this.known.size > KEPT && oldest !== undefined) this.known.delete(oldest);
  }
}

function byCues(texts: readonly string[]): Detected {
  return {
    probabilities: texts.map(problemScore),
    threshold: THRESHOLD,
    learned: false,
    problem: null,
  };
}
