/** The panel's adapter to VS Code, against a stand-in for the `vscode` module. */
import assert from 'node:assert/strict';
import Module from 'node:module';
import type { RatioPanel } from '../../../client/panel/panel';
import { recordingHandler } from '../../panel/support/recording';
import { snapshot, taken } from '../../panel/support/samples';

class FakeWebview {
  html = '';
  options: unknown;
  readonly cspSource = 'https://csp.test';
  readonly posted: { type: string }[] = [];
  private receive: (message: unknown) => void = () => undefined;
  postMessage(message: { type: string }): Promise<boolean> {
    this.posted.push(message);
    return Promise.resolve(true);
  }
  onDidReceiveMessage(receive: (message: unknown) => void): { dispose(): void } {
    this.receive = receive;
    return { dispose: () => (this.receive = () => undefined) };
  }
  asWebviewUri(uri: string): string {
    return `https://csp.test/${uri}`;
  }
  say(message: unknown): void {
    this.receive(message);
  }
}

/** A webview view or an editor with one: both dispose alike. */
class FakeHolder {
  readonly webview = new FakeWebview();
  visible = true;
  iconPath: unknown;
  readonly shown: unknown[] = [];
  private disposed: () => void = () => undefined;
  onDidDispose(listener: () => void): void {
    this.disposed = listener;
  }
  show(preserveFocus: boolean): void {
    this.shown.push(preserveFocus);
  }
  reveal(_column: unknown, preserveFocus: boolean): void {
    this.shown.push(preserveFocus);
  }
  dispose(): void {
    this.disposed();
  }
}

interface Loader {
  _load(request: string, ...rest: unknown[]): unknown;
}

describe('the panel in VS Code', () => {
  const loader = Module as unknown as Loader;
  const load = loader._load;
  const commands: unknown[][] = [];
  const made: FakeHolder[] = [];
  let create: () => RatioPanel;
  let calls: ReturnType<typeof recordingHandler>['calls'];

  before(() => {
    const vscode = {
      ViewColumn: { Beside: -2 },
      Uri: { joinPath: (...parts: string[]) => parts.join('/') },
      workspace: { getConfiguration: () => ({ get: (_name: string, value: unknown) => value }) },
      commands: {
        executeCommand: (...given: unknown[]) => {
          commands.push(given);
          return Promise.resolve();
        },
      },
      window: {
        createWebviewPanel: () => {
          const panel = new FakeHolder();
          made.push(panel);
          return panel;
        },
      },
    };
    loader._load = (request, ...rest) =>
      request === 'vscode' ? vscode : load.call(loader, request, ...rest);
    // eslint-disable-next-line @typescript-eslint/no-require-imports -- after the stand-in is there
    const { RatioPanel: Panel } = require('../../../client/panel/panel') as {
      RatioPanel: new (options: unknown) => RatioPanel;
    };
    create = () => {
      const recording = recordingHandler();
      calls = recording.calls;
      const extension = { extensionUri: 'ext', packageJSON: {} };
      return new Panel({ extension, handler: recording.handler });
    };
  });

  after(() => {
    loader._load = load;
  });

  beforeEach(() => {
    commands.length = 0;
    made.length = 0;
  });

  const resolve = (panel: RatioPanel, holder: FakeHolder): void =>
    panel.resolveWebviewView(holder as never);

  it('opens the view by its command until it has been resolved, then by itself', async () => {
    const panel = create();
    await panel.show(true);
    assert.deepEqual(commands, [['ratio.panel.focus', { preserveFocus: true }]]);
    const view = new FakeHolder();
    resolve(panel, view);
    await panel.show(true);
    assert.deepEqual(view.shown, [true]);
    assert.equal(commands.length, 1);
    await panel.show(false);
    assert.deepEqual(commands.at(-1), ['ratio.panel.focus']);
  });

  it('gives the page a fresh nonce, scripts, and access to dist alone', () => {
    const panel = create();
    const views = [new FakeHolder(), new FakeHolder()];
    const nonces = views.map((view) => {
      resolve(panel, view);
      return /nonce="([^"]+)"/.exec(view.webview.html)?.[1];
    });
    assert.ok(nonces[0] && nonces[1] && nonces[0] !== nonces[1]);
    assert.match(views[0]?.webview.html ?? '', /https:\/\/csp\.test\/ext\/dist\/panel\.js/);
    assert.deepEqual(views[0]?.webview.options, {
      enableScripts: true,
      localResourceRoots: ['ext/dist'],
    });
  });

  it('shows what came before the view, focuses it if asked, and hears it', async () => {
    const panel = create();
    const step = panel.begin('address', taken);
    panel.setSnapshot(step.run, taken, snapshot());
    await panel.show(false);
    const view = new FakeHolder();
    resolve(panel, view);
    assert.equal(view.webview.posted.length, 0);
    view.webview.say({ type: 'ready' });
    assert.deepEqual(
      view.webview.posted.map((message) => message.type),
      ['state', 'focus'],
    );
    view.webview.say({ type: 'revealTaken' });
    assert.equal(calls.at(-1)?.name, 'revealTaken');
  });

  it('shows the same state beside the editor, once, and after that is closed anew', async () => {
    const panel = create();
    panel.begin('address', taken);
    panel.showBeside();
    panel.showBeside();
    assert.equal(made.length, 1);
    assert.deepEqual(made[0]?.shown, [false]);
    made[0]?.webview.say({ type: 'ready' });
    assert.equal(made[0]?.webview.posted[0]?.type, 'state');
    assert.match(made[0]?.webview.html ?? '', /class="in-editor"/);
    assert.equal(panel.visible, true);
    await panel.show(true);
    assert.equal(commands.length, 0);
    made[0]?.dispose();
    assert.equal(panel.visible, false);
    panel.showBeside();
    assert.equal(made.length, 2);
  });

  it('takes an editor back after a reload', async () => {
    const panel = create();
    const restored = new FakeHolder();
    await panel.deserializeWebviewPanel(restored as never);
    restored.webview.say({ type: 'ready' });
    assert.equal(restored.webview.posted.length, 1);
    panel.showBeside();
    assert.equal(made.length, 0);
  });
});
