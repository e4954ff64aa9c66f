/** Answers a move: encode, recall, stages; a snapshot after recall and after every stage. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { z } from 'zod';
import type { Inspiration, inspireRequestSchema, Snapshot } from '../engine';
import type { SentenceEncoder } from '../encoder-kind';
import { errorText, isDamaged, throwIfCancelled, userError } from '../errors';
import type { OpenPool } from '../store/pool';
import type { OpenPools } from '../store/pools';
import { FUSION, type Candidate } from './fuse';
import { depthFor, limitPerPaper, recall, type Query, type Recalled } from './recall';
import type { Stage } from './stage';
import { Stemmer } from './terms';

type Request = z.output<typeof inspireRequestSchema>;

export type InspireOptions = {
  onSnapshot?: ((snapshot: Snapshot) => void) | undefined;
  signal?: AbortSignal | undefined;
};

export class Inspirer {
  private readonly stemmer = new Stemmer();

  constructor(
    private readonly pools: OpenPools,
    private readonly encoder: SentenceEncoder,
    private readonly stages: readonly Stage[],
  ) {}

  async inspire(request: Request, options: InspireOptions): Promise<Snapshot> {
    const started = performance.now();
    const { signal } = options;
    throwIfCancelled(signal);
    const [vector, used] = await Promise.all([
      this.encoder.encodeOne(this.queryText(request)),
      this.pools.use(request.pools),
    ]);
    throwIfCancelled(signal);
    const { notices } = used;
    const query: Query = { ...request, vector };
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
        notices,
        elapsedMs: performance.now() - started,
      };
      options.onSnapshot?.(snapshot);
      return snapshot;
    };

    let { candidates } = found;
    const stages = found.weak ? [] : this.stages;
    send(candidates, false);
    for (const [i, stage] of stages.entries()) {
      await nextTurn();
      throwIfCancelled(signal);
      candidates = await stage.run(candidates, {
        move: request.move,
        text: request.text,
        vector,
        limit: request.limit,
        reader: (name) => readerOf(pools, name),
        signal,
      });
      throwIfCancelled(signal);
      if (i < stages.length - 1) send(candidates, false);
    }
    return send(candidates, true);
  }

  /** What is encoded for a query: an encoder that knows moves is told which one it is. */
  private queryText({ move, text }: Request): string {
    const prefix = this.encoder.prefixes?.query ?? '';
    return `${prefix.replaceAll('{move}', move)}${text}`;
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
          found: recall(query, usable, this.encoder.id, this.stemmer, depth),
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
      recall(query, [pool], this.encoder.id, this.stemmer, depth);
      return true;
    } catch {
      return false;
    }
  }

  close(): void {
    this.stemmer.close();
  }
}

function readerOf(pools: OpenPool[], name: string): OpenPool['reader'] {
  const pool = pools.find((candidate) => candidate.name === name);
  if (!pool) throw new Error(`Pool ${name} is not part of this move`);
  return pool.reader;
}

/** Candidates as a front end gets them, with their neighbours. */
function inspirations(candidates: Candidate[], pools: OpenPool[]): Inspiration[] {
  return candidates.map((candidate, i) => {
    const { sentence, paper, pool, score, why } = candidate;
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
      id: `${pool}/${paper.id}#${sentence.position}`,
      text: sentence.text,
      role: sentence.role,
      before: at(sentence.position - 1),
      after: at(sentence.position + 1),
      paper,
      pool,
      why,
    };
  });
}
