/** The messages between editor and server in the log, by the setting `ratio.trace.server` alone. */
import * as vscode from 'vscode';

/**
 * The output channel as the language client sees it for its trace. The client traces only where a channel's level is
 * Trace, which a user sets elsewhere; here the setting is that level, and what is traced is logged as information.
 */
export class TraceChannel implements vscode.LogOutputChannel {
  private readonly changed = new vscode.EventEmitter<vscode.LogLevel>();
  private readonly listener: vscode.Disposable;

  constructor(private readonly output: vscode.LogOutputChannel) {
    this.listener = vscode.workspace.onDidChangeConfiguration((event) => {
      if (event.affectsConfiguration('ratio.trace')) this.changed.fire(this.logLevel);
    });
  }

  get name(): string {
    return this.output.name;
  }

  get logLevel(): vscode.LogLevel {
    const setting = vscode.workspace.getConfiguration('ratio').get<unknown>('trace.server');
    const on = setting === 'messages' || setting === 'verbose';
    return on ? vscode.LogLevel.Trace : vscode.LogLevel.Off;
  }

  /** Tells a new listener the present level: a client that starts again goes by the one it knew before. */
  readonly onDidChangeLogLevel: vscode.Event<vscode.LogLevel> = (listener, self, disposables) => {
    const listening = this.changed.event(listener, self, disposables);
    queueMicrotask(() => listener.call(self, this.logLevel));
    return listening;
  };

  trace(message: string, ...rest: unknown[]): void {
    this.output.info(message, ...rest);
  }

  debug(message: string, ...rest: unknown[]): void {
    this.output.debug(message, ...rest);
  }

  info(message: string, ...rest: unknown[]): void {
    this.output.info(message, ...rest);
  }

  warn(message: string, ...rest: unknown[]): void {
    this.output.warn(message, ...rest);
  }

  error(error: string | Error, ...rest: unknown[]): void {
    this.output.error(error, ...rest);
  }

  append(value: string): void {
    this.output.append(value);
  }

  appendLine(value: string): void {
    this.output.appendLine(value);
  }

  replace(value: string): void {
    this.output.replace(value);
  }

  clear(): void {
    this.output.clear();
  }

  show(): void {
    this.output.show(true);
  }

  hide(): void {
    this.output.hide();
  }

  /** Leaves the output channel itself to its owner. */
  dispose(): void {
    this.listener.dispose();
    this.changed.dispose();
  }
}
