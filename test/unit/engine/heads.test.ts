import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'libsql';
import { RatioError } from '../../../server/engine/engine';
import type { SentenceEncoder } from '../../../server/engine/encoderKind';
import { Heads } from '../../../server/engine/heads';
import type { Importer } from '../../../server/engine/import/source';
import { bagEncoder, DIMENSIONS } from './doubles';
import { row, Workspace } from './support';

const KIND = { id: 'tiny', dimensions: 2 };
const TINY = {
  encoder: 'tiny',
  roles: {
    labels: ['background', 'method', 'result'],
    weights: [
      [4, 0],
      [0, 4],
      [0, 0],
    ],
    cues: [
      [1, 0, 0],
      [0, 1, 0],
      [0, 0, 1],
    ],
    bias: [0, 0, 0],
  },
  problem: {
    weights: [3, 0],
    bias: -1,
    combine: { head: 1, cue: 0.5, uncued: -2, bias: 0.25 },
    threshold: 0.7,
  },
};
const vector = (...values: number[]): Float32Array => Float32Array.from(values);
const close = (actual: number | undefined, expected: number): void => {
  assert.ok(Math.abs((actual ?? NaN) - expected) < 1e-6, `${actual} is not ${expected}`);
};
const sigmoid = (x: number): number => 1 / (1 + Math.exp(-x));

describe('heads', () => {
  it('weigh the vector and the cues of a role', () => {
    const heads = Heads.parse(TINY, KIND);
    assert.equal(heads.role(vector(1, 0), [0, 0, 0])?.role, 'background');
    assert.equal(heads.role(vector(0, 1), [0, 0, 0])?.role, 'method');
    const { role, probabilities = {} } = heads.role(vector(0, 1), [0, 0, 5]) ?? {};
    assert.equal(role, 'result');
    const total = 1 + Math.exp(4) + Math.exp(5);
    close(probabilities.result, Math.exp(5) / total);
    close(probabilities.method, Math.exp(4) / total);
  });

  it('leave roles to the cues where they have none for them', () => {
    const heads = Heads.parse({ ...TINY, roles: null }, KIND);
    assert.equal(heads.role(vector(1, 0), [0, 0, 0]), null);
    assert.equal(heads.roleRevision, null);
    assert.ok(heads.problem('However, labels are scarce and costly.', vector(1, 0)) > 0.5);
  });

  it('join the vector’s log-odds with those of the cues', () => {
    const heads = Heads.parse(TINY, KIND);
    close(heads.problem('The cat sat on the mat.', vector(1, 0)), sigmoid(2 - 2 + 0.25));
    const stated = heads.problem('However, labels are scarce and costly.', vector(1, 0));
    assert.ok(stated > sigmoid(2 + 0.25), `${stated}`);
    assert.equal(heads.problem('Scarce labels', vector(1, 0)), 0);
    assert.equal(heads.problemThreshold, 0.7);
  });

  for (const [what, change, words] of [
    ['another encoder', { encoder: 'other' }, /for the encoder other, not for tiny/],
    ['no roles', { roles: undefined }, /roles/],
    ['an unknown role', { roles: { ...TINY.roles, labels: ['a', 'b', 'c'] } }, /roles\.labels/],
    ['a row too few', { roles: { ...TINY.roles, weights: [[4, 0]] } }, /roles: not 3 rows of 2/],
    ['too few cues', { roles: { ...TINY.roles, cues: [[1], [1], [1]] } }, /roles: not 3 rows/],
    ['a vector too long', { problem: { ...TINY.problem, weights: [1, 2, 3] } }, /3, not 2/],
    ['a weight that is no number', { problem: { ...TINY.problem, bias: null } }, /problem\.bias/],
  ] as const) {
    it(`refuse a file with ${what}`, () => {
      assert.throws(() => Heads.parse({ ...TINY, ...change }, KIND), words);
    });
  }

  describe('in a model folder', () => {
    const folder = mkdtempSync(join(tmpdir(), 'ratio-heads-'));
    after(() => rmSync(folder, { recursive: true, force: true }));
    const load = (text: string) => {
      writeFileSync(join(folder, 'heads.json'), text);
      return Heads.load(folder, KIND);
    };

    it('are not missed', async () => {
      const nowhere = join(folder, 'nowhere');
      assert.deepEqual(await Heads.load(nowhere, KIND), { heads: null, reason: null });
    });

    it('are read', async () => {
      const { heads, reason } = await load(JSON.stringify(TINY));
      assert.ok(heads && reason === null);
      const roles = { ...TINY.roles, bias: [0, 0, 1] };
      const other = await load(JSON.stringify({ ...TINY, roles }));
      assert.notEqual(heads.roleRevision, other.heads?.roleRevision);
    });

    it('are told to be of no use, with what to do', async () => {
      for (const text of ['{"encoder":', JSON.stringify({ ...TINY, encoder: 'other' })]) {
        const { heads, reason } = await load(text);
        assert.equal(heads, null);
        assert.match(reason ?? '', /heads\.json cannot be used .*cue words.*train_heads/);
      }
    });
  });
});

/** Heads for the tests' encoder that call every sentence a `role`. */
function always(role: 'background' | 'method' | 'result'): Heads {
  const labels = ['background', 'method', 'result'];
  const zero = Array.from({ length: DIMENSIONS }, () => 0);
  return Heads.parse(
    {
      encoder: 'bag-of-words',
      roles: {
        labels,
        weights: [zero, zero, zero],
        cues: labels.map(() => [0, 0, 0]),
        bias: labels.map((label) => (label === role ? 1 : 0)),
      },
      problem: { ...TINY.problem, weights: zero },
    },
    { id: 'bag-of-words', dimensions: DIMENSIONS },
  );
}

const withHeads = (heads: Heads | null): SentenceEncoder => ({
  ...bagEncoder(),
  heads: { heads, reason: null },
});

describe('an engine with heads', function () {
  this.timeout(20_000);
  let workspace: Workspace;
  beforeEach(() => (workspace = new Workspace()));
  afterEach(() => workspace.dispose());

  const engineWith = (heads: Heads | null, importers?: Importer[]) =>
    workspace.engine({
      upkeep: 'none',
      createEncoder: async () => withHeads(heads),
      ...(importers && { importers }),
    });
  const stored = (): unknown[] => {
    const database = new Database(join(workspace.home, 'pools', 'one', 'pool.db'));
    try {
      const sql = 'SELECT role, role_source AS source FROM sentences ORDER BY paper, position';
      return database.prepare(sql).all([]);
    } finally {
      database.close();
    }
  };

  it('stores the heads’ roles but for those that the source gives', async () => {
    const path = join(workspace.folder, 'given.test');
    writeFileSync(path, '');
    const importer: Importer = {
      name: 'given',
      accepts: () => true,
      async *read() {
        const sentences = [
          { text: 'Many people bake bread.', role: 'background' as const, section: null },
          { text: 'We bake it slowly in a clay oven.', role: null, section: null },
        ];
        const { id, title, authors, date, venue, url, doi } = row('p', []);
        const paper = { id, title: String(title), authors: authors as string[] };
        yield {
          paper: {
            ...paper,
            date: String(date),
            venue: venue as null,
            url: url as null,
            doi: doi as null,
          },
          sentences,
          titleOnly: false,
        };
      },
    };
    const engine = await engineWith(always('result'), [importer]);
    await engine.addToPool({ pool: 'one', sources: [path] });
    assert.deepEqual(stored(), [
      { role: 'background', source: 'given' },
      { role: 'result', source: 'head' },
    ]);
  });

  it('tells the roles of a pool again when other heads come, or none', async () => {
    const path = workspace.file('a.jsonl', [row('p', ['We bake slowly.', 'Bread is better.'])]);
    const roles = async (heads: Heads | null): Promise<unknown[]> => {
      const engine = await engineWith(heads);
      await engine.addToPool({ pool: 'one', sources: [path] });
      await engine.close();
      return stored();
    };
    const cues = await roles(null);
    assert.deepEqual(
      cues.map((entry) => (entry as { source: string }).source),
      ['cue', 'cue'],
    );
    const head = (role: string) => [1, 2].map(() => ({ role, source: 'head' }));
    assert.deepEqual(await roles(always('background')), head('background'));
    assert.deepEqual(await roles(always('method')), head('method'));
    assert.deepEqual(await roles(null), cues);
  });

  it('scores problem statements, and says null without a head', async () => {
    const texts = ['The cat sat on the mat.', 'However, labels are scarce and costly.', 'Cats'];
    const engine = await engineWith(always('result'));
    const answer = await engine.problems(texts);
    assert.equal(answer?.threshold, 0.7);
    const [plain = 1, stated = 0, fragment] = answer.probabilities;
    assert.ok(plain < stated && fragment === 0, JSON.stringify(answer));
    assert.deepEqual((await engine.status()).heads, { loaded: true, reason: null });
    const without = await engineWith(null);
    assert.equal(await without.problems(texts), null);
  });

  it('stops scoring when it is cancelled', async () => {
    const encoder = withHeads(always('result'));
    const abort = new AbortController();
    let encoded = 0;
    const engine = await workspace.engine({
      upkeep: 'none',
      createEncoder: async () => ({
        ...encoder,
        encode: async (texts, options) => {
          encoded += texts.length;
          abort.abort();
          return encoder.encode(texts, options);
        },
      }),
    });
    const texts = Array.from({ length: 100 }, (_, i) => `Sentence ${i} says nothing at all.`);
    await assert.rejects(
      engine.problems(texts, { signal: abort.signal }),
      (error) => error instanceof RatioError && error.code === 'cancelled',
    );
    assert.ok(encoded < 100, `${encoded} were encoded`);
  });

  it('lets a move go first', async () => {
    const encoder = withHeads(always('result'));
    const order: string[] = [];
    let release = (): void => undefined;
    const held = new Promise<void>((resolve) => (release = resolve));
    const engine = await workspace.engine({
      upkeep: 'none',
      createEncoder: async () => ({
        ...encoder,
        encode: (texts, options) => {
          order.push('scoring');
          return encoder.encode(texts, options);
        },
        encodeOne: async (text) => {
          order.push('move');
          await held;
          return encoder.encodeOne(text);
        },
      }),
    });
    const path = workspace.file('a.jsonl', [row('p', ['We bake slowly.'])]);
    await engine.addToPool({ pool: 'one', sources: [path] });
    order.length = 0;
    const move = engine.inspire({ move: 'address', text: 'Bread is late.', pools: null });
    const scores = move.then(() => order.push('answered'));
    while (!order.includes('move')) await new Promise((resolve) => setImmediate(resolve));
    const scoring = engine.problems(['The bread is always late.']);
    for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve));
    assert.deepEqual(order, ['move']);
    release();
    await Promise.all([scores, scoring]);
    assert.equal(order.at(-1), 'scoring');
  });
});
