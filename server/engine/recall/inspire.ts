/** Answers a move: encode, recall, stages; a snapshot after recall and after every stage. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { z } from 'zod';
import { RatioError, type inspireRequestSchema, type Snapshot } from '../engine';
import type { SentenceEncoder } from '../encoderKind';
import { knowsMoves, plainText, queryText } from '../encoder/prompts';
import { embeddedText, vectorKind } from '../encoder/textForm';
import { abortable, errorText, throwIfCancelled, userError } from '../errors';
import type { OpenPool } from '../store/pool';
import type { OpenPools, UsedPools } from '../store/pools';
import type { Query } from './candidates';
import type { QueryVectors } from './context';
import { FUSION, type Candidate } from './fuse';
import { inspirations } from './inspirations';
import { MovePools } from './movePools';
import { depthFor, limitPerPaper, recall, type Recalled } from './recall';
import type { Stage, StageContext } from './stage';
import { Stemmer } from './terms';

type Request = z.output<typeof inspireRequestSchema>;

export type InspireOptions = {
  onSnapshot?: ((snapshot: Snapshot) => void) | undefined;
  signal?: AbortSignal | undefined;
};

/**
 * Answers moves from open pools with one encoder. A stage that fails costs no answer: the order is recall's then,
 * and a notice says why.
 */
export class Inspirer {
  private readonly stemmer = new Stemmer();
  /** Id that the vectors which the query's can be compared with are stored under. */
  private readonly vectors: string;

  constructor(
    private readonly pools: OpenPools,
    private readonly encoder: SentenceEncoder,
    /** Asked at every move, once its first results are out: a stage may have to be loaded. */
    private readonly stages: () => Promise<readonly Stage[]>,
  ) {
    this.vectors = vectorKind(encoder).id;
  }

  /**
   * Every snapshot goes to `onSnapshot`, the last one is also returned. A pool that cannot be read is left out, with a
   * notice. Rejects with `cancelled`, with `no-pool` where no pool can be opened, with the last one's fault
   * (`pool-damaged`, `disk`, `pool-busy`) where none of those opened can be read, and as the encoder does.
   */
  async inspire(request: Request, options: InspireOptions): Promise<Snapshot> {
    const started = performance.now();
    throwIfCancelled(options.signal);
    const encoding = this.encode(request);
    // Awaited below; until then a failure is no one's.
    encoding.catch(() => undefined);
    const used = await this.pools.use(request.pools);
    try {
      return await this.answer(request, await encoding, used, started, options);
    } finally {
      used.release();
    }
  }

  private async answer(
    request: Request,
    { vector, plain }: QueryVectors,
    used: UsedPools,
    started: number,
    options: InspireOptions,
  ): Promise<Snapshot> {
    const { signal } = options;
    throwIfCancelled(signal);
    const { notices } = used;
    const query: Query = { ...request, vector, plain };
    const pools = new MovePools(used.pools, notices, ({ name }) => this.pools.release(name));
    let found: Recalled | null = null;
    for (let depth = depthFor(request.limit); ; depth *= 3) {
      found = this.recall(query, pools, depth);
      const enough = limitPerPaper(found.candidates, request.perPaper).length > request.limit;
      if (enough || found.weak || found.exhausted || depth >= FUSION.maxCandidates) break;
      await nextTurn();
      throwIfCancelled(signal);
    }
    for (const pool of pools.usable) {
      if (pools.read(pool, () => pool.foreign)) {
        notices.push(
          `Pool “${pool.name}” was encoded by another encoder: until it is encoded again only its ` +
            'words are searched.',
        );
      }
    }

    let sequence = 0;
    let reranked = false;
    const send = (candidates: Candidate[], final: boolean): Snapshot => {
      const { perPaper, limit } = request;
      let limited: Candidate[];
      let shown: Snapshot['inspirations'] | null;
      do {
        // Anew where a pool has been left out meanwhile.
        limited = limitPerPaper(
          candidates.filter(({ pool }) => pools.has(pool)),
          perPaper,
        );
        shown = inspirations(limited.slice(0, limit), pools);
      } while (shown === null);
      const snapshot: Snapshot = {
        sequence: sequence++,
        final,
        inspirations: shown,
        weak: found.weak,
        more: limited.length > limit,
        pools: pools.usable.map((pool) => pool.name),
        device: this.encoder.device.active,
        reranked,
        notices: [...notices],
        elapsedMs: performance.now() - started,
      };
      options.onSnapshot?.(snapshot);
      return snapshot;
    };

    const { move, text, exclude } = request;
    // Whose database a stage reads: what goes wrong there is of the last one.
    let read = this.pools.home;
    const context: StageContext = {
      ...{ move, text, exclude, vector, plain, signal },
      encoder: this.vectors,
      reader: (name) => {
        const pool = pools.find(name);
        read = pool.folder;
        return pool.reader;
      },
      notice: (said) => notices.push(said),
    };
    let { candidates } = found;
    send(candidates, false);
    const wanted = request.rerank !== false && candidates.length > 0;
    // A reranker that is being loaded for the first time holds no cancelled move; it goes on loading.
    const stages = wanted ? await abortable(this.stages(), signal) : [];
    throwIfCancelled(signal);
    for (const [i, stage] of stages.entries()) {
      await nextTurn();
      throwIfCancelled(signal);
      candidates = candidates.filter(({ pool }) => pools.has(pool));
      try {
        candidates = await stage.run(candidates, context);
        reranked = true;
      } catch (error) {
        throwIfCancelled(signal);
        const shown = errorText(userError(error, 'refining the order', read));
        notices.push(`The order could not be refined and is that of recall. ${shown}`);
        break;
      }
      throwIfCancelled(signal);
      if (i < stages.length - 1) send(candidates, false);
    }
    return send(candidates, true);
  }

  /** The query as its move's question and as a plain sentence: the same to an encoder without moves. */
  private async encode({ move, text }: Request): Promise<QueryVectors> {
    const { prompts } = this.encoder;
    const form = embeddedText(text);
    const vector = await this.encoder.encodeOne(prompts ? queryText(prompts, move, form) : form);
    if (!prompts || !knowsMoves(prompts)) return { vector, plain: vector };
    return { vector, plain: await this.encoder.encodeOne(plainText(prompts, move, form)) };
  }

  /** Recall; where that fails for a pool, it is found out which, and the others are asked. */
  private recall(query: Query, pools: MovePools, depth: number): Recalled {
    const from = (asked: readonly OpenPool[]): Recalled =>
      recall(query, [...asked], this.vectors, this.stemmer, depth);
    for (;;) {
      const asked = pools.usable;
      try {
        return from(asked);
      } catch (error) {
        const shown = userError(error, 'a move', this.pools.home);
        if (!(shown instanceof RatioError)) throw error;
        for (const pool of asked) pools.read(pool, () => from([pool]));
        // One by one they are read.
        if (pools.usable.length === asked.length) throw shown;
      }
    }
  }

  close(): void {
    this.stemmer.close();
  }
}
