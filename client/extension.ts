/** Entry of the extension: makes the parts and registers the commands. The server is never awaited. */
import * as vscode from 'vscode';
import { MOVES } from '../server/engine/engine';
import { messageOf, Connection } from './connection';
import { copyDebugInformation, exportFeedback } from './reports';
import { isDraft } from './drafts';
import { Moves } from './moves';
import { OriginTracker } from './origin';
import { RatioPanel } from './panel/panel';
import { Pools } from './pools';
import { StatusItem } from './status';

/** What `activate` returns, for tests and other extensions. */
export interface RatioApi {
  panel: RatioPanel;
  connection: Connection;
  pools: Pools;
}

let connection: Connection | undefined;

export function activate(context: vscode.ExtensionContext): RatioApi {
  const output = vscode.window.createOutputChannel('Ratio', { log: true });
  const server = (connection = new Connection(context, output));
  const tracker = new OriginTracker();
  const moves = new Moves(server, tracker, output);
  const panel = new RatioPanel({
    extension: context.extension,
    handler: moves,
    log: (line) => output.warn(line),
  });
  moves.show(panel);
  const status = new StatusItem();
  const pools = new Pools(server, () => void panel.refresh());

  const startFailed = (error: unknown): void => {
    const problem = `The language server did not start: ${messageOf(error)}`;
    output.error(problem);
    const state = { state: 'failed', problem, engine: null } as const;
    status.update(state);
    panel.setStatus(state);
  };
  const start = (): void => void server.start().catch(startFailed);

  /** Registers a command whose failures are told, not thrown away. */
  const command = (id: string, run: (argument: unknown) => unknown): vscode.Disposable =>
    vscode.commands.registerCommand(`ratio.${id}`, async (argument: unknown) => {
      try {
        return await run(argument);
      } catch (error) {
        output.error(error instanceof Error ? error : String(error));
        void vscode.window.showErrorMessage(`Ratio: ${messageOf(error)}`);
        return undefined;
      }
    });

  context.subscriptions.push(
    output,
    server,
    tracker,
    panel,
    status,
    server.onStatus((state) => {
      status.update(state);
      panel.setStatus(state);
    }),
    ...MOVES.map((move) => command(move, (target) => moves.make(move, target))),
    command('showPanel', () => panel.show(false)),
    command('showPanelBeside', () => panel.showBeside()),
    command('citeInspiration', () => moves.citeFocused()),
    command('addToPool', () => pools.add()),
    command('choosePools', () => pools.choose()),
    command('managePools', () => pools.manage()),
    command('exportFeedback', () => exportFeedback(server)),
    command('restartEngine', () => server.restartEngine()),
    command('showLogs', () => output.show()),
    command('copyDebugInformation', () => copyDebugInformation(context, server)),
    vscode.workspace.onDidOpenTextDocument((document) => {
      if (isDraft(document)) start();
    }),
    vscode.workspace.onDidChangeConfiguration((event) => {
      if (!event.affectsConfiguration('ratio')) return;
      void server.settingsChanged().then(() => {
        if (event.affectsConfiguration('ratio.pools')) panel.refresh();
      });
    }),
    vscode.workspace.onDidGrantWorkspaceTrust(() => void server.settingsChanged()),
  );
  // Drafts that were open before: the engine warms up while the user reads.
  if (vscode.workspace.textDocuments.some(isDraft)) start();
  return { panel, connection: server, pools };
}

export async function deactivate(): Promise<void> {
  await connection?.stop();
}
