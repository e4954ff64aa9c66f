import assert from 'node:assert/strict';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { loadSplit, type Split } from '../../../server/evaluation/split';
import {
  bareUnits,
  combineUnits,
  concatUnits,
  type Context,
  type Units,
} from '../../../server/evaluation/context';
import { pairMetrics, rankedIds, rankPairs, toQrels, toRun } from '../../../server/evaluation/rank';
import { markerScores, overlapScores } from '../../../server/evaluation/analyses';
import { normalised, ownPlaces, sameSentence } from '../../../server/evaluation/own';
import { papersFile, readContexts } from '../../../server/evaluation/papers';
import { makeRetriever } from '../../../server/evaluation/retrievers';
import { PAIRS, POOL, writeSea } from './sea';

const same = (a: string, b: string): boolean => sameSentence(normalised(a), normalised(b));

describe('a benchmark split', () => {
  let folder = '';
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  it('is read with the places of its sentences', async () => {
    folder = writeSea();
    const split = await loadSplit(folder, 'test');
    assert.deepEqual(
      split.pairs.map(({ id }) => id),
      ['p1:2', 'p2:1', 'p3:1r'],
    );
    assert.equal(split.places.get('p2#1'), 5);
    assert.deepEqual([...split.golds.values()], [[2], [], [5], [8]]);
    const some = await loadSplit(folder, 'test', { moves: ['specify'], limit: 1 });
    assert.deepEqual(
      some.pairs.map(({ id }) => id),
      ['p2:1'],
    );
  });

  it('says file, line and fault of a bad row', async () => {
    const [first, second] = PAIRS;
    const cases: [Parameters<typeof writeSea>[0], RegExp][] = [
      [{ pairs: [first, { ...second, move: 'deepen' }] }, /pairs\.jsonl:2: "move" is not right/],
      [{ pairs: [{ ...first, query: undefined }] }, /pairs\.jsonl:1: "query" is not right/],
      [{ pairs: [{ ...first, id: 'a b' }] }, /pairs\.jsonl:1: "id".*white space/],
      [{ pairs: [first, first] }, /pairs\.jsonl:2: the id p1:2 stands there twice/],
      [{ pairs: [{ ...first, goldId: 'p9#9' }] }, /pairs\.jsonl:1: the gold p9#9 is not in/],
      [{ pool: [POOL[0], POOL[0]] }, /pool\.jsonl:2: the id p1#0 stands there twice/],
      [{ pool: [['no object']] }, /pool\.jsonl:1: the row is not right/],
      [{ pairs: [] }, /holds no pair/],
      [{ pool: [] }, /pool\.jsonl holds no sentence/],
    ];
    for (const [change, words] of cases) {
      folder = writeSea(change);
      await assert.rejects(loadSplit(folder, 'test'), words);
      rmSync(folder, { recursive: true });
    }
    folder = writeSea();
    writeFileSync(join(folder, 'test', 'pool.jsonl'), '{"id": "x",\n');
    await assert.rejects(loadSplit(folder, 'test'), /pool\.jsonl:1: this is not JSON/);
    await assert.rejects(loadSplit(folder, 'val'), /There is no folder .*val/);
  });
});

describe("a query's own sentence", () => {
  it('is equal, nearly equal, or the same without its opening clause', () => {
    assert.ok(same('Tides delay ferries.', 'tides  delay ferries'));
    assert.ok(
      same('On the other hand, tides may delay the ferries.', 'Tides may delay the ferries.'),
    );
    assert.ok(
      same('The tides of May delay all ferries', 'The tides of May delay many ferries all'),
    );
    assert.ok(!same('Tides delay ferries.', 'Tides delay the delivery of mail by ferries.'));
    assert.ok(!same('In June, ferries sail.', 'ferries sail'));
  });

  it('is found by its id, else by its text within its paper, and never is the gold', () => {
    const pool = [
      ...POOL,
      { ...POOL[4], id: 'p9#0', text: 'Lobster pots are lost in storms.', paper: 'p9' },
    ] as Split['pool'];
    const pairs = [
      ...PAIRS,
      { ...PAIRS[0], id: 'x', queryId: undefined },
      { ...PAIRS[2], id: 'y', query: 'Warm currents stop the growth of kelp.' },
    ] as Split['pairs'];
    assert.deepEqual(
      ownPlaces(pairs, pool).map((places) => [...places]),
      [[1], [4], [], [1], []],
    );
  });

  it('is found also where the pool has it under the id of another paper', () => {
    const [pair] = PAIRS as Split['pairs'];
    const elsewhere = { ...POOL[1], id: 'p9#0', paper: 'p9' };
    const pool = [...POOL.filter(({ id }) => id !== 'p1#1'), elsewhere] as Split['pool'];
    const pairs = [
      { ...pair, queryId: 'p9#0' },
      { ...pair, queryId: 'p9#0', goldId: 'p9#0' },
      { ...pair, queryId: 'p9#9' },
    ] as Split['pairs'];
    assert.deepEqual(
      ownPlaces(pairs, pool).map((places) => [...places]),
      [[8], [], []],
    );
  });
});

describe('ranking a split', () => {
  let folder = '';
  let split: Split;
  let contexts: Context[];
  before(async () => {
    folder = writeSea();
    split = await loadSplit(folder, 'test');
    contexts = await readContexts(papersFile(join(folder, 'test')), split.pool, split.places);
  });
  after(() => rmSync(folder, { recursive: true, force: true }));

  const rank = (units: Units) => rankPairs(split, units, makeRetriever('bm25', units, null));

  it('leaves out the own sentence and what shares no word', async () => {
    const rankings = await rank(bareUnits(split.pool.map(({ text }) => text)));
    const [address, specify, reversed] = rankings.shared.map((own) => rankedIds(split, own));
    // "tides" and "ferries", by hand: the sentence itself is not there, nor any without a word.
    assert.deepEqual(new Set(address), new Set(['p1#0', 'p1#2', 'p3#0']));
    assert.deepEqual(specify, ['p2#1']);
    assert.deepEqual(reversed, ['p3#1', 'p3#0']);
    const metrics = pairMetrics(split, rankings.shared);
    assert.equal(metrics[1]?.['R@1'], 1);
    assert.equal(metrics[2]?.['MRR@10'], 1);
  });

  it('ranks only the golds of the set for the oracle', async () => {
    const rankings = await rank(bareUnits(split.pool.map(({ text }) => text)));
    assert.deepEqual(
      rankings.oracle.map((own) => rankedIds(split, own)),
      [['p1#2'], ['p2#1'], ['p3#1']],
    );
  });

  it('becomes a run and qrels with the sets', async () => {
    const rankings = await rank(bareUnits(split.pool.map(({ text }) => text)));
    assert.deepEqual(toRun(split, rankings.shared, 's').rankings.get('p2:1')?.length, 1);
    assert.deepEqual([...toQrels(split).sets.values()], ['address', 'specify', 'broaden-reversed']);
  });

  it('reads contexts: title and the sentences before', () => {
    assert.deepEqual(contexts[2], {
      title: 'Keeping ferries on time',
      // As embedded, like the pool's own texts: without "However,".
      before: [
        { id: 'p1#0', text: 'Ferries cross the strait every hour.' },
        { id: 'p1#1', text: 'Strong tides delay ferries on most winter days.' },
      ],
    });
    assert.deepEqual(contexts[7]?.before, []);
  });

  it('never lets a concatenated context hold the query it is scored against', async () => {
    const units = concatUnits({ pairs: split.pairs, pool: split.pool, contexts });
    assert.match(units.texts[2] ?? '', /^Keeping ferries on time\. Ferries cross.*tides delay/);
    // The gold and the sentence after it have the query before them; so has one of the lobsters.
    const extra = units.texts.slice(split.pool.length);
    assert.deepEqual(extra, [
      'Keeping ferries on time. Ferries cross the strait every hour. We plan departures around the tide tables.',
      'Keeping ferries on time. Ferries cross the strait every hour. We plan departures around the tide tables. Passengers wait four minutes less.',
      'Lobster pots. One harbour lost ninety pots in a night.',
      'Lobster pots. One harbour lost ninety pots in a night. Buoys that report their place are found again.',
    ]);
    assert.deepEqual([units.replaced(0), units.replaced(2)], [[2, 3], []]);
    const row = Float32Array.from(units.texts, (_, i) => i);
    const into = new Float32Array(units.documents);
    assert.deepEqual([...units.compose(0, row, into)], [0, 1, 9, 10, 4, 5, 6, 7, 8]);
    assert.deepEqual([...units.compose(1, row, into)], [0, 1, 2, 3, 4, 11, 12, 7, 8]);
    assert.deepEqual([...units.compose(2, row, into)], [0, 1, 2, 3, 4, 5, 6, 7, 8]);
    const { shared } = await rank(units);
    assert.ok(rankedIds(split, shared[0]).includes('p1#3'));
  });

  it('combines scores with the best of the context, the query left out', () => {
    const units = combineUnits({ pairs: split.pairs, pool: split.pool, contexts }, 0.5);
    const score = (text: string): number =>
      text.includes('strong tides')
        ? 10
        : text.startsWith('Ferries')
          ? 4
          : text === 'Kelp'
            ? -1
            : 0;
    const row = Float32Array.from(units.texts, score);
    const into = new Float32Array(units.documents);
    // For its own pair p1#1 is no context; for the others it is the best one of p1#2 and p1#3.
    assert.deepEqual([...units.compose(0, row, into)], [4, 12, 2, 2, 0, 0, 0, 0, 0]);
    assert.deepEqual([...units.compose(1, row, into)], [4, 12, 5, 5, 0, 0, 0, 0, 0]);
  });

  it('reports markers and lexical overlap', async () => {
    const { shared } = await rank(bareUnits(split.pool.map(({ text }) => text)));
    const markers = markerScores(split, pairMetrics(split, shared));
    assert.deepEqual(
      markers.map(({ set, marker, scores }) => [set, marker, scores.queries]),
      [
        ['address', 'to address this', 1],
        ['specify', 'for example', 1],
        ['broaden-reversed', 'specifically', 1],
      ],
    );
    const [, specify] = overlapScores(split, shared);
    // {lobster, pot, lost, storm} and {on…} by hand: gold has one, harbour, lost, nineti, pot, night.
    assert.equal(specify?.queryGold, 2 / 8);
    assert.equal(specify?.queryResults[1], 2 / 8);
    assert.ok(Number.isNaN(specify?.goldResults[10]), 'the gold is its only result');
  });
});
