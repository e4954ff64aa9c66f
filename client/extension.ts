/**
 * Entry of the extension. It registers what the manifest promises and loads the rest (ratio.ts)
 * when it is needed, so that activation costs the editor next to nothing.
 */
import { join } from 'node:path';
import * as vscode from 'vscode';
import { isDraft } from './drafts';
import type { ProblemRow } from './problemList';
import type { Ratio } from './ratio';
import { StatusItem } from './status';

/** Commands of package.json, without their prefix. */
const COMMANDS = [
  'address',
  'broaden',
  'specify',
  'addressProblem',
  'revealProblem',
  'showPanel',
  'showPanelBeside',
  'citeInspiration',
  'addToPool',
  'choosePools',
  'managePools',
  'exportFeedback',
  'restartEngine',
  'showLogs',
  'copyDebugInformation',
];

/** What `activate` returns, for tests and other extensions; reading a part loads it. */
export type RatioApi = Readonly<Pick<Ratio, 'panel' | 'connection' | 'pools'>>;

let ratio: Ratio | undefined;

/** Registers views and commands at once; the rest is loaded when one of them, or a draft, needs it. */
export function activate(context: vscode.ExtensionContext): RatioApi {
  const status = new StatusItem();
  const changed = new vscode.EventEmitter<void>();
  const view = vscode.window.createTreeView<ProblemRow>('ratio.problems', {
    treeDataProvider: {
      onDidChangeTreeData: changed.event,
      getChildren: (row) => load().problems.children(row),
      getTreeItem: (row) => load().problems.item(row),
    },
  });
  const load = (): Ratio => (ratio ??= new (ratioClass())(context, status, { view, changed }));
  /** Starts the server once the editor has done what it is at. */
  const warm = (): void => void setImmediate(() => load().start());

  context.subscriptions.push(
    status,
    view,
    changed,
    ...COMMANDS.map((id) =>
      vscode.commands.registerCommand(`ratio.${id}`, (argument: unknown) =>
        load().run(id, argument),
      ),
    ),
    vscode.window.registerWebviewViewProvider('ratio.panel', {
      resolveWebviewView: (view) => load().panel.resolveWebviewView(view),
    }),
    vscode.window.registerWebviewPanelSerializer('ratio.panelBeside', {
      deserializeWebviewPanel: (panel) => load().panel.deserializeWebviewPanel(panel),
    }),
    vscode.workspace.onDidOpenTextDocument((document) => {
      if (isDraft(document)) warm();
    }),
  );
  // Drafts that were open before: the engine warms up while the user reads.
  if (vscode.workspace.textDocuments.some(isDraft)) warm();
  return {
    get panel() {
      return load().panel;
    },
    get connection() {
      return load().connection;
    },
    get pools() {
      return load().pools;
    },
  };
}

/** Stops the language server, and with it the engine. */
export async function deactivate(): Promise<void> {
  await ratio?.connection.stop();
}

function ratioClass(): typeof Ratio {
  // By a path that the bundler does not follow: dist/ratio.js is a file of its own.
  // eslint-disable-next-line @typescript-eslint/no-require-imports
  return (require(join(__dirname, 'ratio.js')) as typeof import('./ratio')).Ratio;
}
