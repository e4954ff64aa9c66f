/** What the client tells VS Code and takes from it: drafts, settings, the trace, the clipboard. Against a stand-in. */
import assert from 'node:assert/strict';
import { sep } from 'node:path';
import type { Status } from '../../../server/protocol';
import { inspiration, status } from '../../panel/support/samples';
import { standIn } from './standIns';

const nothing = { dispose: () => undefined };
const soon = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 5));

/** What is only compared with. */
class Other {
  readonly other = true;
}

interface Doc {
  uri: { scheme: string; path: string; toString(): string };
  languageId: string;
}
const doc = (scheme: string, path: string, languageId = 'plaintext'): Doc => ({
  uri: { scheme, path, toString: () => `${scheme}:${path}` },
  languageId,
});

describe('the client in the editor', function () {
  this.timeout(60_000);
  let restore: () => void;
  let drafts: typeof import('../../../client/drafts');
  let settings: typeof import('../../../client/settings');
  let traces: typeof import('../../../client/trace');
  let reports: typeof import('../../../client/reports');
  let moves: typeof import('../../../client/moves');
  let values: Record<string, unknown> = {};
  let folders: unknown;
  let active: { document: Doc } | undefined;
  let visible: { document: Doc }[] = [];
  let activated: (editor: { document: Doc } | undefined) => void = () => undefined;
  let configured: (event: unknown) => void = () => undefined;
  let clipboard: (text: string) => Promise<void> = async () => undefined;
  const told: string[] = [];
  const contexts: string[] = [];

  before(() => {
    class EventEmitter {
      private readonly listeners = new Set<(value: unknown) => void>();
      readonly event = (listener: (value: unknown) => void): object => {
        this.listeners.add(listener);
        return { dispose: () => this.listeners.delete(listener) };
      };
      fire(value: unknown): void {
        for (const listener of this.listeners) listener(value);
      }
      readonly dispose = nothing.dispose;
    }
    const say = async (text: string): Promise<void> => void told.push(text);
    const vscode = {
      EventEmitter,
      LogLevel: { Off: 0, Trace: 1, Info: 3 },
      version: '1.100.0',
      env: {
        remoteName: undefined,
        clipboard: { writeText: (text: string) => clipboard(text) },
      },
      workspace: {
        isTrusted: true,
        get workspaceFolders() {
          return folders;
        },
        getConfiguration: () => ({
          get: (name: string, otherwise: unknown) =>
            Object.hasOwn(values, name) ? values[name] : otherwise,
        }),
        onDidChangeConfiguration: (listener: typeof configured) => {
          configured = listener;
          return nothing;
        },
      },
      window: {
        get activeTextEditor() {
          return active;
        },
        get visibleTextEditors() {
          return visible;
        },
        onDidChangeActiveTextEditor: (listener: typeof activated) => {
          activated = listener;
          return nothing;
        },
        showInformationMessage: say,
        showErrorMessage: say,
        setStatusBarMessage: (text: string, ms: number) => void told.push(`${text} ${ms}`),
      },
      commands: {
        executeCommand: async (_: string, context: string) => void contexts.push(context),
      },
    };
    restore = standIn({ vscode, 'vscode-languageclient/node': { ResponseError: Other } });
    unload();
    /* eslint-disable @typescript-eslint/no-require-imports */
    drafts = require('../../../client/drafts') as typeof drafts;
    settings = require('../../../client/settings') as typeof settings;
    traces = require('../../../client/trace') as typeof traces;
    reports = require('../../../client/reports') as typeof reports;
    moves = require('../../../client/moves') as typeof moves;
    /* eslint-enable @typescript-eslint/no-require-imports */
  });

  after(() => {
    restore();
    unload();
  });

  /** Other tests load the client's files against stand-ins of their own. */
  function unload(): void {
    for (const file of Object.keys(require.cache)) {
      if (file.includes(`${sep}client${sep}`) && !/node_modules|unit/.test(file)) {
        Reflect.deleteProperty(require.cache, file);
      }
    }
  }

  beforeEach(() => {
    values = {};
    folders = undefined;
    active = undefined;
    visible = [];
    told.length = contexts.length = 0;
    clipboard = async () => undefined;
  });

  it('takes any document of the author’s for a draft, whatever file system it is on', () => {
    const is = (...given: Parameters<typeof doc>): boolean =>
      drafts.isDraft(doc(...given) as never);
    for (const scheme of ['file', 'untitled', 'vscode-vfs', 'vsls', 'sftp', 'memfs']) {
      assert.ok(is(scheme, '/a/draft.tex'), scheme);
    }
    assert.ok(is('vscode-notebook-cell', '/a/b.ipynb', 'markdown'));
    for (const scheme of ['git', 'output', 'vscode-scm', 'search-editor', 'chatSessionInput']) {
      assert.ok(!is(scheme, '/a/draft.tex', 'latex'), scheme);
    }
    assert.ok(!is('file', '/a/b.py', 'python'));
  });

  it('makes a move in the draft that was active last where a view has taken the focus', () => {
    const [one, two, code] = ['one.tex', 'two.md', 'b.py'].map((name) => ({
      document: doc('file', `/a/${name}`),
    }));
    assert.ok(one && two && code);
    const editors = new drafts.DraftEditors();
    assert.equal(editors.current(), null);
    visible = [one, two, code];
    active = two;
    activated(two);
    assert.equal(editors.current(), two);
    active = undefined;
    activated(undefined);
    assert.equal(editors.current(), two);
    active = code;
    activated(code);
    assert.equal(editors.current(), two);
    visible = [one, code];
    assert.equal(editors.current(), one);
    active = { document: doc('git', '/a/one.tex') };
    assert.equal(editors.current(), null, 'the old side of a comparison is not taken for another');
  });

  it('takes a switch that settings.json gives another value for not set', () => {
    for (const value of ['false', 0, null, {}]) {
      values = { 'rerank.enabled': value, 'cite.saveBibliography': value };
      assert.equal(settings.reranks(), true, String(value));
      assert.equal(settings.savesBibliography(), true, String(value));
    }
    values = { 'rerank.enabled': false, 'cite.saveBibliography': false };
    assert.equal(settings.reranks(), false);
    assert.equal(settings.savesBibliography(), false);
    values = { dataFolder: 5, 'engine.encoderPath': ' /models ' };
    const sent = settings.serverSettings();
    assert.equal(sent.home as unknown, 5, 'the server tells of it');
    assert.equal(sent.encoderPath, '/models');
  });

  it('traces by the setting alone, also for a client that starts later', async () => {
    const lines: string[] = [];
    const output = { info: (line: string) => lines.push(line) };
    const channel = new traces.TraceChannel(output as never);
    assert.equal(channel.logLevel, 0);
    const levels: number[] = [];
    const heard = channel.onDidChangeLogLevel((level) => levels.push(level));
    await soon();
    values = { 'trace.server': 'verbose' };
    configured({ affectsConfiguration: () => true });
    assert.equal(channel.logLevel, 1);
    heard.dispose();
    const later: number[] = [];
    channel.onDidChangeLogLevel((level) => later.push(level));
    await soon();
    assert.deepEqual([levels, later], [[0, 1], [1]]);
    channel.trace('Sending request');
    assert.deepEqual(lines, ['Sending request']);
    values = { 'trace.server': 'loud' };
    assert.equal(channel.logLevel, 0);
  });

  it('copies debug information without names of pools and paths', async () => {
    let copied = '';
    clipboard = async (text) => void (copied = text);
    const now = status({ problem: 'The pool “my library” is damaged: /home/ada/my pools/x.db' });
    const context = { extension: { packageJSON: { version: '0.1.0' } } } as never;
    const report = (state: Status): Promise<void> =>
      reports.copyDebugInformation(context, {
        status: async () => state,
        poolNames: ['my library'],
      } as never);
    await report(now);
    assert.match(copied, /Engine: ready \(The pool “pool 2” is damaged: <path>\)/);
    assert.match(copied, /Pool 2: 2310 papers/);
    await report({ ...now, state: 'failed', engine: null });
    assert.match(copied, /Engine: failed \(The pool “pool 1” is damaged: <path>\)/);
    values = { dataFolder: '/data/A “B” | C', 'engine.encoderPath': 5 };
    folders = [{ uri: { fsPath: '/work/D <E>' } }];
    for (const path of ['/data/A “B” | C/pool.db', '/work/D <E>/x.bib']) {
      await report({ ...now, problem: `Cannot read ${path}` });
      assert.match(copied, /Engine: ready \(Cannot read <path>\)/);
    }
  });

  it('says that something is copied once it is, or why it is not', async () => {
    const announced: string[] = [];
    const made = new moves.Moves({} as never, {} as never, {} as never);
    made.show({ announce: (text: string) => announced.push(text) } as never);
    made.copy(inspiration(0));
    await soon();
    assert.deepEqual(announced, ['Copied']);
    assert.match(told.join(), /copied 2000/);
    clipboard = () => Promise.reject(new Error('No clipboard.'));
    made.copy(inspiration(0));
    await soon();
    assert.equal(announced.length, 1);
    assert.match(told.at(-1) ?? '', /nothing was copied\. No clipboard\./);
  });

  it('takes a judgement back that could not be kept', async () => {
    const connection = { feedback: () => Promise.reject(new Error('The disk is full.')) };
    const made = new moves.Moves({ connection } as never, {} as never, {} as never);
    let lost = 0;
    made.feedback({} as never, () => (lost += 1));
    await soon();
    assert.equal(lost, 1);
    assert.match(told.at(-1) ?? '', /judgement could not be kept\. The disk is full\./);
  });
});
