/** The reranker of an engine: loaded once a move asks for it, and what can be said of it. */
import { existsSync } from 'node:fs';
import { RatioError, type EngineStatus } from '../engine';
import { errorText } from '../errors';
import { loadReranker } from '../load-reranker';
import type { Stage } from '../recall/stage';
import { affordablePassages } from './pace';
import type { Reranker } from './reranker';
import { RerankStage } from './stage';

type State =
  | { kind: 'waiting' }
  | { kind: 'absent'; reason: string }
  | { kind: 'loaded'; reranker: Reranker; passages: number; stage: Stage };

/** Time given to the move that asked first, before the reranker is loaded: that holds up a move. */
const DELAY_MS = 300;

export class BackgroundReranker {
  private state: State = { kind: 'waiting' };
  private loading: Promise<void> | null = null;
  private timer: NodeJS.Timeout | null = null;
  private closed = false;
  /** Why the last move was not reranked; null where it was. */
  private failure: string | null = null;

  constructor(
    private readonly modelDir: string,
    private readonly log: (line: string) => void,
    /** Id of the encoder that recalls. */
    private readonly encoder: () => Promise<string>,
    /** Resolves when no move runs. */
    private readonly idle: () => Promise<unknown>,
  ) {
    if (existsSync(modelDir)) return;
    // Nothing is wrong with it, so the log need not tell.
    const reason = `There is no reranker at ${modelDir}: answers keep the order of recall.`;
    this.state = { kind: 'absent', reason };
  }

  private loadSoon(): void {
    this.timer ??= setTimeout(() => {
      void this.idle().then(() => this.load());
    }, DELAY_MS).unref();
  }

  /** Resolves when it is loaded or cannot be; never rejects. */
  load(): Promise<void> {
    if (this.timer) clearTimeout(this.timer);
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
      const passages = await affordablePassages(reranker);
      const stage = this.watched(new RerankStage(reranker, passages));
      this.state = { kind: 'loaded', reranker, passages, stage };
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

  /** The stage, for a move that asks for it; none before it is loaded, which the first such move begins. */
  stages(): Stage[] {
    if (this.state.kind === 'waiting') this.loadSoon();
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
          passages: state.passages,
          reason: this.failure && `The last answer could not be reranked: ${this.failure}`,
        };
    }
  }

  async close(): Promise<void> {
    this.closed = true;
    if (this.timer) clearTimeout(this.timer);
    await this.loading;
    if (this.state.kind === 'loaded') await this.state.reranker.close();
  }
}
