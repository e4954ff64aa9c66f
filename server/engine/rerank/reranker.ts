/**
 * LoG-Reranker (local to global): every sentence of every passage of a query is scored, first within
 * its passage, read together with the query (equations 1 to 6), then in the graph of the sentences of
 * all passages (equations 7 to 16). Two ONNX models; what stands between them is in this folder.
 */
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { RatioError, type Move } from '../engine';
import { defaultThreads } from '../encoder/session';
import { throwIfCancelled } from '../errors';
import { FEATURES, featureRows } from './features';
import { GLOBAL, scoreGlobally } from './globalModel';
import { sentenceGraph, type SentenceGraph } from './graph';
import { jointInput, type JointInput } from './joint';
import { LOCAL, ROLE_COUNT, scoreLocally } from './localModel';
import { readConfig, readModel, rerankerFiles, type RerankerConfig } from './modelFiles';
import { Order, TOLD, wordCount, type Told } from './order';
import { ModelSession, type RunModel } from './session';
import { WordPieces } from './wordPieces';

export type RerankInput = {
  /** In the form in which sentences are embedded (`encoder/textForm.ts`), without a prefix. */
  query: string;
  move: Move | 'none';
  /**
   * Windows of `passages.ts`; sentences in the form in which they are embedded, with the retriever's
   * features of each (`features.ts`) and its cosine with the plain query.
   */
  passages: { sentences: string[]; cosine: number[]; before: number[]; plain: number[] }[];
};

/** A sentence as its place in the input: number of the passage, number of the sentence in it. */
export type Place = { passage: number; sentence: number };

export type RerankedSentence = Place & {
  /**
   * What `order.ts` makes of all that is known; without an order for the move, the logit of the global
   * score (equation 15) and the config's blend of the features; the local logit where only that was asked for.
   */
  score: number;
  /** Logit of the local score (equation 5). */
  local: number;
  /** Probabilities of background, method and result (equation 3). */
  roles: [number, number, number];
  /**
   * Sentences of other passages that the graph links with it, most similar first; none where only
   * the local score was asked for. A structured context unit shows two of them (`units.ts`).
   */
  relatives: (Place & { cosine: number })[];
  /** What an order is fitted on: in order of `TOLD`, and the vector. Only where it was asked for. */
  known?: { told: number[]; hidden: Float32Array };
};

/** Passages whose words are cut before the event loop turns. */
const TOKENISED_A_TURN = 8;

function sigmoid(logit: number): number {
  return 1 / (1 + Math.exp(-logit));
}

export type ScoreOptions = {
  stage?: 'local' | 'log';
  /** Whether to tell what an order is fitted on. */
  describe?: boolean;
  signal?: AbortSignal | undefined;
};

/** The loaded models of one folder, on the CPU. */
export class Reranker {
  #closed = false;

  private constructor(
    readonly config: RerankerConfig,
    private readonly pieces: WordPieces,
    private readonly local: ModelSession,
    private readonly global: ModelSession,
    private readonly order: Order | null,
  ) {}

  /**
   * Loads the models of a folder and tries them. Rejects with `model-missing` or `model-broken`.
   * `threads`: of one run; default: {@link defaultThreads}.
   */
  static async load(modelDir: string, { threads }: { threads?: number } = {}): Promise<Reranker> {
    const count = threads ?? defaultThreads();
    const config = await readConfig(modelDir);
    const order = await Order.load(modelDir, config);
    const files = await rerankerFiles.tokenizer(modelDir);
    let pieces: WordPieces;
    try {
      pieces = new WordPieces(...files);
    } catch (error) {
      throw rerankerFiles.error(join(modelDir, 'tokenizer.json'), error);
    }
    const session = async (
      name: keyof RerankerConfig['files'],
      names: typeof LOCAL | typeof GLOBAL,
    ): Promise<ModelSession> =>
      ModelSession.load(
        join(modelDir, name),
        await readModel(modelDir, config, name),
        count,
        names,
      );
    const local = await session('local.onnx', LOCAL);
    let global: ModelSession | null = null;
    try {
      global = await session('global.onnx', GLOBAL);
      const reranker = new Reranker(config, pieces, local, global, order);
      await reranker.score(TRIAL);
      return reranker;
    } catch (error) {
      await local.close();
      await global?.close();
      throw error;
    }
  }

  /** Whether it has an `order.json`; without one the global score orders, see `order.ts`. */
  get ordered(): boolean {
    return this.order !== null;
  }

  /** Tokens of a text, special ones not counted. */
  tokens(text: string): number {
    return this.pieces.ids(text).length;
  }

  /** Tokens that a query takes up in a joint input, its move's prefix included. */
  queryTokens({ query, move }: Pick<RerankInput, 'query' | 'move'>): number {
    return Math.min(this.config.maxQueryTokens, this.tokens(this.config.prompts[move] + query));
  }

  /**
   * Scores every sentence, in input order. The event loop turns between runs of some tens of
   * milliseconds. Rejects with `cancelled` when `signal` aborts, `model-broken` where a model gives
   * what makes no sense, `engine-down` after {@link close}.
   */
  async score(
    input: RerankInput,
    { stage = 'log', describe = false, signal }: ScoreOptions = {},
  ): Promise<RerankedSentence[]> {
    throwIfCancelled(signal);
    const { passages } = input;
    let count = 0;
    passages.forEach(({ sentences, cosine, before, plain }, p) => {
      if ([cosine, before, plain].some(({ length }) => length !== sentences.length)) {
        throw new Error(`passage ${p} has ${sentences.length} sentences but not as many features`);
      }
      count += sentences.length;
    });
    if (count === 0) return [];
    const joint = await this.joint(input, signal);
    const features = featureRows(input.query, passages);
    const { hidden: width, graph: shape } = this.config;
    const sizes = passages.map(({ sentences }) => sentences.length);
    const local = await scoreLocally(
      { joint, sizes, features, width },
      this.running(this.local),
      () => this.turn(signal),
    );
    let at = 0;
    const result: RerankedSentence[] = passages.flatMap(({ sentences }, passage) =>
      sentences.map((_, sentence) => {
        const row = at++;
        const logit = local.logits[row] ?? 0;
        const [background = 0, method = 0, found = 0] = local.roles.subarray(row * ROLE_COUNT);
        return {
          passage,
          sentence,
          score: logit,
          local: logit,
          roles: [background, method, found],
          relatives: [],
        };
      }),
    );
    if (stage === 'local') return result;
    await this.turn(signal);
    const probabilities = local.logits.map(sigmoid);
    const graph = sentenceGraph(
      {
        hidden: local.hidden,
        roles: local.roles,
        local: probabilities,
        passage: Int32Array.from(result, ({ passage }) => passage),
      },
      shape,
    );
    await this.turn(signal);
    const { neighbours } = shape;
    const scores = await scoreGlobally(
      { ...local, local: probabilities, features, graph, neighbours, width },
      this.running(this.global),
    );
    throwIfCancelled(signal);
    const { move } = input;
    const blend = this.config.blend[move];
    const order = move === 'none' ? null : this.order;
    const queryWords = wordCount(input.query);
    const passagePlain = passages.map(({ plain }) => Math.max(...plain));
    result.forEach((sentence, row) => {
      const own = features.subarray(row * FEATURES.length, (row + 1) * FEATURES.length);
      const global = scores[row] ?? 0;
      sentence.score = blend.reduce((sum, weight, i) => sum + weight * (own[i] ?? 0), global);
      sentence.relatives = relatives(graph, row, result, neighbours);
      if (!order && !describe) return;
      const given = passages[sentence.passage];
      const words = wordCount(given?.sentences[sentence.sentence] ?? '');
      const [cosine = 0, before = 0, bm25 = 0, passageBm25 = 0] = own;
      const told: Told = {
        global,
        local: sentence.local,
        ...{ cosine, before, bm25, passageBm25 },
        plain: given?.plain[sentence.sentence] ?? 0,
        passagePlain: passagePlain[sentence.passage] ?? 0,
        words: Math.log(words),
        ratio: Math.log(words / queryWords),
      };
      const listed = TOLD.map((name) => told[name]);
      const hidden = local.hidden.subarray(row * width, (row + 1) * width);
      if (order && move !== 'none') sentence.score = order.score(move, listed, hidden);
      if (describe) sentence.known = { told: listed, hidden };
    });
    return result;
  }

  private async joint(
    { query, move, passages }: RerankInput,
    signal: AbortSignal | undefined,
  ): Promise<JointInput[]> {
    const asked = this.pieces.ids(this.config.prompts[move] + query);
    const inputs: JointInput[] = [];
    for (const { sentences } of passages) {
      if (inputs.length % TOKENISED_A_TURN === 0) await this.turn(signal);
      const ids = sentences.map((sentence) => this.pieces.ids(sentence));
      inputs.push(jointInput(asked, ids, this.pieces.marks, this.config));
    }
    return inputs;
  }

  /** Runs of a model; once this is closed, their failure is that. */
  private running(session: ModelSession): RunModel {
    return async (inputs, expected) => {
      try {
        return await session.run(inputs, expected);
      } catch (error) {
        this.checkOpen();
        throw error;
      }
    };
  }

  private checkOpen(): void {
    if (this.#closed) throw new RatioError('engine-down', 'The reranker has been closed.');
  }

  /** Lets other work of this process have its turn. */
  private async turn(signal: AbortSignal | undefined): Promise<void> {
    await nextTurn();
    throwIfCancelled(signal);
    this.checkOpen();
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    await this.local.close();
    await this.global.close();
  }
}

/** Two passages of unlike lengths: what a folder is tried with when it is loaded. */
const TRIAL: RerankInput = {
  query: 'Labels are scarce.',
  move: 'address',
  passages: [
    {
      sentences: ['Labels cost time.', 'We ask for few of them.', 'That is enough.'],
      cosine: [0.5, 0.4, 0.3],
      before: [0, 0.5, 0.5],
      plain: [0.5, 0.3, 0.2],
    },
    { sentences: ['We train without labels.'], cosine: [0.4], before: [0], plain: [0.5] },
  ],
};

/** What the graph links a sentence with in other passages, most similar first. */
function relatives(
  { neighbours, valid, cosines }: SentenceGraph,
  row: number,
  sentences: readonly Place[],
  width: number,
): RerankedSentence['relatives'] {
  const found: RerankedSentence['relatives'] = [];
  for (let at = row * width; at < (row + 1) * width && valid[at] === 1; at++) {
    const other = sentences[Number(neighbours[at])];
    // Adjacency, which comes first, stays within the passage.
    if (!other || other.passage === sentences[row]?.passage) continue;
    found.push({ passage: other.passage, sentence: other.sentence, cosine: cosines[at] ?? 0 });
  }
  return found;
}
