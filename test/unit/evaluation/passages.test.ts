import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { RatioError } from '../../../server/engine/engine';
import type { EvaluationEncoder } from '../../../server/evaluation/encoder';
import { averagePrecisionAt, ndcgAt, passageMetrics, PASSAGE_METRICS } from '../../../server/evaluation/metrics'; // prettier-ignore
import { rerankFile, type RerankOptions } from '../../../server/evaluation/rerank/file';
import { golds, readRerank, type RerankQuery } from '../../../server/evaluation/rerank/input';
import {
  checkRun,
  comparePassages,
  rankPassages,
  scorePassages,
} from '../../../server/evaluation/rerank/measure';
import { rerankText } from '../../../server/evaluation/rerank/report';
import {
  byReranker,
  bySentences,
  byWords,
  encodeQueries,
} from '../../../server/evaluation/rerank/scorers';
import { passageSentences, tile, wholeText } from '../../../server/evaluation/rerank/sentences';
import { questionText } from '../../../server/evaluation/rerank/vectors';
import type { Run } from '../../../server/evaluation/trec';
import { bagEncoder } from '../engine/doubles';
import { jsonl } from './sea';

const passage = (text: string, gold = false, title = '') => ({ title, text, gold });
const query = (id: string, candidates: RerankQuery['candidates'], dataset = 'one') => ({
  id,
  dataset,
  query: 'Which tides delay ferries?',
  candidates,
});
const SEA = [
  query('a', [passage('Kelp grows.'), passage('Spring tides delay ferries.', true)]),
  query('b', [passage('Ferries wait for tides.', true), passage('Pots are lost.')]),
  query('c', [passage('Nothing here is gold.'), passage('Nor here.')]),
  query('d', [passage('Kelp grows.', true), passage('Tides delay every ferry.')], 'two'),
];

describe('passage metrics', () => {
  type Reference = {
    run: Record<string, string>;
    qrels: Record<string, string>;
    trecEval: Record<string, Record<string, number>>;
  };
  const reference = JSON.parse(
    readFileSync(join(__dirname, 'fixtures', 'passages.json'), 'utf8'),
  ) as Reference;

  it('agree with trec_eval, also where there are more golds than places', () => {
    const queries = Object.entries(reference.run);
    assert.equal(queries.length, 12);
    for (const [id, ranked] of queries) {
      const made = passageMetrics(
        ranked.split(' '),
        new Set((reference.qrels[id] ?? '').split(' ')),
      );
      for (const metric of PASSAGE_METRICS) {
        const expected = reference.trecEval[id]?.[metric] ?? NaN;
        assert.ok(Math.abs(made[metric] - expected) < 1e-9, `${id} ${metric}: ${made[metric]}`);
      }
    }
  });

  it('are 0 where nothing is relevant or ranked, and 1 for the best order', () => {
    assert.deepEqual(Object.values(passageMetrics(['a'], new Set())), [0, 0, 0]);
    assert.deepEqual(Object.values(passageMetrics([], new Set(['a']))), [0, 0, 0]);
    const many = Array.from({ length: 20 }, (_, i) => String(i));
    assert.equal(averagePrecisionAt(many, new Set(many), 10), 1);
    assert.equal(ndcgAt(many, new Set(many), 10), 1);
  });
});

describe('a file of passages', () => {
  let folder: string;
  beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'ratio-passages-'))));
  afterEach(() => rmSync(folder, { recursive: true, force: true }));
  const file = (rows: readonly unknown[], name = 'in.jsonl'): string => {
    const path = join(folder, name);
    writeFileSync(path, jsonl(rows));
    return path;
  };

  it('is read, gzipped or not, with titles that may be missing', async () => {
    const path = join(folder, 'in.jsonl.gz');
    const { title: _, ...untitled } = passage('No title.', true);
    writeFileSync(path, gzipSync(jsonl([...SEA, query('e', [untitled as never], 'two')])));
    const all = await readRerank(path);
    assert.deepEqual(
      all.map(({ id }) => id),
      ['a', 'b', 'c', 'd', 'e'],
    );
    assert.equal(all[4]?.candidates[0]?.title, '');
    assert.deepEqual(all.slice(0, 3).map(golds), [new Set(['1']), new Set(['0']), new Set()]);
    const ids = async (...given: Parameters<typeof readRerank>): Promise<string[]> =>
      (await readRerank(...given)).map(({ id }) => id);
    assert.deepEqual(await ids(path, { limit: 1 }), ['a', 'd']);
    assert.deepEqual(await ids(path, { datasets: ['two'] }), ['d', 'e']);
  });

  it('is refused with file, line and fault', async () => {
    const [first] = SEA;
    const cases: [readonly unknown[], RegExp][] = [
      [[first, first], /in\.jsonl:2: the id a stands there twice/],
      [[first, { ...first, id: 'a b' }], /in\.jsonl:2: "id" is not right: an id is text without/],
      [[{ ...first, query: ' ' }], /in\.jsonl:1: "query" is not right/],
      [[{ ...first, candidates: [] }], /in\.jsonl:1: "candidates".*needs candidates/],
      [
        [{ ...first, candidates: [{ title: 't', text: 'x', gold: 1 }] }],
        /"candidates\.0\.gold" is not right/,
      ],
      [[{ ...first, candidates: [{ title: 't', gold: true }] }], /"candidates\.0\.text"/],
      [[], /holds no query/],
    ];
    for (const [rows, words] of cases) {
      await assert.rejects(
        readRerank(file(rows)),
        (error) =>
          error instanceof RatioError && error.code === 'bad-input' && words.test(error.message),
        words.source,
      );
    }
    writeFileSync(join(folder, 'bad'), '{"id": "a"\n');
    await assert.rejects(readRerank(join(folder, 'bad')), /bad:1: this is not JSON/);
    await assert.rejects(
      readRerank(join(folder, 'none')),
      (error) => error instanceof RatioError && error.code === 'not-found',
    );
    // A fault in what the selection leaves out is told as well.
    await assert.rejects(readRerank(file([first, { id: 'x' }]), { limit: 1 }), /in\.jsonl:2/);
    await assert.rejects(
      readRerank(file(SEA), { datasets: ['three'] }),
      /no dataset three, but one, two/,
    );
  });

  const options = (input: string, more: Partial<RerankOptions> = {}): RerankOptions => ({
    input,
    model: 'bm25',
    encoder: join(folder, 'no-encoder'),
    device: 'cpu',
    reranker: join(folder, 'no-reranker'),
    cache: null,
    against: [],
    seed: 1,
    resamples: 200,
    ...more,
  });

  it('is ranked, measured, written as a run, and compared with a run', async () => {
    const input = file(SEA);
    const none = join(folder, 'none.run');
    const baseline = await rerankFile(
      options(input, { model: 'none', run: none, qrels: join(folder, 'qrels') }),
    );
    assert.deepEqual([baseline.queries, baseline.withoutGold, baseline.passages], [4, 1, 8]);
    assert.deepEqual([...baseline.sets.keys()], ['one', 'two']);
    assert.match(readFileSync(none, 'utf8'), /^a Q0 0 1 0 none\na Q0 1 2 -1 none\nb Q0 0 1/);
    assert.equal(readFileSync(join(folder, 'qrels'), 'utf8'), 'a one 1 1\nb one 0 1\nd two 0 1\n');
    const run = join(folder, 'bm25.run');
    const report = await rerankFile(options(input, { run, against: [none] }));
    const one = report.sets.get('one');
    assert.deepEqual([one?.queries, one?.['MAP@10'].value, one?.['nDCG@10'].value], [2, 1, 1]);
    const paired = report.against[0]?.sets.get('one')?.['MAP@10'];
    assert.deepEqual([paired?.a, paired?.b, paired?.difference.value], [1, 0.75, 0.25]);
    assert.match(
      rerankText(report),
      /bm25 · 4 queries, 8 passages[^]*\| two +\| +1 \|[^]*B = none/,
    );
    // Queries without gold are in the run all the same.
    assert.match(readFileSync(run, 'utf8'), /^c Q0 0 1 /m);
  });

  it('is refused where nothing can be measured, or a run is of something else', async () => {
    await assert.rejects(
      rerankFile(options(file([SEA[2]]))),
      /No query of .* has a gold passage to be measured by/,
    );
    const input = file(SEA);
    const other = join(folder, 'other.run');
    writeFileSync(other, 'z Q0 0 1 1 x\n');
    await assert.rejects(
      rerankFile(options(input, { against: [other] })),
      /other\.run has none of the queries/,
    );
    writeFileSync(other, 'a Q0 2 1 1 x\n');
    await assert.rejects(
      rerankFile(options(input, { against: [other] })),
      /names passage 2 of query a, which has passages 0 to 1/,
    );
    await assert.rejects(
      rerankFile(options(input, { against: [join(folder, 'nowhere.run')] })),
      /There is no file/,
    );
    writeFileSync(other, 'b Q0 0 1 1 x\n');
    const { against } = await rerankFile(options(input, { against: [other] }));
    assert.equal(against[0]?.missing, 3);
    assert.equal(against[0]?.sets.get('one')?.['Recall@10'].b, 0.5);
  });

  it('needs the files of its models, told before anything is encoded', async () => {
    const input = file(SEA);
    for (const [model, words] of [
      ['dense', /no-encoder/],
      ['local', /no-reranker/],
      ['log', /no-reranker/],
    ] as const) {
      await assert.rejects(
        rerankFile(options(input, { model })),
        (error) =>
          error instanceof RatioError &&
          error.code === 'model-missing' &&
          words.test(error.message),
      );
    }
  });

  it('stops when it is told to, and writes nothing then', async () => {
    const run = join(folder, 'stopped.run');
    const signal = AbortSignal.abort();
    await assert.rejects(
      rerankFile(options(file(SEA), { run }), { signal }),
      (error) => error instanceof RatioError && error.code === 'cancelled',
    );
    assert.throws(() => readFileSync(run), /ENOENT/);
  });
});

describe('a passage', () => {
  it('becomes sentences in their embedded form, its title first unless the text has it', () => {
    const text = 'Ferries cross. However, strong tides delay them on most winter days.';
    assert.deepEqual(passageSentences({ title: 'On ferries', text }), [
      'On ferries',
      'Ferries cross.',
      'Strong tides delay them on most winter days.',
    ]);
    assert.deepEqual(passageSentences({ title: 'FERRIES cross!', text }).length, 2);
    assert.equal(passageSentences({ title: 'Ferries cro', text }).length, 3);
    assert.deepEqual(passageSentences({ title: ' ', text: '' }), ['']);
    assert.equal(
      wholeText({ title: 'On ferries', text: 'They cross.' }),
      'On ferries\nThey cross.',
    );
    assert.equal(wholeText({ title: 'they cross', text: 'They cross.' }), 'They cross.');
  });

  it('longer than one window is several that part it', () => {
    const limits = { maxTokens: 30, maxSentences: 3 };
    // Two marks, a query of 5, and a mark for each sentence: room for 23.
    assert.deepEqual(tile([10, 11, 1, 1, 1, 1, 40, 2], 5, limits), [
      { from: 0, to: 1 },
      { from: 2, to: 4 },
      { from: 5, to: 5 },
      { from: 6, to: 6 },
      { from: 7, to: 7 },
    ]);
    assert.deepEqual(tile([10, 11], 6, limits), [
      { from: 0, to: 0 },
      { from: 1, to: 1 },
    ]);
    assert.deepEqual(tile([], 5, limits), []);
  });
});

describe('scoring passages', () => {
  const encoder = (prompts: Partial<EvaluationEncoder['prompts']> = {}): EvaluationEncoder => ({
    model: bagEncoder(),
    prompts: { queryPrefix: '', documentPrefix: '', files: {}, ...prompts },
    revision: 'bag',
    template: null,
  });

  it('takes the best sentence, by cosine with the plain question', async () => {
    const one = query('a', [
      passage('Kelp grows in cold water. Spring tides delay ferries. Pots are lost.'),
      passage('Tides and ferries and kelp and pots and water and many other things of the sea.'),
    ]);
    const encoded = await encodeQueries(encoder(), [one], null);
    const scores = await bySentences(encoded)(one, 0);
    const best = encoded.vectors.cosine(
      encoded.questions[0] ?? new Float32Array(),
      'Spring tides delay ferries.',
    );
    assert.equal(scores[0], best);
    assert.ok(best > (scores[1] ?? 1));
  });

  it('asks plainly an encoder that is told moves', () => {
    const told = { queryPrefix: '{move}: ', documentPrefix: 'd: ' };
    assert.equal(questionText(told, 'none', 'x'), 'd: x');
    assert.equal(questionText(told, 'specify', 'x'), 'specify: x');
    assert.equal(questionText({ ...told, queryPrefix: 'query: ' }, 'none', 'x'), 'query: x');
  });

  it('knows words by the statistics of the query’s own candidates', async () => {
    const one = query('a', [passage('Ferries.'), passage('Kelp.'), passage('A tide.')]);
    const scores = await byWords(one, 0);
    assert.deepEqual([(scores[0] ?? 0) > 0, scores[1]], [true, 0]);
  });

  it('gives a reranker windows with features, and takes the best sentence of them all', async () => {
    const one = query('a', [
      passage('One two. Three four. Five six.', false, 'On tides'),
      passage('However, we count seven.', true),
    ]);
    const encoded = await encodeQueries(encoder(), [one], null);
    const windows: number[] = [];
    const asked: unknown[] = [];
    const reranker = {
      config: { id: 'fake', encoder: null, maxTokens: 20, maxSentences: 2, passageCosine: 0 },
      tokens: (text: string) => text.split(' ').length,
      queryTokens: () => 4,
      close: () => Promise.resolve(),
      score: (
        input: Parameters<Parameters<typeof byReranker>[1]['score']>[0],
        options: unknown,
      ) => {
        asked.push(input, options);
        return Promise.resolve(
          input.passages.flatMap(({ sentences }, number) =>
            sentences.map((text, sentence) => ({
              passage: number,
              sentence,
              score: text === 'Five six.' ? 5 : -number,
            })),
          ),
        );
      },
    };
    const scores = await byReranker(encoded, reranker, 'local', (n) => windows.push(n))(one, 0);
    assert.deepEqual(scores, [5, -2]);
    assert.deepEqual(windows, [3]);
    const [input, options] = asked as [
      { move: string; query: string; passages: Record<string, unknown[]>[] },
      { stage: string },
    ];
    assert.deepEqual([input.move, input.query, options.stage], ['none', one.query, 'local']);
    assert.deepEqual(
      input.passages.map(({ sentences }) => sentences),
      [['On tides', 'One two.'], ['Three four.', 'Five six.'], ['We count seven.']],
    );
    const [first, second] = input.passages;
    assert.equal(first?.['before']?.[0], 0);
    assert.equal(first?.['before']?.[1], Math.max(0, Number(first['cosine']?.[0])));
    assert.equal(second?.['before']?.[0], 0, 'a window does not see what is before it');
  });

  it('adds the cosine of whole passages to the score after the graph, not to the local one', async () => {
    const one = query('a', [
      passage('One two. Three four.', false, 'On tides'),
      passage('Seven.', true),
    ]);
    const reranker = {
      config: { id: 'fake', encoder: null, maxTokens: 60, maxSentences: 9, passageCosine: 10 },
      tokens: (text: string) => text.split(' ').length,
      queryTokens: () => 4,
      close: () => Promise.resolve(),
      score: (input: Parameters<Parameters<typeof byReranker>[1]['score']>[0]) =>
        Promise.resolve(input.passages.map((_, n) => ({ passage: n, sentence: 0, score: n }))),
    };
    const encoded = await encodeQueries(encoder(), [one], null, { whole: true });
    const question = encoded.questions[0];
    assert.ok(question);
    const [first, second] = ['On tides\nOne two. Three four.', 'Seven.'].map((text) =>
      encoded.vectors.cosine(question, text),
    );
    const scores = await byReranker(encoded, reranker, 'log')(one, 0);
    assert.deepEqual(scores, [10 * (first ?? NaN), 1 + 10 * (second ?? NaN)]);
    const bare = await encodeQueries(encoder(), [one], null);
    assert.deepEqual(await byReranker(bare, reranker, 'local')(one, 0), [0, 1]);
    await assert.rejects(byReranker(bare, reranker, 'log')(one, 0), /was not encoded: On tides/);
  });

  it('orders equal scores as the file does, and refuses what is no number', () => {
    assert.deepEqual(
      rankPassages([1, 3, 1, 3]).map(({ id }) => id),
      ['1', '3', '0', '2'],
    );
    assert.throws(() => rankPassages([1, NaN]), /gave passage 1 the score NaN/);
    assert.throws(() => rankPassages([-Infinity]), /score -Infinity/);
  });
});

describe('measuring passages', () => {
  const run = (rankings: Record<string, string>): Run => ({
    system: 'x',
    rankings: new Map(
      Object.entries(rankings).map(([id, ranked]) => [
        id,
        ranked.split(' ').map((document, i) => ({ id: document, score: -i })),
      ]),
    ),
  });
  const made = run({ a: '1 0', b: '1 0', c: '0 1', d: '0 1' });

  it('reports datasets, and small ones pooled', () => {
    const named = SEA.map((each, i) => ({
      ...each,
      dataset: i === 3 ? 'scholarqa-cs' : 'scholarqa-multi',
    }));
    const scores = scorePassages(made, named);
    assert.deepEqual(
      [...scores].map(([set, { queries }]) => [set, queries]),
      [
        ['scholarqa-multi', 2],
        ['scholarqa-cs', 1],
        ['scholarqa-cs + scholarqa-multi', 3],
      ],
    );
    const pooled = scores.get('scholarqa-cs + scholarqa-multi')?.['MAP@10'].value ?? 0;
    assert.ok(Math.abs(pooled - (1 + 0.5 + 1) / 3) < 1e-12);
    assert.deepEqual([...scorePassages(made, SEA).keys()], ['one', 'two']);
  });

  it('pairs two runs query by query', () => {
    const other = run({ a: '0 1', b: '1 0', d: '0 1' });
    const one = comparePassages(made, other, SEA).get('one')?.['MAP@10'];
    assert.deepEqual([one?.queries, one?.a, one?.b, one?.difference.value], [2, 0.75, 0.5, 0.25]);
    assert.deepEqual([one?.difference.low, one?.difference.high], [0, 0.5]);
    assert.equal(checkRun(other, 'x.run', SEA), 1);
  });
});
