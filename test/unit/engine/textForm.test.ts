import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'libsql';
import type { Snapshot } from '../../../server/engine/engine';
import { embeddedText, prepareTextForm, vectorKind } from '../../../server/engine/encoder/textForm';
import { loadHnsw } from '../../../server/engine/index/hnsw';
import { readStamp, stampFile } from '../../../server/engine/index/stamp';
import type { LocalEngine } from '../../../server/engine/local';
import { poolDatabase, poolFolder } from '../../../server/engine/store/names';
import { listeningEncoder } from './doubles';
import { manyRows, row, Workspace } from './support';

describe('the text that is embedded', function () {
  this.timeout(120_000);
  // Building the lexicon takes a while on a busy machine.
  before(prepareTextForm);

  it('is the sentence without its opening markers and citations, with a capital', () => {
    assert.equal(
      embeddedText('However, to address this issue, we train a sampler [3, 7].'),
      'We train a sampler.',
    );
    assert.equal(embeddedText('Labels are  scarce.\n'), 'Labels are scarce.');
    assert.equal(embeddedText(embeddedText('Hence, labels are scarce.')), 'Labels are scarce.');
  });

  it('is the whole where stripping leaves hardly anything', () => {
    assert.equal(embeddedText('(Shah et al., 2020) No.'), '(Shah et al., 2020) No.');
    assert.equal(embeddedText('[12]'), '[12]');
    assert.equal(embeddedText('Yes.'), 'Yes.');
    assert.equal(embeddedText(''), '');
  });

  const hostile = {
    blanks: `a${' '.repeat(200_000)}[1]`,
    brackets: '[('.repeat(100_000),
    'list markers': '- 1. '.repeat(50_000),
    markers: 'however, '.repeat(50_000),
    'lone surrogates': '\ud800'.repeat(100_000),
  };
  for (const [name, text] of Object.entries(hostile)) {
    it(`takes a text full of ${name} in no time`, () => {
      const start = process.cpuUsage();
      embeddedText(text);
      const { user, system } = process.cpuUsage(start);
      assert.ok(user + system < 1e6, `${(user + system) / 1000} ms`);
    });
  }

  it('is part of what vectors are told apart by, not of the encoder’s id', () => {
    const encoder = { id: 'e', dimensions: 4, more: true };
    assert.deepEqual(vectorKind(encoder), { id: 'e+t1', dimensions: 4 });
    assert.equal(encoder.id, 'e');
  });
});

describe('what an encoder is given', function () {
  this.timeout(60_000);
  let workspace: Workspace;
  beforeEach(() => (workspace = new Workspace()));
  afterEach(() => workspace.dispose());

  const given = async (
    prompts?: Parameters<typeof listeningEncoder>[1],
  ): Promise<ReturnType<typeof listeningEncoder>> => {
    const encoder = listeningEncoder('e', prompts);
    const engine = await workspace.engine({
      upkeep: 'none',
      createEncoder: async () => encoder,
    });
    const path = workspace.file('a.jsonl', [
      row('p', ['However, lamps break in the rain [4].', 'Rivers rise.']),
    ]);
    await engine.addToPool({ pool: 'one', sources: [path] });
    for (const move of ['address', 'broaden', 'specify'] as const) {
      const { inspirations } = await engine.inspire({
        move,
        text: 'Nevertheless, lamps of the harbour break',
        pools: ['one'],
      });
      // What is shown, and what full text holds, is the sentence as it stands in its paper.
      assert.equal(inspirations[0]?.text, 'However, lamps break in the rain [4].');
    }
    return encoder;
  };

  it('is a query with the prefix of its move, and sentences with theirs', async () => {
    const { queries, documents } = await given({
      queryPrefix: '{move} ({move}): ',
      documentPrefix: 'passage: ',
    });
    const text = 'Lamps of the harbour break';
    // Each as the question of its move, and as a plain sentence.
    assert.deepEqual(
      queries,
      ['address', 'broaden', 'specify'].flatMap((move) => [
        `${move} (${move}): ${text}`,
        `passage: ${text}`,
      ]),
    );
    assert.deepEqual(documents, ['passage: Lamps break in the rain.', 'passage: Rivers rise.']);
  });

  it('takes a prefix a move, and none where there is none', async () => {
    const { queries } = await given({
      queryPrefix: { address: 'A ', specify: 'S ' },
      documentPrefix: '',
    });
    const text = 'Lamps of the harbour break';
    assert.deepEqual(queries, [`A ${text}`, text, text, text, `S ${text}`, text]);
  });

  it('is the bare text without prompts', async () => {
    const { queries, documents } = await given();
    assert.deepEqual(new Set(queries), new Set(['Lamps of the harbour break']));
    assert.deepEqual(documents, ['Lamps break in the rain.', 'Rivers rise.']);
  });
});

describe('a pool from before sentences were stripped', function () {
  this.timeout(60_000);
  let workspace: Workspace;
  let next: ReturnType<typeof listeningEncoder>;
  let engine: LocalEngine;
  let path: string;
  const ask = (): Promise<Snapshot> =>
    engine.inspire({
      move: 'address',
      text: 'The lamp of river holds a wheel of bread and stone',
      pools: ['one'],
      limit: 200,
      perPaper: 20,
    });

  beforeEach(async () => {
    workspace = new Workspace();
    const rows = manyRows(60, 5);
    for (const { sentences } of rows) sentences[0] = `However, ${String(sentences[0])}`;
    path = workspace.file('a.jsonl', rows);
    const before = await workspace.engine({ upkeep: 'none' });
    await before.addToPool({ pool: 'one', sources: [path] });
    await before.close();
    // As such a pool was: vectors and index under the encoder's own id.
    const database = new Database(poolDatabase(workspace.home, 'one'));
    database.prepare("UPDATE encoders SET id = 'bag-of-words'").run([]);
    database.close();
    const folder = poolFolder(workspace.home, 'one');
    if (loadHnsw().module) {
      const stamp = JSON.parse(readFileSync(stampFile(folder), 'utf8')) as object;
      writeFileSync(stampFile(folder), JSON.stringify({ ...stamp, encoder: 'bag-of-words' }));
    }
    next = listeningEncoder('bag-of-words');
    engine = await workspace.engine({ upkeep: 'none', createEncoder: async () => next });
  });
  afterEach(() => workspace.dispose());

  it('is searched by its words only until it is encoded again, as a whole', async () => {
    const before = await ask();
    assert.ok(before.inspirations.length > 0);
    assert.ok(before.inspirations.every(({ why }) => why.dense === null && why.context === null));
    assert.match(before.notices.join(), /another encoder/);
    assert.match((await engine.pools())[0]?.problem ?? '', /another encoder/);
    assert.deepEqual((await engine.upkeepNeeded()).pools, ['one']);

    const fractions: number[] = [];
    const report = await engine.updatePool('one', {
      onProgress: ({ phase, fraction }) => phase === 'encoding' && fractions.push(fraction ?? -1),
    });
    assert.deepEqual([report.stored, report.unchanged], [0, 60]);
    assert.equal(next.documents.length, 300);
    assert.ok(next.documents.every((text) => !text.startsWith('However')));
    // The first step at least; reports that follow quickly are left out.
    assert.equal(Math.round(300 * (fractions[0] ?? 0)), 64);
    assert.deepEqual(
      fractions,
      [...fractions].sort((a, b) => a - b),
    );
    const [info] = await engine.pools();
    assert.deepEqual([info?.encoder, info?.problem], ['bag-of-words+t1', null]);
    if (loadHnsw().module) {
      assert.equal(readStamp(join(workspace.home, 'pools', 'one'))?.encoder, 'bag-of-words+t1');
    }
    const after = await ask();
    assert.ok(after.inspirations.some(({ why }) => why.dense !== null));
    assert.deepEqual(after.notices, []);
    assert.deepEqual((await engine.upkeepNeeded()).pools, []);
  });

  it('is encoded again by an import too', async () => {
    await engine.addToPool({ pool: 'one', sources: [path] });
    assert.equal(next.documents.length, 300);
    assert.equal((await engine.pools())[0]?.problem, null);
  });

  it('never has old vectors beside new ones when that is interrupted, and goes on from there', async () => {
    const abort = new AbortController();
    const report = await engine.updatePool('one', {
      signal: abort.signal,
      onProgress: ({ phase }) => phase === 'encoding' && abort.abort(),
    });
    assert.equal(report.cancelled, true);
    assert.equal(next.documents.length, 64);
    const { inspirations, notices } = await ask();
    const dense = inspirations.filter(({ why }) => why.dense !== null);
    // The first 64 sentences: papers p0 to p11, and four of p12.
    assert.ok(dense.length > 0 && dense.length <= 64);
    for (const { paper } of dense) assert.ok(Number(paper.id.slice(1)) <= 12, paper.id);
    assert.match(notices.join(), /another encoder/);
    await engine.updatePool('one');
    assert.equal(next.documents.length, 300);
    assert.equal((await engine.pools())[0]?.problem, null);
  });
});
