/** The status item: engine state, pools, device, and what to do when something is wrong. */
import * as vscode from 'vscode';
import type { Status } from '../server/protocol';
import { rerankerWords } from './rerankerWords';
import { reranks } from './settings';

/** The item in the status bar, as the engine last told. */
export class StatusItem implements vscode.Disposable {
  private readonly item = vscode.window.createStatusBarItem(
    'ratio.status',
    vscode.StatusBarAlignment.Right,
    50,
  );

  private shown: Status = { state: 'stopped', problem: null, engine: null };

  constructor() {
    this.item.name = 'Ratio';
    this.item.command = 'ratio.managePools';
    this.update(this.shown);
    this.item.show();
  }

  /** Shows the same state again, after settings that it tells of have changed. */
  refresh(): void {
    this.update(this.shown);
  }

  /** Shows this state. */
  update(status: Status): void {
    this.shown = status;
    const { item } = this;
    const problem = problemOf(status);
    item.text = textOf(status, problem !== null);
    item.backgroundColor =
      status.state === 'failed'
        ? new vscode.ThemeColor('statusBarItem.errorBackground')
        : problem !== null
          ? new vscode.ThemeColor('statusBarItem.warningBackground')
          : undefined;
    item.tooltip = tooltipOf(status, reranks());
    item.accessibilityInformation = {
      label: `Ratio: ${STATES[status.state]}${problem === null ? '' : `. ${problem}`}`,
      role: 'button',
    };
  }

  dispose(): void {
    this.item.dispose();
  }
}

const STATES: Record<Status['state'], string> = {
  stopped: 'the engine is at rest; the next move starts it',
  starting: 'the engine is starting',
  ready: 'ready',
  importing: 'adding to a pool',
  failed: 'the engine has stopped',
};

function textOf({ state }: Status, problem: boolean): string {
  if (state === 'starting' || state === 'importing') return '$(sync~spin) Ratio';
  if (state === 'failed') return '$(error) Ratio';
  return problem ? '$(warning) Ratio' : '$(lightbulb) Ratio';
}

/** What the user should act on; a fallback that works is only told in the tooltip. */
function problemOf({ problem, engine }: Status): string | null {
  return problem ?? engine?.pools.find((pool) => pool.problem !== null)?.problem ?? null;
}

/** Escaped for Markdown: names of pools and messages hold foreign text. */
function plain(text: string): string {
  const oneLine = text.replace(/\s+/g, ' ').trim();
  // VS Code makes every space one that does not break: a long message would leave the tooltip.
  return new vscode.MarkdownString().appendText(oneLine).value.replaceAll('&nbsp;', ' ');
}

function tooltipOf({ state, problem, engine }: Status, reranking: boolean): vscode.MarkdownString {
  const lines = [`**Ratio** · ${STATES[state]}`];
  if (problem !== null) lines.push(`$(warning) ${plain(problem)}`);
  if (engine) {
    const { device, index, encoder, pools } = engine;
    lines.push(
      `Device: ${device.active}${device.reason === null ? '' : ` · ${plain(device.reason)}`}`,
    );
    lines.push(
      index.kind === 'hnsw'
        ? `Encoder: ${plain(encoder.id)}`
        : `Encoder: ${plain(encoder.id)}\n\nSearch: exact${index.reason === null ? '' : ` · ${plain(index.reason)}`}`,
    );
    const reranker = rerankerWords(engine.reranker, reranking);
    if (reranker !== null) lines.push(`${reranker.info ? '$(info) ' : ''}${plain(reranker.text)}`);
    if (engine.heads?.reason) lines.push(`$(info) ${plain(engine.heads.reason)}`);
    const rows = pools.map(({ name, papers, sentences, problem: wrong }) => {
      const size = `${papers.toLocaleString()} papers, ${sentences.toLocaleString()} sentences`;
      return `- ${plain(name)}: ${wrong === null ? size : `$(warning) ${plain(wrong)}`}`;
    });
    lines.push(rows.length > 0 ? `Pools:\n${rows.join('\n')}` : 'There are no pools yet.');
  }
  lines.push(
    '[Manage pools](command:ratio.managePools) · [Restart engine](command:ratio.restartEngine) · [Show logs](command:ratio.showLogs)',
  );
  const text = new vscode.MarkdownString(lines.join('\n\n'), true);
  text.isTrusted = {
    enabledCommands: ['ratio.managePools', 'ratio.restartEngine', 'ratio.showLogs'],
  };
  return text;
}
