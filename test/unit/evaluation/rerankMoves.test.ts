import assert from 'node:assert/strict';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import type { RerankInput } from '../../../server/engine/rerank/reranker';
import { loadSplit, type Pair, type Split } from '../../../server/evaluation/split';
import type { EvaluationEncoder } from '../../../server/evaluation/encoder';
import { rankedIds, type Ranking } from '../../../server/evaluation/rank';
import { rerankPapers, rerankSplit } from '../../../server/evaluation/rerank/split';
import type { SentenceReranker } from '../../../server/evaluation/rerank/joint';
import { merged, placedHits } from '../../../server/evaluation/rerank/moves';
import {
  readListed,
  shownSections,
  type ListedPaper,
} from '../../../server/evaluation/rerank/papers';
import { passagesAround } from '../../../server/evaluation/rerank/windows';
import { reportText, type Report } from '../../../server/evaluation/report';
import { bagEncoder } from '../engine/doubles';
import { PAPERS, writeSea } from './sea';

const paper = (id: string, ...sections: string[][]): ListedPaper => {
  let index = 0;
  return {
    id,
    sections: sections.map((texts) => texts.map((text) => ({ id: `${id}#${index++}`, text }))),
  };
};
const PAIR: Pair = {
  id: 'q',
  move: 'address',
  query: 'Strong tides delay ferries on most winter days.',
  goldId: 'g#2',
  paper: 'g',
  queryId: 'g#1',
};
const NINE = Array.from({ length: 9 }, (_, i) => `This is sentence number ${i} about kelp.`);
const ids = (sections: readonly (readonly { id: string }[])[]): string[] =>
  sections.flat().map(({ id }) => id);

describe('papers shown for a pair', () => {
  it('lack the query and its near-copies where it stood, but have the gold', () => {
    const own = paper('g', [
      'Ferries cross the strait.',
      PAIR.query,
      'We plan departures around the tide tables.',
      'strong tides delay ferries, on most winter days',
      'Strong tides delay the ferries on most winter days.',
      'Passengers wait.',
    ]);
    assert.deepEqual(ids(shownSections(own, PAIR, 'g#2', new Set(['g#2', 'g#4']))), [
      'g#0',
      'g#2',
      'g#5',
    ]);
    const odd = { ...PAIR, goldId: 'g#3' };
    assert.ok(ids(shownSections(own, odd, 'g#3', new Set())).includes('g#3'));
  });

  it('lack one sentence elsewhere, drawn by query and paper, never what was recalled', () => {
    const other = paper('o', NINE);
    const gone = (pair: Pair, from: ListedPaper, recalled: string[]): string[] => {
      const shown = ids(shownSections(from, pair, recalled[0] ?? '', new Set(recalled)));
      return ids(from.sections).filter((id) => !shown.includes(id));
    };
    const drawn = new Set<string>();
    for (let i = 0; i < 200; i++) {
      const [one = '', ...rest] = gone({ ...PAIR, id: `q${i}` }, other, ['o#4', 'o#5']);
      assert.deepEqual(rest, []);
      drawn.add(one);
    }
    assert.deepEqual(
      [...drawn].sort(),
      ['o#0', 'o#1', 'o#2', 'o#3', 'o#6', 'o#7', 'o#8'],
      'every sentence but the recalled ones, and those only',
    );
    assert.deepEqual(gone(PAIR, other, ['o#4']), gone(PAIR, other, ['o#4']));
    const papers = new Set(
      Array.from({ length: 40 }, (_, i) => gone(PAIR, paper(`p${i}`, NINE), [`p${i}#4`])[0]?.slice(-1)), // prettier-ignore
    );
    assert.ok(papers.size > 3, 'papers differ');
    // All recalled: another than the hit goes; a lone sentence stays.
    assert.deepEqual(gone(PAIR, paper('s', ['A hit.', 'Another one.']), ['s#0', 's#1']), ['s#1']);
    assert.deepEqual(gone(PAIR, paper('l', ['A hit.']), ['l#0']), []);
  });

  it('lack a copy of the query instead where one stands in another paper', () => {
    const copy = paper('c', [...NINE, PAIR.query]);
    assert.deepEqual(ids(shownSections(copy, PAIR, 'c#0', new Set(['c#0']))).length, 9);
    assert.ok(!ids(shownSections(copy, PAIR, 'c#0', new Set(['c#0']))).includes('c#9'));
  });

  it('lose a sentence of the section and the reach of the hit', () => {
    const long = paper('f', [...NINE, ...NINE.map((text) => `${text} Again.`)], NINE);
    for (let i = 0; i < 50; i++) {
      const shown = ids(shownSections(long, { ...PAIR, id: `q${i}` }, 'f#1', new Set(['f#1'])));
      const [gone = ''] = ids(long.sections).filter((id) => !shown.includes(id));
      assert.ok(Number(gone.slice(2)) <= 7, gone);
    }
  });
});

describe('passages around recalled sentences', () => {
  const section = NINE.map((text, i) => ({ id: `s#${i}`, text }));
  const words = (text: string): number => text.split(' ').length;
  const around = (hits: number[], most: number, maxSentences = 3): string[][] =>
    passagesAround(
      hits.map((at) => ({ section, at })),
      words,
      5,
      { maxTokens: 1000, maxSentences },
      most,
    ).map((passage) => passage.map(({ id }) => id));

  it('hold no sentence twice; a hit in an earlier one makes none', () => {
    assert.deepEqual(around([2, 3, 6], 50), [
      ['s#2', 's#3', 's#4'],
      ['s#6', 's#7', 's#8'],
    ]);
    assert.deepEqual(around([3, 1, 6], 50), [
      ['s#3', 's#4', 's#5'],
      ['s#0', 's#1', 's#2'],
      ['s#6', 's#7', 's#8'],
    ]);
    const all = around([4, 0, 8, 2, 6], 50, 12).flat();
    assert.equal(new Set(all).size, all.length);
  });

  it('are as many as asked for, best hits first', () => {
    assert.deepEqual(around([6, 2, 3], 1), [['s#6', 's#7', 's#8']]);
  });
});

describe('the reranked order', () => {
  it('has the reranked first and the rest as it was, with falling scores', () => {
    const retrieved: Ranking = { places: [5, 3, 9, 1], scores: [0.9, 0.8, 0.7, 0.6] };
    const made = merged(
      new Map([
        [3, -2],
        [7, 4],
        [1, 4],
      ]),
      retrieved,
    );
    assert.deepEqual(made.places, [1, 7, 3, 5, 9]);
    assert.deepEqual(made.scores, [4, 4, -2, -3, -4]);
    assert.deepEqual(merged(new Map(), retrieved).places, retrieved.places);
  });
});

describe('reranking a split', () => {
  let folder = '';
  let split: Split;
  const all: Ranking[] = [];
  before(async () => {
    folder = writeSea();
    split = await loadSplit(folder, 'test');
    // As retrieved: the pool in its order, each query's own sentence left out.
    for (const pair of split.pairs) {
      const places = [...split.pool.keys()].filter(
        (place) => split.pool[place]?.id !== (pair.queryId ?? (pair.id === 'p2:1' ? 'p2#0' : '')),
      );
      all.push({ places, scores: places.map((place) => 1 - place / 10) });
    }
  });
  after(() => rmSync(folder, { recursive: true, force: true }));

  const model = bagEncoder();
  const encoder: EvaluationEncoder = {
    model,
    prompts: { queryPrefix: '{move}: ', documentPrefix: '', files: {} },
    revision: 'bag',
    template: null,
  };
  const encoders = {
    forMove: () => encoder,
    cache: null,
    ids: { address: 'bag', broaden: 'bag', specify: 'bag' },
    told: true,
    close: () => Promise.resolve(),
  };
  const inputs: RerankInput[] = [];
  /** Knows the golds. */
  const reranker: SentenceReranker = {
    config: { id: 'fake', encoder: null, maxTokens: 160, maxSentences: 12, passageCosine: 0 },
    tokens: (text) => text.split(' ').length,
    queryTokens: () => 9,
    close: () => Promise.resolve(),
    score: (input) => {
      inputs.push(input);
      const goldId = split.pairs.find(({ query }) => query === input.query)?.goldId ?? '';
      const gold = split.pool[split.places.get(goldId) ?? -1]?.text;
      return Promise.resolve(
        input.passages.flatMap(({ sentences }, passage) =>
          sentences.map((text, sentence) => ({
            passage,
            sentence,
            score: text === gold ? 3 : -passage - sentence,
          })),
        ),
      );
    },
  };
  const rerank = (more: object = {}) =>
    rerankSplit(
      split,
      all,
      encoders,
      reranker,
      { stage: 'log', reranker: '', depth: 50, ...more },
      { resamples: 200 },
      () => ({}),
    );

  it('shows no query, ranks what is in the pool, and compares with the retriever', async () => {
    inputs.length = 0;
    const { rankings, report } = await rerank();
    assert.deepEqual(
      inputs.map(({ move }) => move),
      ['address', 'specify', 'broaden'],
    );
    for (const [i, { query, passages }] of inputs.entries()) {
      assert.equal(query, split.pairs[i]?.query);
      for (const { sentences, cosine, before } of passages) {
        assert.ok(!sentences.some((text) => text.toLowerCase() === query.toLowerCase()));
        assert.deepEqual([cosine.length, before.length], [sentences.length, sentences.length]);
      }
    }
    // Markers are off: the paper's list has "To address this," before the gold.
    const shown = inputs[0]?.passages.flatMap(({ sentences }) => sentences) ?? [];
    assert.ok(shown.includes('We plan departures around the tide tables.'), shown.join('\n'));
    rankings.forEach((ranking, i) => {
      assert.equal(rankedIds(split, ranking)[0], split.pairs[i]?.goldId);
      assert.deepEqual(new Set(ranking.places), new Set(all[i]?.places), 'nothing is lost');
    });
    assert.deepEqual([...report.reached.values()], [1, 1, 1]);
    assert.equal(report.passages, 3);
    const specify = report.against.get('specify')?.['MRR@10'];
    assert.deepEqual([specify?.a, specify?.b], [1, 1 / 5]);
  });

  it('takes few passages where few are asked for; what is in none follows', async () => {
    const { rankings, report } = await rerank({ depth: 1 });
    assert.equal(report.passages, 1);
    assert.deepEqual([...report.reached.values()], [1, 0, 0]);
    assert.deepEqual(new Set(rankings[1]?.places), new Set(all[1]?.places));
  });

  it('shows a sentence by itself whose paper is not listed', async () => {
    const listed = await readListed(join(folder, 'test', 'papers.jsonl'), new Set(['p2']));
    assert.deepEqual([...listed.keys()], ['p2']);
    const [pair] = split.pairs;
    assert.ok(pair);
    const hits = [...placedHits(split, pair, [0, 4], listed)];
    assert.deepEqual(
      hits.map(({ section }) => section.length),
      [1, PAPERS[1]!.sentences.length - 1],
    );
    assert.equal(hits[0]?.section[0]?.text, split.pool[0]?.text);
  });

  it('says where whole papers come from when there are none', () => {
    assert.throws(
      () => rerankPapers(split, join(folder, 'mined')),
      /name the folder with --papers/,
    );
    assert.equal(rerankPapers(split, undefined), join(split.folder, 'papers.jsonl'));
  });

  it('stops when it is told to', async () => {
    await assert.rejects(
      rerankSplit(
        split,
        all,
        encoders,
        reranker,
        { stage: 'local', reranker: '', depth: 50 },
        {},
        () => ({ signal: AbortSignal.abort() }),
      ),
      /Cancelled/,
    );
  });

  it('is reported in a table of its own', async () => {
    const { report } = await rerank();
    const text = reportText({
      bench: 'b',
      split: 'test',
      retriever: 'dense+log',
      encoder: null,
      context: 'bare sentences',
      pool: 9,
      seed: 1,
      resamples: 200,
      moves: new Map(),
      mean: { 'R@1': 0, 'R@10': 0, 'MRR@10': 0, 'MRR@100': 0 },
      rerank: report,
    } satisfies Report);
    assert.match(text, /Reranked by fake: 3\.0 passages a query \(50 at most\)/);
    assert.match(text, /\| specify +\| MRR@10 +\| +1 \| 100\.0 \| +20\.0 \|/);
  });
});
