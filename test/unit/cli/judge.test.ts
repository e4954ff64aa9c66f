import assert from 'node:assert/strict';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Engine } from '../../../server/engine/engine';
import { withReranker } from '../../../server/evaluation/judge/reranker';
import { checkEncoder, engineRun } from '../../../server/evaluation/judge/run';
import { jsonl, PAPERS } from '../evaluation/sea';
import { Terminal } from './terminal';

const rows = PAPERS.map(({ id, title, sentences }) => ({
  ...{ id, title, authors: ['Ann Lee'], date: '2024' },
  abstract: sentences.map(({ text }) => text).join(' '),
}));
const QUERIES = [
  { id: 'one', move: 'address', text: 'Strong tides delay boats on many days of winter.' },
  { id: 'two', move: 'broaden', text: 'Lobster pots drift away when storms come.' },
];

describe('runs of judged queries', function () {
  this.timeout(180_000);
  let terminal: Terminal;
  before(async () => {
    terminal = await Terminal.with('judge', rows);
    writeFileSync(path('queries.jsonl'), jsonl(QUERIES));
  });
  after(() => terminal.dispose());
  const path = (name: string): string => join(terminal.folder, name);
  const run = (...more: string[]) =>
    terminal.ratio(
      ...['judge', 'run', '--queries', path('queries.jsonl'), '--pool', 'sea'],
      ...['--out', path('out.run'), ...more],
    );

  it('tell what the reranker knows of all sentences it read, and order them as users see them', () => {
    const made = run('--system', 'engine', '--known', path('known.jsonl'));
    assert.equal(made.status, 0, made.stderr);
    const [about, ...known] = readFileSync(path('known.jsonl'), 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, unknown>);
    assert.match(String(about?.['reranker']), /^log-minilm/);
    assert.equal((about?.['told'] as string[]).length, 10);
    const ranked = readFileSync(path('out.run'), 'utf8')
      .trim()
      .split('\n')
      .map((line) => line.split(' '));
    for (const { id } of QUERIES) {
      const mine = known.filter(({ query }) => query === id).map(({ sentence }) => sentence);
      assert.ok(mine.length >= 3, `${id} has ${mine.length}`);
      const papers = new Map<string, number>();
      const shown = mine.filter((sentence) => {
        const paper = String(sentence).split('#')[0] ?? '';
        papers.set(paper, (papers.get(paper) ?? 0) + 1);
        return (papers.get(paper) ?? 0) <= 2;
      });
      const listed = ranked.filter(([query]) => query === id).map(([, , sentence]) => sentence);
      assert.deepEqual(listed.slice(0, shown.length), shown.slice(0, listed.length));
    }
    for (const { told, hidden } of known) {
      assert.equal((told as number[]).length, 10);
      assert.ok((told as number[]).every((value) => Number.isFinite(value)));
      assert.equal(Buffer.from(String(hidden), 'base64').length, 384 * 4);
    }
    const plain = readFileSync(path('out.run'), 'utf8');
    assert.equal(run('--system', 'engine').status, 0);
    assert.equal(readFileSync(path('out.run'), 'utf8'), plain);
  });

  it('tell nothing of what is not reranked, and leave no half of a file', () => {
    for (const more of [
      ['--system', 'bm25'],
      ['--system', 'engine', '--no-rerank'],
    ]) {
      const made = run(...more, '--known', path('none.jsonl'));
      assert.equal(made.status, 2, made.stderr);
      assert.match(made.stderr, /goes with --system engine/);
    }
    for (const name of ['none.jsonl', 'none.jsonl.part'])
      assert.equal(existsSync(path(name)), false);
  });

  it('are refused rather than given in the order of recall, and an older file stays', async () => {
    writeFileSync(path('old.jsonl'), 'old\n');
    const asked = QUERIES.map((query) => ({ ...query, move: query.move as 'address' | 'broaden' }));
    const other = {
      status: () => Promise.resolve({ encoder: { id: 'another encoder' } }),
    } as unknown as Engine;
    const failing = withReranker(path('old.jsonl'), asked, (_, encoder) =>
      checkEncoder(other, encoder),
    );
    await assert.rejects(failing, /was trained with the encoder/);
    assert.equal(readFileSync(path('old.jsonl'), 'utf8'), 'old\n');
    assert.equal(existsSync(path('old.jsonl.part')), false);
    const recalled = {
      inspire: () =>
        Promise.resolve({ inspirations: [{}], reranked: false, notices: ['No model.'] }),
    } as unknown as Engine;
    await assert.rejects(
      engineRun(recalled, 'sea', asked, { top: 5, perPaper: 2 }),
      /answer to one was not reranked\. No model\./,
    );
  });
});
