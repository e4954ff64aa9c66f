/**
 * Reranking as a stage after recall: passages round the first candidates are scored sentence by
 * sentence, and every sentence of them is a candidate. A paper is recalled by the problem that it
 * states and answers with its method or result.
 */
import type { Move } from '../engine';
import { embeddedText } from '../encoder/textForm';
import { throwIfCancelled } from '../errors';
import { Copies, onceEach } from '../recall/copies';
import { byRank, type Candidate, type RelatedSentence } from '../recall/fuse';
import { movePrior } from '../recall/prior';
import type { Stage, StageContext } from '../recall/stage';
import { normalise } from '../recall/text';
import type { RerankedSentence, Reranker } from './reranker';
import { BEFORE } from './features';
import type { Pace } from './pace';
import { relativesOf, roleOf } from './units';
import { passagesOf, rerankInput, type PoolPassage } from './windows';

/** A sentence of a move's passages that may be shown, and what an order is fitted on. */
export type KnownCandidate = {
  candidate: Candidate;
  known: NonNullable<RerankedSentence['known']>;
};

/** What the stage needs of a reranker. */
export type Scorer = Pick<Reranker, 'config' | 'queryTokens' | 'score' | 'tokens'>;

/** Moves whose number of passages is kept: as many as a trail is long. */
const ASKED_MOST = 50;

type Scored = { candidate: Candidate; text: string; plain: number | null };

/**
 * Orders a move's candidates by a reranker; without passages the order stays. Rejects as {@link Reranker.score} does.
 */
export class RerankStage implements Stage {
  readonly name = 'rerank';
  /** The most passages of the last queries, the latest last. */
  private readonly asked = new Map<string, number>();

  /**
   * `pace`: most passages a move, as many as the machine's speed allows; `observe` is told what is known
   * of all sentences of a move, best first.
   */
  constructor(
    private readonly reranker: Scorer,
    private readonly pace: Pick<Pace, 'passages' | 'took'>,
    private readonly observe?: (sentences: KnownCandidate[]) => void,
  ) {}

  /**
   * Candidates by global score (the higher the better, no fixed range), each with its relatives; then
   * those that no passage holds, in the order given.
   */
  async run(candidates: Candidate[], context: StageContext): Promise<Candidate[]> {
    const { reranker } = this;
    const { move, signal } = context;
    const started = performance.now();
    const query = embeddedText(context.text);
    const read = wordsRead(reranker, move, query);
    if (read !== null) {
      context.notice(
        `The order goes by the first ${read} words of your text. To have the rest read, move from a part of it.`,
      );
    }
    // Asked again, for more say, it reads as many as before whatever the pace: so no card moves.
    const asked = `${move}: ${query}`;
    const most = this.asked.get(asked) ?? this.pace.passages;
    this.asked.delete(asked);
    this.asked.set(asked, most);
    const [oldest] = this.asked.keys();
    if (this.asked.size > ASKED_MOST && oldest !== undefined) this.asked.delete(oldest);
    const passages = await passagesOf(candidates, context, {
      limits: reranker.config,
      queryTokens: reranker.queryTokens({ query, move }),
      most,
      tokens: (text) => reranker.tokens(text),
    });
    const scores = await reranker.score(
      { query, move, passages: passages.map(rerankInput) },
      { describe: this.observe !== undefined, signal },
    );
    throwIfCancelled(signal);
    const scored = rank(candidates, passages, scores, context);
    const ranked = scored.map(({ candidate }) => candidate);
    this.observe?.(scored.flatMap(({ candidate, known }) => (known ? { candidate, known } : [])));
    const held = new Set(
      passages.flatMap(({ pool, sentences }) => sentences.map(({ row }) => `${pool}/${row.id}`)),
    );
    this.pace.took(passages.length, performance.now() - started);
    const texts = new Set(ranked.map(({ sentence }) => normalise(sentence.text)));
    const rest = candidates.filter(
      ({ pool, sentence }) =>
        !held.has(`${pool}/${sentence.id}`) && !texts.has(normalise(sentence.text)),
    );
    return [...ranked, ...below(ranked, rest)];
  }
}

/** How many of a query's words the joint input has room for; null where all are read. */
function wordsRead(reranker: Scorer, move: Move, query: string): number | null {
  const { prompts, maxQueryTokens } = reranker.config;
  const fit = (text: string): boolean => reranker.tokens(prompts[move] + text) <= maxQueryTokens;
  if (fit(query)) return null;
  const words = query.split(/\s+/);
  let count = Math.min(words.length, maxQueryTokens);
  while (count > 0 && !fit(words.slice(0, count).join(' '))) count--;
  return count;
}

/** All sentences of the passages that may be shown, best first. */
function rank(
  candidates: readonly Candidate[],
  passages: readonly PoolPassage[],
  scores: readonly RerankedSentence[],
  context: StageContext,
): { candidate: Candidate; known: RerankedSentence['known'] }[] {
  const recalled = new Map(candidates.map((one) => [`${one.pool}/${one.sentence.id}`, one]));
  const copies = new Copies(context);
  const places = new Map<string, Scored>();
  for (const score of scores) {
    const passage = passages[score.passage];
    const sentence = passage?.sentences[score.sentence];
    if (!passage || !sentence) throw new Error('the reranker scored a sentence that was not asked');
    const before = recalled.get(`${passage.pool}/${sentence.row.id}`);
    // Cues tell roles better than the joint model's head does (docs/models.md).
    const role = sentence.row.role ?? roleOf(score.roles);
    places.set(`${score.passage}/${score.sentence}`, {
      candidate: {
        ...(before ?? recalledWith(passage, score.sentence, context)),
        sentence: { ...sentence.row, role },
        score: score.score,
      },
      text: normalise(sentence.row.text),
      plain: sentence.plain,
    });
  }
  const hidden = ({ text, plain }: Scored): boolean => copies.has(text, plain);
  const shown = scores.flatMap((score) => {
    const scored = places.get(`${score.passage}/${score.sentence}`);
    return scored && !hidden(scored) ? [{ ...scored, score }] : [];
  });
  shown.sort((a, b) => byRank(a.candidate, b.candidate));
  return onceEach(shown).map(({ candidate, score }) => {
    const linked = score.relatives.flatMap((place): RelatedSentence[] => {
      const other = places.get(`${place.passage}/${place.sentence}`);
      if (!other || hidden(other)) return [];
      const { pool, sentence, paper } = other.candidate;
      return [{ pool, sentence, paper, cosine: place.cosine }];
    });
    const relatives = relativesOf(candidate, linked);
    return { candidate: { ...candidate, relatives }, known: score.known };
  });
}

/** A sentence that recall did not hold, here for the passage in which it stands. */
function recalledWith(
  { pool, paper, sentences }: PoolPassage,
  place: number,
  { move }: StageContext,
): Omit<Candidate, 'sentence' | 'score'> {
  const own = sentences[place];
  let context: Candidate['context'] = null;
  for (const { row, plain } of sentences.slice(Math.max(0, place - BEFORE), place)) {
    if (plain !== null && plain > (context?.cosine ?? 0)) context = { id: row.id, cosine: plain };
  }
  return {
    pool,
    paper,
    cosine: own?.cosine ?? null,
    alike: own?.plain ?? null,
    features: {
      cosine: own?.cosine ?? 0,
      before: context?.cosine ?? 0,
      bm25: 0,
      prior: own ? movePrior(move, own.row.text, own.row.role) : 0,
    },
    why: { dense: null, lexical: null },
    context,
  };
}

/** The others, their scores as far from each other as they were and below all that are ranked. */
function below(ranked: readonly Candidate[], rest: readonly Candidate[]): Candidate[] {
  const lowest = ranked.at(-1)?.score ?? 0;
  const best = rest[0]?.score ?? 0;
  return rest.map((candidate) => ({
    ...candidate,
    score: lowest - 1 - (best - candidate.score),
  }));
}
