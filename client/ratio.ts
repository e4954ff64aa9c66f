/**
 * The client's parts, wired together. A bundle of its own: activation loads it only when a draft is
 * open, a command runs or the panel is shown.
 */
import * as vscode from 'vscode';
import type { Move } from '../server/protocol';
import { CitationHistory } from './citations';
import { Connection, messageOf } from './connection';
import { DraftEditors } from './drafts';
import { Moves } from './moves';
import { OriginTracker } from './origin';
import { RatioPanel } from './panel/panel';
import { Pools } from './pools';
import { ProblemList, type ProblemView } from './problemList';
import { copyDebugInformation, exportFeedback } from './reports';
import type { StatusItem } from './status';

/** Everything of the client: makes the parts, runs the commands, passes on what changes. */
export class Ratio {
  readonly connection: Connection;
  readonly panel: RatioPanel;
  readonly pools: Pools;
  readonly problems: ProblemList;
  private readonly output: vscode.LogOutputChannel;
  private readonly commands: Record<string, (argument: unknown) => unknown>;

  constructor(
    context: vscode.ExtensionContext,
    private readonly status: StatusItem,
    problemView: ProblemView,
  ) {
    const output = (this.output = vscode.window.createOutputChannel('Ratio', { log: true }));
    const connection = (this.connection = new Connection(context, output));
    const tracker = new OriginTracker();
    const history = new CitationHistory(
      () => panel.citationsChanged(),
      (can) => panel.setUndoable(can),
    );
    const editors = new DraftEditors();
    const moves = new Moves({ connection, tracker, history }, editors, output);
    const panel = (this.panel = new RatioPanel({
      extension: context.extension,
      handler: moves,
      log: (line) => output.warn(line),
    }));
    moves.show(panel);
    const pools = (this.pools = new Pools(
      connection,
      () => void panel.refresh(),
      (pool) => panel.poolRemoved(pool),
    ));
    const problems = (this.problems = new ProblemList(
      connection,
      (line) => output.warn(line),
      problemView,
    ));
    const move = (name: Move) => (target: unknown) => moves.make(name, target);
    this.commands = {
      address: move('address'),
      broaden: move('broaden'),
      specify: move('specify'),
      addressProblem: async (row) => moves.make('address', await problems.target(row)),
      revealProblem: (row) => problems.reveal(row),
      showPanel: () => panel.show(false),
      showPanelBeside: () => panel.showBeside(),
      citeInspiration: () => moves.citeFocused(),
      addToPool: () => pools.add(),
      choosePools: () => pools.choose(),
      managePools: () => pools.manage(),
      exportFeedback: () => exportFeedback(connection),
      restartEngine: () => connection.restartEngine(),
      showLogs: () => output.show(),
      copyDebugInformation: () => copyDebugInformation(context, connection),
    };
    context.subscriptions.push(
      output,
      connection,
      tracker,
      panel,
      problems,
      history,
      editors,
      connection.onStatus((state) => {
        status.update(state);
        panel.setStatus(state);
        problems.setStatus(state);
      }),
      vscode.workspace.onDidChangeConfiguration((event) => {
        if (event.affectsConfiguration('ratio')) void this.settingsChanged(event);
      }),
      vscode.workspace.onDidRenameFiles(({ files }) => {
        for (const { oldUri, newUri } of files)
          panel.setMoved(oldUri.toString(), newUri.toString());
      }),
      vscode.workspace.onDidGrantWorkspaceTrust(() => void connection.settingsChanged()),
    );
  }

  /** Starts the language server, which warms the engine up once it has a draft. Never awaited. */
  start(): void {
    this.connection.start().catch((error: unknown) => {
      const problem = `The language server did not start: ${messageOf(error)}`;
      this.output.error(problem);
      const state = { state: 'failed', problem, engine: null } as const;
      this.status.update(state);
      this.panel.setStatus(state);
    });
  }

  /** Runs the command `ratio.<id>`; a failure is told and logged. */
  async run(id: string, argument: unknown): Promise<unknown> {
    try {
      return await this.commands[id]?.(argument);
    } catch (error) {
      this.output.error(error instanceof Error ? error : String(error));
      void vscode.window.showErrorMessage(`Ratio: ${messageOf(error)}`);
      return undefined;
    }
  }

  private async settingsChanged(event: vscode.ConfigurationChangeEvent): Promise<void> {
    await this.connection.settingsChanged();
    const rerank = event.affectsConfiguration('ratio.rerank');
    if (rerank) this.status.refresh();
    if (event.affectsConfiguration('ratio.pools')) this.panel.poolsChosen();
    else if (rerank) this.panel.refresh();
  }
}
