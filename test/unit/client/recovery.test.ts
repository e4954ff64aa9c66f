/** What the client does when things have gone: the sentence's place, the language server. Against stand-ins for VS Code. */
import assert from 'node:assert/strict';
import { sep } from 'node:path';
import type { TextDocument } from 'vscode';
import type { Citing } from '../../../client/cite';
import type { Connection } from '../../../client/connection';
import type { DraftEditors } from '../../../client/drafts';
import type { PanelStep } from '../../../client/panel/state';
import type { InspireParams, TakeParams, Taken } from '../../../server/protocol';
import { paper } from '../cite/helpers';
import { Position, standIn } from './standIns';

class Range {
  readonly start: Position;
  readonly end: Position;
  constructor(...given: [Position, Position] | [number, number, number, number]) {
    const [a, b, c, d] = given;
    this.start = a instanceof Position ? a : new Position(a, b as number);
    this.end = b instanceof Position ? b : new Position(c ?? 0, d ?? 0);
  }
}
class Emitter {
  private readonly listeners: ((value: unknown) => void)[] = [];
  readonly event = (listener: (value: unknown) => void): object => {
    this.listeners.push(listener);
    return nothing;
  };
  fire(value: unknown): void {
    for (const listener of this.listeners) listener(value);
  }
  dispose(): void {
    this.listeners.length = 0;
  }
}
/** What is only compared with. */
class Other {
  readonly other = true;
}
const nothing = { dispose: () => undefined };
const never = (): object => nothing;

/** A document of one line. */
class Draft {
  isClosed = false;
  version = 1;
  readonly fileName = '/draft.tex';
  readonly languageId = 'latex';
  readonly uri = { toString: () => 'file:///draft.tex', path: '/draft.tex', scheme: 'file' };
  constructor(public text: string) {}
  offsetAt({ character }: Position): number {
    return character;
  }
  positionAt(offset: number): Position {
    return new Position(0, offset);
  }
  getText(range?: Range): string {
    return range ? this.text.slice(range.start.character, range.end.character) : this.text;
  }
}

/** The language client of VS Code, as far as a server's life goes. */
class FakeClient {
  static made: FakeClient[] = [];
  state = 1;
  starts = 0;
  readonly sent: string[] = [];
  constructor() {
    FakeClient.made.push(this);
  }
  onNotification(): object {
    return nothing;
  }
  onProgress(): object {
    return nothing;
  }
  async start(): Promise<void> {
    this.starts += 1;
    this.state = 3;
    await Promise.resolve();
    this.state = 2;
  }
  async sendRequest(method: string): Promise<unknown> {
    if (this.state !== 2) throw new Error('Client is not running');
    this.sent.push(method);
    return [];
  }
  async sendNotification(method: string): Promise<void> {
    await this.sendRequest(method);
  }
}

const soon = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 20));
const SENTENCE = 'Ships need light.';

describe('the client when things have gone', function () {
  // Its files are loaded anew.
  this.timeout(60_000);
  let restore: () => void;
  const shown: { selection: Range }[] = [];
  const told: string[] = [];
  let documents: Draft[] = [];
  let active: Draft | null = null;
  let origin: typeof import('../../../client/origin');
  let cite: typeof import('../../../client/cite');
  let citations: typeof import('../../../client/citations');
  let drafts: typeof import('../../../client/drafts');
  let moves: typeof import('../../../client/moves');
  let connections: typeof import('../../../client/connection');
  let problems: typeof import('../../../client/problemList');

  /** Other tests load the client's files against stand-ins of their own. */
  const unload = (): void => {
    for (const file of Object.keys(require.cache)) {
      if (file.includes(`${sep}client${sep}`) && !/node_modules|unit/.test(file)) {
        Reflect.deleteProperty(require.cache, file);
      }
    }
  };

  before(() => {
    const vscode = {
      Position,
      Range,
      EventEmitter: Emitter,
      Disposable: { from: () => nothing },
      CancellationTokenSource: class {
        readonly token = { isCancellationRequested: false };
        cancel(): void {
          this.token.isCancellationRequested = true;
        }
        readonly dispose = nothing.dispose;
      },
      Uri: { parse: (address: string) => ({ toString: () => address, scheme: 'file' }) },
      ViewColumn: { Beside: -2 },
      TabInputText: Other,
      TabInputWebview: Other,
      workspace: {
        get textDocuments() {
          return documents;
        },
        openTextDocument: async () => documents[0],
        asRelativePath: String,
        getConfiguration: () => ({ get: (_: string, otherwise: unknown) => otherwise }),
        onDidChangeTextDocument: never,
        onDidSaveTextDocument: never,
        onDidOpenTextDocument: never,
        onDidChangeConfiguration: never,
        onDidCloseTextDocument: never,
      },
      window: {
        tabGroups: { all: [], activeTabGroup: { tabs: [], activeTab: undefined } },
        visibleTextEditors: [],
        get activeTextEditor() {
          return active && { document: active };
        },
        onDidChangeActiveTextEditor: never,
        showTextDocument: async (_: unknown, options: { selection: Range }) => shown.push(options),
        showInformationMessage: async (text: string) => void told.push(text),
        showErrorMessage: async (text: string) => void told.push(text),
      },
      languages: { match: () => 10 },
      commands: { executeCommand: async () => undefined },
    };
    const languageClient = {
      LanguageClient: FakeClient,
      ProgressType: Other,
      ResponseError: Other,
      State: { Stopped: 1, Running: 2, Starting: 3, StartFailed: 4 },
      TransportKind: { ipc: 1 },
    };
    restore = standIn({ vscode, 'vscode-languageclient/node': languageClient });
    unload();
    /* eslint-disable @typescript-eslint/no-require-imports */
    origin = require('../../../client/origin') as typeof origin;
    cite = require('../../../client/cite') as typeof cite;
    citations = require('../../../client/citations') as typeof citations;
    drafts = require('../../../client/drafts') as typeof drafts;
    moves = require('../../../client/moves') as typeof moves;
    connections = require('../../../client/connection') as typeof connections;
    problems = require('../../../client/problemList') as typeof problems;
    /* eslint-enable @typescript-eslint/no-require-imports */
  });

  after(() => {
    restore();
    unload();
  });

  beforeEach(() => {
    shown.length = told.length = 0;
    documents = [];
    active = null;
  });

  const citing = (connection: Connection, tracker = new origin.OriginTracker()): Citing => ({
    connection,
    tracker,
    history: new citations.CitationHistory(
      () => undefined,
      () => undefined,
    ),
  });
  const editors = (): DraftEditors => new drafts.DraftEditors();
  const wire = (start: number, end: number): NonNullable<Taken['range']> => ({
    start: { line: 0, character: start },
    end: { line: 0, character: end },
  });

  describe('the sentence that began a trail, which nobody followed', () => {
    const taken: Taken = { text: SENTENCE, uri: 'file:///draft.tex', range: wire(0, 17) };
    const cited: unknown[] = [];
    /** The server: it finds the sentence by its text, cited or not. */
    const server = {
      take: async ({ uri, text }: TakeParams) => {
        const at = /Ships need light[^.]*\./.exec(documents[0]?.text ?? '');
        if (text === undefined || !at) return null;
        return { text, uri, range: wire(at.index, at.index + at[0].length) };
      },
      cite: async (asked: { range: Taken['range'] }) => {
        cited.push(asked.range);
        return { kind: 'edits', key: 'lamp2024', bibUri: 'file:///refs.bib', documents: [] };
      },
    } as unknown as Connection;

    it('is cited where it stands now, though it was cited before and text stands above', async () => {
      documents = [new Draft(`Above. Ships need light~\\cite{old}. Below.`)];
      const tracker = new origin.OriginTracker();
      const key = await cite.citePaper(citing(server, tracker), paper({}), taken);
      assert.equal(key, 'lamp2024');
      assert.deepEqual(cited.at(-1), wire(7, 35));
      const document = documents[0] as unknown as TextDocument;
      const now = tracker.range(document, SENTENCE);
      assert.equal(now && document.getText(now), 'Ships need light~\\cite{old}.', 'and followed');
    });

    it('is refused with what to do once its text is gone', async () => {
      documents = [new Draft('Above. Ships like the dark. Below.')];
      await assert.rejects(
        cite.citePaper(citing(server), paper({}), taken),
        /has changed or moved\. Make the move from it again/,
      );
    });

    it('is shown where it stands now; where it is gone, nothing is selected and that is said', async () => {
      const show = async (): Promise<Range | undefined> => {
        new moves.Moves(citing(server), editors(), {} as never).revealTaken(taken);
        await soon();
        return shown.at(-1)?.selection;
      };
      documents = [new Draft(`Above. ${SENTENCE}`)];
      assert.deepEqual(await show(), new Range(0, 7, 0, 24));
      assert.deepEqual(told, []);
      documents = [new Draft('Above. Ships like the dark.')];
      assert.deepEqual(await show(), new Range(0, 0, 0, 0));
      assert.match(told.join(), /has changed or moved/);
    });
  });

  describe('a move whose text was never taken', () => {
    const asked: Omit<InspireParams, 'token'>[] = [];
    const errors: string[] = [];
    const fails = {
      take: () => Promise.reject(new Error('It did not start.')),
      inspire: async (parameters: Omit<InspireParams, 'token'>) => {
        asked.push(parameters);
        throw new Error('It did not start.');
      },
    } as unknown as Connection;
    const step = (run: number): PanelStep => ({
      run,
      move: 'address',
      text: null,
      uri: null,
      years: { from: null, to: null },
      pools: null,
      limit: 20,
    });
    const panel = {
      show: async () => undefined,
      begin: () => step(1),
      setTaken: () => assert.fail(),
      setError: (_run: number, message: string) => errors.push(message),
    };
    const make = (): InstanceType<typeof moves.Moves> => {
      const output = { error: () => undefined } as never;
      const made = new moves.Moves(citing(fails), editors(), output);
      made.show(panel as never);
      return made;
    };

    beforeEach(() => {
      asked.length = errors.length = 0;
      documents = [new Draft(`Above. ${SENTENCE}`)];
    });

    it('is asked again from its place while the draft is unchanged', async () => {
      const made = make();
      await made.make('address', { uri: 'file:///draft.tex', range: wire(9, 9) });
      made.inspire(step(2));
      await soon();
      assert.deepEqual(errors, ['It did not start.', 'It did not start.']);
      assert.deepEqual(
        asked.map(({ uri, range, text }) => [uri, range, text]),
        [1, 2].map(() => ['file:///draft.tex', wire(9, 9), null]),
      );
    });

    it('is to be made again once the draft has changed or was closed, and after a reload', async () => {
      for (const change of [
        (draft: Draft) => (draft.version += 1),
        (draft: Draft) => (draft.isClosed = true),
      ]) {
        const made = make();
        await made.make('address', { uri: 'file:///draft.tex', range: wire(9, 9) });
        change(documents[0] ?? assert.fail());
        made.inspire(step(2));
        assert.equal(errors.at(-1), 'Make the move again from the draft.');
        documents = [new Draft(SENTENCE)];
      }
      const count = asked.length;
      make().inspire(step(1));
      assert.equal(errors.at(-1), 'Make the move again from the draft.');
      assert.equal(asked.length, count);
    });
  });

  describe('the language server', () => {
    it('is started anew by the next request once it was given up', async () => {
      FakeClient.made = [];
      const context = { asAbsolutePath: String } as never;
      const connection = new connections.Connection(context, { error: assert.fail } as never);
      const [client] = FakeClient.made;
      assert.ok(client);
      await Promise.all([connection.pools(), connection.restartEngine()]);
      assert.equal(client.starts, 1);
      client.state = 1;
      await connection.settingsChanged();
      assert.equal(client.starts, 1, 'settings alone start nothing');
      await Promise.all([connection.restartEngine(), connection.pools()]);
      assert.equal(client.starts, 2);
      assert.equal(client.sent.length, 4);
      client.state = 3;
      void connection.start();
      assert.equal(client.starts, 2, 'one that is starting is waited for');
    });

    it('fills the list of problem statements once it is back', async () => {
      documents = [(active = new Draft(SENTENCE))];
      let calls = 0;
      const connection = {
        problems: async () => {
          calls += 1;
          if (calls === 1) throw new Error('Client is not running');
          return {
            version: 1,
            learned: true,
            notice: null,
            problems: [{ range: wire(0, 17), text: SENTENCE, section: null, probability: 0.9 }],
          };
        },
      } as unknown as Connection;
      const view = { visible: true, onDidChangeVisibility: never };
      const list = new problems.ProblemList(connection, () => undefined, {
        view,
        changed: new Emitter(),
      } as never);
      await soon();
      assert.equal(calls, 1);
      assert.deepEqual(list.children(), []);
      const ready = { state: 'ready', problem: null, engine: null } as const;
      list.setStatus(ready);
      await soon();
      assert.deepEqual(
        list.children().map(({ text }) => text),
        [SENTENCE],
      );
      list.setStatus(ready);
      await soon();
      assert.equal(calls, 2, 'not at every status');
      list.dispose();
    });
  });
});
