import assert from 'node:assert/strict';
import { CancellationToken, CancellationTokenSource } from 'vscode-languageserver';
import { TextDocument } from 'vscode-languageserver-textdocument';
import { ProblemDetector } from '../../../server/language/detector';
import { ProblemList } from '../../../server/problemList';
import { problemsResultSchema } from '../../../server/protocol';
import { formatOf, parseProse } from '../../../server/prose';

const LATEX = String.raw`\documentclass{article}
\begin{document}
\section{Bread}
We bake bread~\cite{old}. Ovens \emph{break} too often.
% Ovens break in comments.
\section{Cake}
Cakes break, too.
\end{document}
`;
const MARKDOWN = '# Bread\n\nWe bake. Ovens **break** too\noften.\n';

/** An engine for which everything that breaks is a problem. */
const engine = {
  ready: true,
  problems: async (texts: string[]) => ({
    probabilities: texts.map((text) => (text.includes('break') ? 0.8 : 0.2)),
    threshold: 0.6,
  }),
};

function listOf(document: TextDocument, detector = new ProblemDetector(engine)): ProblemList {
  const prose = ({ uri, languageId, getText }: TextDocument) => {
    const format = formatOf(uri, languageId);
    return format && parseProse(getText.call(document), format);
  };
  const get = (uri: string) => (uri === document.uri ? document : undefined);
  return new ProblemList({ get }, { prose }, detector);
}

const open = (name: string, language: string, text: string): TextDocument =>
  TextDocument.create(`file:///${name}`, language, 3, text);

describe('the list of problem statements', () => {
  const ask = (list: ProblemList, uri: string, token = CancellationToken.None) =>
    list.list({ uri, version: 3 }, token);

  it('has the sentences of a LaTeX draft in order, with sections and ranges', async () => {
    const document = open('draft.tex', 'latex', LATEX);
    const result = problemsResultSchema.parse(await ask(listOf(document), document.uri));
    assert.ok(result);
    assert.deepEqual([result.version, result.learned, result.notice], [3, true, null]);
    assert.deepEqual(
      result.problems.map(({ text, section }) => [text, section]),
      [
        ['Ovens break too often.', 'Bread'],
        ['Cakes break, too.', 'Cake'],
      ],
    );
    assert.equal(
      document.getText(result.problems[0]?.range),
      String.raw`Ovens \emph{break} too often.`,
    );
    assert.equal(result.problems[0]?.probability, 0.8);
  });

  it('has those of a Markdown draft', async () => {
    const document = open('draft.md', 'markdown', MARKDOWN);
    const result = await ask(listOf(document), document.uri);
    assert.deepEqual(
      result?.problems.map(({ text, section }) => [text, section]),
      [['Ovens break too often.', 'Bread']],
    );
  });

  it('is empty for an empty draft, and null where there is none', async () => {
    const document = open('draft.md', 'markdown', '');
    assert.deepEqual((await ask(listOf(document), document.uri))?.problems, []);
    assert.equal(await ask(listOf(document), 'file:///closed.md'), null);
    const code = open('code.ts', 'typescript', 'Ovens break too often.');
    assert.equal(await ask(listOf(code), code.uri), null);
  });

  it('names the version it is of when the draft is edited meanwhile', async () => {
    const document = open('draft.md', 'markdown', MARKDOWN);
    const detector = new ProblemDetector({
      ...engine,
      problems: async (texts) => {
        const start = { line: 0, character: 0 };
        TextDocument.update(document, [{ range: { start, end: start }, text: 'Hi.\n\n' }], 4);
        return engine.problems(texts);
      },
    });
    const result = await ask(listOf(document, detector), document.uri);
    assert.equal(result?.version, 3);
    assert.equal(result.problems[0]?.range.start.line, 2);
  });

  it('falls back to cues and says why where the engine is down', async () => {
    const text = 'However, existing ovens suffer from heat and fail to bake. We bake.';
    const document = open('draft.md', 'markdown', text);
    const detector = new ProblemDetector({
      ready: true,
      problems: () => Promise.reject(new Error('gone')),
    });
    const result = await ask(listOf(document, detector), document.uri);
    assert.deepEqual(
      [result?.learned, result?.notice, result?.problems.length],
      [false, 'gone', 1],
    );
  });

  it('can be cancelled', async () => {
    const source = new CancellationTokenSource();
    const document = open('draft.md', 'markdown', MARKDOWN);
    const detector = new ProblemDetector({
      ready: true,
      problems: async (texts) => {
        source.cancel();
        return engine.problems(texts);
      },
    });
    await assert.rejects(ask(listOf(document, detector), document.uri, source.token), /cancelled/i);
  });
});
