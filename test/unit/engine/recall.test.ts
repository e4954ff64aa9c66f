import assert from 'node:assert/strict';
import { copyFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { RatioError, type InspireRequest, type Snapshot } from '../../../server/engine/engine';
import type { LocalEngine } from '../../../server/engine/local';
import { poolDatabase } from '../../../server/engine/store/names';
import { PoolReader } from '../../../server/engine/store/reader';
import { movePrior } from '../../../server/engine/recall/prior';
import { manyRows, row, Workspace } from './support';

describe('moves', function () {
  this.timeout(20_000);
  let workspace: Workspace;
  let engine: LocalEngine;
  const ask = (request: Partial<InspireRequest>): Promise<Snapshot> =>
    engine.inspire({ move: 'address', text: 'A lamp on the river', pools: null, ...request });
  const ids = ({ inspirations }: Snapshot): string[] => inspirations.map(({ id }) => id);

  beforeEach(async () => {
    workspace = new Workspace();
    engine = await workspace.engine();
    const path = workspace.file('a.jsonl', [
      row('old', ['The lamp of the river glows at night.', 'Stones are cold.'], { date: '1999' }),
      row('new', ['Boats are slow.', 'A lamp beside a river needs glass.', 'Fish sleep.'], {
        date: '2021-03',
      }),
      row('undated', ['Every lamp near this river is broken.'], { date: null }),
      row(
        'many',
        [1, 2, 3, 4, 5].map((n) => `The lamp by the river shines ${n} times.`),
      ),
      ...manyRows(40, 3),
    ]);
    await engine.addToPool({ pool: 'one', sources: [path] });
  });
  afterEach(() => workspace.dispose());

  it('answers with neighbours, record, reasons and ranks', async () => {
    const snapshot = await ask({ years: { from: 2021, to: 2021 } });
    const [first] = snapshot.inspirations;
    assert.equal(first?.id, 'one/new#1');
    assert.deepEqual([first?.before, first?.after], ['Boats are slow.', 'Fish sleep.']);
    assert.equal(first?.paper.title, 'Title of new');
    assert.ok(first?.why.dense && first.why.lexical);
    assert.deepEqual(
      snapshot.inspirations.map(({ rank }) => rank),
      snapshot.inspirations.map((_, i) => i + 1),
    );
    assert.deepEqual([snapshot.final, snapshot.device, snapshot.pools], [true, 'cpu', ['one']]);
  });

  it('sends a first snapshot, then the final one, the same at every run', async () => {
    const snapshots: Snapshot[] = [];
    const final = await engine.inspire(
      { move: 'address', text: 'A lamp on the river', pools: null },
      { onSnapshot: (snapshot) => snapshots.push(snapshot) },
    );
    assert.deepEqual(
      snapshots.map(({ sequence, final: last }) => [sequence, last]),
      [
        [0, false],
        [1, true],
      ],
    );
    assert.deepEqual(ids(final), ids(await ask({})));
  });

  it('keeps to the years, and leaves undated papers out of them', async () => {
    const years = { from: 1990, to: 2000 };
    assert.deepEqual(
      [...new Set((await ask({ years })).inspirations.map((i) => i.paper.id))],
      ['old'],
    );
    const open = await ask({ years: { from: null, to: 2000 } });
    assert.deepEqual([...new Set(open.inspirations.map((i) => i.paper.id))], ['old']);
    assert.ok(ids(await ask({ limit: 200 })).includes('one/undated#0'));
  });

  it('limits sentences of a paper, and says whether more would come', async () => {
    const of = (snapshot: Snapshot): number =>
      snapshot.inspirations.filter((i) => i.paper.id === 'many').length;
    assert.equal(of(await ask({})), 2);
    assert.equal(of(await ask({ perPaper: 4 })), 4);
    const two = await ask({ limit: 2 });
    assert.deepEqual([two.inspirations.length, two.more], [2, true]);
    const all = await ask({ limit: 200, perPaper: 20 });
    assert.equal(all.more, false);
    assert.deepEqual(
      ids(all).slice(0, 2).sort(),
      ids(await ask({ limit: 2, perPaper: 20 })).sort(),
    );
  });

  it('leaves out the query, its near-copies and the draft’s own sentences', async () => {
    const found = async (request: Partial<InspireRequest>): Promise<Set<string>> =>
      new Set(ids(await ask({ limit: 200, ...request })));
    const plain = await found({});
    assert.ok(plain.has('one/old#0') && plain.has('one/undated#0'));
    for (const text of [
      'the LAMP of the river — glows at night!',
      'The lamp of the river glows at night too',
    ]) {
      const near = await found({ text });
      assert.deepEqual([near.has('one/old#0'), near.has('one/new#1')], [false, true], text);
    }
    plain.delete('one/undated#0');
    assert.deepEqual(await found({ exclude: ['every lamp  near this river is “broken”'] }), plain);
  });

  it('asks the pools named, a paper of two pools counting once', async () => {
    const path = workspace.file('b.jsonl', [
      row(
        'many',
        [6, 7, 8].map((n) => `The lamp by the river shines ${n} times.`),
      ),
      row('other', ['A lamp and a river are on this picture.']),
    ]);
    await engine.addToPool({ pool: 'two', sources: [path] });
    const second = ids(await ask({ pools: ['two'] }));
    assert.deepEqual([...new Set(second.map((id) => id.split('/')[0]))], ['two']);
    const both = await ask({ pools: ['one', 'two'], limit: 200 });
    assert.ok(ids(both).includes('two/other#0') && ids(both).includes('one/new#1'));
    assert.equal(both.inspirations.filter((i) => i.paper.id === 'many').length, 2);
  });

  it('names a pool that is not there, and goes on with the others', async () => {
    const snapshot = await ask({ pools: ['one', 'nowhere', '../one'] });
    assert.ok(snapshot.inspirations.length > 0);
    assert.match(snapshot.notices.join('\n'), /no pool “nowhere”[^]*cannot be the name/);
    await assert.rejects(
      ask({ pools: ['nowhere'] }),
      (error) => error instanceof RatioError && error.code === 'no-pool',
    );
  });

  it('says that nothing is close rather than showing noise', async () => {
    const snapshot = await ask({ text: 'Zygomorphic quintessence juxtaposed serendipitously' });
    assert.deepEqual(
      [snapshot.weak, snapshot.inspirations.length, snapshot.more],
      [true, 0, false],
    );
  });

  it('tells years without a paper from papers that are far', async () => {
    const none = await ask({ years: { from: 1850, to: 1900 } });
    assert.deepEqual([none.weak, none.inspirations.length, none.more], [false, 0, false]);
    const far = await ask({ text: 'Zygomorphic quintessence', years: { from: 1999, to: 1999 } });
    assert.deepEqual([far.weak, far.inspirations.length], [true, 0]);
  });

  it('takes any text', async () => {
    const texts = [
      '"lamp" AND (river',
      '🤖',
      '\0 lamp \ud800',
      '…',
      'lamp '.repeat(5000),
      '注意力機構',
    ];
    for (const text of texts) assert.equal((await ask({ text })).final, true);
    await assert.rejects(ask({ text: '' }), (error) => error instanceof RatioError);
  });

  it('is cancelled by its signal', async () => {
    const abort = new AbortController();
    const asked = engine.inspire(
      { move: 'address', text: 'A lamp', pools: null },
      { signal: abort.signal },
    );
    abort.abort();
    await assert.rejects(
      asked,
      (error) => error instanceof RatioError && error.code === 'cancelled',
    );
  });

  it('lists a damaged pool with what to do, and answers from the others', async () => {
    await engine.addToPool({
      pool: 'two',
      sources: [workspace.file('b.jsonl', manyRows(5, 3, 'q'))],
    });
    await engine.close();
    const path = poolDatabase(workspace.home, 'two');
    for (const damage of [
      () => writeFileSync(path, Buffer.alloc(20_000, 7)),
      () => truncateSync(path, 5000),
    ]) {
      rmSync(`${path}-wal`, { force: true });
      rmSync(`${path}-shm`, { force: true });
      copyFileSync(poolDatabase(workspace.home, 'one'), path);
      damage();
      engine = await workspace.engine({ upkeep: 'none' });
      const infos = await engine.pools();
      assert.deepEqual(
        infos.map((info) => info.name),
        ['one', 'two'],
      );
      assert.match(infos[1]?.problem ?? '', /damaged.*Remove it/);
      const snapshot = await ask({});
      assert.ok(snapshot.inspirations.length > 0);
      assert.match(snapshot.notices.join(), /“two” was left out/);
      await engine.removePool('two').then(
        () => assert.equal(infos.length, 2),
        (error: unknown) => assert.fail(String(error)),
      );
      await engine.addToPool({
        pool: 'two',
        sources: [workspace.file('b.jsonl', manyRows(5, 3, 'q'))],
      });
      await engine.close();
    }
    engine = await workspace.engine({ upkeep: 'none' });
  });

  describe('where a pool turns out to be broken while it is read', () => {
    const prototype = PoolReader.prototype as unknown as Record<string, () => unknown>;
    const kept = Object.fromEntries(
      Object.getOwnPropertyNames(prototype).map((name) => [name, prototype[name]]),
    );
    /** Lets a method fail in the pool that has this paper. */
    const fail = (method: string, paper: string, code: string): void => {
      prototype[method] = function (this: PoolReader, ...args: unknown[]) {
        if (this.paperById(paper)) throw Object.assign(new Error('raw words'), { code });
        return (kept[method] as (...all: unknown[]) => unknown).apply(this, args);
      };
    };
    beforeEach(async () => {
      const rows = [row('q', ['One lamp on the river is lit.', 'It is far away.'])];
      await engine.addToPool({ pool: 'two', sources: [workspace.file('b.jsonl', rows)] });
    });
    afterEach(() => Object.assign(prototype, kept));

    for (const [method, code, words] of [
      ['passage', 'SQLITE_CORRUPT', /“two” was left out\. The pool at .*two is damaged.*Remove it/],
      ['lexical', 'SQLITE_IOERR_READ', /“two” was left out\. The disk failed: .*two/],
      ['hasForeignVectors', 'SQLITE_CORRUPT', /“two” was left out\. The pool at .*two is damaged/],
    ] as const) {
      it(`answers from the others (${method})`, async () => {
        assert.ok(ids(await ask({})).includes('two/q#0'));
        fail(method, 'q', code);
        const answer = await ask({});
        assert.deepEqual(answer.pools, ['one']);
        assert.ok(answer.inspirations.length > 0);
        assert.ok(answer.inspirations.every(({ pool }) => pool === 'one'));
        assert.equal(answer.notices.length, 1);
        assert.match(answer.notices[0] ?? '', words);
      });
    }

    it('says what is wrong where it is the only one', async () => {
      fail('passage', 'q', 'SQLITE_CORRUPT');
      await assert.rejects(
        ask({ pools: ['two'] }),
        (error) =>
          error instanceof RatioError &&
          error.code === 'pool-damaged' &&
          /two is damaged.*Remove it/.test(error.message),
      );
    });

    it('names the pool in the list and in the log', async () => {
      fail('hasForeignVectors', 'q', 'SQLITE_IOERR_READ');
      const lines: string[] = [];
      const other = await workspace.engine({ upkeep: 'none', log: (line) => lines.push(line) });
      await other.upkeepNeeded();
      assert.match(lines.join(), /^Pool “two” is not put in order\. The disk failed: .*two/);
      const info = (await other.pools()).find(({ name }) => name === 'two');
      assert.match(info?.problem ?? '', /^The disk failed: .*two/);
    });
  });

  it('lets a stage re-order the candidates, with its snapshot', async () => {
    await engine.close();
    const shuffled = await workspace.engine({
      stages: [
        {
          name: 'reverse',
          run: async (candidates, context) => {
            assert.ok(
              context.reader('one').passage(candidates[0]?.sentence.paper ?? 0, 0, 9).length > 0,
            );
            return [...candidates].reverse();
          },
        },
      ],
    });
    const snapshots: Snapshot[] = [];
    const request = {
      move: 'address' as const,
      text: 'A lamp on the river',
      pools: null,
      perPaper: 20,
      limit: 200,
    };
    await shuffled.inspire(request, { onSnapshot: (snapshot) => snapshots.push(snapshot) });
    const [first, final] = snapshots.map(ids);
    assert.deepEqual(final, [...(first ?? [])].reverse());
  });

  it('sees what another engine stores and removes', async () => {
    const other = await workspace.engine();
    const path = workspace.file('b.jsonl', [
      row('fresh', ['One more lamp for the river stands here.']),
    ]);
    await other.addToPool({ pool: 'one', sources: [path] });
    assert.ok(ids(await ask({ limit: 200 })).includes('one/fresh#0'));
    workspace.file('b.jsonl', []);
    await other.updatePool('one');
    assert.ok(!ids(await ask({ limit: 200 })).includes('one/fresh#0'));
    await other.removePool('one');
    await assert.rejects(
      ask({}),
      (error) => error instanceof RatioError && error.code === 'no-pool',
    );
    await other.addToPool({
      pool: 'one',
      sources: [workspace.file('c.jsonl', [row('c', ['Lamp river.'])])],
    });
    assert.deepEqual(ids(await ask({})), ['one/c#0']);
  });
});

describe('the moves’ prior', () => {
  const problem = 'However, such models suffer from a lack of labelled data.';
  const response = 'We propose a sampler that reduces the need for labels.';
  const general = 'Learning from few examples is a fundamental question across many fields.';
  const concrete = 'Specifically, ResNet-50 trained on CIFAR-10 reaches 93.1% with 40 labels.';

  it('prefers responses to restated problems for Address', () => {
    assert.ok(movePrior('address', response, 'method') > 0.5);
    assert.ok(movePrior('address', problem, 'background') < -0.5);
  });
  it('prefers general statements for Broaden and concrete ones for Specify', () => {
    assert.ok(movePrior('broaden', general, null) > movePrior('broaden', concrete, null) + 0.3);
    assert.ok(movePrior('specify', concrete, null) > movePrior('specify', general, null) + 0.3);
  });
  it('stays within its bounds', () => {
    for (const move of ['address', 'broaden', 'specify'] as const) {
      for (const text of [problem, response, general, concrete, '']) {
        for (const role of ['background', 'method', 'result', null] as const) {
          assert.ok(Math.abs(movePrior(move, text, role)) <= 1);
        }
      }
    }
  });
});
