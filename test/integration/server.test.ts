import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { CancellationTokenSource, type Hover } from 'vscode-languageserver-protocol/node';
import { TextDocument } from 'vscode-languageserver-textdocument';
import { engineStatusSchema } from '../../server/engine/engine';
import { NO_PROSE } from '../../server/moves';
import {
  citeResultSchema,
  feedbackFileResultSchema,
  message,
  problemsResultSchema,
  statusSchema,
  takeResultSchema,
} from '../../server/protocol';
import { LanguageClient, rangeOf } from './languageClient';

const DRAFT = String.raw`\documentclass{article}
\begin{document}
\section{Introduction}
However, existing reward models suffer from a bias towards long answers and fail to reward brevity.
We measure it.
\begin{figure}
  \caption{A picture of nothing.}
\end{figure}
\[ a = b \]
Annotators often disagree about what is toxic~\citep{old2020}.
\bibliography{refs}
\end{document}
`;
const BIB = '@misc{old2020,\n  title = {Old},\n  year = {2020}\n}\n';

describe('language server over stdio', function () {
  this.timeout(60_000);
  let client: LanguageClient;
  let folder: string;
  let uri: string;
  const at = (text: string) => rangeOf(DRAFT, text);

  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'ratio-draft-'));
    writeFileSync(join(folder, 'draft.tex'), DRAFT);
    writeFileSync(join(folder, 'refs.bib'), BIB);
    client = await LanguageClient.start();
    uri = await client.open(join(folder, 'draft.tex'), DRAFT);
  });
  after(async () => {
    await client.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  it('answers a move for the sentence at the cursor, in snapshots and a final result', async () => {
    const cursor = at('suffer').start;
    const range = { start: cursor, end: cursor };
    const { result, snapshots } = await client.inspire({ move: 'address', uri, range });
    assert.ok(result.kind === 'answer');
    assert.equal(
      result.taken.text,
      'However, existing reward models suffer from a bias towards long answers and fail to reward brevity.',
    );
    assert.deepEqual(
      result.taken.range,
      at(
        'However, existing reward models suffer from a bias towards long answers and fail to reward brevity.',
      ),
    );
    assert.ok(result.snapshot.final);
    assert.equal(result.snapshot.inspirations.length, 10);
    assert.ok(snapshots.length >= 1, 'no snapshot came before the final one');
    const sequences = [...snapshots.map((s) => s.snapshot.sequence), result.snapshot.sequence];
    assert.deepEqual(
      sequences,
      [...new Set(sequences)].sort((a, b) => a - b),
    );
    for (const { paper, pool } of result.snapshot.inspirations) {
      assert.equal(pool, 'starter');
      assert.ok(paper.title && paper.authors.length > 0);
    }
    const perPaper = new Map<string, number>();
    for (const { paper } of result.snapshot.inspirations) {
      perPaper.set(paper.id, (perPaper.get(paper.id) ?? 0) + 1);
    }
    assert.ok(Math.max(...perPaper.values()) <= 2);
  });

  it('takes exactly the selected part, and the whole sentence for citing', async () => {
    const taken = takeResultSchema.parse(
      await client.request(message.take, { uri, range: at('disagree about what is toxic') }),
    );
    assert.equal(taken?.text, 'disagree about what is toxic');
    assert.deepEqual(
      taken?.range,
      at(String.raw`Annotators often disagree about what is toxic~\citep{old2020}.`),
    );
  });

  for (const [what, text] of [
    ['a figure', '\\begin{figure}\n  \\caption{A picture of nothing.}\n\\end{figure}'],
    ['display math', '\\[ a = b \\]'],
  ] as const) {
    it(`says that ${what} holds nothing to ask about`, async () => {
      const { result } = await client.inspire({ move: 'address', uri, range: at(text) });
      assert.deepEqual(result, { kind: 'no-prose', message: NO_PROSE });
    });
  }

  it('answers a chained text', async () => {
    const { result } = await client.inspire({
      move: 'specify',
      uri,
      text: 'Reward models reward length rather than quality.',
    });
    assert.ok(result.kind === 'answer' && result.snapshot.inspirations.length > 0);
  });

  it('says so when nothing is close', async () => {
    const { result } = await client.inspire({
      move: 'address',
      text: 'Whisk the egg whites until stiff and fold them into the batter with a spoon.',
    });
    assert.ok(result.kind === 'answer');
    assert.equal(result.snapshot.weak, true);
    assert.deepEqual(result.snapshot.inspirations, []);
  });

  it('filters by year', async () => {
    const { result } = await client.inspire({
      move: 'address',
      text: 'Reward models reward length rather than quality.',
      years: { from: 2025, to: 2025 },
    });
    assert.ok(result.kind === 'answer' && result.snapshot.inspirations.length > 0);
    for (const { paper } of result.snapshot.inspirations) assert.match(paper.date ?? '', /^2025/);
  });

  it('refuses malformed parameters with what is wrong', async () => {
    await assert.rejects(client.request(message.inspire, { move: 'explain' }), /move/);
  });

  it('tells a pool that is not there', async () => {
    const { result } = await client
      .inspire({ move: 'address', text: 'Labels are noisy.', pools: ['nowhere', 'starter'] })
      .catch((error: Error) => ({ result: error }));
    const told = JSON.stringify(result instanceof Error ? result.message : result);
    assert.match(told, /nowhere/);
  });

  it('cancels a move', async () => {
    const source = new CancellationTokenSource();
    const asked = client.inspire({ move: 'address', text: 'Labels are noisy.' }, source.token);
    source.cancel();
    await assert.rejects(asked, (error: { code?: number }) => error.code === -32800);
  });

  it('cites: edits of draft and .bib that reuse nothing and double nothing', async () => {
    const range = at(
      'However, existing reward models suffer from a bias towards long answers and fail to reward brevity.',
    );
    const { result } = await client.inspire({ move: 'address', uri, range });
    assert.ok(result.kind === 'answer');
    const first = result.snapshot.inspirations[0];
    assert.ok(first);
    assert.equal(first.citedAs, null);
    const edit = citeResultSchema.parse(
      await client.request(message.cite, { uri, range, paper: first.paper, bib: null }),
    );
    assert.ok(edit.kind === 'edits');
    const apply = (path: string): string => {
      const change = edit.documents.find((d) => fileURLToPath(d.uri) === path);
      assert.ok(change, `no edit of ${path}`);
      const document = TextDocument.create(change.uri, '', 0, readFileSync(path, 'utf8'));
      return TextDocument.applyEdits(document, change.edits);
    };
    assert.ok(apply(join(folder, 'draft.tex')).includes(`reward brevity~\\citep{${edit.key}}.`));
    const bib = apply(join(folder, 'refs.bib'));
    assert.ok(bib.startsWith(BIB));
    assert.ok(bib.includes(`{${edit.key},`));
    // With the entry in the open .bib the same paper is known and its key reused.
    const bibUri = await client.open(join(folder, 'refs.bib'), bib, 'bibtex');
    const again = await client.inspire({ move: 'address', uri, range });
    assert.ok(again.result.kind === 'answer');
    assert.equal(again.result.snapshot.inspirations[0]?.citedAs, edit.key);
    const reuse = citeResultSchema.parse(
      await client.request(message.cite, { uri, range, paper: first.paper, bib: null }),
    );
    assert.ok(reuse.kind === 'edits' && reuse.reused && reuse.key === edit.key);
    assert.ok(!reuse.documents.some((document) => document.uri === bibUri));
  });

  it('hovers over a problem statement, and only there', async () => {
    const hover = (text: string) =>
      client.request('textDocument/hover', {
        textDocument: { uri },
        position: at(text).start,
      }) as Promise<Hover | null>;
    const shown = await hover('suffer from a bias');
    assert.ok(shown, 'no hover over the problem');
    const { value } = shown.contents as { value: string };
    assert.match(value, /command:ratio\.address\?/);
    assert.ok(value.split('\n\n').length >= 2);
    assert.equal(await hover('measure it'), null);
    assert.equal(await hover('\\begin{figure}'), null);
  });

  it('lists the problem statements of a draft', async () => {
    const result = problemsResultSchema.parse(
      await client.request(message.problems, { uri, version: 1 }),
    );
    assert.equal(result?.version, 1);
    assert.equal(result.notice, null);
    const found = result.problems.find(({ text }) => text.includes('suffer from a bias'));
    assert.ok(found, JSON.stringify(result.problems));
    assert.deepEqual(
      found.range,
      at(
        'However, existing reward models suffer from a bias towards long answers and fail to reward brevity.',
      ),
    );
    assert.equal(found.section, 'Introduction');
    assert.ok(!result.problems.some(({ text }) => text.includes('measure it')));
    const closed = { uri: 'file:///closed.md', version: 1 };
    assert.equal(await client.request(message.problems, closed), null);
  });

  it('offers the moves on a selection', async () => {
    const actions = (await client.request('textDocument/codeAction', {
      textDocument: { uri },
      range: at('suffer from a bias'),
      context: { diagnostics: [] },
    })) as { title: string }[];
    assert.equal(actions.length, 3);
  });

  it('keeps judgements', async () => {
    const { result } = await client.inspire({ move: 'broaden', text: 'Labels are noisy.' });
    assert.ok(result.kind === 'answer');
    const [first] = result.snapshot.inspirations;
    await client.request(message.feedback, {
      verdict: 'useful',
      move: 'broaden',
      query: 'Labels are noisy.',
      inspiration: first,
    });
    const file = feedbackFileResultSchema.parse(await client.request(message.feedbackFile, {}));
    assert.equal(file.count, 1);
    assert.ok(file.path.startsWith(client.home));
  });

  it('follows edits: a move right after a keystroke sees the new text', async () => {
    const changed = DRAFT.replace('We measure it.', 'We count it, and labels are noisy.');
    await client.connection.sendNotification('textDocument/didChange', {
      textDocument: { uri, version: 2 },
      contentChanges: [{ text: changed }],
    });
    const { result } = await client.inspire({
      move: 'address',
      uri,
      range: rangeOf(changed, 'labels are noisy'),
    });
    assert.ok(result.kind === 'answer');
    assert.equal(result.taken.text, 'labels are noisy');
  });

  it('reads a chapter with the macros of its root file', async () => {
    const root = String.raw`\documentclass{article}
\newcommand{\corpus}{the Lantern corpus}
\begin{document}
\input{chapter}
\end{document}
`;
    const chapter = String.raw`Labels in \corpus{} are noisy.`;
    writeFileSync(join(folder, 'root.tex'), root);
    writeFileSync(join(folder, 'chapter.tex'), chapter);
    const chapterUri = await client.open(join(folder, 'chapter.tex'), chapter);
    // The root is looked for after the opening; a request that comes at once may be too early.
    await new Promise((resolve) => setTimeout(resolve, 300));
    const taken = takeResultSchema.parse(
      await client.request(message.take, {
        uri: chapterUri,
        range: { start: { line: 0, character: 2 }, end: { line: 0, character: 2 } },
      }),
    );
    assert.equal(taken?.text, 'Labels in the Lantern corpus are noisy.');
  });

  it('says what to do when the workspace names a pool that is gone', async () => {
    const set = (pools: string[]) =>
      client.connection.sendNotification(message.settings, { device: 'cpu', pools });
    await set(['gone']);
    await assert.rejects(
      client.inspire({ move: 'address', text: 'Labels are noisy.' }),
      /gone.*Choose Pools/s,
    );
    await set([]);
    const { result } = await client.inspire({ move: 'address', text: 'Labels are noisy.' });
    assert.equal(result.kind, 'answer');
  });

  it('describes the engine', async () => {
    const status = statusSchema.parse(await client.request(message.getStatus, {}));
    assert.equal(status.state, 'ready');
    const engine = engineStatusSchema.parse(status.engine);
    assert.equal(engine.device.active, 'cpu');
    assert.equal(engine.encoder.dimensions, 384);
    assert.ok(engine.pools.some((pool) => pool.name === 'starter' && pool.papers > 150));
  });
});
