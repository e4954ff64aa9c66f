import assert from 'node:assert/strict';
import { CancellationToken, CancellationTokenSource } from 'vscode-languageserver';
import { TextDocument } from 'vscode-languageserver-textdocument';
import type { Engine, InspireRequest, Snapshot } from '../../../server/engine/engine';
import { ProblemHover } from '../../../server/language/hover';
import { parseProse } from '../../../server/prose';

const ANSWER: Snapshot = {
  sequence: 0,
  final: true,
  inspirations: [],
  weak: true,
  more: false,
  pools: [],
  device: 'cpu',
  notices: [],
  elapsedMs: 1,
};

describe('a burst of hovers', () => {
  const text = Array.from(
    { length: 50 },
    (_, i) =>
      `However, existing models of kind ${i} suffer from noisy labels and fail to generalise.`,
  ).join('\n\n');
  const document = TextDocument.create('file:///draft.md', 'markdown', 1, text);
  const { sentences } = parseProse(text, 'markdown');

  it('asks the engine only for those that the pointer still stands on', async () => {
    const asked: string[] = [];
    let listed = 0;
    const engine = {
      inspire: async (request: InspireRequest) => {
        asked.push(request.text);
        await new Promise((resolve) => setTimeout(resolve, 20));
        return ANSWER;
      },
    } as unknown as Engine;
    const hover = new ProblemHover(() => engine);
    const exclude = (): string[] => {
      listed++;
      return [];
    };
    const tokens = sentences.map(() => new CancellationTokenSource());
    const all = sentences.map((sentence, i) =>
      hover.at(document, sentence, exclude, null, 2, tokens[i]?.token ?? CancellationToken.None),
    );
    await new Promise((resolve) => setTimeout(resolve, 5));
    tokens.slice(0, -1).forEach((token) => token.cancel());
    await Promise.all(all);
    assert.deepEqual(asked, [sentences[0]?.text, sentences.at(-1)?.text]);
    assert.equal(listed, 2);
  });

  it('goes on after one that failed', async () => {
    let calls = 0;
    const engine = {
      inspire: async () => {
        if (calls++ === 0) throw new Error('broken');
        return ANSWER;
      },
    } as unknown as Engine;
    const hover = new ProblemHover(() => engine);
    const { token } = new CancellationTokenSource();
    const ask = (i: number) => {
      const sentence = sentences[i];
      assert.ok(sentence);
      return hover.at(document, sentence, () => [], null, 2, token);
    };
    await assert.rejects(ask(0), /broken/);
    assert.equal(await ask(1), null);
    assert.equal(calls, 2);
  });

  it('leaves the verdict to the detector that it is given', async () => {
    const asked: string[] = [];
    const engine = {
      inspire: async (request: InspireRequest) => {
        asked.push(request.text);
        return ANSWER;
      },
    } as unknown as Engine;
    const first = sentences[0]?.text;
    const hover = new ProblemHover(() => engine, { states: async (text) => text === first });
    const { token } = new CancellationTokenSource();
    for (const sentence of sentences.slice(0, 2)) {
      await hover.at(document, sentence, () => [], null, 2, token);
    }
    assert.deepEqual(asked, [first]);
  });
});
