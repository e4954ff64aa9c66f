/** Answers a move: encode, recall, stages; a snapshot after recall and after every stage. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { z } from 'zod';
import type { Inspiration, inspireRequestSchema, Snapshot } from '../engine';
import type { SentenceEncoder } from '../encoderKind';
import { knowsMoves, plainText, queryText } from '../encoder/prompts';
import { embeddedText, vectorKind } from '../encoder/textForm';
import { abortable, errorText, isDamaged, throwIfCancelled, userError } from '../errors';
import type { OpenPool } from '../store/pool';
import type { OpenPools, UsedPools } from '../store/pools';
import type { Query } from './candidates';
import type { QueryVectors } from './context';
import { FUSION, type Candidate } from './fuse';
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
   * Every snapshot goes to `onSnapshot`, the last one is also returned. Rejects with `cancelled`, with `no-pool`
   * where no pool can be asked, with `pool-damaged` where all that can be are damaged.
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
    let { pools } = used;
    let found: Recalled | null = null;
    for (let depth = depthFor(request.limit); ; depth *= 3) {
      ({ found, pools } = this.recall(query, pools, depth, notices));
      const enough = limitPerPaper(found.candidates, request.perPaper).length > request.limit;
      if (enough || found.weak || found.exhausted || depth >= FUSION.maxCandidates) break;
      await nextTurn();
      throwIfCancelled(signal);
    }
    for (const pool of pools) {
      if (pool.foreign) {
        notices.push(
          `Pool “${pool.name}” was encoded by another encoder: until it is encoded again only its ` +
            'words are searched.',
        );
      }
    }

    let sequence = 0;
    let reranked = false;
    const send = (candidates: Candidate[], final: boolean): Snapshot => {
      const limited = limitPerPaper(candidates, request.perPaper);
      const snapshot: Snapshot = {
        sequence: sequence++,
        final,
        inspirations: inspirations(limited.slice(0, request.limit), pools),
        weak: found.weak,
        more: limited.length > request.limit,
        pools: pools.map((pool) => pool.name),
        device: this.encoder.device.active,
        reranked,
        notices: [...notices],
        elapsedMs: performance.now() - started,
      };
      options.onSnapshot?.(snapshot);
      return snapshot;
    };

    const { move, text, exclude } = request;
    const context: StageContext = {
      ...{ move, text, exclude, vector, plain, signal },
      encoder: this.vectors,
      reader: (name) => readerOf(pools, name),
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
      try {
        candidates = await stage.run(candidates, context);
        reranked = true;
      } catch (error) {
        throwIfCancelled(signal);
        notices.push(`The order could not be refined and is that of recall. ${errorText(error)}`);
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

  /** Recall; a pool whose database turns out to be damaged is left out with a notice. */
  private recall(
    query: Query,
    pools: OpenPool[],
    depth: number,
    notices: string[],
  ): { found: Recalled; pools: OpenPool[] } {
    for (let usable = pools; ;) {
      try {
        return {
          found: recall(query, usable, this.vectors, this.stemmer, depth),
          pools: usable,
        };
      } catch (error) {
        if (!isDamaged(error)) throw error;
        const broken = usable.filter((pool) => !this.reads(pool, query, depth));
        if (broken.length === 0 || broken.length === usable.length) {
          throw userError(error, 'a move', broken[0]?.folder ?? this.pools.home);
        }
        for (const pool of broken) {
          const shown = userError(error, 'a move', pool.folder);
          notices.push(`Pool “${pool.name}” was left out. ${errorText(shown)}`);
          this.pools.release(pool.name);
        }
        usable = usable.filter((pool) => !broken.includes(pool));
      }
    }
  }

  private reads(pool: OpenPool, query: Query, depth: number): boolean {
    try {
      recall(query, [pool], this.vectors, this.stemmer, depth);
      return true;
    } catch {
      return false;
    }
  }

  close(): void {
    this.stemmer.close();
  }
}

function inspirationId({
  pool,
  paper,
  sentence,
}: Pick<Candidate, 'pool' | 'paper' | 'sentence'>): string {
  return `${pool}/${paper.id}#${sentence.position}`;
}

function readerOf(pools: OpenPool[], name: string): OpenPool['reader'] {
  const pool = pools.find((candidate) => candidate.name === name);
  if (!pool) throw new Error(`Pool ${name} is not part of this move`);
  return pool.reader;
}

/** Candidates as a front end gets them, with their neighbours. */
function inspirations(candidates: Candidate[], pools: OpenPool[]): Inspiration[] {
  // Others are not read: they may be gone by now.
  const shown = new Set(candidates.map(({ pool }) => pool));
  const contexts = new Map(
    pools
      .filter(({ name }) => shown.has(name))
      .map(({ name, reader }) => [
        name,
        reader.sentences(
          candidates.flatMap(({ pool, context }) => (context && pool === name ? [context.id] : [])),
        ),
      ]),
  );
  return candidates.map((candidate, i) => {
    const { sentence, paper, pool, score, why, context, relatives } = candidate;
    const stated = context && contexts.get(pool)?.get(context.id);
    const passage = readerOf(pools, pool).passage(
      sentence.paper,
      sentence.position - 1,
      sentence.position + 1,
    );
    const at = (position: number): string | null =>
      passage.find((neighbour) => neighbour.position === position)?.text ?? null;
    return {
      rank: i + 1,
      score,
      id: inspirationId(candidate),
      text: sentence.text,
      role: sentence.role,
      before: at(sentence.position - 1),
      after: at(sentence.position + 1),
      paper,
      pool,
      why: {
        ...why,
        context: stated ? { cosine: context.cosine, text: stated.text } : null,
      },
      ...(relatives && {
        relatives: relatives.map((relative) => ({
          id: inspirationId(relative),
          text: relative.sentence.text,
          paper: relative.paper,
          pool: relative.pool,
          cosine: relative.cosine,
        })),
      }),
    };
  });
}
