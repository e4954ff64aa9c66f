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

/** An answer that shows something. */
function answerOf(text: string): Snapshot {
  const none = { date: null, venue: null, url: null, doi: null };
  const paper = { id: 'p', title: 'Title', authors: [], ...none };
  const inspiration = {
    ...{ rank: 1, score: 1, id: 'one/p#0', text, role: null, before: null, after: null },
    ...{ paper, pool: 'one', why: { dense: null, lexical: null } },
  };
  return { ...ANSWER, weak: false, inspirations: [inspiration] };
}

describe('answers that hovers keep', () => {
  const text = 'However, existing models suffer from noisy labels and fail to generalise.';
  const document = TextDocument.create('file:///draft.md', 'markdown', 1, text);
  const [sentence] = parseProse(text, 'markdown').sentences;
  let asked = 0;
  let pools = 'as at first';
  let answer: Snapshot;
  let meanwhile = (): void => undefined;
  let hover: ProblemHover;
  beforeEach(() => {
    asked = 0;
    pools = 'as at first';
    answer = answerOf('An answer.');
    meanwhile = () => undefined;
    const engine = {
      inspire: async () => {
        asked++;
        meanwhile();
        return answer;
      },
    } as unknown as Engine;
    hover = new ProblemHover(
      () => engine,
      { states: async () => true },
      () => pools,
    );
  });
  const shown = async (): Promise<string | null> => {
    assert.ok(sentence);
    const { token } = new CancellationTokenSource();
    const made = await hover.at(document, sentence, () => [], null, 2, token);
    return made && (made.contents as { value: string }).value;
  };

  it('are shown again while the pools are as they were, and not after', async () => {
    assert.match((await shown()) ?? '', /An answer/);
    answer = answerOf('Another one.');
    assert.match((await shown()) ?? '', /An answer/);
    assert.equal(asked, 1);
    pools = 'another process has written to one';
    assert.match((await shown()) ?? '', /Another one/);
    await shown();
    assert.equal(asked, 2);
  });

  it('are none that show nothing: the reason may pass', async () => {
    answer = ANSWER;
    assert.equal(await shown(), null);
    answer = answerOf('By now there is one.');
    assert.match((await shown()) ?? '', /By now/);
    assert.equal(asked, 2);
  });

  it('are none that were under way when all were forgotten, or the pools changed', async () => {
    meanwhile = () => hover.clear();
    await shown();
    meanwhile = () => (pools = 'changed');
    await shown();
    meanwhile = () => undefined;
    await shown();
    await shown();
    assert.equal(asked, 3);
  });
});

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
