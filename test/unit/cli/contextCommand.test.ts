import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { contextSchema } from '../../../server/cli/contextUnits';
import { Terminal } from './terminal';

const ROWS = [
  {
    id: 'harbour',
    title: 'Keeping ferries on time',
    authors: ['Ada Sailor'],
    date: '2024-05-01',
    abstract:
      'Ferries cross the strait every hour. Strong tides delay ferries on most winter days. We plan departures around the tide_tables. Passengers wait four minutes less.',
  },
  {
    id: 'pots',
    title: 'Lobster pots',
    authors: ['Bo Fisher'],
    date: '2023',
    abstract: 'Lobster pots are lost in storms. Buoys that report their place are found again.',
  },
];

describe('ratio context', function () {
  this.timeout(180_000);
  let terminal: Terminal;
  let folder: string;
  before(async () => {
    terminal = await Terminal.with('context', ROWS);
    folder = terminal.folder;
  });
  after(() => terminal.dispose());

  const ratio = (...parameters: string[]) => terminal.ratio(...parameters);
  const QUERY = 'Tides make our ferries late.';

  it('prints what a query finds, as JSON of its shape, with or without a reranker', () => {
    const asked = ['--move', 'address', '--top', '3', QUERY];
    const made = ratio('context', '--format', 'json', ...asked);
    assert.equal(made.status, 0, made.stderr);
    const { units, query, pools } = contextSchema.parse(JSON.parse(made.stdout));
    assert.deepEqual([query, pools], [QUERY, ['sea']]);
    assert.ok(units.length > 0 && units.length <= 3);
    const plain = ratio('context', '--no-rerank', '--format', 'json', ...asked);
    const { reranked, units: kept } = contextSchema.parse(JSON.parse(plain.stdout));
    assert.equal(reranked, false);
    assert.ok(kept.length > 0 && kept.every(({ relatives }) => relatives.length === 0));
    assert.equal(plain.stderr, '');
    const queried = JSON.parse(ratio('query', '--no-rerank', '--json', ...asked).stdout) as {
      reranked: boolean;
      inspirations: { text: string }[];
    };
    assert.equal(queried.reranked, false);
    assert.deepEqual(
      queried.inspirations.map(({ text }) => text),
      kept.map(({ text }) => text),
    );
  });

  it('prints Markdown for a place in a draft, with the keys of its bibliography', () => {
    const draft = join(folder, 'draft.tex');
    writeFileSync(draft, 'Tides make our ferries late.\n\\bibliography{own}\n');
    writeFileSync(
      join(folder, 'own.bib'),
      '@misc{sailing, title = {Keeping Ferries on Time}, author = {Sailor, Ada}, year = 2024}\n',
    );
    const made = ratio('context', '--no-rerank', '--move', 'address', '--at', `${draft}:1`);
    assert.equal(made.status, 0, made.stderr);
    assert.match(made.stdout, /^# Context: address\n\nQuery: Tides make our ferries late\.\n/);
    assert.match(made.stdout, /Ada Sailor, 2024 \[@sailing\]/);
    assert.match(made.stdout, /around the tide\\_tables/);
    assert.match(made.stdout, /\n## References\n\n- \[@sailing\]/);
  });

  it('ends with 2 for wrong usage', () => {
    const cases: [string[], RegExp][] = [
      [['context', '--move', 'address'], /Give a text in quotes/],
      [['context', '--move', 'address', '--at', 'x.tex:1', 'text'], /not both/],
      [['context', '--move', 'address', '--format', 'xml', 'text'], /markdown, json/],
      [['context', 'text'], /--move/],
    ];
    for (const [parameters, words] of cases) {
      const { status, stderr, stdout } = ratio(...parameters);
      assert.equal(status, 2, stderr);
      assert.match(stderr, words);
      assert.equal(stdout, '');
    }
  });
});
