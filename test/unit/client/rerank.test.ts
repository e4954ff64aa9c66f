/** The setting's way to the engine, and what is told of the reranker. */
import assert from 'node:assert/strict';
import { CancellationToken } from 'vscode-languageserver-protocol';
import { rerankerLine, rerankerWords } from '../../../client/rerankerWords';
import type { CitationService } from '../../../server/citing';
import type { Drafts } from '../../../server/drafts';
import { RatioError, type Engine, type InspireRequest } from '../../../server/engine/engine';
import { MoveService, whoNamesPools } from '../../../server/moves';
import { refined } from '../../panel/support/samples';

describe('a move by the language server', () => {
  const asked: InspireRequest[] = [];
  const { rerankAsked: _, ...snapshot } = refined();
  const engine = {
    inspire: async (request: InspireRequest) => {
      asked.push(request);
      return snapshot;
    },
  } as unknown as Engine;
  const citing = {
    citedKeys: () => (paper: { id: string }) => (paper.id === 'p3' ? 'achterberg2023' : null),
  } as unknown as CitationService;
  const drafts = { exclusionsOf: () => [] } as unknown as Drafts;
  const move = (rerank?: boolean) =>
    new MoveService(drafts, citing, engine).inspire(
      {
        move: 'address',
        uri: 'file:///a.tex',
        range: null,
        text: 'A sentence.',
        pools: null,
        years: null,
        limit: 5,
        ...(rerank === undefined ? {} : { rerank }),
        token: 't',
      },
      2,
      () => undefined,
      CancellationToken.None,
    );

  it('asks for the retriever’s order alone where the setting is off, and says so', async () => {
    for (const [given, expected] of [
      [false, false],
      [true, true],
      [undefined, true],
    ] as const) {
      const result = await move(given);
      assert.equal(asked.at(-1)?.rerank, given);
      assert.ok(result.kind === 'answer');
      assert.equal(result.snapshot.rerankAsked, expected);
    }
  });

  it('says who names a pool that is gone: the panel’s filter, else the workspace’s setting', () => {
    const gone = new RatioError('no-pool', 'There is no pool “mine”.');
    const told = (filter: string[] | null, setting: string[]): string =>
      (whoNamesPools(gone, filter, setting) as Error).message;
    assert.match(
      told(['mine'], ['mine']),
      /“mine”\. The panel’s filter names it.*clear the filters/,
    );
    assert.match(told(null, ['mine']), /setting ratio\.pools.*Choose Pools/);
    assert.equal(whoNamesPools(gone, null, []), gone);
    const other = new RatioError('disk', 'The disk is full.');
    assert.equal(whoNamesPools(other, ['mine'], []), other);
  });

  it('marks relatives that the .bib has', async () => {
    const result = await move();
    assert.ok(result.kind === 'answer');
    const marks = result.snapshot.inspirations.flatMap(({ relatives }) =>
      (relatives ?? []).map(({ paper, citedAs }) => [paper.id === 'p3', citedAs !== null]),
    );
    assert.ok(marks.some(([is]) => is));
    for (const [is, marked] of marks) assert.equal(marked, is);
  });
});

describe('what is told of the reranker', () => {
  const reason = 'models/reranker/local.onnx is damaged.';

  it('is nothing where the engine has none, and why it is not in use', () => {
    assert.equal(rerankerWords(undefined, true), null);
    const broken = rerankerWords({ loaded: false, passages: 0, reason }, true);
    assert.equal(broken?.info, true);
    assert.ok(broken?.text.includes(reason));
    assert.match(broken?.text ?? '', /not in use/);
  });

  it('names the passages, why they are few, and the setting', () => {
    const loaded = { loaded: true, passages: 24, reason: 'a slow machine' };
    assert.match(rerankerWords(loaded, true)?.text ?? '', /24 passages a move · a slow machine/);
    assert.match(
      rerankerWords(loaded, false)?.text ?? '',
      /off \(setting ratio\.rerank\.enabled\)/,
    );
  });

  it('stands in a bug report in one line', () => {
    assert.equal(rerankerLine(undefined, true), 'Reranker: not part of this engine, setting on');
    assert.equal(
      rerankerLine({ loaded: false, passages: 0, reason }, false),
      `Reranker: not loaded, setting off (${reason})`,
    );
    assert.equal(
      rerankerLine({ loaded: true, passages: 50, reason: null }, true),
      'Reranker: loaded, 50 passages, setting on',
    );
  });
});
