/** The tracker of the draft's sentence and the settings of the client, against a stand-in for the `vscode` module. */
import assert from 'node:assert/strict';
import type { TextDocument, TextDocumentChangeEvent } from 'vscode';
import type { OriginTracker } from '../../../client/origin';
import { Position, standIn } from './standIns';

class Range {
  constructor(
    readonly start: Position,
    readonly end: Position,
  ) {}
}

const SENTENCE = 'Ships need light.';

/** A document of one line. */
class Draft {
  readonly uri = { toString: () => 'file:///draft.tex' };
  constructor(public text: string) {}
  offsetAt({ character }: Position): number {
    return character;
  }
  positionAt(offset: number): Position {
    return new Position(0, offset);
  }
  getText(range: Range): string {
    return this.text.slice(range.start.character, range.end.character);
  }
}

describe('what the client takes from VS Code', () => {
  let restore: () => void;
  let changed: (event: TextDocumentChangeEvent) => void;
  let setting: unknown;
  let origin: typeof import('../../../client/origin');
  let settings: typeof import('../../../client/settings');
  const nothing = { dispose: () => undefined };

  before(() => {
    const vscode = {
      Range,
      Disposable: { from: () => nothing },
      workspace: {
        getConfiguration: () => ({ get: (_: string, otherwise: unknown) => setting ?? otherwise }),
        onDidChangeTextDocument: (listener: typeof changed) => {
          changed = listener;
          return nothing;
        },
        onDidCloseTextDocument: () => nothing,
      },
    };
    restore = standIn({ vscode });
    /* eslint-disable @typescript-eslint/no-require-imports */
    origin = require('../../../client/origin') as typeof origin;
    settings = require('../../../client/settings') as typeof settings;
    /* eslint-enable @typescript-eslint/no-require-imports */
  });

  after(() => {
    restore();
  });

  function following(): {
    draft: Draft;
    tracker: OriginTracker;
    edit: Edit;
    found: () => string | null;
  } {
    const draft = new Draft(`One. ${SENTENCE} Two.`);
    const document = draft as unknown as TextDocument;
    const tracker = new origin.OriginTracker();
    const range = new Range(new Position(0, 5), new Position(0, 5 + SENTENCE.length));
    tracker.follow(document, range as never, SENTENCE);
    const edit: Edit = (offset, length, text) => {
      draft.text = draft.text.slice(0, offset) + text + draft.text.slice(offset + length);
      const contentChanges = [{ rangeOffset: offset, rangeLength: length, text }];
      changed({ document, contentChanges } as unknown as TextDocumentChangeEvent);
    };
    const found = (): string | null => {
      const at = tracker.range(document, SENTENCE);
      return at && draft.getText(at as never);
    };
    return { draft, tracker, edit, found };
  }
  type Edit = (offset: number, length: number, text: string) => void;

  it('follows the sentence while text is typed around it', () => {
    const { edit, found } = following();
    edit(0, 0, 'Zero. ');
    assert.equal(found(), SENTENCE);
    edit(0, 6, '');
    edit(5 + SENTENCE.length, 0, ' Then.');
    assert.equal(found(), SENTENCE);
  });

  it('seeks it again once a larger piece that held it was replaced', () => {
    const { edit, found } = following();
    edit(2, 30 - 4, `e. A new one. ${SENTENCE} Tw`);
    assert.equal(found(), null);
  });

  it('seeks it again once it was cut, wherever it is pasted', () => {
    const { edit, found } = following();
    edit(5, SENTENCE.length, '');
    edit(5, 0, SENTENCE);
    assert.equal(found(), null);
  });

  it('asks for a sensible number of inspirations, whatever settings.json holds', () => {
    for (const [value, expected] of [
      [undefined, 20],
      [30, 30],
      [500, 100],
      [0, 5],
      [20.5, 21],
      ['30', 20],
      [Number.NaN, 20],
    ] as const) {
      setting = value;
      assert.equal(settings.resultCount(), expected, String(value));
    }
    setting = undefined;
  });
});
