import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { copyFileSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { RatioError } from '../../../../server/engine/engine';
import { readConfig } from '../../../../server/engine/rerank/modelFiles';
import { Order, TOLD, wordCount } from '../../../../server/engine/rerank/order';
import { Reranker, type RerankInput } from '../../../../server/engine/rerank/reranker';
import { packageRoot } from '../../../../server/paths';
import { closeTo, expected, RerankerFolder } from './support';

const { query, passages, cosine, before: told } = expected;
const INPUT: Omit<RerankInput, 'move'> = {
  query,
  passages: passages.map((sentences, p) => ({
    sentences,
    cosine: cosine[p] ?? [],
    before: told[p] ?? [],
    plain: (cosine[p] ?? []).map((value, s) => 0.9 * value - 0.05 * s),
  })),
};

describe('the reranker', function () {
  this.timeout(60_000);
  let folder: RerankerFolder;
  let reranker: Reranker;
  before(async () => {
    folder = new RerankerFolder();
    reranker = await Reranker.load(folder.path, { threads: 1 });
  });
  after(async () => {
    await reranker.close();
    folder.dispose();
  });
  const one = (sentences: string[]): RerankInput['passages'][number] => ({
    sentences,
    cosine: sentences.map(() => 0.5),
    before: sentences.map(() => 0),
    plain: sentences.map(() => 0.5),
  });

  for (const reference of expected.scores) {
    it(`scores as the reference does (${reference.move})`, async () => {
      const input = { ...INPUT, move: reference.move };
      const scored = await reranker.score(input);
      const places = passages.flatMap((sentences, passage) =>
        sentences.map((_, sentence) => [passage, sentence]),
      );
      assert.deepEqual(
        scored.map(({ passage, sentence }) => [passage, sentence]),
        places,
      );
      scored.forEach((sentence, row) => {
        assert.ok(closeTo(sentence.local, reference.local[row] ?? NaN, 1e-4), `local ${row}`);
        assert.ok(closeTo(sentence.score, reference.global[row] ?? NaN, 1e-4), `global ${row}`);
        sentence.roles.forEach((role, r) =>
          assert.ok(closeTo(role, reference.roles[row]?.[r] ?? NaN, 1e-4)),
        );
        const relatives = sentence.relatives.map((relative) => [
          places.findIndex(
            ([passage, place]) => passage === relative.passage && place === relative.sentence,
          ),
          relative.cosine,
        ]);
        const wanted = reference.relatives[row] ?? [];
        assert.deepEqual(
          relatives.map(([place]) => place),
          wanted.map(([place]) => place),
        );
        wanted.forEach(([, like], i) => assert.ok(closeTo(relatives[i]?.[1], like, 1e-4)));
      });
      assert.ok(scored.some(({ relatives }) => relatives.length > 0));
      const locally = await reranker.score(input, { stage: 'local' });
      locally.forEach((sentence, row) => {
        assert.ok(closeTo(sentence.score, reference.local[row] ?? NaN, 1e-4));
        assert.deepEqual(sentence.relatives, []);
      });
    });
  }

  it('adds what its config lets the features weigh, for the move asked', async () => {
    const other = new RerankerFolder();
    const config = JSON.parse(readFileSync(other.file('config.json'), 'utf8')) as object;
    const none = [0, 0, 0, 0];
    const blend = { address: [2, 10, 0, 0], broaden: none, specify: none, none };
    writeFileSync(other.file('config.json'), JSON.stringify({ ...config, blend }));
    const blended = await Reranker.load(other.path, { threads: 1 });
    try {
      for (const move of ['address', 'broaden'] as const) {
        const plain = await reranker.score({ ...INPUT, move });
        for (const [row, sentence] of (await blended.score({ ...INPUT, move })).entries()) {
          const given = INPUT.passages[sentence.passage];
          const cosine = given?.cosine[sentence.sentence] ?? NaN;
          const before = given?.before[sentence.sentence] ?? NaN;
          const added = move === 'address' ? 2 * cosine + 10 * before : 0;
          assert.ok(closeTo(sentence.score, (plain[row]?.score ?? NaN) + added, 1e-4));
          assert.equal(sentence.local, plain[row]?.local);
        }
      }
    } finally {
      await blended.close();
      other.dispose();
    }
  });

  describe('with an order', () => {
    const weights = (seed: number, count: number): number[] =>
      Array.from({ length: count }, (_, i) => Math.sin(seed + i));
    const WEIGHTS = {
      address: { told: weights(1, TOLD.length), hidden: weights(2, 16) },
      broaden: { told: weights(3, TOLD.length), hidden: weights(4, 16) },
      specify: { told: weights(5, TOLD.length), hidden: weights(6, 16) },
    };
    const withOrder = (order: unknown): RerankerFolder => {
      const other = new RerankerFolder();
      writeFileSync(other.file('order.json'), JSON.stringify(order));
      return other;
    };

    it('weighs all that is known of a sentence, by move; plain questions go without', async () => {
      const other = withOrder({ reranker: 'tiny', names: TOLD, moves: WEIGHTS });
      const ordered = await Reranker.load(other.path, { threads: 1 });
      try {
        const wordsOf = (text: string): number =>
          Math.min(60, Math.max(5, text.split(/\s+/).filter(Boolean).length));
        const queryWords = wordsOf(query);
        for (const move of ['address', 'broaden', 'specify'] as const) {
          const plain = await reranker.score({ ...INPUT, move }, { describe: true });
          const scored = await ordered.score({ ...INPUT, move });
          for (const [row, { score, passage, sentence, known }] of scored.entries()) {
            assert.equal(known, undefined);
            const { told = [], hidden = new Float32Array() } = plain[row]?.known ?? {};
            const given = INPUT.passages[passage];
            const named = Object.fromEntries(TOLD.map((name, i) => [name, told[i] ?? NaN]));
            const words = wordsOf(given?.sentences[sentence] ?? '');
            const wanted: [string, number][] = [
              ['global', plain[row]?.score ?? NaN],
              ['local', plain[row]?.local ?? NaN],
              ['cosine', given?.cosine[sentence] ?? NaN],
              ['before', given?.before[sentence] ?? NaN],
              ['bm25', expected.lexical.bm25[passage]?.[sentence] ?? NaN],
              ['passageBm25', expected.lexical.passageBm25[passage] ?? NaN],
              ['plain', given?.plain[sentence] ?? NaN],
              ['passagePlain', Math.max(...(given?.plain ?? []))],
              ['words', Math.log(words)],
              ['ratio', Math.log(words / queryWords)],
            ];
            assert.deepEqual(
              wanted.map(([name]) => name),
              [...TOLD],
            );
            for (const [name, value] of wanted) {
              assert.ok(closeTo(named[name], value, 1e-4), `${name} of ${row}`);
            }
            assert.equal(hidden.length, 16);
            const mine = WEIGHTS[move];
            const sum =
              told.reduce((all, value, i) => all + value * (mine.told[i] ?? 0), 0) +
              hidden.reduce((all, value, i) => all + value * (mine.hidden[i] ?? 0), 0);
            assert.ok(closeTo(score, sum, 1e-3), `score of ${row}`);
          }
        }
        const [asked, bare] = await Promise.all(
          [ordered, reranker].map((each) => each.score({ ...INPUT, move: 'none' })),
        );
        assert.deepEqual(
          asked?.map(({ score }) => score),
          bare?.map(({ score }) => score),
        );
      } finally {
        await ordered.close();
        other.dispose();
      }
    });

    it('counts no more words than a sentence has, and no fewer', () => {
      assert.equal(wordCount('Seven words are neither few nor many.'), 7);
      assert.equal(wordCount('row '.repeat(900)), 60);
      assert.equal(wordCount('句子没有空格。'), 5);
    });

    it('ships with the reranker that it was fitted for', async () => {
      const shipped = join(packageRoot(), 'models', 'reranker');
      const config = await readConfig(shipped);
      const order = await Order.load(shipped, config);
      assert.ok(order, 'models/reranker/order.json');
      const told = TOLD.map(() => 0);
      const near = told.with(TOLD.indexOf('cosine'), 0.8);
      const none = new Float32Array(config.hidden);
      for (const move of ['address', 'broaden', 'specify'] as const) {
        assert.ok(order.score(move, near, none) > order.score(move, told, none));
      }
    });

    it('refuses one that is cut, of another reranker or of another shape', async () => {
      const { address, ...lacking } = WEIGHTS;
      const wrong: unknown[] = [
        { reranker: 'another', names: TOLD, moves: WEIGHTS },
        { reranker: 'tiny', names: [...TOLD].reverse(), moves: WEIGHTS },
        { reranker: 'tiny', moves: WEIGHTS },
        { reranker: 'tiny', names: TOLD, moves: lacking },
        {
          reranker: 'tiny',
          names: TOLD,
          moves: { ...lacking, address: { ...address, hidden: [1, 2] } },
        },
      ];
      for (const order of wrong) {
        const other = withOrder(order);
        const made = await Reranker.load(other.path).catch((error: unknown) => error);
        assert.ok(made instanceof RatioError && made.code === 'model-broken');
        assert.match(made.message, /order\.json/);
        other.dispose();
      }
      const cut = withOrder({});
      writeFileSync(cut.file('order.json'), '{"reranker": "ti');
      await assert.rejects(Reranker.load(cut.path), /order\.json is not JSON/);
      cut.dispose();
    });
  });

  it('scores a passage the same whatever it is batched with', async () => {
    const alone = await Promise.all(
      INPUT.passages.map((passage) =>
        reranker.score({ query: '', move: 'specify', passages: [passage] }, { stage: 'local' }),
      ),
    );
    const many = await reranker.score(
      { query: '', move: 'specify', passages: INPUT.passages },
      { stage: 'local' },
    );
    alone.flat().forEach(({ score }, row) => assert.ok(closeTo(many[row]?.score, score, 1e-4)));
  });

  it('counts tokens of texts and of queries with their prefix, cut where they are long', () => {
    assert.equal(reranker.tokens('Rare fish.'), 3);
    assert.equal(reranker.queryTokens({ query: 'Rare fish.', move: 'none' }), 3);
    assert.equal(reranker.queryTokens({ query: 'Rare fish.', move: 'address' }), 5);
    assert.equal(reranker.queryTokens({ query: 'word '.repeat(500), move: 'broaden' }), 64);
  });

  it('takes a query of 500 words, one passage of one sentence, and hostile texts', async () => {
    const hostile = [
      '',
      ' \u0000 ',
      '[SEP] [PAD][CLS]',
      '\uD800\u{1F600}',
      'x'.repeat(20_000),
      '<b>',
    ];
    const inputs: RerankInput['passages'][] = [
      [one(['Only this.'])],
      [one(hostile), one([]), one(['A fish.'])],
    ];
    for (const given of inputs) {
      for (const asked of ['word '.repeat(500), '', '\u0000', '[SEP]']) {
        const scored = await reranker.score({ query: asked, move: 'none', passages: given });
        assert.equal(scored.length, given.flatMap(({ sentences }) => sentences).length);
        for (const { score, roles } of scored) {
          assert.ok(Number.isFinite(score));
          assert.ok(closeTo(roles[0] + roles[1] + roles[2], 1, 1e-4));
        }
      }
    }
  });

  it('gives nothing for no passages, and refuses features that do not match', async () => {
    assert.deepEqual(await reranker.score({ query, move: 'none', passages: [] }), []);
    assert.deepEqual(await reranker.score({ query, move: 'none', passages: [one([])] }), []);
    const lacking = { sentences: ['A.', 'B.'], cosine: [1], before: [0, 0], plain: [0, 0] };
    await assert.rejects(
      reranker.score({ query, move: 'none', passages: [lacking] }),
      /passage 0 has 2 sentences/,
    );
  });

  it('stops between batches when it is cancelled, and lets others have their turn', async () => {
    const long = one(['A long sentence on fish and rivers. '.repeat(20)]);
    const input: RerankInput = {
      query,
      move: 'address',
      passages: new Array<typeof long>(40).fill(long),
    };
    let turns = 0;
    let counting = true;
    const count = (): void => {
      turns++;
      if (counting) setImmediate(count);
    };
    count();
    await reranker.score(input);
    counting = false;
    assert.ok(turns >= 10, `${turns} turns`);
    const controller = new AbortController();
    const scoring = reranker.score(input, { signal: controller.signal });
    // Between the cutting of words and the last batch.
    for (let i = 0; i < 8; i++) await new Promise((resolve) => setImmediate(resolve));
    controller.abort();
    const cancelled = (error: unknown): boolean =>
      error instanceof RatioError && error.code === 'cancelled';
    await assert.rejects(scoring, cancelled);
    await assert.rejects(reranker.score(input, { signal: controller.signal }), cancelled);
    assert.equal((await reranker.score(input)).length, 40);
  });
});

describe('a reranker’s files', function () {
  this.timeout(60_000);
  let folder: RerankerFolder;
  beforeEach(() => (folder = new RerankerFolder()));
  afterEach(() => folder.dispose());

  const refused = async (code: RatioError['code'], words: RegExp): Promise<void> => {
    await assert.rejects(Reranker.load(folder.path), (error: unknown) => {
      assert.ok(error instanceof RatioError, String(error));
      assert.equal(error.code, code, error.message);
      assert.match(error.message, words);
      return true;
    });
  };
  const config = (): Record<string, unknown> =>
    JSON.parse(readFileSync(folder.file('config.json'), 'utf8')) as Record<string, unknown>;
  const write = (changed: object): void =>
    writeFileSync(folder.file('config.json'), JSON.stringify(changed));

  for (const name of ['config.json', 'local.onnx', 'global.onnx', 'tokenizer.json']) {
    it(`are missed one by one: ${name}`, async () => {
      rmSync(folder.file(name));
      await refused('model-missing', new RegExp(`${name.replace('.', '\\.')} is missing`));
    });
  }

  it('are told from files that were cut or changed', async () => {
    const bytes = readFileSync(folder.file('local.onnx'));
    writeFileSync(folder.file('local.onnx'), bytes.subarray(0, 1000));
    await refused('model-broken', /local\.onnx has 1000 bytes instead of/);
    bytes[700] = (bytes[700] ?? 0) ^ 1;
    writeFileSync(folder.file('local.onnx'), bytes);
    await refused('model-broken', /local\.onnx is not the file that config\.json describes/);
  });

  it('are refused where the config is none', async () => {
    writeFileSync(folder.file('config.json'), '{');
    await refused('model-broken', /config\.json is not JSON/);
    write([]);
    await refused('model-broken', /does not describe a reranker/);
    const sound = new RerankerFolder();
    copyFileSync(sound.file('config.json'), folder.file('config.json'));
    sound.dispose();
    write({ ...config(), features: ['cosine', 'bm25', 'before', 'passageBm25'] });
    await refused('model-broken', /features/);
    writeFileSync(folder.file('tokenizer.json'), '7');
    write({ ...config(), features: ['cosine', 'before', 'bm25', 'passageBm25'] });
    await refused('model-broken', /tokenizer\.json holds no tokeniser/);
  });

  it('are refused where the models have other shapes, inputs or no meaning', async () => {
    const shapes = config();
    write({ ...shapes, hidden: 384 });
    await refused('model-broken', /local\.onnx gives hidden as .*16, not as .*384/);
    const swap = (from: string): void => {
      const bytes = readFileSync(from);
      writeFileSync(folder.file('global.onnx'), bytes);
      const sha256 = createHash('sha256').update(bytes).digest('hex');
      const files = shapes['files'] as object;
      write({ ...shapes, files: { ...files, 'global.onnx': { bytes: bytes.length, sha256 } } });
    };
    swap(folder.file('local.onnx'));
    await refused('model-broken', /global\.onnx takes input_ids, .* instead of hidden, roles/);
    swap(folder.file('tokenizer_config.json'));
    await refused('model-broken', /global\.onnx cannot be read/);
  });

  it('are closed once and then answer nothing', async () => {
    const reranker = await Reranker.load(folder.path);
    const scoring = reranker.score({ ...INPUT, move: 'address' });
    const ended = assert.rejects(
      scoring,
      (error: unknown) => error instanceof RatioError && error.code === 'engine-down',
    );
    await reranker.close();
    await reranker.close();
    await ended;
  });
});
