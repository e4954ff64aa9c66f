/** The reranker of an engine: loaded when a move first asks for it, and what can be said of it. */
import { existsSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { RatioError, type EngineStatus } from '../engine';
import { errorText } from '../errors';
import { loadReranker } from '../loadReranker';
import type { Stage } from '../recall/stage';
import { Pace } from './pace';
import type { Reranker } from './reranker';
import { RerankStage } from './stage';

type State =
  | { kind: 'waiting' }
  | { kind: 'absent'; reason: string }
  | { kind: 'loaded'; reranker: Reranker; pace: Pace; stage: Stage };

/** Longest wait of the move that asks first; what takes longer serves the next one. */
const PATIENCE_MS = 4000;

/** Loads the reranker beside the answers and never fails an engine: what is wrong with it stands in the status. */
export class BackgroundReranker {
  private state: State = { kind: 'waiting' };
  private loading: Promise<void> | null = null;
  private closed = false;
  /** Why the last move was not reranked; null where it was. */
  private failure: string | null = null;

  constructor(
    private readonly modelDir: string,
    private readonly log: (line: string) => void,
    /** Id of the encoder that recalls. */
    private readonly encoder: () => Promise<string>,
    private readonly patienceMs = PATIENCE_MS,
  ) {
    if (existsSync(modelDir)) return;
    // Nothing is wrong with it, so the log need not tell.
    const reason = `There is no reranker at ${modelDir}: answers keep the order of recall.`;
    this.state = { kind: 'absent', reason };
  }

  /** Resolves when it is loaded or cannot be; never rejects. */
  load(): Promise<void> {
    this.loading ??= this.start();
    return this.loading;
  }

  private async start(): Promise<void> {
    if (this.closed || this.state.kind === 'absent') return;
    let reranker: Reranker | null = null;
    try {
      reranker = await loadReranker(this.modelDir);
      const { encoder } = reranker.config;
      if (encoder !== null && encoder !== (await this.encoder())) {
        await reranker.close();
        const reason = `The reranker was trained with the encoder ${encoder}, which is not the one in use: answers keep the order of recall.`;
        this.state = { kind: 'absent', reason };
        return;
      }
      const pace = await Pace.of(reranker);
      const stage = this.watched(new RerankStage(reranker, pace));
      this.state = { kind: 'loaded', reranker, pace, stage };
    } catch (error) {
      await reranker?.close();
      this.state = { kind: 'absent', reason: errorText(error) };
      this.log(errorText(error));
    }
  }

  /** A stage whose failures are kept. */
  private watched(stage: Stage): Stage {
    return {
      name: stage.name,
      run: async (candidates, context) => {
        try {
          const ranked = await stage.run(candidates, context);
          this.failure = null;
          return ranked;
        } catch (error) {
          if (!(error instanceof RatioError && error.code === 'cancelled')) {
            this.failure = errorText(error);
            this.log(`A move was not reranked: ${this.failure}`);
          }
          throw error;
        }
      },
    };
  }

  /**
   * The stage, for a move whose first results are out; none where there is no reranker. The first such
   * move loads it, and waits for that a few seconds at most.
   */
  async stages(): Promise<Stage[]> {
    if (this.state.kind === 'waiting') {
      const patience = new AbortController();
      const waited = sleep(this.patienceMs, null, { signal: patience.signal, ref: false });
      await Promise.race([this.load(), waited.catch(() => undefined)]);
      patience.abort();
    }
    return this.state.kind === 'loaded' ? [this.state.stage] : [];
  }

  get status(): NonNullable<EngineStatus['reranker']> {
    const { state } = this;
    switch (state.kind) {
      case 'waiting':
        return {
          loaded: false,
          passages: 0,
          reason: 'It is loaded when a move first asks for it.',
        };
      case 'absent':
        return { loaded: false, passages: 0, reason: state.reason };
      case 'loaded':
        return {
          loaded: true,
          passages: state.pace.passages,
          reason: this.failure
            ? `The last answer could not be reranked: ${this.failure}`
            : state.reranker.ordered
              ? null
              : `order.json is missing in ${this.modelDir}: sentences are ordered by the global score. Install Ratio again.`,
        };
    }
  }

  async close(): Promise<void> {
    this.closed = true;
    await this.loading;
    if (this.state.kind === 'loaded') await this.state.reranker.close();
  }
}
